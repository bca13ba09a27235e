package main

import (
	"context"
	"math/rand/v2"
	"net/http"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/dev/rig"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// The drills measure times, so none runs in parallel with another.

var (
	binaryDir   string
	buildBinary = sync.OnceValues(func() (string, error) {
		ctx, cancel := context.WithTimeout(context.Background(), setupTimeout)
		defer cancel()
		var err error
		if binaryDir, err = os.MkdirTemp("", "turnpike-drill-*"); err != nil {
			return "", err
		}
		return rig.Build(ctx, binaryDir, rig.Turnpike)
	})
)

// newDrill returns an installation with this program's own upstream and a number of edges. A nil caddyfile means the rig's.
func newDrill(t *testing.T, running int, cfg *config, caddyfile []byte) *place {
	t.Helper()
	p := newGround(t, cfg, caddyfile)
	ctx, cancel := context.WithTimeout(t.Context(), setupTimeout)
	defer cancel()
	var err error
	if p.upstreamAddress, err = rig.StableAddress(ctx); err != nil {
		t.Fatal(err)
	}
	if err := p.startUpstream(ctx); err != nil {
		t.Fatal(err)
	}
	for number := range running {
		if p.slots[number].admin, err = rig.StableAddress(ctx); err != nil {
			t.Fatal(err)
		}
		if err := p.startEdge(ctx, number); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// newGround returns an installation without upstream and edges.
func newGround(t *testing.T, cfg *config, caddyfile []byte) *place {
	t.Helper()
	binary, err := buildBinary()
	if err != nil {
		t.Fatal(err)
	}
	p := &place{cfg: cfg, binary: binary, caddyfile: caddyfile, out: t.Output()}
	t.Cleanup(func() {
		if t.Failed() {
			p.cfg.keep = true
		}
		if err := p.close(); err != nil {
			t.Errorf("closing the installation: %v", err)
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), setupTimeout)
	defer cancel()
	if err := p.prepare(ctx); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *place) pool(t *testing.T) *pgxpool.Pool {
	t.Helper()
	pool, err := db.Open(t.Context(), p.databaseURL, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

// eventually polls for what other processes do; nothing signals it.
func eventually(t *testing.T, what string, within time.Duration, isSo func() bool) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	limit := time.NewTimer(within)
	defer limit.Stop()
	for !isSo() {
		select {
		case <-tick.C:
		case <-limit.C:
			t.Fatalf("not so within %s: %s", within, what)
		}
	}
}

// wantSound ends the load and wants the books to agree with the responses that the clients got.
func wantSound(t *testing.T, p *place, l *load) *findings {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), finishTimeout)
	defer cancel()
	if err := l.stop(ctx); err != nil {
		t.Fatal(err)
	}
	if err := p.awaitSwept(ctx); err != nil {
		t.Fatal(err)
	}
	found, err := audit(ctx, p, l)
	if err != nil {
		t.Fatal(err)
	}
	for i, violation := range found.violations {
		if i == violationsShown {
			t.Errorf("and %d more", len(found.violations)-i)
			break
		}
		t.Error(violation)
	}
	return found
}

// counted returns how many responses had each status, over all products.
func (s *spending) counted() map[int]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	sum := make(map[int]int)
	for _, statuses := range s.statuses {
		for status, n := range statuses {
			sum[status] += n
		}
	}
	return sum
}

func (s *spending) refused() int { return s.counted()[http.StatusServiceUnavailable] }

// onePath is a product with one path and price.
func onePath(name, method, path string, price money.Credits, clients int) product {
	return product{
		name: name, clients: clients, method: method, jobFunc: jobName,
		orderFunc: func(*rand.Rand) (string, money.Credits) { return path, price },
	}
}
