package pdf

import (
	"bytes"
	"errors"
)

var (
	// errNotPDF is returned for data that have no PDF's header, nor objects.
	errNotPDF = errors.New("not a PDF")
	// errEncrypted is returned for a file that opens with a password only, or by a method other than a password.
	errEncrypted = errors.New("the PDF needs a password")
)

const (
	// headerBytes is where "%PDF-" is looked for; some servers and mailers put something before it.
	headerBytes = 64 << 10
	// sectionsMax is how many sections of cross-references a file has at most, one for each time that it was changed.
	sectionsMax = 1024
)

// open finds the objects of a file: by its cross-reference sections (ISO 32000-1, 7.5.4 and 7.5.8), or by looking at
// the whole of it where those do not lead to a catalog.
func open(body []byte, b *budget) (*file, error) {
	f := &file{budget: b, resolving: map[int]bool{}}
	f.reset(body)
	return f, f.open()
}

func (f *file) open() error {
	start := bytes.Index(f.body[:min(len(f.body), headerBytes)], []byte("%PDF-"))
	if start < 0 {
		if !bytes.Contains(f.body, []byte(" obj")) || !bytes.Contains(f.body, []byte("endobj")) {
			return errNotPDF
		}
		start = 0 // the head is lost, but there are objects
	}
	whole := f.body
	f.body = f.body[start:] // offsets count from the header, as a rule
	f.readSections()
	if f.catalog() == nil && start > 0 {
		f.reset(whole)
		f.readSections()
	}
	if err := f.unlock(); err != nil {
		return err
	}
	if f.catalog() == nil {
		f.rebuild()
		if f.crypt == nil {
			if err := f.unlock(); err != nil {
				return err
			}
		}
	}
	if !f.budget.alive() {
		return f.budget.err
	}
	return nil
}

func (f *file) reset(body []byte) {
	f.body, f.entries, f.trailer = body, map[int]entry{}, dict{}
	f.forget()
	f.ends, f.hasEnds = nil, false
}

// forget drops what was read of objects.
func (f *file) forget() {
	f.cache, f.cacheValues, f.containers, f.heldBytes = map[int]any{}, 0, map[int]*container{}, 0
}

// info is the document information dictionary (14.3.3).
func (f *file) info() dict { return f.dict(f.trailer["Info"]) }

// catalog is the root of the document, or nil where it leads to no pages.
func (f *file) catalog() dict {
	root := f.dict(f.trailer["Root"])
	if root == nil || f.dict(root["Pages"]) == nil {
		return nil
	}
	return root
}

// readSections follows the chain of sections from the newest to the oldest.
func (f *file) readSections() {
	at := bytes.LastIndex(f.body, []byte("startxref"))
	if at < 0 {
		return
	}
	l := lexer{data: f.body, pos: at + len("startxref")}
	next := l.next()
	if next.kind != tokenInt {
		return
	}
	seen := map[int]bool{}
	queue := []int{next.int}
	for len(queue) > 0 && len(seen) < sectionsMax && f.budget.alive() {
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
		for _, key := range []name{"XRefStm", "Prev"} {
			if offset, ok := integer(trailer[key]); ok {
				queue = append(queue, offset)
			}
		}
	}
}

// section reads a table or a stream of cross-references and gives its trailer.
func (f *file) section(offset int) dict {
	p := newParser(f.body, offset, f.budget)
	if t := p.next(); t.kind == tokenKeyword && string(t.bytes) == "xref" {
		return f.table(p)
	}
	p, number, generation := f.header(offset)
	if p == nil {
		return nil
	}
	d, ok := p.value(0).(dict)
	if !ok {
		return nil
	}
	if t := p.next(); t.kind != tokenKeyword || string(t.bytes) != "stream" {
		return nil
	}
	s := f.stream(d, p.pos, number, generation)
	s.plain = true
	f.xrefStream(s)
	return d
}

// table reads "0 6 0000000003 65535 f …" up to its trailer.
func (f *file) table(p *parser) dict {
	for f.budget.alive() {
		first := p.next()
		if first.kind == tokenKeyword && string(first.bytes) == "trailer" {
			d, _ := p.value(0).(dict)
			return d
		}
		count := p.next()
		if first.kind != tokenInt || count.kind != tokenInt || first.int < 0 {
			return nil
		}
		for i := range max(count.int, 0) {
			mark := p.pos
			offset, generation, kind := p.next(), p.next(), p.next()
			if offset.kind != tokenInt || generation.kind != tokenInt || kind.kind != tokenKeyword {
				p.pos = mark // fewer entries than were announced
				break
			}
			if !f.budget.take(&f.budget.values, 1, "values") {
				return nil
			}
			if string(kind.bytes) == "n" && offset.int > 0 {
				f.add(first.int+i, entry{offset: offset.int, generation: generation.int})
			} else {
				f.add(first.int+i, entry{offset: -1})
			}
		}
	}
	return nil
}

// add notes where an object is, unless a newer section did.
func (f *file) add(number int, e entry) {
	if _, ok := f.entries[number]; !ok && number >= 0 && number < 1<<31 && len(f.entries) < f.budget.limits.ObjectsMax {
		f.entries[number] = e
	}
}

// xrefStream reads a stream of cross-references (7.5.8).
func (f *file) xrefStream(s *stream) {
	widths, ok := f.numbers(s.dict["W"], 3)
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
	data, err := f.decode(s)
	if err != nil || row == 0 {
		return
	}
	index := f.array(s.dict["Index"])
	if index == nil {
		index = array{0, len(data) / row}
	}
	for i := 0; i+1 < len(index); i += 2 {
		first, ok1 := f.int(index[i])
		count, ok2 := f.int(index[i+1])
		if !ok1 || !ok2 || first < 0 {
			return
		}
		for n := 0; n < count && len(data) >= row; n++ {
			if !f.budget.take(&f.budget.values, 1, "values") {
				return
			}
			f.xrefRow(first+n, data[:row], w)
			data = data[row:]
		}
	}
}

func (f *file) xrefRow(number int, data []byte, w [3]int) {
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
