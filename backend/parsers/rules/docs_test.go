package rules

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/page/extract"
)

// documentation returns docs/parsers.md, and its code blocks by language.
func documentation(t testing.TB) (string, map[string][]string) {
	t.Helper()
	text, err := os.ReadFile("../../../docs/parsers.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := map[string][]string{}
	for i, block := range strings.Split(string(text), "```") {
		if kind, body, ok := strings.Cut(block, "\n"); ok && i%2 == 1 {
			blocks[kind] = append(blocks[kind], body)
		}
	}
	if len(blocks["html"]) != 1 || len(blocks["json"]) != 2 {
		t.Fatalf("got %d pages and %d JSON texts, want a page, a definition and a result", len(blocks["html"]), len(blocks["json"]))
	}
	return string(text), blocks
}

// The example of docs/parsers.md does what the page says.
func TestDocumentedExample(t *testing.T) {
	t.Parallel()
	text, blocks := documentation(t)
	d, faults := Compile([]byte(blocks["json"][0]), nil)
	if faults != nil {
		t.Fatal(faults)
	}
	source := extract.Source{URL: "https://shop.example/items/1", MediaType: "text/html", Body: []byte(blocks["html"][0])}
	out, err := d.Do(t.Context(), source, nil)
	if err != nil || len(out.Faults) > 0 {
		t.Fatal(err, out)
	}
	var want bytes.Buffer
	if err := json.Compact(&want, []byte(blocks["json"][1])); err != nil {
		t.Fatal(err)
	}
	if string(out.JSON) != want.String() {
		t.Errorf("got %s, want %s", out.JSON, want.String())
	}
	for _, name := range fieldMembers {
		if !strings.Contains(text, "`"+name+"`") {
			t.Errorf("the member %s of a field is not documented", name)
		}
	}
	for _, name := range append(sortedKeys(plainTransforms), optionTransforms...) {
		if !strings.Contains(text, `"`+name+`"`) {
			t.Errorf("the transform %s is not documented", name)
		}
	}
	for _, b := range []string{"article", "links", "metadata", "product", "tables"} {
		if !strings.Contains(text, "| `@turnpike/"+b+"` |") {
			t.Errorf("the parser %s is not documented", b)
		}
	}
}
