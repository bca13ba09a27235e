package monitors_test

import (
	"flag"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/turnpike-edge/turnpike/eval/real/monitors"
)

var (
	all   = flag.Bool("all", false, "watch all pages with three draws of noise, not ten with one")
	wrong = flag.String("wrong", "", "a file for what was told wrongly and what was missed")
)

func load(t *testing.T) *monitors.Set {
	t.Helper()
	const corpus = "../../../../shared/data/wcxb-dev"
	if _, err := os.Stat(corpus); err != nil {
		t.Skipf("nothing is measured, because the real pages are not in %s", corpus)
	}
	set, err := monitors.Load("..", corpus)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// quiet has one edit that is wanted of each of 60 pages, and no other: of each class in turn.
func quiet(set *monitors.Set) map[*monitors.Page][]int {
	chosen := map[*monitors.Page][]int{}
	for range 60 {
		for class := range strings.FieldsSeq("phone table number nav alert address email hours date link spec stock version item-removed text person") {
			for _, p := range set.Pages {
				edit := slices.IndexFunc(p.Edits, func(e monitors.Edit) bool { return e.Class == class && e.Told })
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

// TestMonitorsReal has the product watch real pages, and reports what it told.
func TestMonitorsReal(t *testing.T) {
	t.Parallel()
	set, seeds := load(t), uint64(1)
	single := quiet(set)
	if *all {
		seeds = 3
	} else {
		set.Pages = set.Pages[:10]
	}
	noisy, plain := &monitors.Score{Count: map[string]int{}}, &monitors.Score{Count: map[string]int{}}
	var wait sync.WaitGroup
	places := make(chan struct{}, 2)
	watch := func(p *monitors.Page, seed uint64, at []int, score *monitors.Score) {
		places <- struct{}{}
		wait.Go(func() {
			defer func() { <-places }()
			product, err := monitors.NewProduct(t.Context(), p)
			if err == nil {
				err = set.Judge(t.Context(), product, p, seed, at, score)
			}
			if err != nil {
				t.Errorf("page %s [%s]: %v", p.ID, p.Query, err)
			}
		})
	}
	for _, p := range set.Pages {
		if single[p] != nil {
			watch(p, 0, single[p], plain)
		}
	}
	wait.Wait()
	t.Logf("quiet edits, one of a page, without noise\n%s", plain)
	for seed := uint64(1); seed <= seeds; seed++ {
		for _, p := range set.Pages {
			watch(p, seed, p.Schedule(seed), noisy)
		}
		wait.Wait()
		t.Logf("%d pages, %d draws of noise\n%s", len(set.Pages), seed, noisy)
	}
	if *wrong != "" {
		slices.Sort(noisy.Wrong)
		if err := os.WriteFile(*wrong, []byte(strings.Join(append(noisy.Wrong, plain.Wrong...), "\n")), 0o600); err != nil {
			t.Error(err)
		}
	}
}

// TestVersions checks that answers are the same for the same seed, and that the last version has all edits.
func TestVersions(t *testing.T) {
	t.Parallel()
	set := load(t)
	for _, p := range set.Pages {
		at := p.Schedule(7)
		last := set.HTML(p, monitors.Answer{Version: 10}, at)
		for i, e := range p.Edits {
			if at[i] < 2 || at[i] > 10 || !strings.Contains(last, e.Replace) {
				t.Errorf("page %s, %q: got version %d, want one from 2 to 10, and %q in the last", p.ID, e.Why, at[i], e.Replace)
			}
		}
		a := monitors.Answer{Seed: 7, Version: 5, Look: 1}
		if once, again := set.HTML(p, a, at), set.HTML(p, a, at); once != again {
			t.Errorf("page %s: two answers differ, want the same for the same seed", p.ID)
		}
	}
}
