package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/dev/rig"
	"github.com/turnpike-edge/turnpike/payments/money"
)

const (
	// failClosedWithin is the longest time that a request waits for an unavailable ledger.
	failClosedWithin = 250 * time.Millisecond
	// refusedPerOutage is the number of refused requests after which an outage ends.
	refusedPerOutage = 300
	// controlEvery is how often each edge gets a request that needs no ledger, to measure the machine's own delay.
	controlEvery = 10 * time.Millisecond
	// servedAgain is the number of requests that each edge must serve until an outage counts as over.
	servedAgain   = 20
	outageTimeout = 2 * time.Minute
	cuts          = 10
)

// Postgres is killed, hangs, and loses all connections under three edges. Meanwhile nothing is served free of charge and
// no request waits for longer than 250 ms. Within 5 s of its return all edges serve again.
//
//nolint:paralleltest // it measures
func TestPostgresAway(t *testing.T) {
	p := newDrill(t, edges, &config{keys: 64, payers: 1, seed: 1}, nil)
	work := onePath("work", http.MethodPost, "", 0, 12)
	work.orderFunc = func(random *rand.Rand) (string, money.Credits) {
		price := 1 + random.IntN(workPriceMax)
		return fmt.Sprintf("/priced/work?credits=%d", price), money.Credits(price)
	}
	spent := newSpending(p, work)
	load := startLoad(t.Context(), spent)
	p.awaitServed(t)

	var restart func(context.Context) error
	p.outage(t, spent, "killed", func() (err error) {
		restart, err = p.kill(victimPostgres)
		return err
	}, func() error { return p.again(t.Context(), victimPostgres, restart) })

	p.outage(t, spent, "hanging", func() error {
		p.absences = append(p.absences, absence{victim: victimPostgres, from: time.Now()})
		err := rig.SignalTree(p.postgres.PID(), syscall.SIGSTOP)
		p.noteAbsence(victimPostgres, func(a *absence) { a.gone = time.Now() })
		return err
	}, func() error {
		p.noteAbsence(victimPostgres, func(a *absence) { a.respawn = time.Now() })
		err := rig.SignalTree(p.postgres.PID(), syscall.SIGCONT)
		p.noteAbsence(victimPostgres, func(a *absence) { a.to = time.Now() })
		return err
	})

	before := spent.counted()
	for range cuts {
		p.cutConnections(t)
		p.awaitServed(t)
	}
	after := spent.counted()
	t.Logf("all connections cut %d times: %d served meanwhile, %d answered with 503", cuts,
		after[http.StatusOK]-before[http.StatusOK], after[http.StatusServiceUnavailable]-before[http.StatusServiceUnavailable])

	found := wantSound(t, p, load)
	if found.spent.served != found.spent.charged {
		t.Errorf("no edge was killed: served %+v, charged %+v", found.spent.served, found.spent.charged)
	}
	t.Logf("served and charged: %+v; answers: %v", found.spent.served, named(spent.counted()))
}

// outage takes Postgres away, brings it back, and checks what clients saw.
func (p *place) outage(t *testing.T, spent *spending, name string, take, giveBack func() error) {
	t.Helper()
	if err := take(); err != nil {
		t.Fatal(err)
	}
	refused := spent.refused()
	controlled := p.control(t)
	eventually(t, "requests are refused", outageTimeout, func() bool { return spent.refused()-refused >= refusedPerOutage })
	controls := controlled()
	if err := giveBack(); err != nil {
		t.Fatal(err)
	}
	p.awaitServed(t)

	spent.mu.Lock()
	seen := &spending{served: slices.Clone(spent.served), refusals: slices.Clone(spent.refusals)}
	spent.mu.Unlock()
	f := new(findings)
	f.auditOutages(p.absences[len(p.absences)-1:], seen)
	for _, violation := range f.violations {
		t.Errorf("%s: %s", name, violation)
	}
	if len(f.outage.recoveries) != edges {
		t.Errorf("%s: %d edges served again, want %d", name, len(f.outage.recoveries), edges)
	}
	// The time for responses without a ledger, at the same edges and moment, is the machine's delay and is subtracted.
	if got, lag := quantile(f.outage.refusals, 99), quantile(controls, 99); got > failClosedWithin+lag {
		t.Errorf("%s: p99 of the 503s is %s, want at most %s and the %s that an answer takes here without a ledger", name, got, failClosedWithin, lag)
	}
	t.Logf("postgres %s: %d answers with 503: %s (answers without a ledger: %s); served again after its return: %s",
		name, len(f.outage.refusals), distribution(f.outage.refusals), distribution(controls), distribution(f.outage.recoveries))
}

// awaitServed waits until each edge has served servedAgain more requests.
func (p *place) awaitServed(t *testing.T) {
	t.Helper()
	var want [edges]int
	for number := range edges {
		want[number] = p.doors.at(number).servedSoFar() + servedAgain
	}
	eventually(t, "all edges serve", outageTimeout, func() bool {
		for number := range edges {
			if p.doors.at(number).servedSoFar() < want[number] {
				return false
			}
		}
		return true
	})
}

// control sends the edges requests that need no ledger until stop is called, which returns how long the responses took.
func (p *place) control(t *testing.T) (stop func() []time.Duration) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var mu sync.Mutex
	var took []time.Duration
	var all sync.WaitGroup
	for number := range edges {
		inc := p.doors.at(number)
		all.Go(func() {
			tick := time.NewTicker(controlEvery)
			defer tick.Stop()
			for ctx.Err() == nil {
				start := time.Now()
				resp, err := inc.client.Get(inc.edge.URL("/alive"))
				if err != nil || resp.StatusCode != http.StatusOK {
					t.Errorf("asking edge %d: got %v, error %v", number, resp, err)
					return
				}
				resp.Body.Close()
				mu.Lock()
				took = append(took, time.Since(start))
				mu.Unlock()
				select {
				case <-tick.C:
				case <-ctx.Done():
				}
			}
		})
	}
	return func() []time.Duration {
		cancel()
		all.Wait()
		return took
	}
}

// cutConnections terminates every other connection to the database at once.
func (p *place) cutConnections(t *testing.T) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), p.databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	const others = `select count(pg_terminate_backend(pid)) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`
	var cut int
	if err := conn.QueryRow(t.Context(), others).Scan(&cut); err != nil || cut < edges {
		t.Fatalf("cut %d connections, error %v; want one of each edge at least", cut, err)
	}
}
