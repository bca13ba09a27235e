package token_test

import (
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/payments/token"
)

func TestNewIdsAreIdsAndDiffer(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 1000 {
		id := token.New("key")
		if !token.Is(id, "key") {
			t.Fatalf("%q: got that it is no id, want that it is", id)
		}
		if strings.ToLower(id) != id || strings.ContainsAny(id[4:], "ilou_") {
			t.Fatalf("%q: want lower case without i, l, o and u", id)
		}
		if seen[id] {
			t.Fatalf("%q: seen before", id)
		}
		seen[id] = true
	}
}

func TestIsRefuses(t *testing.T) {
	t.Parallel()
	id := token.New("key")
	for name, text := range map[string]string{
		"nothing":        "",
		"prefix alone":   "key_",
		"another prefix": "team_" + id[4:],
		"no underscore":  "key" + id[4:],
		"too short":      id[:len(id)-1],
		"too long":       id + "0",
		"upper case":     "key_" + strings.Repeat("A", 24),
		"foreign letter": "key_" + strings.Repeat("u", 24),
		"foreign inside": id[:10] + "-" + id[11:],
		"line break":     id[:len(id)-1] + "\n",
	} {
		if token.Is(text, "key") {
			t.Errorf("%s: %q was taken for an id", name, text)
		}
	}
}

func FuzzIs(f *testing.F) {
	f.Add(token.New("key"))
	f.Add("key_" + strings.Repeat("\r\n", 12))
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		if token.Is(text, "key") && (len(text) != len("key_")+24 || strings.ContainsAny(text[4:], "ilou-_ \r\n")) {
			t.Errorf("%q was taken for an id", text)
		}
	})
}
