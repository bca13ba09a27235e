package batches_test

import (
	"context"
	"errors"
	"flag"
	"math/rand/v2"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/backend/batches"
	"github.com/turnpike-edge/turnpike/backend/jobs"
	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/backend/problem"
	"github.com/turnpike-edge/turnpike/payments/money"
)

var (
	propertySeed  = flag.Uint64("property-seed", 0, "what the property test does, of chance else")
	propertySteps = flag.Int("property-steps", 60, "how much the property test does")
)

// cable is a worker's way to the database, which can be cut: to the rest of the world the worker is then dead, without a
// word, whatever it goes on doing.
type cable struct {
	mu    sync.Mutex
	cut   bool
	conns []net.Conn
}

var errCut = errors.New("the cable is cut")

func (c *cable) configure(cfg *pgxpool.Config) {
	dial := cfg.ConnConfig.DialFunc
	cfg.ConnConfig.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.cut {
			return nil, errors.Join(errCut, conn.Close())
		}
		c.conns = append(c.conns, conn)
		return conn, nil
	}
}

func (c *cable) sever() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cut = true
	for _, conn := range c.conns {
		_ = conn.Close()
	}
}

// mortal is a worker that can be killed.
type mortal struct {
	jobs  *jobs.Jobs
	pool  *pgxpool.Pool
	cable *cable
}

func (p *place) newMortal() *mortal {
	p.t.Helper()
	m := &mortal{cable: &cable{}}
	var err error
	m.pool = p.open(m.cable.configure)
	m.jobs = p.worker(m.pool, func(q *jobs.Queue) { q.Lease = time.Second })
	err = m.jobs.Start(context.Background())
	must(p.t, err)
	p.t.Cleanup(m.bury)
	return m
}

// bury ends what is left of a worker, dead or alive. It cannot say that all is well, being dead.
func (m *mortal) bury() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = m.jobs.Stop(ctx)
}

// chance has pages end in every way that there is.
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
	case 7, 8: // takes its time: until it is cut off, or for a moment
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

// Whatever happens to pages, workers and batches: each item ends once in a round, places are 1 to n, what was captured is
// what the completed items cost, and the ledger agrees with itself.
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
	teams := []*team{p.newTeam(1_000_000), p.newTeam(1_000_000), p.newTeam(1_000_000)}
	workers := []*mortal{p.newMortal(), p.newMortal()}
	made := map[string]*team{}
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
			_, err := p.service.Cancel(t.Context(), made[id].reader(), id)
			tolerate("cancelling", err)
		case what < 8 && steps.IntN(3) == 0:
			tolerate("ending", batches.EndRound(t.Context(), p.service, id, 0))
		case what < 9 && killed < 6:
			i := steps.IntN(len(workers))
			workers[i].cable.sever()
			workers[i] = p.newMortal()
			killed++
		default: // let a page or two be fetched
			select {
			case <-p.signal.wait():
			case <-time.After(100 * time.Millisecond):
			}
		}
	}
	p.until("all batches completed", func() bool { return p.count(`select count(*) from batch where status = 'in_progress'`) == 0 })
	p.settled()
	p.consumed(teams, ids)
	t.Logf("%d batches, %d items ended, %d workers killed", len(ids), p.count(`select count(*) from item_ending`), killed)
}

// consumed holds what teams have spent to what their batches say.
func (p *place) consumed(teams []*team, ids []string) {
	p.t.Helper()
	var spent, said money.Credits
	for _, tm := range teams {
		balance, err := p.ledger.Balance(context.Background(), tm.id)
		must(p.t, err)
		spent += 1_000_000 - balance.Balance
	}
	for _, id := range slices.Sorted(slices.Values(ids)) {
		b := p.batch(id)
		said += money.Credits(*b.CreditsConsumed)
		if want := int64(b.CompletedURLs) * int64(p.pages.price); *b.CreditsConsumed != want {
			p.t.Errorf("%s: got %d credits for %d items, want %d", id, *b.CreditsConsumed, b.CompletedURLs, want)
		}
	}
	if spent != said {
		p.t.Errorf("got %d credits spent, and %d said to be", spent, said)
	}
}
