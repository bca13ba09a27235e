package object

import (
	"bytes"
)

// kindBytes is how far into an object its kind is looked for.
const kindBytes = 4096

// rebuild makes the table of objects from the objects themselves, as they stand in the file; of those with one number
// the last counts. Sections that were read before do not.
func (f *File) rebuild() {
	if f.rebuilt {
		return
	}
	f.rebuilt = true
	f.entries = map[int]entry{}
	f.forget()
	found := f.scan()
	if found.trailer["Root"] == nil && found.catalog != nil {
		found.trailer["Root"] = found.catalog
	}
	if found.trailer["Encrypt"] == nil && f.trailer["Encrypt"] != nil {
		found.trailer["Encrypt"], found.trailer["ID"] = f.trailer["Encrypt"], f.trailer["ID"]
	}
	f.trailer = found.trailer
	if f.crypt == nil && f.trailer["Encrypt"] != nil {
		_ = f.unlock() // open says what came of it
	}
	f.addContained(found.containers)
}

// scanned is what a look at the whole file finds.
type scanned struct {
	containers []int // object streams
	catalog    any
	trailer    Dict
}

// adopt takes from a trailer what a newer one replaces.
func (s *scanned) adopt(v any) {
	d, _ := v.(Dict)
	if _, ok := d["Root"].(Ref); !ok {
		return
	}
	for _, key := range []Name{"Root", "Info", "Encrypt", "ID"} {
		if v, ok := d[key]; ok {
			s.trailer[key] = v
		}
	}
}

// scan notes where every object begins, and looks for those that lead to the rest.
func (f *File) scan() scanned {
	found := scanned{trailer: Dict{}}
	f.each("obj", func(at int) {
		number, offset, ok := headerBefore(f.body, at-len("obj"))
		if !ok || len(f.entries) >= f.budget.Limits.ObjectsMax {
			return
		}
		f.entries[number] = entry{offset: offset}
		head := f.body[at:min(at+kindBytes, len(f.body))]
		if end := bytes.Index(head, []byte("obj")); end >= 0 {
			head = head[:end]
		}
		switch {
		case bytes.Contains(head, []byte("/ObjStm")):
			found.containers = append(found.containers, number)
		case bytes.Contains(head, []byte("/XRef")):
			found.adopt(newParser(f.body, at, f.budget).value(0))
		case bytes.Contains(head, []byte("/Catalog")):
			found.catalog = Ref(number)
		}
	})
	f.each("trailer", func(at int) { found.adopt(newParser(f.body, at, f.budget).value(0)) })
	return found
}

// each calls visit with the offset after each place where a word stands.
func (f *File) each(word string, visit func(at int)) {
	for at := 0; f.budget.Take(&f.budget.Values, 1, "values"); {
		i := bytes.Index(f.body[at:], []byte(word))
		if i < 0 {
			return
		}
		at += i + len(word)
		visit(at)
	}
}

// addContained adds what is in object streams. A newer stream counts before an older one, an object of its own before
// both.
func (f *File) addContained(containers []int) {
	for i := len(containers) - 1; i >= 0 && f.budget.Alive(); i-- {
		c := f.containerOf(containers[i])
		if c == nil {
			continue
		}
		for index, number := range c.numbers {
			f.add(number, entry{container: containers[i], index: index})
		}
	}
	if f.trailer["Root"] != nil {
		return
	}
	for _, number := range containers {
		c := f.containerOf(number)
		if c == nil || !f.budget.Alive() {
			continue
		}
		for _, inner := range c.numbers {
			if d, ok := f.Object(inner).(Dict); ok && d["Type"] == Name("Catalog") {
				f.trailer["Root"] = Ref(inner)
			}
		}
	}
}

// headerBefore reads "12 0 " backwards from the keyword that is at end.
func headerBefore(body []byte, end int) (number, offset int, ok bool) {
	at := end
	back := func() (value int, ok bool) {
		for at > 0 && isSpace(body[at-1]) && end-at < 64 {
			at--
		}
		last, scale := at, 1
		for at > 0 && isDigit(body[at-1]) && last-at < 10 {
			at--
			value += int(body[at]-'0') * scale
			scale *= 10
		}
		return value, last > at
	}
	if _, ok = back(); !ok || at == 0 || !isSpace(body[at-1]) {
		return 0, 0, false
	}
	if number, ok = back(); !ok {
		return 0, 0, false
	}
	return number, at, true
}
