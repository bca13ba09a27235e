package topup

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

func FuzzPurchaseBody(f *testing.F) {
	for _, seed := range []string{
		`{"credits":10000}`, `{"credits":-0}`, `{"credits":1e4}`, ` {"credits" : 7 } `, `{"credits":10000,"credits":1}`, `{"CREDITS":1}`,
		"{\"\\u0063redits\":1}", `{"credits":{"a":1}}`, `[]`, `null`, `{}`, "\xff",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		r, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, PathPurchase, strings.NewReader(body))
		_, credits, err := readPurchase(r)
		if err != nil {
			if refusalOf(err).Status/100 != 4 {
				t.Errorf("%q: %v is not the caller's fault", body, err)
			}
			return
		}
		// Another JSON parser reads the same.
		var object map[string]any
		dec := json.NewDecoder(strings.NewReader(body))
		dec.UseNumber()
		if err := dec.Decode(&object); err != nil || len(object) != 1 {
			t.Fatalf("%q: accepted, and is %v, error %v", body, object, err)
		}
		if n, ok := object["credits"].(json.Number); !ok || n.String() != credits.String() {
			t.Errorf("%q: got %s, want %v", body, credits, object)
		}
	})
}

func FuzzIdempotencyKey(f *testing.F) {
	for _, seed := range []string{"a", `"a"`, `"`, `""`, "", "a b", "ä", strings.Repeat("a", 256), `"a`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		r := &http.Request{Header: http.Header{"Idempotency-Key": {value}}}
		key, err := idempotencyKey(r)
		if err == nil && (key == "" || len(key) > idempotencyKeyMax || !isVisible(key) || !strings.Contains(value, key)) {
			t.Errorf("%q: got %q", value, key)
		}
	})
}

func isVisible(s string) bool {
	return !strings.ContainsFunc(s, func(c rune) bool { return c <= ' ' || c > '~' })
}

func FuzzPaymentMethodBody(f *testing.F) {
	for _, seed := range []string{`{"email":"a@example.com"}`, `{"email":"A <a@example.com>"}`, `{"email":"a@b\r\nc"}`, `{}`, `{"email":null}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		r, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, PathPaymentMethod, strings.NewReader(body))
		email, err := readEmail(r)
		if err == nil && (len(email) > emailBytesMax || strings.ContainsAny(email, "\r\n")) {
			t.Errorf("%q: got %q", body, email)
		}
	})
}
