package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"
)

// served is a metered request that was answered with 200, wholly received.
type served struct {
	job string
	key int // index of the team
	inc *incarnation
	at  time.Time
}

// load is what the clients ask, and the book that they keep of the answers.
type load struct {
	p       *place
	metered sync.WaitGroup
	paying  sync.WaitGroup
	stopped context.CancelFunc // nothing new is begun
	giveUp  context.CancelFunc // what is unfinished is left so

	mu       sync.Mutex
	served   []served
	statuses map[int]int // metered answers by status; 0 for none
	payments []*payment
}

func startLoad(ctx context.Context, p *place) *load {
	l := &load{p: p, statuses: make(map[int]int)}
	beginning, stopped := context.WithCancel(ctx)
	finishing, giveUp := context.WithCancel(ctx)
	l.stopped, l.giveUp = stopped, giveUp
	for _, s := range p.slots {
		for w := range p.cfg.workers {
			random := rand.New(rand.NewPCG(p.cfg.seed, uint64(s.number*1000+w+1))) //nolint:gosec // must repeat itself
			l.metered.Go(func() { l.spend(beginning, s, random) })
		}
	}
	for i := range p.payers {
		random := rand.New(rand.NewPCG(p.cfg.seed, uint64(1_000_000+i))) //nolint:gosec // must repeat itself
		l.paying.Go(func() { l.buy(beginning, finishing, i, random) })
	}
	return l
}

// stop begins nothing new, and returns when all requests by key are answered.
func (l *load) stop() {
	l.stopped()
	l.metered.Wait()
}

// finishPayments returns when each payment has had its last answer.
func (l *load) finishPayments(ctx context.Context) error {
	defer l.giveUp()
	done := make(chan struct{})
	go func() {
		defer close(done)
		l.paying.Wait()
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		l.giveUp()
		<-done
		return fmt.Errorf("waiting for the last answers to payments: %w", context.Cause(ctx))
	}
}

// spend makes requests by key at one edge, one after the other.
func (l *load) spend(ctx context.Context, s *slot, random *rand.Rand) {
	for {
		inc := s.await(ctx)
		if inc == nil {
			return
		}
		key := random.IntN(len(l.p.teams))
		inc.begin(key)
		// What has begun is waited for.
		job, status := l.ask(context.WithoutCancel(ctx), inc, key)
		inc.end(key, status == http.StatusOK)
		l.note(job, status, key, inc)
	}
}

// ask makes one request and returns the job that the upstream did for it, and the status; 0 where no whole answer came.
func (l *load) ask(ctx context.Context, inc *incarnation, key int) (job string, status int) {
	// POST: net/http sends it once, while it may repeat a GET on a connection that breaks.
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, inc.edge.URL(l.p.service.metered), strings.NewReader(l.p.service.body))
	if err != nil {
		l.p.faultf("making a request: %v", err)
		return "", 0
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+l.p.teams[key].key)
	resp, err := inc.client.Do(req)
	if err != nil {
		return "", 0
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return "", 0
	}
	if resp.StatusCode != http.StatusOK {
		return "", resp.StatusCode
	}
	if job, err = l.p.service.jobFunc(body); err != nil {
		l.p.faultf("an answer names no job: %v", err)
	}
	return job, resp.StatusCode
}

func (l *load) note(job string, status, key int, inc *incarnation) {
	now := time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.statuses[status]++
	if status == http.StatusOK {
		l.served = append(l.served, served{job, key, inc, now})
	}
}

func (l *load) servedSoFar() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.served)
}

var errGivenUp = errors.New("no last answer came")
