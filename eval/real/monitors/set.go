// Package monitors makes versions of real pages, with edits that a person has labelled and with noise, and measures a comparison
// of pages on them: which edits it tells, and what else.
//
// The set is data, which this package only plays: `../monitors.jsonl` has pages, queries and edits, `../noise.json` the noise. The
// pages are those of the development split of WCXB, which is not in the repository. A version is the page with the edits so far and
// with noise, which is drawn from the seed, the page and the answer. So the same seed makes the same bytes.
package monitors

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Spot is a substring of the page's HTML: the occurrences that At numbers, or the only one.
type Spot struct {
	Find string
	At   []int
}

// Edit is a change of what the page says. README.md describes the fields.
type Edit struct {
	Spot
	Replace, Class, Where, Before, After, Why string
	Told                                      bool
}

// Page is a page that is monitored.
type Page struct {
	ID         string `json:"page"`
	URL, Query string
	Whole      bool
	Edits      []Edit
	// Vary is what is noise on the page by itself: a counter, ago (a relative time), a clock, or items in any order (shuffle).
	Vary []struct {
		Kind  string
		Items []Spot
	}

	html string
	own  [][]string // matches of items
}

// Set is the pages with their noise.
type Set struct {
	Pages []*Page
	Noise Noise
}

// Load reads the set from its folder, and the pages from a folder in the form of wcxb-dev.
func Load(dir, corpus string) (*Set, error) {
	s := &Set{}
	noise, err1 := os.ReadFile(filepath.Join(dir, "noise.json"))
	lines, err2 := os.ReadFile(filepath.Join(dir, "monitors.jsonl"))
	if err := errors.Join(err1, err2, json.Unmarshal(noise, &s.Noise)); err != nil { //nolint:musttag // the names are those of the fields
		return nil, fmt.Errorf("reading %s: %w", dir, err)
	}
	for line := range bytes.Lines(lines) {
		p := &Page{}
		if err := errors.Join(json.Unmarshal(line, p), p.read(corpus)); err != nil { //nolint:musttag // the names are those of the fields
			return nil, fmt.Errorf("page %s: %w", p.ID, err)
		}
		s.Pages = append(s.Pages, p)
	}
	return s, nil
}

func (p *Page) read(corpus string) error {
	zipped, err := os.ReadFile(filepath.Join(corpus, "html", p.ID+".html.gz"))
	if err != nil {
		return err
	}
	reader, err := gzip.NewReader(bytes.NewReader(zipped))
	if err != nil {
		return err
	}
	body, err := io.ReadAll(reader)
	p.html = string(body)
	p.own = append(items.FindAllStringSubmatch(p.html, -1), []string{"", p.URL})
	for _, e := range p.Edits {
		if n := strings.Count(p.html, e.Find); len(e.At) == 0 && n != 1 || n <= slices.Max(append(e.At, 0)) {
			err = errors.Join(err, fmt.Errorf("%q occurs %d times, want once, or the numbers of its occurrences", e.Find, n))
		}
	}
	return err
}

// span is a place in the HTML and what comes there.
type span struct {
	from, to int
	text     string
}

// spans are the places of a spot, with a text for each.
func (p *Page) spans(s Spot, text string) (all []span) {
	for n, from := 0, 0; ; n++ {
		at := strings.Index(p.html[from:], s.Find)
		if at < 0 {
			return all
		}
		if from += at + len(s.Find); len(s.At) == 0 || slices.Contains(s.At, n) {
			all = append(all, span{from - len(s.Find), from, text})
		}
	}
}

// with writes the page with spans, which are places in the page as it is stored.
func (p *Page) with(spans []span) string {
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	text, last := "", 0
	for _, s := range spans {
		text += p.html[last:s.from] + s.text
		last = s.to
	}
	return text + p.html[last:]
}

// Schedule says in which of ten versions each edit is new: from the second or third on, with one or two versions without edits
// between. Where there are more edits than such versions, some share one.
func (p *Page) Schedule(seed uint64) []int {
	r, at := draw(seed, p.ID, "schedule"), make([]int, len(p.Edits))
	var slots []int
	for v := 2 + r.IntN(2); v <= 10; v += 2 + r.IntN(2) {
		slots = append(slots, v)
	}
	for i, edit := range r.Perm(len(p.Edits)) {
		at[edit] = slots[i%len(slots)]
	}
	return at
}

// draw is a source of chance that is the same for the same seed and names.
func draw(seed uint64, names ...any) *rand.Rand {
	h := uint64(14695981039346656037)
	for _, b := range fmt.Append(nil, names...) {
		h = (h ^ uint64(b)) * 1099511628211
	}
	return rand.New(rand.NewPCG(seed, h)) //nolint:gosec // noise has to be the same each time
}

// Halves are sets of the same pages, each with half of the templates of noise.
func (s *Set) Halves() (a, b *Set) {
	a, b = &Set{s.Pages, s.Noise}, &Set{s.Pages, s.Noise}
	a.Noise.Templates, b.Noise.Templates = nil, nil
	for i, t := range s.Noise.Templates {
		half := a
		if i%2 == 1 {
			half = b
		}
		half.Noise.Templates = append(half.Noise.Templates, t)
	}
	return a, b
}

// Quiet has one edit that is wanted of each of 60 pages, and no other: of each class in turn.
func (s *Set) Quiet() map[*Page][]int {
	chosen := map[*Page][]int{}
	for range 60 {
		for class := range strings.FieldsSeq("phone table number nav alert address email hours date link spec stock version item-removed text person") {
			for _, p := range s.Pages {
				edit := slices.IndexFunc(p.Edits, func(e Edit) bool { return e.Class == class && e.Told })
				if edit >= 0 && chosen[p] == nil && len(chosen) < 60 {
					chosen[p] = make([]int, len(p.Edits))
					chosen[p][edit] = 2
					break
				}
			}
		}
	}
	return chosen
}
