package monitors

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
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
	have, before, after, all, shown := wordsOf(text), wordsOf(e.Before), wordsOf(e.After), 0, 0
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

func wordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// String is a table of all.
func (s *Score) String() string {
	of := func(part, all int) string { return fmt.Sprintf("%d of %d (%.3f)", part, all, share(part, all)) }
	n := s.Count
	right, noise, unwanted := n["versions told"], n["versions noise"], n["versions unwanted"]
	text := &strings.Builder{}
	fmt.Fprintf(text, "%d versions: told rightly %s, told of noise %d, of an edit not wanted %d, of one of an earlier version %d; with an edit wanted, told of anything %s\n",
		n["versions"], of(right, right+noise+unwanted), noise, unwanted, n["versions late"], of(n["versions wanted and told"], n["versions wanted"]))
	for _, key := range slices.Sorted(maps.Keys(n)) {
		if kind, ok := strings.CutSuffix(key, "\twanted"); ok {
			fmt.Fprintf(text, "%-20s told %s, a version or more late %d, neither told nor listed %d; told and not wanted %d\n",
				kind, of(n[kind+"\ttold"], n[key]), n[kind+"\tlate"], n[kind+"\tdropped"], n[kind+"\tunwanted"])
		}
	}
	return text.String()
}

// Precision is the share of the versions told of in which an edit that is wanted is told.
func (s *Score) Precision() float64 {
	n := s.Count
	return share(n["versions told"], n["versions told"]+n["versions noise"]+n["versions unwanted"])
}

// Recall is the share of the edits wanted that are told in their version.
func (s *Score) Recall() float64 { return share(s.Count["all\ttold"], s.Count["all\twanted"]) }

func share(part, all int) float64 { return float64(part) / float64(max(1, all)) }
