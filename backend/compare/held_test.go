package compare

import (
	"encoding/json"
	"fmt"
	"testing"
)

// TestHeldBack: what is marginal is told a run later where it stays, and never where it does not, nor in a run of the first two.
func TestHeldBack(t *testing.T) {
	t.Parallel()
	const tips, price = `<table><tr><td>Doors are green.</td></tr><tr><td>%s</td></tr><tr><td>Floors are of oak.</td></tr></table>`, `<p>Price: %s</p>`
	for _, tt := range []struct {
		name  string
		tips  []string
		price []string
		want  []bool
	}{
		{"it stays", []string{"Ask for tea", "Use both lifts", "Use both lifts", "Use both lifts"}, nil, []bool{false, false, true, false}},
		{"it is another each time", []string{"Ask for tea", "Use both lifts", "Bring warm socks", "Sing along softly"}, nil, []bool{false, false, false, false}},
		{"it goes back", []string{"Ask for tea", "Use both lifts", "Ask for tea", "Ask for tea"}, nil, []bool{false, false, false, false}},
		{"beside an edit", []string{"Ask for tea", "Use both lifts", "Use both lifts"}, []string{"9 €", "8 €", "8 €"}, []bool{false, true, false}},
		{"then an edit", []string{"Ask for tea", "Use both lifts", "Use both lifts", "Use both lifts"}, []string{"9 €", "9 €", "8 €", "8 €"}, []bool{false, false, true, false}},
		{"known to stand still", []string{"Ask for tea", "Ask for tea", "Ask for tea", "Use both lifts", "Use both lifts"}, nil, []bool{false, false, false, true, false}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := monitor(t)
			for i, tip := range tt.tips {
				amount := "9 €"
				if tt.price != nil {
					amount = tt.price[i]
				}
				body := fmt.Sprintf(hall, fmt.Sprintf(tips, tip)+fmt.Sprintf(price, amount))
				if got := m.sees(body); got != tt.want[i] {
					t.Errorf("run %d: got changed %v, want %v", i, got, tt.want[i])
				}
				if diff := Compare(m.kept, m.kept, copied(t, m.noise), Options{}); diff.Changed {
					t.Errorf("run %d: a snapshot differs from itself: %s", i, diff.Unified)
				}
			}
		})
	}
}

func copied(t *testing.T, noise *Noise) *Noise {
	t.Helper()
	out := &Noise{}
	written, err := json.Marshal(noise)
	if err == nil {
		err = json.Unmarshal(written, out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}
