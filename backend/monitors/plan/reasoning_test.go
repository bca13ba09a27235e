package plan

import (
	"encoding/json"
	"strings"
	"testing"
)

// FuzzReasoning: the streamed reasoning is the same however the text is split, and never longer than the text.
func FuzzReasoning(f *testing.F) {
	f.Add(`{"reasoning":"a \"b\" \u00e4\ud83d\ude00 c","goal":"x"}`, 3)
	f.Add(`{"goal":"x","reasoning":"späť"}`, 1)
	f.Add(`{"reasoning":"never ends \ud83d`, 2)
	f.Add(`{"reasoning":12}`, 5)
	f.Add(`{"reasoning":"half \ud83d\u0100 a pair"}`, 4)
	f.Fuzz(func(t *testing.T, text string, size int) {
		size = max(size%17, 1)
		if size < 0 {
			size = 1
		}
		told := func(pieces ...string) string {
			var out strings.Builder
			r := newReasoning(func(token string) { out.WriteString(token) })
			for _, piece := range pieces {
				r.write(piece)
			}
			return out.String()
		}
		var pieces []string
		for at := 0; at < len(text); at += size {
			pieces = append(pieces, text[at:min(at+size, len(text))])
		}
		whole := told(text)
		if got := told(pieces...); got != whole && len(whole) < toldBytesMax {
			t.Errorf("got %q in pieces, %q in one", got, whole)
		}
		var object struct {
			Reasoning *string `json:"reasoning"`
		}
		if strings.HasPrefix(text, `{"reasoning":"`) && json.Unmarshal([]byte(text), &object) == nil && object.Reasoning != nil && strings.Count(text, "reasoning") == 1 {
			if want := plainly(*object.Reasoning); plainly(whole) != want {
				t.Errorf("got %q, want %q", whole, want)
			}
		}
	})
}

func plainly(text string) string {
	return oneLine(strings.ReplaceAll(text, "\ufffd", ""))
}
