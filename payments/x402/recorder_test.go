package x402

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// What is announced to be over the cap is not copied up to it, and what is not over it is kept.
func TestTeeCopiesWhatWillBeKept(t *testing.T) {
	t.Parallel()
	const bytesMax = 8
	for _, tt := range []struct {
		name, announced string
		writes          []string
		kept            string // empty: nothing
	}{
		{"no length", "", []string{"four", "more"}, "fourmore"},
		{"no length, over", "", []string{"four", "more", "!"}, ""},
		{"at the cap", "8", []string{"four", "more"}, "fourmore"},
		{"over the cap", "9", []string{"four"}, ""},
		{"no number", "many", []string{"four"}, "four"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := httptest.NewRecorder()
			out := newTee(w, bytesMax, func(http.Header) error { return nil })
			out.gone = func() bool { return false }
			if tt.announced != "" {
				out.Header().Set("Content-Length", tt.announced)
			}
			var sent string
			for _, text := range tt.writes {
				if _, err := out.Write([]byte(text)); err != nil {
					t.Fatal(err)
				}
				sent += text
			}
			if got := w.Body.String(); got != sent {
				t.Errorf("sent: got %q, want %q", got, sent)
			}
			switch resp := out.response(); {
			case tt.kept == "" && (resp != nil || out.body.Cap() != 0):
				t.Errorf("kept: got %+v and room for %d bytes, want nothing", resp, out.body.Cap())
			case tt.kept != "" && (resp == nil || string(resp.Body) != tt.kept):
				t.Errorf("kept: got %+v, want %q", resp, tt.kept)
			}
		})
	}
}
