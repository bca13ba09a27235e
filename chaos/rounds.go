package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// victim is a process of the installation.
type victim int

const (
	victimEdge0 victim = iota
	victimEdge1
	victimUpstream
	victimPostgres
	victims
)

func (v victim) String() string {
	return [...]string{"edge 0", "edge 1", "upstream", "postgres"}[v]
}

// strike is one kill of a plan.
type strike struct {
	victim victim
	after  time.Duration // since the strike before
	down   time.Duration // until it is started again
}

func (s strike) String() string {
	return fmt.Sprintf("%s after %d ms, down %d ms", s.victim, s.after.Milliseconds(), s.down.Milliseconds())
}

const (
	calmMin, calmMax = 150 * time.Millisecond, 1500 * time.Millisecond
	downMax          = 700 * time.Millisecond
	atOnceOneIn      = 4 // rounds in which all are hit at the same moment
)

// plan draws a round: each process once.
func plan(random *rand.Rand) []strike {
	atOnce := random.IntN(atOnceOneIn) == 0
	strikes := make([]strike, 0, victims)
	for i, v := range random.Perm(int(victims)) {
		s := strike{victim: victim(v)}
		s.after = calmMin + time.Duration(random.Int64N(int64(calmMax-calmMin)))
		s.down = time.Duration(random.Int64N(int64(downMax)))
		if atOnce && i > 0 {
			s.after = 0
		}
		strikes = append(strikes, s)
	}
	return strikes
}

const (
	restartTimeout = 2 * time.Minute
	restartEvery   = 200 * time.Millisecond
	// A round is over when each edge has served again.
	servedPerRound = 100
)

// rounds kills everything as often as was asked for.
func (p *place) rounds(ctx context.Context, l *load) error {
	random := rand.New(rand.NewPCG(p.cfg.seed, p.cfg.seed)) //nolint:gosec // must repeat itself
	for round := range p.cfg.rounds {
		strikes := plan(random)
		if err := p.round(ctx, strikes); err != nil {
			return fmt.Errorf("round %d: %w", round+1, err)
		}
		if err := p.awaitService(ctx); err != nil {
			return fmt.Errorf("after round %d: %w", round+1, err)
		}
		if p.cfg.verbose {
			fmt.Fprintf(p.out, "round %d: %v; served so far: %d\n", round+1, strikes, l.servedSoFar())
		}
	}
	return nil
}

func (p *place) round(ctx context.Context, strikes []strike) error {
	var restarts sync.WaitGroup
	errs := make([]error, len(strikes))
	for i, s := range strikes {
		if err := pause(ctx, s.after); err != nil {
			return err
		}
		restart, err := p.kill(s.victim)
		if err != nil {
			return fmt.Errorf("killing %s: %w", s.victim, err)
		}
		restarts.Go(func() {
			if err := pause(ctx, s.down); err != nil {
				errs[i] = err
				return
			}
			if err := again(ctx, restart); err != nil {
				errs[i] = fmt.Errorf("starting %s again: %w", s.victim, err)
			}
		})
	}
	restarts.Wait()
	return errors.Join(errs...)
}

// pause lets the load run for a while.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// again does what a supervisor does: an edge that finds no database ends, and is started again until it stays.
func again(ctx context.Context, start func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, restartTimeout)
	defer cancel()
	tick := time.NewTicker(restartEvery)
	defer tick.Stop()
	for {
		err := start(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return err
		}
	}
}

// kill ends a process and returns what starts its successor.
func (p *place) kill(v victim) (restart func(context.Context) error, err error) {
	switch v {
	case victimUpstream:
		return p.startUpstream, p.upstream.Kill()
	case victimPostgres:
		return p.killPostgres()
	case victimEdge0, victimEdge1, victims:
	}
	s := p.slots[v]
	inc, _ := s.now()
	select {
	case <-inc.edge.Done():
		p.faultf("%s ended by itself, see %s", v, inc.edge.Log)
	default:
	}
	err = inc.kill()
	s.release()
	return func(ctx context.Context) error { return p.startEdge(ctx, s) }, err
}

// killPostgres ends the server and every one of its processes, so that none can bring a transaction to its end.
func (p *place) killPostgres() (restart func(context.Context) error, err error) {
	from := time.Now()
	server := p.postgres
	pids := append([]int{server.PID()}, children(server.PID())...)
	for _, pid := range pids {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
			return nil, fmt.Errorf("killing process %d: %w", pid, err)
		}
	}
	<-server.Done()
	return func(ctx context.Context) error {
		_ = server.Stop(ctx) // gives the directory back; that the server has ended already is no news
		if err := p.startPostgres(ctx); err != nil {
			return err
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		p.outages = append(p.outages, outage{from, time.Now()})
		return nil
	}, nil
}

// children returns the processes that pid has started, where the system shows them in /proc. Elsewhere Postgres'
// own end themselves when they find that they have lost their parent.
func children(pid int) []int {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	var found []int
	for _, stat := range stats {
		text, err := os.ReadFile(stat)
		if err != nil {
			continue // it has ended
		}
		// "pid (name) state ppid …": the name may hold anything, so read from its end (proc(5)).
		fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
		if len(fields) < 2 || fields[1] != strconv.Itoa(pid) {
			continue
		}
		if child, err := strconv.Atoi(filepath.Base(filepath.Dir(stat))); err == nil {
			found = append(found, child)
		}
	}
	return found
}

// awaitService returns when each edge serves again.
func (p *place) awaitService(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, restartTimeout)
	defer cancel()
	tick := time.NewTicker(restartEvery)
	defer tick.Stop()
	for _, s := range p.slots {
		for {
			inc := s.await(ctx)
			if inc != nil && inc.servedSoFar() >= servedPerRound {
				break
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
				return fmt.Errorf("edge %d does not serve: %w", s.number, context.Cause(ctx))
			}
		}
	}
	return nil
}
