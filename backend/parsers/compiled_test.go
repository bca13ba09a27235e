package parsers

import (
	"strconv"
	"strings"
	"sync"
	"testing"
)

// A compiled definition can be used by concurrent runs.
func TestOneDefinitionRunsSideBySide(t *testing.T) {
	t.Parallel()
	d, faults := compile([]byte(`{"name":"x","schema":{"type":"object","properties":{"n":{"type":"integer"}}},"fields":{`+
		`"n":{"xpath":"count(//li)"},"c":{"css":"li:last-child b"},"x":{"xpath":"//li[position()=last()]//a/@href"},`+
		`"k":{"const":["1"],"transforms":["first"]},"w":{"label":"Weight","transforms":[{"regex":"([0-9.]+)"}]}}}`), nil)
	if faults != nil {
		t.Fatal(faults)
	}
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 20 {
				out, err := d.do(t.Context(), shop(), shopDocument())
				const want = `{"k":"1","n":3,"w":"1.5","x":"x"}`
				if err != nil || strings.ReplaceAll(string(out.json), `"c":null,`, "") != want {
					t.Errorf("got %s, %v, want %s", out.json, err, want)
					return
				}
			}
		})
	}
	group.Wait()
}

func TestDefinitionsAreKeptCompiled(t *testing.T) {
	t.Parallel()
	w := newWorker()
	text := func(i int) []byte {
		return []byte(define(`{"type":"object"}`, `{"css":"p","default":"`+strconv.Itoa(i)+strings.Repeat("x", DefinitionBytesMax/2)+`"}`))
	}
	first := w.compile(&task{}, text(0), &reply{})
	again := &reply{}
	if got := w.compile(&task{}, text(0), again); first == nil || got != first || again.Name != first.name {
		t.Errorf("got %v named %q, want the same definition again", got, again.Name)
	}
	const more = 4 * compiledBytesMax / (DefinitionBytesMax / 2)
	for i := range more {
		if w.compile(&task{}, text(i), &reply{}) == nil {
			t.Fatal("got no definition")
		}
	}
	w.compiled.CleanUp()
	if kept := w.compiled.EstimatedSize(); kept > more/3 {
		t.Errorf("got %d of %d definitions kept, want no more than %d bytes of them", kept, more, compiledBytesMax)
	}
}
