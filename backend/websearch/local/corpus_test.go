package local_test

import (
	"embed"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/backend/websearch/local"
)

// The judged corpus is generated from a table of subjects. Each has a page about it, one for each of some aspects,
// dated news, and a mirror with the same text; other pages have the same words for other reasons. The expected results
// of a query follow from the generation.

//go:embed testdata/subjects.txt
var tables embed.FS

// subject is a line of the table: its name, the best site for it, and its words.
type subject struct {
	name, site string
	words      []string
}

func subjects(t testing.TB) []subject {
	t.Helper()
	data, err := tables.ReadFile("testdata/subjects.txt")
	if err != nil {
		t.Fatal(err)
	}
	var all []subject
	for line := range strings.Lines(string(data)) {
		fields := strings.Split(strings.TrimSpace(line), "|")
		if len(fields) != 3 {
			t.Fatalf("subjects.txt: %q has no three fields", line)
		}
		all = append(all, subject{fields[0], fields[1], strings.Fields(fields[2])})
	}
	return all
}

// aspects are topics of pages, with words that belong to them for any subject.
var aspects = []struct{ name, title, words string }{
	{"cost", "What does %s cost?", "price prices budget fee fees quote payment expensive cheap estimate"},
	{"safety", "%s safety rules", "hazard risk accident protective gloves training rule injury warning emergency"},
	{"history", "A history of %s", "century origin early tradition invented ancient museum pioneer archive decade"},
	{"maintenance", "Maintaining %s equipment", "repair clean oil wear replace schedule tool inspect rust service"},
	{"beginners", "%s for beginners", "learn lesson first start simple course mistake practice teacher step"},
}

const filler = "the of and a to in is for on with as by that this from at are it was be have an or which their more about when " +
	"people time year work place part many most other some such often usually small large local public new old good long while " +
	"between under during before after several each group area road house water light material service report system town region " +
	"number question example reason result season morning weather paper member visitor office open common different important"

// corpus is the pages and the queries.
type corpus struct {
	pages   []local.Page
	queries []judged
}

// judged is a query with grades of pages by URL: 3 is the wanted page, 1 is better than nothing.
type judged struct {
	kind, text       string
	include, exclude []string
	grades           map[string]int
}

const team = "team_quality"

var corpusNow = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

// writer writes pages, the same in every run.
type writer struct {
	*rand.Rand

	filler []string
	pages  []local.Page
}

func (w *writer) sentence(words []string, share float64) string {
	n := 8 + w.IntN(10)
	parts := make([]string, n)
	for i := range parts {
		if w.Float64() < share {
			parts[i] = words[w.IntN(len(words))]
		} else {
			parts[i] = w.filler[w.IntN(len(w.filler))]
		}
	}
	parts[0] = strings.ToUpper(parts[0][:1]) + parts[0][1:]
	return strings.Join(parts, " ") + "."
}

func (w *writer) text(sentences int, words []string, share float64, fixed ...string) string {
	var b strings.Builder
	for i := range sentences {
		b.WriteString(w.sentence(words, share))
		b.WriteByte(' ')
		if i < len(fixed) {
			b.WriteString(fixed[i])
			b.WriteByte(' ')
		}
		if i%4 == 3 {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

func (w *writer) add(url, title, headings, text string, published time.Time) string {
	w.pages = append(w.pages, local.Page{
		TeamID: team, RetrieveID: fmt.Sprintf("page%d", len(w.pages)), URL: url, Title: title, Headings: headings, Text: headings + "\n" + text,
		Published: published, Fetched: corpusNow.Add(-24 * time.Hour), Expires: corpusNow.Add(1000 * time.Hour), Shareable: true,
	})
	return url
}

func slug(s string) string {
	return strings.ReplaceAll(strings.ToLower(strings.Trim(s, "?")), " ", "-")
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// made are the pages of a subject.
type made struct {
	subject

	overview, mirror string
	aspects          []string // by aspect
	news             []string // newest first
	phrase           string
	phrased          string
	scattered        []string
}

func newCorpus(t testing.TB) *corpus {
	t.Helper()
	w := &writer{Rand: rand.New(rand.NewPCG(8, 2026)), filler: strings.Fields(filler)}
	all := subjects(t)
	pages := make([]made, 0, len(all))
	for i, s := range all {
		pages = append(pages, w.subject(i, s, all[(i+7)%len(all)]))
	}
	c := &corpus{pages: w.pages}
	for i := range pages {
		c.ask(i, &pages[i], &pages[(i+11)%len(pages)])
	}
	return c
}

// subject writes the pages of a subject, and some of others that mention it.
func (w *writer) subject(i int, s, other subject) made {
	m := made{subject: s}
	own := append(strings.Fields(s.name), s.words...)
	host := "https://" + s.site
	overview := w.text(14, own, 0.3)
	m.overview = w.add(host+"/"+slug(s.name), capital(s.name), capital(s.name)+"\nWhat it is\nWhere to find it", overview, time.Time{})
	m.mirror = w.add("https://mirror.example.net/copies/"+slug(s.name), capital(s.name), capital(s.name)+"\nWhat it is\nWhere to find it", overview, time.Time{})
	for _, a := range aspects {
		words := strings.Fields(a.words)
		title := capital(fmt.Sprintf(a.title, s.name))
		m.aspects = append(m.aspects, w.add(host+"/guides/"+slug(title), title, title+"\n"+capital(words[0])+" and "+words[1],
			w.text(10, append(words, strings.Fields(s.name)...), 0.3), time.Time{}))
	}
	for year := 2026; year > 2024; year-- {
		title := fmt.Sprintf("%s news: %s opens", capital(s.name), s.words[0])
		m.news = append(m.news, w.add(fmt.Sprintf("https://news.example.org/%d/%s", year, slug(s.name)), title, title,
			w.text(6, own, 0.25), time.Date(year, 3, 1+i%25, 0, 0, 0, 0, time.UTC)))
	}
	// One page has the phrase, and others have its words apart.
	m.phrase = s.words[1] + " " + s.words[2] + " " + s.words[3]
	m.phrased = w.add("https://forum.example.com/t/"+slug(s.words[1])+fmt.Sprint(i), "A question of mine", "Answers",
		w.text(8, own, 0.08, "They call it "+m.phrase+" around here.", "", "Ask for "+m.phrase+" at the office."), time.Time{})
	for n := range 2 {
		m.scattered = append(m.scattered, w.add(fmt.Sprintf("https://forum.example.com/t/%d-%d", i, n), "Notes of the week", "Notes",
			w.text(9, append([]string{s.words[3], s.words[1], s.words[2]}, other.words...), 0.12), time.Time{}))
	}
	// Another subject's page often mentions this subject's name.
	w.add("https://"+other.site+"/blog/"+fmt.Sprint(i), "Letters to "+other.site, "Letters",
		w.text(16, append(strings.Fields(s.name), other.words...), 0.2), time.Time{})
	return m
}

// ask adds queries for a subject, of alternating kinds: three or more for each subject.
func (c *corpus) ask(i int, m, far *made) {
	add := func(kind, text string, grades map[string]int) {
		c.queries = append(c.queries, judged{kind: kind, text: text, grades: grades})
	}
	near := func(grades map[string]int) map[string]int { // any page of the subject is better than nothing
		for _, url := range append([]string{m.overview, m.mirror}, m.aspects...) {
			if grades[url] == 0 {
				grades[url] = 1
			}
		}
		return grades
	}
	about := map[string]int{m.overview: 3, m.mirror: 3}
	a := i % len(aspects)
	switch i % 4 {
	case 0:
		add("topical", m.name, near(about))
		add("multi-term", "how much is the "+strings.Fields(aspects[0].words)[i%3]+" of "+m.name, near(map[string]int{m.aspects[0]: 3}))
		add("navigational", m.site+" "+m.name, near(map[string]int{m.overview: 3}))
	case 1:
		add("topical", m.name+" "+aspects[a].name, near(map[string]int{m.aspects[a]: 3}))
		add("misspelt", misspell(m.name, i), near(about))
	case 2:
		add("phrase", m.phrase, map[string]int{m.phrased: 3, m.scattered[0]: 1, m.scattered[1]: 1, m.overview: 1, m.mirror: 1})
		add("navigational", fmt.Sprintf(aspects[a].title, m.name), near(map[string]int{m.aspects[a]: 3}))
		add("fresh", m.name+" news", near(map[string]int{m.news[0]: 3, m.news[1]: 2}))
	case 3:
		words := strings.Fields(aspects[a].words)
		add("multi-term", m.name+" "+words[4]+" "+words[6], near(map[string]int{m.aspects[a]: 3}))
		add("misspelt", misspell(m.name, i)+" "+aspects[a].name, near(map[string]int{m.aspects[a]: 3}))
	}
	if i%4 == 0 {
		c.queries = append(c.queries,
			judged{kind: "filtered", text: m.name, include: []string{"example.org"}, grades: map[string]int{m.news[0]: 3, m.news[1]: 3}})
	}
	if i%8 == 1 {
		c.queries = append(c.queries, judged{
			kind: "filtered", text: far.name, exclude: []string{"example.net", "example.org"}, grades: func() map[string]int {
				grades := map[string]int{far.overview: 3}
				for _, url := range far.aspects {
					grades[url] = 1
				}
				return grades
			}(),
		})
	}
}

// misspell swaps, drops or doubles a letter of the longest word.
func misspell(name string, i int) string {
	words := strings.Fields(name)
	at := 0
	for n, w := range words {
		if len(w) > len(words[at]) {
			at = n
		}
	}
	w := words[at]
	middle := len(w) / 2
	switch i % 3 {
	case 0:
		w = w[:middle] + w[middle+1:]
	case 1:
		w = w[:middle] + string(w[middle]) + w[middle:]
	case 2:
		w = w[:middle-1] + string(w[middle]) + string(w[middle-1]) + w[middle+1:]
	}
	words[at] = w
	return strings.Join(words, " ")
}
