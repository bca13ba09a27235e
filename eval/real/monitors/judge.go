package monitors

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/turnpike-edge/turnpike/backend/compare"
	"github.com/turnpike-edge/turnpike/backend/monitors/plan"
	"github.com/turnpike-edge/turnpike/backend/page/extract"
)

// Comparer watches one page. It is asked for each version in turn; look(0) is the run's own answer, look(1) and so on further looks.
type Comparer interface {
	Compare(ctx context.Context, at time.Time, look func(number int) []byte) (Verdict, error)
}

// Verdict is what a comparer says of a version: whether it tells of a change, of which, and which differences it lists besides.
type Verdict struct {
	Changed      bool
	Told, Listed string
}

// Score counts. Keys are "versions …" for versions, and a kind of edits with what became of them.
type Score struct {
	Count map[string]int
	Wrong []string

	mu sync.Mutex
}

// Judge has a comparer watch a page through its versions. at is Schedule's; an edit at 0 does not happen.
func (s *Set) Judge(ctx context.Context, c Comparer, p *Page, seed uint64, at []int, score *Score) error {
	missed := map[int]bool{}
	for a := (Answer{Seed: seed, Version: 1}); a.Version <= min(10, slices.Max(at)+1); a.Version++ {
		verdict, err := c.Compare(ctx, a.Time(), func(look int) []byte {
			return []byte(s.HTML(p, Answer{seed, a.Version, look}, at))
		})
		if err != nil {
			return fmt.Errorf("version %d: %w", a.Version, err)
		}
		if a.Version > 1 {
			score.judge(p, a.Version, verdict, at, missed)
		}
	}
	return nil
}

func (s *Score) judge(p *Page, version int, v Verdict, at []int, missed map[int]bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	of := map[string]bool{}
	note := func(what string) {
		s.Wrong = append(s.Wrong, fmt.Sprintf("%s.%d [%s] %s", p.ID, version, p.Query, what))
	}
	for i, e := range p.Edits {
		count := func(what string) {
			of[what] = true
			for _, kind := range []string{"all", "class " + e.Class, "part " + strings.Fields(e.Where)[0], fmt.Sprint("whole page ", p.Whole)} {
				s.Count[kind+"\t"+what]++
			}
		}
		told := v.Changed && e.shownIn(v.Told)
		switch {
		case missed[i] && told:
			delete(missed, i)
			count("late")
		case at[i] == version && e.Told:
			count("wanted")
			if told {
				count("told")
				continue
			}
			missed[i] = true
			note(fmt.Sprintf("missed %s: %q to %q", e.Class, e.Before, e.After))
			if !e.shownIn(v.Told + v.Listed) {
				count("dropped")
			}
		case at[i] == version && told:
			count("unwanted")
		}
	}
	s.Count["versions"]++
	if of["wanted"] {
		s.Count["versions wanted"]++
	}
	if of["wanted"] && v.Changed {
		s.Count["versions wanted and told"]++
	}
	for _, what := range []string{"told", "late", "unwanted"} {
		if of[what] && v.Changed {
			s.Count["versions "+what]++
			return
		}
	}
	if v.Changed {
		s.Count["versions noise"]++
		note("told noise: " + v.Told)
	}
}

// shownIn reports whether a text has half of the words that only before or only after has.
func (e *Edit) shownIn(text string) bool {
	words := func(text string) []string {
		return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	}
	have, before, after, all, shown := words(text), words(e.Before), words(e.After), 0, 0
	for _, word := range append(before, after...) {
		if slices.Contains(before, word) != slices.Contains(after, word) {
			all++
			if slices.Contains(have, word) {
				shown++
			}
		}
	}
	return shown > 0 && 2*shown >= all
}

// String is a table of all.
func (s *Score) String() string {
	share := func(part, all int) string {
		return fmt.Sprintf("%d of %d (%.3f)", part, all, float64(part)/float64(max(1, all)))
	}
	n := s.Count
	right, noise, unwanted := n["versions told"], n["versions noise"], n["versions unwanted"]
	text := &strings.Builder{}
	fmt.Fprintf(text, "%d versions: told rightly %s, told of noise %d, of an edit not wanted %d, of one of an earlier version %d; with an edit wanted, told of anything %s\n",
		n["versions"], share(right, right+noise+unwanted), noise, unwanted, n["versions late"], share(n["versions wanted and told"], n["versions wanted"]))
	for _, key := range slices.Sorted(maps.Keys(n)) {
		if kind, ok := strings.CutSuffix(key, "\twanted"); ok {
			fmt.Fprintf(text, "%-20s told %s, a version or more late %d, neither told nor listed %d; told and not wanted %d\n",
				kind, share(n[kind+"\ttold"], n[key]), n[kind+"\tlate"], n[kind+"\tdropped"], n[kind+"\tunwanted"])
		}
	}
	return text.String()
}

// Product is the product's comparison, as backend/monitors/run uses it: what is kept is written and read as JSON between runs, and
// the words in focus are those of the plan that rules make of the query.
type Product struct {
	page  *Page
	focus []string
	kept  compare.Snapshot
	noise compare.Noise
}

// NewProduct plans a monitor of a page.
func NewProduct(ctx context.Context, p *Page) (*Product, error) {
	made, err := plan.NewPlanner(nil, plan.Options{}, slog.New(slog.DiscardHandler)).Plan(ctx, plan.Request{Query: p.Query + " " + p.URL}, nil)
	return &Product{page: p, focus: made.Spec.Output.Focus}, err
}

// Compare implements [Comparer].
func (p *Product) Compare(ctx context.Context, at time.Time, look func(number int) []byte) (Verdict, error) {
	var failed error
	read := func(number int) []compare.Page {
		page, err := compare.Read(ctx, extract.Source{URL: p.page.URL, MediaType: "text/html", Body: look(number)})
		failed = errors.Join(failed, err)
		return []compare.Page{page}
	}
	after, looks := compare.NewSnapshot(at, read(0)...), 0
	diff := compare.Settle(p.kept, after, func([]string) []compare.Page { looks++; return read(looks) }, &p.noise, compare.Options{Focus: p.focus})
	told, err1 := json.Marshal(diff.Changes)
	listed, err2 := json.Marshal(diff.Other)
	kept, err3 := json.Marshal(diff.Keep(p.kept, after))
	noise, err4 := json.Marshal(p.noise)
	p.kept, p.noise = compare.Snapshot{}, compare.Noise{}
	return Verdict{diff.Changed, string(told), string(listed)},
		errors.Join(failed, err1, err2, err3, err4, json.Unmarshal(kept, &p.kept), json.Unmarshal(noise, &p.noise))
}
