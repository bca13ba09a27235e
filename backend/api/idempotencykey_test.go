package api

import (
	"net/http"
	"strings"
	"testing"
)

func TestIdempotencyKey(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("k", 255)
	for _, tt := range []struct {
		name   string
		values []string
		want   string
		says   string // part of the refusal; "" means that it is good
	}{
		{"none", nil, "", ""},
		{"bare", []string{"8e03978e-40d5-43e8-bc93-6894a57f9324"}, "8e03978e-40d5-43e8-bc93-6894a57f9324", ""},
		{"quoted", []string{`"8e03978e"`}, "8e03978e", ""},
		{"quoted with escapes", []string{`"a\"b\\c"`}, `a"b\c`, ""},
		{"white space around", []string{" k\t"}, "k", ""},
		{"every visible character", []string{"!#$%&'()*+,-./:;<=>?@[]^_`{|}~"}, "!#$%&'()*+,-./:;<=>?@[]^_`{|}~", ""},
		{"a quote within", []string{`a"b`}, `a"b`, ""},
		{"one", []string{"k"}, "k", ""},
		{"255", []string{long}, long, ""},
		{"255 quoted", []string{`"` + long + `"`}, long, ""},
		{"256", []string{long + "k"}, "", "1 to 255"},
		{"empty", []string{""}, "", "1 to 255"},
		{"white space", []string{"  "}, "", "1 to 255"},
		{"empty and quoted", []string{`""`}, "", "1 to 255"},
		{"a space within", []string{"a b"}, "", "visible"},
		{"a space within quotes", []string{`"a b"`}, "", "visible"},
		{"a control character", []string{"a\x7f"}, "", "visible"},
		{"not ASCII", []string{"ключ"}, "", "visible"},
		{"two", []string{"a", "b"}, "", "more than once"},
		{"the same twice", []string{"a", "a"}, "", "more than once"},
		{"half quoted", []string{`"a`}, "", "not a quoted string"},
		{"a quote", []string{`"`}, "", "not a quoted string"},
		{"quotes within quotes", []string{`"a"b"`}, "", "not a quoted string"},
		{"an escape that is none", []string{`"a\b"`}, "", "not a quoted string"},
		{"an escaped end", []string{`"a\"`}, "", "not a quoted string"},
		{"parameters", []string{`"a";x=1`}, "", "not a quoted string"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := idempotencyKey(http.Header{idempotencyKeyHeader: tt.values}, "")
			if tt.says != "" {
				if err == nil || !strings.Contains(err.Error(), tt.says) {
					t.Errorf("got %q, %v, want an error that says %q", got, err, tt.says)
				}
				return
			}
			if err != nil || got != tt.want {
				t.Errorf("got %q, %v, want %q", got, err, tt.want)
			}
		})
	}
}

// FuzzIdempotencyKey: an accepted key can be stored, and a quoted key equals the bare one.
func FuzzIdempotencyKey(f *testing.F) {
	for _, seed := range []string{"k", `"k"`, `"a\"b"`, `"a\`, `"`, "", "a b", "\x00", "\xff", `"\\"`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		got, err := idempotencyKey(http.Header{idempotencyKeyHeader: {value}}, "")
		if err != nil {
			return
		}
		if !visible(got, idempotencyKeyBytesMax) {
			t.Fatalf("%q: got key %q, want visible ASCII", value, got)
		}
		quoted := `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(got) + `"`
		if again, err := idempotencyKey(http.Header{idempotencyKeyHeader: {quoted}}, ""); err != nil || again != got {
			t.Fatalf("%s: got %q, %v, want %q", quoted, again, err, got)
		}
	})
}
