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

func TestLongPrefix(t *testing.T) {
	t.Parallel()
	prefix := strings.Repeat("long", 20)
	if id := token.New(prefix); !token.Is(id, prefix) {
		t.Errorf("%q: got that it is no id, want that it is", id)
	}
}

var kept string

// BenchmarkNew: every request that an edge forwards needs one token. It must stay at one allocation and below 500 ns;
// 200 were measured, most of it in the random source.
func BenchmarkNew(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		kept = token.New("req")
	}
}
