package compare

import (
	"fmt"
	"testing"
	"time"
)

// TestDrawnByWords: the weather, what people do on a page, and ids in links are noise from the first run on.
func TestDrawnByWords(t *testing.T) {
	t.Parallel()
	ids := []string{"8f14e45fceea167a5a36dedd4bea2543", "c9f0f895fb98ab9159f51fd0297e236d", "45c48cce2e2d7fbdea1afb51c7c6ad26"}
	for _, tt := range []struct {
		name, format string
		drawn        [3]any
	}{
		{"weather in words", `<p>On the quay: %s degrees</p>`, [3]any{"mist, 7", "bright spells, 11", "drizzle, 9"}},
		{"weather in German", `<p>Am Hafen: %s °C</p>`, [3]any{"Nebelfelder, 7", "heiter, 11", "Schauer, 9"}},
		{"weather in French", `<p>Au port : %s degrés</p>`, [3]any{"éclaircies, 7", "couvert, 11", "averses, 9"}},
		{"weather in Spanish", `<p>En el puerto: %s grados</p>`, [3]any{"chubascos, 7", "despejado, 11", "nublado, 9"}},
		{"searches", `<p>%d searches today, 41 people here now</p>`, [3]any{4112, 3987, 4405}},
		{"people here now", `<p>%d people here now</p>`, [3]any{41, 17, 90}},
		{"read in French", `<p>Lu %d fois</p>`, [3]any{412, 118, 733}},
		{"read in Spanish", `<p>Leído %d veces</p>`, [3]any{412, 118, 733}},
		{"an id in a link", `<p>Improve <a href="/edit/%s/page.md">this page</a>.</p>`, [3]any{ids[0], ids[1], ids[2]}},
		{"a name in a link", `<p>Get <a href="/files/%s.pdf">the plan</a>.</p>`, [3]any{ids[0], ids[1], ids[2]}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := monitor(t)
			for i, drawn := range tt.drawn {
				if m.sees(fmt.Sprintf(hall, fmt.Sprintf(tt.format, drawn))) {
					t.Errorf("run %d was told", i)
				}
			}
		})
	}
}

// TestStripInATable: a row above the title with the date and the time is of the day, whatever slogan stands in it, and one below is none.
func TestStripInATable(t *testing.T) {
	t.Parallel()
	strip := func(at int) string {
		day := testTime.Add(time.Duration(at) * time.Hour)
		return `<table><tr><td>Learning by the lake since 1911</td><td>` + day.Format("Monday, 2 January 2006, 15:04") + fmt.Sprintf(", mood %d</td></tr></table>", at%7)
	}
	for _, tt := range []struct {
		above, below string
		want         bool
	}{{strip(0), strip(24), false}, {"", "", true}} {
		before, after := tt.above+"<h1>Courses</h1><p>Price: 9 €</p>", tt.below+"<h1>Courses</h1><p>Price: 9 €</p>"
		if tt.want {
			before, after = before+"<table><tr><td>Doors</td><td>4 May 2026, 15:00</td></tr></table>", after+"<table><tr><td>Doors</td><td>5 May 2026, 15:00</td></tr></table>"
		}
		if diff := Compare(visit(t, 0, before), visit(t, 24, after), nil, Options{}); diff.Changed != tt.want {
			t.Errorf("got changed %v, want %v: %s", diff.Changed, tt.want, diff.Unified)
		}
	}
}

// TestSteadyLink leaves out ids, and nothing that has a name.
func TestSteadyLink(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ link, want string }{
		{"https://git.example/edit/8f14e45fceea167a5a36dedd4bea2543f00dcafe/a.md", "https://git.example/edit/~/a.md"},
		{"/f/3f2504e0-4f89-11d3-9a0c-0305e82c3301?x=1", "/f/~?x=1"},
		{"/f/aGVsbG8Xd29ybGQ4NzY1NDM", "/f/~"},
		{"/2026/annual-report-of-the-harbour-2026.pdf", "/2026/annual-report-of-the-harbour-2026.pdf"},
		{"/v1.20.3/changes", "/v1.20.3/changes"},
		{"/order/1234567890123456", "/order/1234567890123456"},
		{"", ""},
	} {
		if got := steadyLink(tt.link); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.link, got, tt.want)
		}
	}
}
