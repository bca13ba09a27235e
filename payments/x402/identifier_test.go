package x402

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

const testID = "pay_0123456789abcdef"

// FuzzIdentifier shows that only valid identifiers are accepted, whatever the extension contains.
func FuzzIdentifier(f *testing.F) {
	for _, seed := range []string{
		IdentifierOptional, `{"info":{"id":"` + testID + `"}}`, `{"info":{"id":1}}`, `{"info":null}`, `null`, `"x"`, `{"info":{"id":"` + testID + `","id":"x"}}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		p := &Payment{extensions: map[string]json.RawMessage{ExtensionIdentifier: json.RawMessage(raw)}}
		id, refusal := p.Identifier()
		if refusal != nil && (id != "" || refusal.Status() != http.StatusBadRequest) || id != "" && !ValidIdentifier(id) {
			t.Errorf("got %q, %v", id, refusal)
		}
		if id != "" && !strings.Contains(raw, `"id"`) && !strings.Contains(raw, `\u`) {
			t.Errorf("%s: got %q out of nothing", raw, id)
		}
	})
}
