package object

import (
	"bytes"
	"maps"
	"slices"
)

// entry says where an object is: at an offset of the file, or as the index-th object of an object stream.
type entry struct {
	offset     int
	container  int // the number of the object stream; 0 where offset counts
	index      int
	generation int
}

// File finds the objects of a PDF.
type File struct {
	body    []byte
	budget  *Budget
	entries map[int]entry
	trailer Dict
	crypt   *crypt

	cache       map[int]any
	cacheValues int
	containers  map[int]*container
	heldBytes   int
	resolving   map[int]bool
	rebuilt     bool
	// ends are the offsets of every "endstream", made when a stream's length does not hold.
	ends    []int
	hasEnds bool
}

// Resolve follows references until there is a value. What cannot be had is nil, as a missing object is (7.3.10).
func (f *File) Resolve(v any) any {
	for range 8 {
		r, ok := v.(Ref)
		if !ok {
			return v
		}
		v = f.Object(int(r))
	}
	return nil
}

// Dict resolves a dictionary, or that of a stream. It is nil where there is none.
func (f *File) Dict(v any) Dict {
	switch v := f.Resolve(v).(type) {
	case Dict:
		return v
	case *Stream:
		return v.Dict
	}
	return nil
}

// Array resolves an array. It is nil where there is none.
func (f *File) Array(v any) Array {
	a, _ := f.Resolve(v).(Array)
	return a
}

// Name resolves a name. It is empty where there is none.
func (f *File) Name(v any) Name {
	n, _ := f.Resolve(v).(Name)
	return n
}

// Int resolves an integer, or a real number that is one.
func (f *File) Int(v any) (int, bool) { return integer(f.Resolve(v)) }

// Number resolves a finite number.
func (f *File) Number(v any) (float64, bool) { return number(f.Resolve(v)) }

// Numbers resolves an array of exactly n finite numbers.
func (f *File) Numbers(v any, n int) ([]float64, bool) {
	a := f.Array(v)
	if len(a) != n {
		return nil, false
	}
	out := make([]float64, n)
	for i, v := range a {
		x, ok := f.Number(v)
		if !ok {
			return nil, false
		}
		out[i] = x
	}
	return out, true
}

// ObjectNumbers lists the objects that the file has.
func (f *File) ObjectNumbers() []int { return slices.Sorted(maps.Keys(f.entries)) }

// Object reads an object by its number.
func (f *File) Object(number int) any {
	if v, ok := f.cache[number]; ok {
		return v
	}
	if f.resolving[number] || len(f.resolving) >= resolvingMax || !f.budget.Alive() {
		return nil
	}
	e, ok := f.entries[number]
	if !ok {
		return nil
	}
	f.resolving[number] = true
	defer delete(f.resolving, number)
	var v any
	var cost int
	if e.container != 0 {
		v, cost = f.contained(e, number)
	} else {
		v, cost, ok = f.at(e.offset, number)
		if !ok && !f.rebuilt {
			// One entry that leads nowhere puts all of them in doubt.
			f.rebuild()
			if again, found := f.entries[number]; found && again != e {
				delete(f.resolving, number)
				return f.Object(number)
			}
		}
	}
	if f.cacheValues += cost; f.cacheValues > cachedValuesMax {
		f.cache, f.cacheValues = map[int]any{}, cost
	}
	f.cache[number] = v
	return v
}

// at reads the object that begins at an offset, "12 0 obj", if it has that number.
func (f *File) at(offset, number int) (v any, cost int, ok bool) {
	p, found, generation := f.header(offset)
	if p == nil || found != number {
		return nil, 1, false
	}
	v = p.value(0)
	// Strings and comments may be long, and the same bytes part of many objects.
	f.budget.Take(&f.budget.Decoded, p.pos-offset, "bytes")
	if word, isWord := v.(Keyword); isWord {
		return nil, 1, word == "endobj" // an empty object is null
	}
	if d, isDict := v.(Dict); isDict {
		l := p.lexer
		if t := l.Next(); t.Kind == TokenKeyword && string(t.Bytes) == "stream" {
			s := f.stream(d, l.pos, number, generation)
			f.decryptStrings(d, number, generation, 0)
			return s, objectValuesMax - p.left, true
		}
	}
	return f.decryptStrings(v, number, generation, 0), objectValuesMax - p.left, true
}

// header reads "12 0 obj" at an offset. The parser is nil where there is none.
func (f *File) header(offset int) (p *Parser, number, generation int) {
	if offset < 0 || offset >= len(f.body) {
		return nil, 0, 0
	}
	p = newParser(f.body, offset, f.budget)
	first, second, word := p.Next(), p.Next(), p.Next()
	if first.Kind != TokenInt || second.Kind != TokenInt || word.Kind != TokenKeyword || !bytes.HasPrefix(word.Bytes, []byte("obj")) {
		return nil, 0, 0
	}
	p.pos -= len(word.Bytes) - len("obj") // "obj" may stick to what follows
	return p, first.Int, second.Int
}

// stream finds a stream's data, which begin after the line of the keyword (7.3.8). A length that does not lead to
// "endstream" is not believed.
func (f *File) stream(d Dict, pos, number, generation int) *Stream {
	s := &Stream{Dict: d, number: number, generation: generation, plain: d["Type"] == Name("XRef")}
	if pos < len(f.body) && f.body[pos] == '\r' {
		pos++
	}
	if pos < len(f.body) && f.body[pos] == '\n' {
		pos++
	}
	if n, ok := f.Int(d["Length"]); ok && n >= 0 && n <= len(f.body)-pos {
		after := lexer{data: f.body[pos+n : min(pos+n+32, len(f.body))]}
		if t := after.Next(); bytes.HasPrefix(t.Bytes, []byte("endstream")) || bytes.HasPrefix(t.Bytes, []byte("endobj")) {
			s.data = f.body[pos : pos+n]
			return s
		}
	}
	end := f.endOfStream(pos)
	data := f.body[pos:end]
	data = bytes.TrimSuffix(data, []byte("\n"))
	s.data = bytes.TrimSuffix(data, []byte("\r"))
	return s
}

// endOfStream is the offset of the first "endstream" from pos on, or the end of the file. All are looked for at once:
// many streams without an end would otherwise each be searched to the end of the file.
func (f *File) endOfStream(pos int) int {
	if !f.hasEnds {
		f.hasEnds = true
		for at := 0; ; {
			i := bytes.Index(f.body[at:], []byte("endstream"))
			if i < 0 {
				break
			}
			f.ends = append(f.ends, at+i)
			at += i + len("endstream")
		}
	}
	if at, _ := slices.BinarySearch(f.ends, pos); at < len(f.ends) {
		return f.ends[at]
	}
	return len(f.body)
}

// Decode applies a stream's filters (7.4). An error says that nothing of it is text: images, missing keys, limits.
func (f *File) Decode(s *Stream) ([]byte, error) {
	if s == nil || !f.budget.Alive() {
		return nil, errFilter
	}
	filters, parms := f.filters(s.Dict)
	if len(filters) > filtersMax || !f.budget.Take(&f.budget.Decoded, len(s.data), "bytes") {
		return nil, errFilter
	}
	data := f.decryptStream(s, filters, parms)
	for i, filter := range filters {
		if filter == "Crypt" {
			continue
		}
		var err error
		if data, err = applyFilter(f.budget, filter, parms[i], data); err != nil {
			return nil, err
		}
	}
	return data, f.budget.Err
}

// filters are a stream's filters and their parameters, as many as filters.
func (f *File) filters(d Dict) ([]Name, []Dict) {
	first := func(long, short Name) any {
		if v := f.Resolve(d[long]); v != nil {
			return v
		}
		return f.Resolve(d[short])
	}
	var names []Name
	switch v := first("Filter", "F").(type) {
	case Name:
		names = []Name{v}
	case Array:
		for _, v := range v[:min(len(v), filtersMax+1)] {
			names = append(names, f.Name(v))
		}
	}
	parms := make([]Dict, len(names))
	switch v := first("DecodeParms", "DP").(type) {
	case Dict:
		if len(parms) > 0 {
			parms[0] = f.flat(v)
		}
	case Array:
		for i := range min(len(v), len(parms)) {
			parms[i] = f.flat(f.Dict(v[i]))
		}
	}
	return names, parms
}

// flat is a dictionary whose values are no references, for readers that have no file.
func (f *File) flat(d Dict) Dict {
	out := make(Dict, len(d))
	for key, v := range d {
		out[key] = f.Resolve(v)
	}
	return out
}
