package parsers

import (
	"strconv"
	"strings"
	"sync"
	"testing"
)

// A definition that is kept compiled serves runs side by side.
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

func TestStoredDefinitionsAreKeptCompiled(t *testing.T) {
	t.Parallel()
	const bytesMax = 4 * DefinitionBytesMax
	s := &Service{compiled: newCompiledCache(bytesMax)}
	text := define(`{"type":"object"}`, `{"css":"p","default":"`+strings.Repeat("x", DefinitionBytesMax/2)+`"}`)
	version := func(i int) *found {
		return &found{own: &stored{id: "parser_" + strconv.Itoa(i), definition: []byte(text)}}
	}
	first, err := s.runner(version(0))
	if err != nil {
		t.Fatal(err)
	}
	if again, err := s.runner(version(0)); err != nil || again != first {
		t.Errorf("got %v, %v, want the same definition again", again, err)
	}
	const more = 4 * bytesMax / (DefinitionBytesMax / 2)
	for i := range more {
		if _, err := s.runner(version(i)); err != nil {
			t.Fatal(err)
		}
	}
	s.compiled.CleanUp()
	if kept := s.compiled.EstimatedSize(); kept > more/3 {
		t.Errorf("got %d of %d definitions kept, want no more than %d bytes of them", kept, more, bytesMax)
	}
	broken := &found{own: &stored{id: "parser_x", definition: []byte(`{}`)}}
	if _, err := s.runner(broken); err == nil {
		t.Error("got no error for a stored definition with faults")
	}
}
