package lantern_test

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
	"github.com/turnpike-edge/turnpike/eval/changesite/lantern"
)

var (
	unseen = regexp.MustCompile(`(?s)<!--.*?-->|<head>.*?</head>|<script.*?</script>`)
	piece  = regexp.MustCompile(`>([^<]+)<`)
)

// text is what is read on a page, piece by piece.
func text(body string) []string {
	var out []string
	for _, m := range piece.FindAllStringSubmatch(unseen.ReplaceAllString(body, ""), -1) {
		if t := strings.TrimSpace(m[1]); t != "" {
			out = append(out, t)
		}
	}
	return out
}

// steady is the text that all answers of a run share, whatever is drawn, without the day of the run.
func steady(page *cs.Page, number int) []string {
	count := map[string]int{}
	const seeds = 30
	for seed := range uint64(seeds) {
		pieces := text(page.Body(number, int(seed), seed))
		slices.Sort(pieces)
		for _, t := range slices.Compact(pieces) {
			count[t]++
		}
	}
	day := time.Date(2026, 3, 2+number, 8, 0, 0, 0, time.UTC)
	var out []string
	for t, times := range count {
		dated := strings.Contains(t, day.Format("02/01/2006"))
		for _, layout := range []string{"Monday 2 January 2006", "2 January 2006", "Monday, January 2, 2006"} {
			dated = dated || t == day.Format(layout)
		}
		if times == seeds && !dated {
			out = append(out, t)
		}
	}
	slices.Sort(out)
	return out
}

func TestPlan(t *testing.T) {
	t.Parallel()
	site := lantern.New()
	if len(site.Pages) != 10 || site.Runs != 40 {
		t.Fatalf("got %d pages of %d runs, want 10 of 40", len(site.Pages), site.Runs)
	}
	edits, dataEdits, schemas, neighbours := 0, 0, 0, 0
	for _, page := range site.Pages {
		edits += len(page.Edits)
		dataEdits += len(page.DataEdits)
		if page.Schema != "" {
			schemas++
		}
		for number := range page.Edits {
			if number < 1 || number > site.Runs {
				t.Errorf("%s: an edit in run %d", page.Path, number)
			}
			if _, next := page.Edits[number+1]; next {
				neighbours++
			}
		}
	}
	t.Logf("%d edits, %d of data on %d pages, %d in neighbouring runs", edits, dataEdits, schemas, neighbours)
	if edits < 42 || edits > 50 || dataEdits < 8 || schemas < 4 || neighbours < 2 {
		t.Errorf("got %d edits, %d of data on %d pages, %d in neighbouring runs", edits, dataEdits, schemas, neighbours)
	}
}

func TestPages(t *testing.T) {
	t.Parallel()
	site, again := lantern.New(), lantern.New()
	for i, page := range site.Pages {
		t.Run(page.Path, func(t *testing.T) {
			t.Parallel()
			for number := range site.Runs + 1 {
				body := page.Body(number, 1, 1)
				if again.Pages[i].Body(number, 1, 1) != body {
					t.Fatalf("run %d: the same seed gives other bytes", number)
				}
				if !utf8.ValidString(body) || strings.Contains(body, "%!") || !strings.HasSuffix(body, "</html>") || len(body) < 4000 || len(body) > 12_000 {
					t.Errorf("run %d: got a malformed page of %d bytes", number, len(body))
				}
				if slices.Equal(text(body), text(page.Body(number, 2, 1))) {
					t.Errorf("run %d: two looks read alike", number)
				}
				if number > 0 && slices.Equal(text(body), text(page.Body(number-1, 1, 1))) {
					t.Errorf("run %d: reads as the run before", number)
				}
			}
		})
	}
}

// TestEdits holds edits to the text that is never drawn, and that text to the edits.
func TestEdits(t *testing.T) {
	t.Parallel()
	for _, page := range lantern.New().Pages {
		t.Run(page.Path, func(t *testing.T) {
			t.Parallel()
			before := steady(page, 0)
			for number := 1; number <= 40; number++ {
				now := steady(page, number)
				if _, edited := page.Edits[number]; edited == slices.Equal(before, now) {
					t.Errorf("run %d: edited %v, but the text went from %q to %q", number, edited, before, now)
				}
				before = now
			}
		})
	}
}

func TestData(t *testing.T) {
	t.Parallel()
	for _, page := range lantern.New().Pages {
		if page.Data == nil {
			continue
		}
		for number := 1; number <= 40; number++ {
			_, planned := page.Edits[number]
			_, edited := page.DataEdits[number]
			if edited && !planned {
				t.Errorf("%s: data is edited in run %d, and the page is not", page.Path, number)
			}
			same := reflect.DeepEqual(page.Data(page.New(number-1, 0, 1)), page.Data(page.New(number, 0, 1)))
			if edited == same {
				t.Errorf("%s: run %d: data edit %v, same data %v", page.Path, number, edited, same)
			}
		}
	}
}
