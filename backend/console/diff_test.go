package console

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func sideText(spans []span) string {
	var b strings.Builder
	for _, s := range spans {
		if s.Marked {
			b.WriteString("[" + s.Text + "]")
		} else {
			b.WriteString(s.Text)
		}
	}
	return b.String()
}

func TestCompareWords(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ before, after, old, now string }{
		{"Pro costs 49.00 EUR", "Pro costs 39.00 EUR", "Pro costs [49.00] EUR", "Pro costs [39.00] EUR"},
		{"", "new", "", "[new]"},
		{"gone", "", "[gone]", ""},
		{"same", "same", "same", "same"},
		{"a b c", "a c", "a [b ]c", "a c"},
		{"über 10", "über 11", "über [10]", "über [11]"},
	} {
		old, now := compareWords(tt.before, tt.after)
		if sideText(old) != tt.old || sideText(now) != tt.now {
			t.Errorf("%q, %q: got %q, %q, want %q, %q", tt.before, tt.after, sideText(old), sideText(now), tt.old, tt.now)
		}
	}
}

func TestUnifiedDiffs(t *testing.T) {
	t.Parallel()
	rows, more := unifiedRows("--- before\n+++ https://example.com/\n@@ -1,3 +1,3 @@\n same line\n-old one\n-gone\n+new one\n@@ -9 +9 @@\n+added\n\\ No newline at end\n")
	var got []string
	for _, r := range rows {
		got = append(got, r.Kind+" "+r.Where+": "+sideText(r.Before)+" | "+sideText(r.After))
	}
	want := "same https://example.com/: same line | same line\nchanged https://example.com/: [old] one | [new] one\nremoved https://example.com/: [gone] | \nadded https://example.com/:  | [added]"
	if strings.Join(got, "\n") != want || more != 0 {
		t.Errorf("got %d more and\n%s\nwant\n%s", more, strings.Join(got, "\n"), want)
	}
}

// The page of a diff is bounded, however large the diff is.
func TestDiffsAreBounded(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word ", 100_000)
	longer := long + "more"
	d := &diffAnswer{}
	for range 5000 {
		d.Changes = append(d.Changes, change{Kind: "changed", Path: []string{long, long}, Page: long, Before: long, After: longer})
	}
	rows, more := rowsOf(d)
	if len(rows) != diffRowsMax || more != 5000-diffRowsMax {
		t.Errorf("got %d rows and %d more", len(rows), more)
	}
	for _, r := range rows {
		if n := utf8.RuneCountInString(sideText(r.Before)); n > diffRunesMax+2 {
			t.Fatalf("got %d characters", n)
		}
	}
	rows, more = unifiedRows(strings.Repeat("-"+strings.Repeat("x", 30)+"\n+y\n", 100_000))
	if len(rows) > diffRowsMax || more == 0 {
		t.Errorf("got %d rows and %d more", len(rows), more)
	}
}

func FuzzUnifiedDiff(f *testing.F) {
	f.Add("--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n z\n")
	f.Add("-\n+\n\\\n@@")
	f.Fuzz(func(t *testing.T, text string) {
		rows, _ := unifiedRows(text)
		if len(rows) > diffRowsMax {
			t.Fatalf("got %d rows", len(rows))
		}
		for _, r := range rows {
			if !utf8.ValidString(sideText(r.Before)) || !utf8.ValidString(sideText(r.After)) || !utf8.ValidString(r.Where) {
				t.Fatalf("got no text: %+v", r)
			}
		}
	})
}
