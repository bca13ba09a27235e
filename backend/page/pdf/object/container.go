package object

// container is a decoded object stream (ISO 32000-1, 7.5.7).
type container struct {
	data    []byte
	numbers []int
	offsets []int
}

// heldBytesMax is how much of object streams is kept decoded.
const heldBytesMax = 24 << 20

// containerOf reads an object stream, or has it already.
func (f *File) containerOf(number int) *container {
	if c, ok := f.containers[number]; ok {
		return c
	}
	s, ok := f.Object(number).(*Stream)
	if !ok {
		return nil
	}
	c := &container{}
	f.containers[number] = c // also where it is broken: it is not tried again
	data, err := f.Decode(s)
	if err != nil {
		return c
	}
	n, _ := f.Int(s.Dict["N"])
	first, _ := f.Int(s.Dict["First"])
	if n <= 0 || first < 0 || first > len(data) {
		return c
	}
	l := lexer{data: data[:first]}
	for range min(n, f.budget.Limits.ObjectsMax) {
		number, offset := l.Next(), l.Next()
		if number.Kind != TokenInt || offset.Kind != TokenInt || !f.budget.Take(&f.budget.Values, 2, "values") {
			break
		}
		if offset.Int < 0 || offset.Int > len(data)-first {
			continue
		}
		c.numbers = append(c.numbers, number.Int)
		c.offsets = append(c.offsets, first+offset.Int)
	}
	c.data = data
	if f.heldBytes += len(data) + 16*len(c.numbers); f.heldBytes > heldBytesMax {
		f.containers = map[int]*container{number: c}
		f.heldBytes = len(data)
	}
	return c
}

// contained reads an object that is in an object stream. Its strings are not encrypted on their own.
func (f *File) contained(e entry, number int) (v any, cost int) {
	c := f.containerOf(e.container)
	if c == nil {
		return nil, 1
	}
	at := e.index
	if at < 0 || at >= len(c.numbers) || c.numbers[at] != number {
		at = -1
		for i, n := range c.numbers {
			if n == number {
				at = i
			}
		}
		if at < 0 || !f.budget.Take(&f.budget.Values, len(c.numbers), "values") {
			return nil, 1
		}
	}
	p := newParser(c.data, c.offsets[at], f.budget)
	v = p.value(0)
	f.budget.Take(&f.budget.Decoded, p.pos-c.offsets[at], "bytes")
	if _, isWord := v.(Keyword); isWord {
		v = nil
	}
	return v, objectValuesMax - p.left
}
