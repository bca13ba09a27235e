package compare

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

var treeNames = strings.Fields("amber birch cedar daisy elder fern gorse hazel iris juniper kelp lotus maple nettle olive poplar quince rowan sorrel thyme")

const hall = "<h1>The hall</h1><p>We meet in the hall by the river.</p>%s<p>Bring a chair.</p>"

// TestRestlessPlaces: what is another with every run is told once, and is noise of its place whatever it says. Facts are told three times.
func TestRestlessPlaces(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, format string
		draw         func(run int) any
		want         int
	}{
		{"a saying", `<p class="s">The %s has its own season.</p>`, name, 1},
		{"a saying alone", `<p>%s</p>`, func(run int) any { return treeNames[run%20] + " " + treeNames[(run*7+3)%20] + " for all" }, 1},
		{"a heading", `<h2>The %s room</h2><p>Come and see.</p>`, name, 1},
		{"a text among others", `<p>%s</p>`, func(run int) any { return wares[run*5%6] + " up north, in town and on the " + treeNames[run%20] }, 1},
		{"a time", `<p>The guide comes at %d:15.</p>`, func(run int) any { return 8 + run*5%9 }, 1},
		{"a share", `<p>The lot is %d%% full.</p>`, count, 1},
		{"a date", `<p>Inspected on %d May 2025 by us.</p>`, func(run int) any { return 1 + run*7%28 }, 3},
		{"one of two texts", `<div class="s">The %s has its own season.</div><div class="s">The oak has none.</div>`, name, 1},
		{"a label's value", `<p>Piece of the choir: the %s song</p>`, name, 1},
		{"a count by leaps", `<p>We have planted %d trees with you.</p>`, count, 1},
		{"a measure", `<dl><dt>Draught</dt><dd>%d cm</dd></dl>`, count, 1},
		{"a box beside others", `<div class="b"><b>Song</b><br>%s, in %[1]s</div><div class="b"><b>Chairs</b><br>Forty</div><div class="b"><b>Doors</b><br>Two</div>`, name, 1},
		{"a row of a table", `<table><tr><td>Doors are green.</td></tr><tr><td>Ask for the %s at the bar of the %[1]s.</td></tr><tr><td>Floors are of oak.</td></tr></table>`, name, 1},
		{"a row replaced as a whole", `<table><tr><td>Doors are green.</td></tr><tr><td>%s</td></tr><tr><td>Floors are of oak.</td></tr></table>`, name, 0}, // held back, and then another
		{"a link", `<p>See the <a href="/plan/%s">plan of the hall</a>.</p>`, name, 1},
		{"an amount", `<p>Price: %d €</p>`, count, 3},
		{"a state", `<p>Tickets: %s</p>`, func(run int) any { return []string{"available", "sold out", "waitlist"}[run%3] }, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := monitor(t)
			var told []int
			for run := range 20 {
				if m.sees(fmt.Sprintf(hall, fmt.Sprintf(tt.format, tt.draw(run)))) {
					told = append(told, run)
				}
			}
			if len(told) != tt.want {
				t.Errorf("told in runs %v, want %d", told, tt.want)
			}
			// What stood still is trusted again.
			for range 4 {
				m.sees(fmt.Sprintf(hall, fmt.Sprintf(tt.format, tt.draw(19))))
			}
			if edited := fmt.Sprintf(hall, fmt.Sprintf(tt.format, tt.draw(19))); !m.sees(strings.Replace(edited, "a chair", "a bench", 1)) {
				t.Error("what stands beside it was not told")
			}
		})
	}
}

func name(run int) any { return treeNames[run%20] }

func count(run int) any { return 100 + 37*run*(run%3+1)%900 }

// TestTrustedAgain: a place that stood still for two runs is told of again, and so is what was never learned of beside it.
func TestTrustedAgain(t *testing.T) {
	t.Parallel()
	saying := func(word string) string {
		return `<div class="saying">The ` + word + ` has its own season, as they say.</div>`
	}
	notice := func(word, state string) string {
		return `<div class="saying">The ` + word + ` has its own season, as they say. The hall is ` + state + `</div>`
	}
	m, words := monitor(t), treeNames
	for i, run := range []struct {
		body string
		want bool
	}{
		{saying(words[0]), false},
		{saying(words[1]), true},
		{saying(words[2]), false},
		{saying(words[3]), false},
		{saying(words[4]), false},
		{saying(words[4]), false},
		{saying(words[5]), false}, // still once
		{notice(words[5], "closed"), true},
		{notice(words[5], "open"), true},
		{notice(words[5], "open"), false},
		{notice(words[5], "open"), false},
		{notice(words[6], "open"), true}, // still twice
	} {
		if got := m.sees(run.body); got != run.want {
			t.Errorf("run %d: got changed %v, want %v", i, got, run.want)
		}
	}
}

// TestSoonEdited: what stood still at first and was edited twice soon after is told each time.
func TestSoonEdited(t *testing.T) {
	t.Parallel()
	m := monitor(t)
	for i, run := range []struct {
		text string
		want bool
	}{{"Town Hall", false}, {"Town Hall", false}, {"Guildhall", true}, {"Guildhall", false}, {"Town Hall", true}, {"Town Hall", false}} {
		if got := m.sees(fmt.Sprintf(hall, "<p>Friday, at the "+run.text+".</p>")); got != run.want {
			t.Errorf("run %d: got changed %v, want %v", i, got, run.want)
		}
	}
}

// TestFirstEdits: what is edited in the first run after the baseline is told at once.
func TestFirstEdits(t *testing.T) {
	t.Parallel()
	page := `<h1>Harbour tour</h1><p>Price: 9 €</p><p>We sail on 4 May 2026 from the pier.</p><p>Dogs are welcome.</p><h2>Stops</h2><ul><li>Mill</li><li>Lock</li></ul>`
	for _, edit := range [][2]string{
		{"9 €", "10 €"},
		{"4 May", "5 May"},
		{"welcome.", "welcome. Cats stay ashore."},
		{"<li>Lock</li>", "<li>Lock</li><li>Weir</li>"},
		{"Harbour tour", "River tour"},
		{"Stops", "Where we stop"},
		{"<li>Mill</li>", ""},
		{"Mill", "Weir"},
		{"Dogs are welcome.", "Dogs stay ashore."},
		{"Dogs are welcome.", "Bring boots."},
	} {
		m := monitor(t)
		m.sees(page)
		if !m.sees(strings.Replace(page, edit[0], edit[1], 1)) {
			t.Errorf("%q for %q was not told", edit[1], edit[0])
		}
	}
}

// TestOldNoise: what was kept before there were histories is read, and left alone.
func TestOldNoise(t *testing.T) {
	t.Parallel()
	var noise Noise
	if err := json.Unmarshal([]byte(`{"runs":9,"counters":{"a":4},"restless":{"b":4},"places":{"c":{"runs":99,"bits":7},"d":{"runs":3,"bits":5}}}`), &noise); err != nil {
		t.Fatal(err)
	}
	if noise.sane(); len(noise.Places) != 1 || noise.Runs != 9 {
		t.Errorf("got %+v", noise)
	}
}
