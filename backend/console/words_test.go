package console

import (
	"math"
	"strings"
	"testing"
	"time"
)

func TestNumbers(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{
		0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1234: "−1,234", math.MaxInt64: "9,223,372,036,854,775,807",
	} {
		if got := number(n); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	for d, want := range map[time.Duration]string{0: "a moment", time.Second: "1 second", 90 * time.Second: "90 seconds", 10 * time.Minute: "10 minutes"} {
		if got := waitWords(d); got != want {
			t.Errorf("%s: got %s, want %s", d, got, want)
		}
	}
}

func TestClip(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		most int
		want string
	}{{"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"äöü", 3, "äöü"}, {"äöüß", 3, "äö…"}, {"", 3, ""}, {"a\xffb", 5, "a\uFFFDb"}} {
		if got := clipped(tt.text, tt.most); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestMoments(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 2, 3, 4, 5, 0, time.FixedZone("", 3600))
	for _, value := range []any{at, &at, at.Unix(), at.Format(time.RFC3339)} {
		if got := momentOf(value); got != (moment{"2 Nov 2026, 02:04 UTC", "2026-11-02T02:04:05Z"}) {
			t.Errorf("%v: got %+v", value, got)
		}
	}
	for _, value := range []any{nil, int64(0), "", time.Time{}, (*time.Time)(nil), (*string)(nil)} {
		if got := momentOf(value); got != (moment{}) {
			t.Errorf("%v: got %+v", value, got)
		}
	}
	if got := momentOf("soon"); got != (moment{Text: "soon"}) {
		t.Errorf("got %+v", got)
	}
}

func TestCharts(t *testing.T) {
	t.Parallel()
	from := time.Date(2026, 10, 24, 0, 0, 0, 0, time.UTC)
	u := &usage{From: from, To: from.AddDate(0, 0, 29).Add(12 * time.Hour)}
	if c := chartOf(u); c != nil {
		t.Errorf("nothing used: got %+v", c)
	}
	u.Rows = []usageRow{{Day: "2026-10-24", Credits: 1}, {Day: "2026-11-03", Credits: 950}, {Day: "2026-11-22", Credits: math.MaxInt32}}
	c := chartOf(u)
	if len(c.Bars) != 30 || c.Bars[0].Height < 2 || c.Bars[1].Height != 0 || !strings.Contains(c.Words, "the most on 22 November with 2,147,483,647") {
		t.Errorf("got %d bars, %+v, %s", len(c.Bars), c.Bars[0], c.Words)
	}
	for _, b := range c.Bars {
		if b.Y < chartTop || b.Y+b.Height != chartBottom || b.X < chartLeft || b.X+b.Width > chartRight {
			t.Errorf("got a bar %+v outside", b)
		}
	}
	for n, want := range map[int64]int64{1: 4, 5: 8, 9: 20, 21: 40, 950: 2000, 2001: 4000} {
		if got := niceTop(n); got != want {
			t.Errorf("%d: got %d, want %d", n, got, want)
		}
	}
}
