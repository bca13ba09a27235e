package pdf

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

// file finds the objects of a PDF.
type file struct {
	body    []byte
	budget  *budget
	entries map[int]entry
	trailer dict
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

// resolve follows references until there is a value. What cannot be had is nil, as a missing object is (7.3.10).
func (f *file) resolve(v any) any {
	for range 8 {
		r, ok := v.(ref)
		if !ok {
			return v
		}
		v = f.object(int(r))
	}
	return nil
}

func (f *file) dict(v any) dict {
	switch v := f.resolve(v).(type) {
	case dict:
		return v
	case *stream:
		return v.dict
	}
	return nil
}

func (f *file) array(v any) array {
	a, _ := f.resolve(v).(array)
	return a
}

func (f *file) name(v any) name {
	n, _ := f.resolve(v).(name)
	return n
}

func (f *file) int(v any) (int, bool) { return integer(f.resolve(v)) }

func (f *file) number(v any) (float64, bool) { return number(f.resolve(v)) }

// numbers reads an array of exactly n numbers.
func (f *file) numbers(v any, n int) ([]float64, bool) {
	a := f.array(v)
	if len(a) != n {
		return nil, false
	}
	out := make([]float64, n)
	for i, v := range a {
		x, ok := f.number(v)
		if !ok {
			return nil, false
		}
		out[i] = x
	}
	return out, true
}

// objectNumbers lists the objects that the file has.
func (f *file) objectNumbers() []int { return slices.Sorted(maps.Keys(f.entries)) }

// object reads an object by its number.
func (f *file) object(number int) any {
	if v, ok := f.cache[number]; ok {
		return v
	}
	if f.resolving[number] || len(f.resolving) >= resolvingMax || !f.budget.alive() {
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
				return f.object(number)
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
func (f *file) at(offset, number int) (v any, cost int, ok bool) {
	p, found, generation := f.header(offset)
	if p == nil || found != number {
		return nil, 1, false
	}
	v = p.value(0)
	// Strings and comments may be long, and the same bytes part of many objects.
	f.budget.take(&f.budget.decoded, p.pos-offset, "bytes")
	if word, isWord := v.(keyword); isWord {
		return nil, 1, word == "endobj" // an empty object is null
	}
	if d, isDict := v.(dict); isDict {
		l := p.lexer
		if t := l.next(); t.kind == tokenKeyword && string(t.bytes) == "stream" {
			s := f.stream(d, l.pos, number, generation)
			f.decryptStrings(d, number, generation, 0)
			return s, objectValuesMax - p.left, true
		}
	}
	return f.decryptStrings(v, number, generation, 0), objectValuesMax - p.left, true
}

// header reads "12 0 obj" at an offset. The parser is nil where there is none.
func (f *file) header(offset int) (p *parser, number, generation int) {
	if offset < 0 || offset >= len(f.body) {
		return nil, 0, 0
	}
	p = newParser(f.body, offset, f.budget)
	first, second, word := p.next(), p.next(), p.next()
	if first.kind != tokenInt || second.kind != tokenInt || word.kind != tokenKeyword || !bytes.HasPrefix(word.bytes, []byte("obj")) {
		return nil, 0, 0
	}
	p.pos -= len(word.bytes) - len("obj") // "obj" may stick to what follows
	return p, first.int, second.int
}

// stream finds a stream's data, which begin after the line of the keyword (7.3.8). A length that does not lead to
// "endstream" is not believed.
func (f *file) stream(d dict, pos, number, generation int) *stream {
	s := &stream{dict: d, number: number, generation: generation, plain: d["Type"] == name("XRef")}
	if pos < len(f.body) && f.body[pos] == '\r' {
		pos++
	}
	if pos < len(f.body) && f.body[pos] == '\n' {
		pos++
	}
	if n, ok := f.int(d["Length"]); ok && n >= 0 && n <= len(f.body)-pos {
		after := lexer{data: f.body[pos+n : min(pos+n+32, len(f.body))]}
		if t := after.next(); bytes.HasPrefix(t.bytes, []byte("endstream")) || bytes.HasPrefix(t.bytes, []byte("endobj")) {
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
func (f *file) endOfStream(pos int) int {
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
	low, high := 0, len(f.ends)
	for low < high {
		if middle := (low + high) / 2; f.ends[middle] < pos {
			low = middle + 1
		} else {
			high = middle
		}
	}
	if low < len(f.ends) {
		return f.ends[low]
	}
	return len(f.body)
}

// decode applies a stream's filters (7.4). An error says that nothing of it is text: images, missing keys, limits.
func (f *file) decode(s *stream) ([]byte, error) {
	if s == nil || !f.budget.alive() {
		return nil, errFilter
	}
	filters, parms := f.filters(s.dict)
	if len(filters) > filtersMax || !f.budget.take(&f.budget.decoded, len(s.data), "bytes") {
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
	return data, f.budget.err
}

// filters are a stream's filters and their parameters, as many as filters.
func (f *file) filters(d dict) ([]name, []dict) {
	first := func(long, short name) any {
		if v := f.resolve(d[long]); v != nil {
			return v
		}
		return f.resolve(d[short])
	}
	var names []name
	switch v := first("Filter", "F").(type) {
	case name:
		names = []name{v}
	case array:
		for _, v := range v[:min(len(v), filtersMax+1)] {
			names = append(names, f.name(v))
		}
	}
	parms := make([]dict, len(names))
	switch v := first("DecodeParms", "DP").(type) {
	case dict:
		if len(parms) > 0 {
			parms[0] = f.flat(v)
		}
	case array:
		for i := range min(len(v), len(parms)) {
			parms[i] = f.flat(f.dict(v[i]))
		}
	}
	return names, parms
}

// flat is a dictionary whose values are no references, for readers that have no file.
func (f *file) flat(d dict) dict {
	out := make(dict, len(d))
	for key, v := range d {
		out[key] = f.resolve(v)
	}
	return out
}
