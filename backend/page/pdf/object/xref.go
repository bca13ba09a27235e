package object

import (
	"bytes"
	"errors"
)

var (
	// ErrNotPDF is returned for data that have no PDF's header, nor objects.
	ErrNotPDF = errors.New("not a PDF")
	// ErrEncrypted is returned for a file that opens with a password only, or by a method other than a password.
	ErrEncrypted = errors.New("the PDF needs a password")
)

const (
	// headerBytes is where "%PDF-" is looked for; some servers and mailers put something before it.
	headerBytes = 64 << 10
	// sectionsMax is how many sections of cross-references a file has at most, one for each time that it was changed.
	sectionsMax = 1024
)

// Open finds the objects of a file: by its cross-reference sections (ISO 32000-1, 7.5.4 and 7.5.8), or by looking at
// the whole of it where those do not lead to a catalog.
func Open(body []byte, b *Budget) (*File, error) {
	f := &File{budget: b, resolving: map[int]bool{}}
	f.reset(body)
	return f, f.open()
}

func (f *File) open() error {
	start := bytes.Index(f.body[:min(len(f.body), headerBytes)], []byte("%PDF-"))
	if start < 0 {
		if !bytes.Contains(f.body, []byte(" obj")) || !bytes.Contains(f.body, []byte("endobj")) {
			return ErrNotPDF
		}
		start = 0 // the head is lost, but there are objects
	}
	whole := f.body
	f.body = f.body[start:] // offsets count from the header, as a rule
	f.readSections()
	if f.Catalog() == nil && start > 0 {
		f.reset(whole)
		f.readSections()
	}
	if err := f.unlock(); err != nil {
		return err
	}
	if f.Catalog() == nil {
		f.rebuild()
		if f.crypt == nil {
			if err := f.unlock(); err != nil {
				return err
			}
		}
	}
	if !f.budget.Alive() {
		return f.budget.Err
	}
	return nil
}

func (f *File) reset(body []byte) {
	f.body, f.entries, f.trailer = body, map[int]entry{}, Dict{}
	f.forget()
	f.ends, f.hasEnds = nil, false
}

// forget drops what was read of objects.
func (f *File) forget() {
	f.cache, f.cacheValues, f.containers, f.heldBytes = map[int]any{}, 0, map[int]*container{}, 0
}

// Info is the document information dictionary (14.3.3).
func (f *File) Info() Dict { return f.Dict(f.trailer["Info"]) }

// Catalog is the root of the document, or nil where it leads to no pages.
func (f *File) Catalog() Dict {
	root := f.Dict(f.trailer["Root"])
	if root == nil || f.Dict(root["Pages"]) == nil {
		return nil
	}
	return root
}

// readSections follows the chain of sections from the newest to the oldest.
func (f *File) readSections() {
	at := bytes.LastIndex(f.body, []byte("startxref"))
	if at < 0 {
		return
	}
	l := lexer{data: f.body, pos: at + len("startxref")}
	next := l.Next()
	if next.Kind != TokenInt {
		return
	}
	seen := map[int]bool{}
	queue := []int{next.Int}
	for len(queue) > 0 && len(seen) < sectionsMax && f.budget.Alive() {
		offset := queue[0]
		queue = queue[1:]
		if seen[offset] || offset < 0 || offset >= len(f.body) {
			continue
		}
		seen[offset] = true
		trailer := f.section(offset)
		for key, v := range trailer {
			if _, ok := f.trailer[key]; !ok {
				f.trailer[key] = v
			}
		}
		// A hybrid file's stream counts before the sections that are older (7.5.8.4).
		for _, key := range []Name{"XRefStm", "Prev"} {
			if offset, ok := integer(trailer[key]); ok {
				queue = append(queue, offset)
			}
		}
	}
}

// section reads a table or a stream of cross-references and gives its trailer.
func (f *File) section(offset int) Dict {
	p := newParser(f.body, offset, f.budget)
	if t := p.Next(); t.Kind == TokenKeyword && string(t.Bytes) == "xref" {
		return f.table(p)
	}
	p, number, generation := f.header(offset)
	if p == nil {
		return nil
	}
	d, ok := p.value(0).(Dict)
	if !ok {
		return nil
	}
	if t := p.Next(); t.Kind != TokenKeyword || string(t.Bytes) != "stream" {
		return nil
	}
	s := f.stream(d, p.pos, number, generation)
	s.plain = true
	f.xrefStream(s)
	return d
}

// table reads "0 6 0000000003 65535 f …" up to its trailer.
func (f *File) table(p *Parser) Dict {
	for f.budget.Alive() {
		first := p.Next()
		if first.Kind == TokenKeyword && string(first.Bytes) == "trailer" {
			d, _ := p.value(0).(Dict)
			return d
		}
		count := p.Next()
		if first.Kind != TokenInt || count.Kind != TokenInt || first.Int < 0 {
			return nil
		}
		for i := range max(count.Int, 0) {
			mark := p.pos
			offset, generation, kind := p.Next(), p.Next(), p.Next()
			if offset.Kind != TokenInt || generation.Kind != TokenInt || kind.Kind != TokenKeyword {
				p.pos = mark // fewer entries than were announced
				break
			}
			if !f.budget.Take(&f.budget.Values, 1, "values") {
				return nil
			}
			if string(kind.Bytes) == "n" && offset.Int > 0 {
				f.add(first.Int+i, entry{offset: offset.Int, generation: generation.Int})
			} else {
				f.add(first.Int+i, entry{offset: -1})
			}
		}
	}
	return nil
}

// add notes where an object is, unless a newer section did.
func (f *File) add(number int, e entry) {
	if _, ok := f.entries[number]; !ok && number >= 0 && number < 1<<31 && len(f.entries) < f.budget.Limits.ObjectsMax {
		f.entries[number] = e
	}
}

// xrefStream reads a stream of cross-references (7.5.8).
func (f *File) xrefStream(s *Stream) {
	widths, ok := f.Numbers(s.Dict["W"], 3)
	if !ok {
		return
	}
	var w [3]int
	row := 0
	for i, width := range widths {
		if width < 0 || width > 8 {
			return
		}
		w[i] = int(width)
		row += int(width)
	}
	data, err := f.Decode(s)
	if err != nil || row == 0 {
		return
	}
	index := f.Array(s.Dict["Index"])
	if index == nil {
		index = Array{0, len(data) / row}
	}
	for i := 0; i+1 < len(index); i += 2 {
		first, ok1 := f.Int(index[i])
		count, ok2 := f.Int(index[i+1])
		if !ok1 || !ok2 || first < 0 {
			return
		}
		for n := 0; n < count && len(data) >= row; n++ {
			if !f.budget.Take(&f.budget.Values, 1, "values") {
				return
			}
			f.xrefRow(first+n, data[:row], w)
			data = data[row:]
		}
	}
}

func (f *File) xrefRow(number int, data []byte, w [3]int) {
	field := func(width int) int {
		v := 0
		for _, b := range data[:width] {
			v = v<<8 | int(b)
		}
		data = data[width:]
		return v
	}
	kind := 1
	if w[0] > 0 {
		kind = field(w[0])
	}
	second, third := field(w[1]), field(w[2])
	switch kind {
	case 0:
		f.add(number, entry{offset: -1})
	case 1:
		f.add(number, entry{offset: second, generation: third})
	case 2:
		if second > 0 {
			f.add(number, entry{container: second, index: third})
		}
	}
}
