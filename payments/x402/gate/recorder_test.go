package gate

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// A response that is announced to be over the cap is not copied at all; others are kept.
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

// roomy is a writer with room for max bytes of a response that is held.
type roomy struct {
	http.ResponseWriter
	max int
}

func (r roomy) Room(bytes int) bool { return bytes <= r.max }

// wrapped is a writer around another.
type wrapped struct{ http.ResponseWriter }

func (w wrapped) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// A response for which there is no room is treated like one over the cap: settled, and passed on.
func TestResponsesWithoutRoom(t *testing.T) {
	t.Parallel()
	const most = 4 * RoomFrom
	for name, tt := range map[string]struct {
		room, bytes int
		full        bool
	}{
		"small": {0, RoomFrom, false}, "with room": {2 * RoomFrom, 2 * RoomFrom, false}, "without": {2 * RoomFrom, 2*RoomFrom + 1, true},
	} {
		w := httptest.NewRecorder()
		below := wrapped{roomy{w, tt.room}}
		full := 0
		var held *recorder
		held = newRecorder(below, most, func() error {
			full++
			return held.release(nil)
		})
		copied := newTee(below, most, func(http.Header) error { return nil })
		copied.gone = func() bool { return false }
		for range tt.bytes {
			_, _ = held.Write([]byte("x"))
			_, _ = copied.Write([]byte("x"))
		}
		if (full == 1) != tt.full || (copied.response() == nil) != tt.full {
			t.Errorf("%s: got full %d times, and kept %t, want it full: %t", name, full, copied.response() != nil, tt.full)
		}
	}
}
