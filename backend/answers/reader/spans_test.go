package reader

import (
	"slices"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/answers/ask"
	"github.com/turnpike-edge/turnpike/backend/page/extract"
)

// TestSpans pins what is taken for a value of each shape.
func TestSpans(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		shape shape
		text  string
		want  []string
	}{
		{money, "Now $1,599.00, was €12 or 15 EUR; 5 items", []string{"$1,599.00", "€12", "15 EUR"}},
		{date, "Published May 19, 2024, seen 2024-06-01, since 1995", []string{"May 19, 2024", "2024-06-01", "1995"}},
		{phone, "Call +1 (833) 777-3633 or 216.529.3000, not 2024-06-01 12", []string{"+1 (833) 777-3633", "216.529.3000"}},
		{email, "Write to a.b@c.example. Or @nobody", []string{"a.b@c.example"}},
		{link, "See https://a.example/b?c=1, or react.dev.", []string{"https://a.example/b?c=1", "react.dev"}},
		{measure, "It weighs 2.4 kg – or 5 lb, with 3 hooks", []string{"2.4", "5"}},
		{times, "Mon – Fri 10am – 9pm, closed in May", []string{"Mon – Fri 10am – 9pm"}},
		{proper, "it was Jane van Thorne who spoke with Ada", []string{"Jane van Thorne", "Ada"}},
		{after, "Made by: Norlys AB. It is old", []string{"Norlys AB"}},
	} {
		p := read(&ask.Source{Document: &extract.Document{Text: tt.text, Metadata: extract.Metadata{Language: "en"}}})
		var wanted [shapes]bool
		for s := range wanted {
			wanted[s] = true
		}
		var got []string
		for _, s := range p.spansOf(&p.blocks[0], wanted) {
			if s.shape == tt.shape {
				got = append(got, tt.text[s.start:s.end])
			}
		}
		for _, want := range tt.want {
			if !slices.Contains(got, want) {
				t.Errorf("%q: got %q, want %q among them", tt.text, got, want)
			}
		}
	}
}
