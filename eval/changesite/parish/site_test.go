package parish

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/net/html"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

// content is where the main content of each page begins and ends.
var content = map[string][2]string{
	"/products/osprey-60-bike-trailer": {"__main\"", "__reviews\""},
	"/en/entry/short-stay-visa":        {"<main", "<div class=\"cas-feedback\""},
	"/programm/sprachen":               {"id=\"inhalt\"", "class=\"rechts\""},
	"/docs/releases/":                  {"<article", "<div class=\"md-tip\""},
	"/tarifs":                          {"data-elm-type=\"wp-page\"", "elm-widget-testimonial"},
	"/vacancies":                       {"<main", "</main>"},
	"/firsts/fixtures.html":            {"<td width=\"500\"", "<td width=\"150\""},
	"/docs/api/deprecations":           {"<article", "</article>"},
	"/timetables/tarbrax-skerra":       {"<article", "</article>"},
	"/portal/notice/2026-04417":        {"id=\"frm:content\"", "class=\"portalFoot\""},
}

func TestPlan(t *testing.T) {
	t.Parallel()
	site := New()
	if len(site.Pages) != 10 || site.Runs != 40 {
		t.Fatalf("got %d pages and %d runs, want 10 and 40", len(site.Pages), site.Runs)
	}
	var edits, ofData, withData, neighbours, quiet int
	for _, p := range site.Pages {
		at := slices.Sorted(maps.Keys(p.Edits))
		edits, ofData = edits+len(at), ofData+len(p.DataEdits)
		if (p.Data == nil) != (p.Schema == "") || p.Schema != "" && !json.Valid([]byte(p.Schema)) {
			t.Errorf("%s: Data and Schema do not go together: %s", p.Path, p.Schema)
		}
		if p.Data != nil {
			withData++
		}
		for number := range p.DataEdits {
			if _, planned := p.Edits[number]; !planned {
				t.Errorf("%s: an edit of Data in run %d is none of the page", p.Path, number)
			}
		}
		for i, number := range at {
			if number < 1 || number > runs {
				t.Errorf("%s: an edit in run %d", p.Path, number)
			}
			if i > 0 && number == at[i-1]+1 {
				neighbours++
			}
			if i > 0 && number-at[i-1] > 25 {
				quiet++
			}
		}
	}
	t.Logf("%d edits, %d of data on %d pages, %d next to another", edits, ofData, withData, neighbours)
	if edits < 42 || edits > 50 || ofData < 8 || withData < 4 || neighbours == 0 || quiet == 0 {
		t.Errorf("got %d edits, %d of data on %d pages, %d next to another, %d long pauses", edits, ofData, withData, neighbours, quiet)
	}
}

func TestBytes(t *testing.T) {
	t.Parallel()
	site, again := New(), New()
	for i, p := range site.Pages {
		for number := range runs + 1 {
			body := p.Body(number, 0, 7)
			if body != again.Pages[i].Body(number, 0, 7) {
				t.Errorf("%s: run %d is not the same with the same seed", p.Path, number)
			}
			if body == p.Body(number, 1, 7) || body == p.Body(number, 0, 8) {
				t.Errorf("%s: run %d has no noise", p.Path, number)
			}
			if number > 0 && body == p.Body(number-1, 0, 7) {
				t.Errorf("%s: runs %d and %d have the same bytes", p.Path, number-1, number)
			}
			if len(body) < 4<<10 || len(body) > 12<<10 {
				t.Errorf("%s: run %d has %d bytes", p.Path, number, len(body))
			}
			if !utf8.ValidString(body) {
				t.Errorf("%s: run %d is no UTF-8", p.Path, number)
			}
			if left := regexp.MustCompile(`\{[a-z]+\}|%!`).FindString(body); left != "" {
				t.Errorf("%s: run %d has %s unfilled", p.Path, number, left)
			}
			if err := balanced(body); err != nil {
				t.Errorf("%s: run %d: %v", p.Path, number, err)
			}
		}
	}
}

// A run says something else if and only if an edit is planned for it, and then in its main content; and nothing that is drawn is
// what an edit says.
func TestEdits(t *testing.T) {
	t.Parallel()
	for _, p := range New().Pages {
		t.Run(p.Path, func(t *testing.T) {
			t.Parallel()
			drawn, edited := map[string]bool{}, map[string]bool{}
			var before, mainBefore []string
			for number := range runs + 1 {
				said, mainSaid, noise := lasting(p, number)
				if len(noise) == 0 {
					t.Errorf("run %d has no noise in its text", number)
				}
				maps.Copy(drawn, noise)
				_, planned := p.Edits[number]
				if number > 0 && planned == slices.Equal(mainBefore, mainSaid) {
					t.Errorf("run %d: edit planned is %v, main content changed is %v", number, planned, !planned)
				}
				if number > 0 {
					other := difference(before, said)
					if !planned && len(other) > 0 {
						t.Errorf("run %d: changed without an edit: %q", number, other)
					}
					for _, line := range other {
						edited[line] = true
					}
				}
				before, mainBefore = said, mainSaid
			}
			for line := range edited {
				if drawn[line] {
					t.Errorf("%q is drawn as noise, and an edit", line)
				}
			}
		})
	}
}

func TestData(t *testing.T) {
	t.Parallel()
	for _, p := range New().Pages {
		if p.Data == nil {
			continue
		}
		var before []string
		for number := range runs + 1 {
			fields := p.Data(p.New(number, 0, 1))
			values := leaves(fields)
			said := " " + strings.Join(lines(p.Body(number, 0, 1)), " ")
			for _, value := range values {
				if text, ok := value.(string); ok && !strings.Contains(said, text) && !strings.HasPrefix(text, "2026-10-") {
					t.Errorf("%s: run %d does not say %q", p.Path, number, text)
				}
			}
			_, planned := p.DataEdits[number]
			now := texts(values)
			if number > 0 && planned == slices.Equal(before, now) {
				t.Errorf("%s: run %d: edit of data planned is %v, and it changed is %v", p.Path, number, planned, !planned)
			}
			before = now
		}
	}
}

// lasting is what all answers of a run say, on the page and in its main content, and noise what only some of them do.
func lasting(p *cs.Page, number int) (said, mainSaid []string, noise map[string]bool) {
	const seeds, looks = 12, 2
	count, mainCount := map[string]int{}, map[string]int{}
	for seed := range uint64(seeds) {
		for look := range looks {
			body := p.Body(number, look, seed)
			_, main, _ := strings.Cut(body, content[p.Path][0])
			main, _, _ = strings.Cut(main, content[p.Path][1])
			tally(count, body, number)
			tally(mainCount, main, number)
		}
	}
	noise = map[string]bool{}
	for line, times := range count {
		if times == seeds*looks {
			said = append(said, line)
		} else {
			noise[line] = true
		}
	}
	for line, times := range mainCount {
		if times == seeds*looks {
			mainSaid = append(mainSaid, line)
		}
	}
	slices.Sort(said)
	slices.Sort(mainSaid)
	return said, mainSaid, noise
}

// tally counts each of the lines of a text once.
func tally(count map[string]int, text string, number int) {
	found := map[string]bool{}
	for _, line := range lines(text) {
		found[undated(line, number)] = true
	}
	for line := range found {
		count[line]++
	}
}

var elapsed = regexp.MustCompile(`Posted (today|\d+ days? ago)|^\d+ days to `)

// undated takes out of a line what goes with the day.
func undated(line string, number int) string {
	n := (&cs.Page{}).New(number, 0, 0)
	for _, layout := range []string{"Monday, 2 January 2006", "Monday 2 January 2006", "Mon 2 January 2006", "Mon, Jan 2"} {
		line = strings.ReplaceAll(line, day(n).Format(layout), "<date>")
	}
	line = strings.NewReplacer(german(n), "<date>", french(n), "<date>").Replace(line)
	return elapsed.ReplaceAllString(line, "<elapsed>")
}

// lines are the texts of a page, and where its links go.
func lines(body string) []string {
	var out []string
	tokens := html.NewTokenizer(strings.NewReader(body))
	for hidden := false; ; {
		switch tokens.Next() {
		case html.ErrorToken:
			return out
		case html.TextToken:
			if text := strings.Join(strings.Fields(string(tokens.Text())), " "); text != "" && !hidden {
				out = append(out, text)
			}
		case html.StartTagToken:
			token := tokens.Token()
			hidden = token.Data == "script" || token.Data == "style"
			for _, a := range token.Attr {
				if token.Data == "a" && a.Key == "href" {
					out = append(out, "-> "+a.Val)
				}
			}
		case html.EndTagToken:
			hidden = false
		}
	}
}

// balanced tells whether all elements are closed in order.
func balanced(body string) error {
	var open []string
	tokens := html.NewTokenizer(strings.NewReader(body))
	for {
		switch tokens.Next() {
		case html.ErrorToken:
			if len(open) > 0 {
				return fmt.Errorf("left open: %v", open)
			}
			return nil
		case html.StartTagToken:
			switch name, _ := tokens.TagName(); string(name) {
			case "br", "img", "input", "link", "meta":
			default:
				open = append(open, string(name))
			}
		case html.EndTagToken:
			name, _ := tokens.TagName()
			if len(open) == 0 || open[len(open)-1] != string(name) {
				return fmt.Errorf("</%s> in %v", name, open)
			}
			open = open[:len(open)-1]
		}
	}
}

func difference(a, b []string) []string {
	var out []string
	for _, line := range a {
		if !slices.Contains(b, line) {
			out = append(out, line)
		}
	}
	for _, line := range b {
		if !slices.Contains(a, line) {
			out = append(out, line)
		}
	}
	return out
}

// leaves are the values in fields.
func leaves(value any) []any {
	var out []any
	switch value := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			out = append(out, leaves(value[key])...)
		}
	case []any:
		for _, item := range value {
			out = append(out, leaves(item)...)
		}
	default:
		out = append(out, value)
	}
	return out
}

func texts(values []any) []string {
	out := make([]string, 0, len(values))
	for _, value := range values {
		out = append(out, fmt.Sprint(value))
	}
	slices.Sort(out)
	return out
}
