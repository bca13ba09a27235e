package batches_test

import (
	"context"
	"errors"
	"flag"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/batches"
	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/dev/workshop"
	"github.com/turnpike-edge/turnpike/payments/money"
)

var (
	propertySeed  = flag.Uint64("property-seed", 0, "what the property test does, of chance else")
	propertySteps = flag.Int("property-steps", 60, "how much the property test does")
)

// chance makes pages end in every possible way.
type chance struct {
	mu  sync.Mutex
	rnd *rand.Rand
}

func (c *chance) n(n int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.rnd.IntN(n)
}

func (c *chance) keep(ctx context.Context, j page.Job) (page.Kept, error) {
	switch c.n(20) {
	case 0, 1:
		return page.Kept{}, failure(page.ClassFinal, problem.FetchFailed)
	case 2, 3, 4:
		return page.Kept{}, failure(page.ClassLater, problem.RequestTimeout)
	case 5:
		k := kept(j)
		k.StatusCode = 503
		return k, nil
	case 6:
		if j.Attempt > 2 {
			panic("a fault of the test's making")
		}
	case 7, 8: // takes a while, or until it is cut off
		timer := time.NewTimer(time.Duration(c.n(200)) * time.Millisecond)
		defer timer.Stop()
		select {
		case <-ctx.Done():
			return page.Kept{}, failure(page.ClassWait, problem.FetchFailed)
		case <-timer.C:
		}
	}
	return kept(j), nil
}

// Whatever happens to pages, workers and batches: each item ends once per round, places are 1 to n, the captured amount
// is the cost of the completed items, and the ledger is consistent.
func TestWhateverHappens(t *testing.T) {
	t.Parallel()
	seed := *propertySeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("seed %d", seed)
	p := newPlace(t)
	luck := &chance{rnd: rand.New(rand.NewPCG(seed, 1))}
	p.pages.price, p.pages.keep = 3, luck.keep
	steps := rand.New(rand.NewPCG(seed, 2))
	teams := []*workshop.Team{p.NewTeam(1_000_000), p.NewTeam(1_000_000), p.NewTeam(1_000_000)}
	workers := []*workshop.Mortal{p.NewMortal(p.worker), p.NewMortal(p.worker)}
	made := map[string]*workshop.Team{}
	var ids []string
	tolerate := func(what string, err error) {
		var e *problem.Error
		if err != nil && (!errors.As(err, &e) || e.Code != problem.InvalidState) {
			t.Errorf("%s: got error %v", what, err)
		}
	}
	killed := 0
	for range *propertySteps {
		id := ""
		if len(ids) > 0 {
			id = ids[steps.IntN(len(ids))]
		}
		switch what := steps.IntN(10); {
		case what < 4 || id == "":
			tm := teams[steps.IntN(len(teams))]
			b := p.mustCreate(tm, 1+steps.IntN(25))
			ids, made[b.ID] = append(ids, b.ID), tm
		case what < 6:
			_, err := p.retry(made[id], id, 75)
			tolerate("retrying", err)
		case what < 7:
			_, err := p.service.Cancel(t.Context(), made[id].Reader(), id)
			tolerate("cancelling", err)
		case what < 8 && steps.IntN(3) == 0:
			tolerate("ending", batches.EndBatch(t.Context(), p.service, id))
		case what < 9 && killed < 6:
			i := steps.IntN(len(workers))
			workers[i].Kill()
			workers[i] = p.NewMortal(p.worker)
			killed++
		default: // let a page or two be fetched
			p.Await()
		}
	}
	p.Until("all batches completed", func() bool { return p.Count(`select count(*) from batch where status = 'in_progress'`) == 0 })
	p.settled()
	p.consumed(teams, ids)
	t.Logf("%d batches, %d items ended, %d workers killed", len(ids), p.Count(`select count(*) from item_ending`), killed)
}

// consumed compares what teams have spent with what their batches report.
func (p *place) consumed(teams []*workshop.Team, ids []string) {
	p.T.Helper()
	var spent, said money.Credits
	for _, tm := range teams {
		balance, err := p.Ledger.Balance(context.Background(), tm.ID)
		workshop.Must(p.T, err)
		spent += 1_000_000 - balance.Balance
	}
	for _, id := range slices.Sorted(slices.Values(ids)) {
		b := p.batch(id)
		said += *b.CreditsConsumed
		if want := money.Credits(b.CompletedURLs) * p.pages.price; *b.CreditsConsumed != want {
			p.T.Errorf("%s: got %d credits for %d items, want %d", id, *b.CreditsConsumed, b.CompletedURLs, want)
		}
	}
	if spent != said {
		p.T.Errorf("got %d credits spent, and %d said to be", spent, said)
	}
}
