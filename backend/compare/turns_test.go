package compare

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

var wares = []string{"Hats for all heads", "Gloves made by hand", "Scarves that keep you warm", "Boots for every bog", "Coats against the rain", "Socks of wool from here"}

// TestTurns: of a list that is drawn anew for each run, though looks agree, what was gone and came back is noise, and what never was there
// is told.
func TestTurns(t *testing.T) {
	t.Parallel()
	for seed := range uint64(5) {
		m, r := monitor(t), rand.New(rand.NewPCG(seed, 7))
		list := func(first string) string {
			shown := []string{first}
			for _, i := range r.Perm(len(wares))[:3] {
				shown = append(shown, "<li>"+wares[i]+"</li>")
			}
			return fmt.Sprintf(hall, "<ul>"+strings.Join(shown, "")+"</ul>")
		}
		told := 0
		for range 30 {
			if m.sees(list("")) {
				told++
			}
		}
		if told > 6 {
			t.Errorf("draw %d: told %d times, want 6 at most", seed, told)
		}
		if !m.sees(list("<li>Belts from the tannery</li>")) {
			t.Errorf("draw %d: what never was in the list was not told", seed)
		}
	}
}

// TestComesAndGoes: a text that was twice gone and back as it had been is noise, and another in its place is not.
func TestComesAndGoes(t *testing.T) {
	t.Parallel()
	m := monitor(t)
	const notice = "<p>Try our new app for your phone</p>"
	for i, run := range []struct {
		text string
		want bool
	}{
		{"", false},
		{"", false},
		{notice, true},
		{notice, false},
		{"", true},
		{"", false},
		{notice, true},
		{"", true},
		{"", false},
		{notice, true},
		{notice, false},
		{"", false},
		{notice, false},
		{"<p>The floor is being laid anew</p>" + notice, true},
	} {
		if got := m.sees(fmt.Sprintf(hall, run.text)); got != run.want {
			t.Errorf("run %d: got changed %v, want %v", i, got, run.want)
		}
	}
}

// TestTurnsStayFew however many lists there are, and however much goes from them.
func TestTurnsStayFew(t *testing.T) {
	t.Parallel()
	noise := &Noise{}
	for i := range uint64(3 * turnsMax) {
		noise.Runs++
		for j := range uint32(2 * goneMax) {
			noise.gone(placeOf(i), j)
		}
		noise.bound()
	}
	if len(noise.Turns) > turnsMax {
		t.Errorf("got %d lists", len(noise.Turns))
	}
	for place, turns := range noise.Turns {
		if len(turns.Gone) > goneMax {
			t.Errorf("%s: got %d", place, len(turns.Gone))
		}
	}
	noise.Turns[strings.Repeat("a", 40)] = &Turns{}
	noise.Turns["b"] = nil
	noise.Turns["c"] = &Turns{Back: -1}
	if noise.sane(); noise.Turns["b"] != nil || noise.Turns["c"] != nil || len(noise.Turns) > turnsMax {
		t.Errorf("got %d lists", len(noise.Turns))
	}
}
