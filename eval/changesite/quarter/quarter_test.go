package quarter

import (
	"encoding/json"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/net/html"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

// draws are how many answers with other noise tell what stays.
const draws = 32

// content is how the main content of each page begins and ends.
var content = map[string][2]string{
	"/products/corvid-14":                         {"<product-info", "</product-info>"},
	"/departments/permits/fees":                   {"<main", "</main>"},
	"/fahrplan/bauarbeiten/rb-47":                 {"<main", "</main>"},
	"/library/visit/":                             {"<article", "</article>"},
	"/pricing":                                    {"<main", "</main>"},
	"/~tidal/2026/cfp.html":                       {`id="body"`, "\n</td>"},
	"/location/conditions.aspx":                   {`<div id="corps">`, `<div id="droite">`},
	"/health/vaccination/tick-borne-encephalitis": {"<article", "</article>"},
	"/training/courses/":                          {"<article", "</article>"},
	"/reference/changelog":                        {`<div class="vp-doc`, `<div class="vote"`},
}

func TestPlan(t *testing.T) {
	t.Parallel()
	site := New()
	edits, dataEdits, extracted := 0, 0, 0
	for _, page := range site.Pages {
		edits += len(page.Edits)
		dataEdits += len(page.DataEdits)
		if page.Data != nil {
			extracted++
		}
		for number := range page.DataEdits {
			if _, ok := page.Edits[number]; !ok {
				t.Errorf("%s: the data changes in run %d and the page does not", page.Path, number)
			}
		}
		if len(content[page.Path][0]) == 0 {
			t.Errorf("%s: no main content is named", page.Path)
		}
	}
	if len(site.Pages) != 10 || site.Runs != 40 || edits < 42 || edits > 50 || extracted < 4 || dataEdits < 8 {
		t.Errorf("got %d pages, %d runs, %d edits, %d pages with data and %d edits of it", len(site.Pages), site.Runs, edits, extracted, dataEdits)
	}
	t.Logf("%d edits, %d of them of data", edits, dataEdits)
}

func TestSameSeedSameBytes(t *testing.T) {
	t.Parallel()
	again := New()
	for i, page := range New().Pages {
		for number := range runs + 1 {
			if page.Body(number, 1, 7) != again.Pages[i].Body(number, 1, 7) {
				t.Errorf("%s: run %d differs from itself", page.Path, number)
			}
			if page.Data != nil && !reflect.DeepEqual(page.Data(page.New(number, 1, 7)), again.Pages[i].Data(page.New(number, 1, 7))) {
				t.Errorf("%s: the data of run %d differ from themselves", page.Path, number)
			}
		}
	}
}

func TestHTML(t *testing.T) {
	t.Parallel()
	for _, page := range New().Pages {
		for number := range runs + 1 {
			body := page.Body(number, 0, 1)
			if !utf8.ValidString(body) || strings.Contains(body, "%!") || len(body) < 4<<10 || len(body) > 12<<10 {
				t.Errorf("%s: run %d is %d bytes, or not as it should be written", page.Path, number, len(body))
			}
			if _, err := html.Parse(strings.NewReader(body)); err != nil {
				t.Fatalf("%s: %v", page.Path, err)
			}
			if page.Schema != "" && !json.Valid([]byte(page.Schema)) {
				t.Fatalf("%s: the schema is not JSON", page.Path)
			}
		}
		t.Logf("%s: %d bytes", page.Path, len(page.Body(0, 0, 1)))
	}
}

// TestNoise holds each page to differ between two looks and between two runs, in its text and not just in its markup.
func TestNoise(t *testing.T) {
	t.Parallel()
	for _, page := range New().Pages {
		for number := range runs + 1 {
			first := strings.Join(texts(page.Body(number, 0, 1)), "\n")
			if first == strings.Join(texts(page.Body(number, 1, 1)), "\n") {
				t.Errorf("%s: two looks of run %d are alike", page.Path, number)
			}
			if number > 0 && first == strings.Join(texts(page.Body(number-1, 0, 1)), "\n") {
				t.Errorf("%s: run %d is like the one before", page.Path, number)
			}
		}
	}
}

// TestEdits holds that what stays over all noise changes in the runs of the plan, in the main content, and in no other run; and that
// what is edited is never among what noise says.
func TestEdits(t *testing.T) {
	t.Parallel()
	for _, page := range New().Pages {
		t.Run(page.Path, func(t *testing.T) {
			t.Parallel()
			noise, before, edited := map[string]bool{}, map[string]bool{}, map[string]int{}
			for number := range runs + 1 {
				stays := stable(t, page, number, noise)
				if number == 0 {
					before = stays
					continue
				}
				edit, planned := page.Edits[number]
				if changed := !maps.Equal(before, stays); changed != planned {
					t.Errorf("run %d: changed %v, planned %v (%s): %q", number, changed, planned, edit, apart(before, stays))
				}
				for _, text := range apart(before, stays) {
					edited[text] = number
				}
				before = stays
			}
			for text, number := range edited {
				if text, _, _ = strings.Cut(text, "\x00"); noise[text] {
					t.Errorf("run %d: %q is both edited and noise", number, text)
				}
			}
		})
	}
}

// TestData holds that data change in the runs of their plan, and that the page says them.
func TestData(t *testing.T) {
	t.Parallel()
	for _, page := range New().Pages {
		if page.Data == nil {
			continue
		}
		for number := range runs + 1 {
			changed := number > 0 && !maps.Equal(leaves(page, number), leaves(page, number-1))
			if _, planned := page.DataEdits[number]; changed != planned {
				t.Errorf("%s: run %d: data changed %v, planned %v", page.Path, number, changed, planned)
			}
			text := strings.ReplaceAll(strings.Join(texts(main(page, page.Body(number, 0, 1))), " "), ",", "")
			for leaf := range leaves(page, number) {
				leaf, _, _ = strings.Cut(leaf, "\x00")
				if !strings.Contains(text, strings.ReplaceAll(leaf, ",", "")) {
					t.Errorf("%s: run %d: the page does not say %q", page.Path, number, leaf)
				}
			}
		}
	}
}

// leaves are the values of the data of a run, with their keys left out.
func leaves(page *cs.Page, number int) map[string]bool {
	var out []string
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for _, x := range v {
				walk(x)
			}
		case []any:
			for _, x := range v {
				walk(x)
			}
		case []string:
			out = append(out, v...)
		default:
			out = append(out, p("%v", v))
		}
	}
	walk(page.Data(page.New(number, 0, 1)))
	return numbered(out)
}

// stable are the texts of the main content that all answers of a run have; others of the whole page are added to noise.
func stable(t *testing.T, page *cs.Page, number int, noise map[string]bool) map[string]bool {
	t.Helper()
	count := map[string]int{}
	for seed := range uint64(draws) {
		body := page.Body(number, int(seed%2), seed)
		for text := range once(page, number, main(page, body)) {
			count[text]++
		}
		for text := range once(page, number, body) {
			if _, ok := count[text]; !ok {
				count[text] = -draws // around the content, so that it cannot be taken for a part of it
			}
		}
	}
	stays := map[string]bool{}
	for text, times := range count {
		if times == draws {
			stays[text] = true
		} else {
			noise[text] = true
		}
	}
	if len(stays) < 10 {
		t.Fatalf("run %d: just %d texts stay", number, len(stays))
	}
	return stays
}

func once(page *cs.Page, number int, body string) map[string]bool {
	today := page.New(number, 0, 0)
	relative := strings.NewReplacer(day(today).Format("Monday, January 2, 2006"), "(today)", german(day(today)), "(today)", french(day(today)), "(today)")
	list := texts(body)
	for i, text := range list {
		list[i] = days.ReplaceAllString(relative.Replace(text), "(days)")
	}
	return numbered(list)
}

var days = regexp.MustCompile(`\d+ days (ago|from today)`)

// numbered is a list as a set in which what is said again is told apart from what was said before.
func numbered(list []string) map[string]bool {
	out, times := map[string]bool{}, map[string]int{}
	for _, text := range list {
		times[text]++
		if times[text] > 1 {
			text = p("%s\x00%d", text, times[text])
		}
		out[text] = true
	}
	return out
}

// texts are what is written between the tags, outside of scripts.
func texts(body string) []string {
	var out []string
	tokens, script := html.NewTokenizer(strings.NewReader(body)), false
	for {
		switch tokens.Next() {
		case html.ErrorToken:
			return out
		case html.StartTagToken:
			name, _ := tokens.TagName()
			script = string(name) == "script"
		case html.EndTagToken:
			script = false
		case html.TextToken:
			if text := strings.Join(strings.Fields(string(tokens.Text())), " "); text != "" && !script {
				out = append(out, text)
			}
		case html.SelfClosingTagToken, html.CommentToken, html.DoctypeToken:
		}
	}
}

// main is the main content of a page.
func main(page *cs.Page, body string) string {
	_, rest, _ := strings.Cut(body, content[page.Path][0])
	inside, _, found := strings.Cut(rest, content[page.Path][1])
	if !found {
		return ""
	}
	return "<x " + inside
}

// apart are the texts that are in one of two sets.
func apart(a, b map[string]bool) []string {
	var out []string
	for text := range a {
		if !b[text] {
			out = append(out, text)
		}
	}
	for text := range b {
		if !a[text] {
			out = append(out, text)
		}
	}
	slices.Sort(out)
	return out
}
