package parsers

import (
	"strconv"
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/page/extract"
	"github.com/turnpike-edge/turnpike/backend/parsers/rules"
)

func define(schema, field string) string {
	return `{"name":"x","schema":` + schema + `,"fields":{"v":` + field + `}}`
}

func page(body string) extract.Source {
	return extract.Source{URL: "https://shop.example/items/1", MediaType: "text/html", Body: []byte(body)}
}

func TestDefinitionsAreKeptCompiled(t *testing.T) {
	t.Parallel()
	w := newWorker()
	text := func(i int) []byte {
		return []byte(define(`{"type":"object"}`, `{"css":"p","default":"`+strconv.Itoa(i)+strings.Repeat("x", rules.DefinitionBytesMax/2)+`"}`))
	}
	first := w.compile(&task{}, text(0), &reply{})
	again := &reply{}
	if got := w.compile(&task{}, text(0), again); first == nil || got != first || again.Name != first.Name {
		t.Errorf("got %v named %q, want the same definition again", got, again.Name)
	}
	const more = 4 * compiledBytesMax / (rules.DefinitionBytesMax / 2)
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
