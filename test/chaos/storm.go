package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/turnpike-edge/turnpike/dev/rig"
)

// victim is a process of the installation: the edges come first, by their number.
type victim int

const (
	victimUpstream victim = edges + iota
	victimBackend
	victimPostgres
	victimPooler
	victims

	accountLock = victims // no process: the row of an account that is locked
)

func (v victim) String() string {
	switch v {
	case victimUpstream:
		return "upstream"
	case victimBackend:
		return "backend"
	case victimPostgres:
		return "postgres"
	case victimPooler:
		return "pgbouncer"
	case victims:
	}
	return fmt.Sprintf("edge %d", int(v))
}

// isDatabase reports whether edges and backends have no database while the process is down.
func (v victim) isDatabase() bool { return v == victimPostgres || v == victimPooler }

// kind is the category by which kills are counted.
func (v victim) kind() string {
	if v < edges {
		return "edge"
	}
	return v.String()
}

const (
	restartTimeout = 2 * time.Minute
	restartEvery   = 200 * time.Millisecond
	// The storm is over when everything is back and each edge has served this many more requests.
	servedAfter = 100
	// One time in twiceOneIn a second process is killed in the same moment.
	twiceOneIn = 6
	// Half of the time an edge is reloaded before something is killed.
	reloadOneIn = 2
)

// storm kills one process after the other while the load goes on, and restarts each at once.
func (p *place) storm(ctx context.Context, servedSoFar func() int) error {
	random := rand.New(rand.NewPCG(p.cfg.seed, p.cfg.seed)) //nolint:gosec // chooses victims, no secrets
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var restarts sync.WaitGroup
	defer restarts.Wait()
	began := time.Now()
	end := began.Add(p.cfg.duration)
	trials := p.trials()
	for time.Now().Before(end) {
		if len(trials) > 0 && time.Since(began) > trials[0].after {
			run := trials[0].run
			trials = trials[1:]
			restarts.Go(func() {
				if err := run(ctx); err != nil {
					cancel(err)
				}
			})
		}
		gap := p.cfg.gapMin + time.Duration(random.Int64N(int64(p.cfg.gapMax-p.cfg.gapMin)+1))
		if err := pause(ctx, gap); err != nil {
			return err
		}
		if random.IntN(reloadOneIn) == 0 {
			number := random.IntN(edges)
			restarts.Go(func() { p.reloadX402(ctx, number) })
		}
		strikes := 1
		if random.IntN(twiceOneIn) == 0 {
			strikes = 2
		}
		for range strikes {
			v, ok := p.draw(random)
			if !ok {
				break // all are down at the moment
			}
			if p.cfg.verbose {
				fmt.Fprintf(p.out, "%s: %s; served so far: %d\n", time.Until(end).Round(time.Second), v, servedSoFar())
			}
			restart, err := p.kill(v)
			if err != nil {
				return fmt.Errorf("killing %s: %w", v, err)
			}
			restarts.Go(func() {
				if err := p.again(ctx, v, restart); err != nil {
					cancel(fmt.Errorf("starting %s again: %w", v, err))
				}
			})
		}
	}
	restarts.Wait()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	for v := range victims {
		p.noteEnded(v)
	}
	return p.awaitService(ctx)
}

// draw chooses one of the processes that are up.
func (p *place) draw(random *rand.Rand) (victim, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var up []victim
	for v := range victims {
		if !p.away[v] {
			up = append(up, v)
		}
	}
	if len(up) == 0 {
		return 0, false
	}
	v := up[random.IntN(len(up))]
	p.away[v] = true
	return v, true
}

// pause waits for d, or until ctx ends.
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

// noteEnded records a process that has ended by itself.
func (p *place) noteEnded(v victim) {
	var process interface{ Done() <-chan struct{} }
	switch v {
	case victimUpstream:
		process = p.upstream
	case victimBackend:
		process = p.backend
	case victimPostgres:
		process = p.postgres
	case victimPooler:
		process = p.pooler
	case victims:
	default:
		process = p.doors.at(int(v)).edge
	}
	select {
	case <-process.Done():
		p.faultf("%s ended by itself: its log is kept with -keep", v)
	default:
	}
}

// kill ends a process and returns the function that starts its successor.
func (p *place) kill(v victim) (restart func(context.Context) error, err error) {
	p.noteEnded(v)
	p.mu.Lock()
	p.absences = append(p.absences, absence{victim: v, from: time.Now()})
	p.mu.Unlock()
	switch v {
	case victimUpstream:
		restart, err = p.startUpstream, p.upstream.Kill()
	case victimBackend:
		restart, err = p.startBackend, p.backend.Kill()
	case victimPostgres:
		restart, err = p.killPostgres()
	case victimPooler:
		restart, err = p.startPooler, p.pooler.Kill()
	case victims:
	default:
		restart, err = p.killEdge(int(v))
	}
	p.noteAbsence(v, func(a *absence) { a.gone = time.Now() })
	return restart, err
}

func (p *place) killEdge(number int) (restart func(context.Context) error, err error) {
	inc := p.doors.set(number, nil)
	return func(ctx context.Context) error { return p.startEdge(ctx, number) }, inc.kill()
}

// killPostgres kills the server and all its processes, so that no transaction can finish.
func (p *place) killPostgres() (restart func(context.Context) error, err error) {
	server := p.postgres
	if err := rig.SignalTree(server.PID(), syscall.SIGKILL); err != nil {
		return nil, err
	}
	<-server.Done()
	return func(ctx context.Context) error {
		_ = server.Stop(ctx) // gives the directory back; its error, that the server has ended, is expected
		return p.startPostgres(ctx)
	}, nil
}

// again restarts a process as a supervisor does: an edge without a database exits, and is restarted until it stays up.
func (p *place) again(ctx context.Context, v victim, start func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, restartTimeout)
	defer cancel()
	tick := time.NewTicker(restartEvery)
	defer tick.Stop()
	p.noteAbsence(v, func(a *absence) { a.respawn = time.Now() })
	for {
		err := start(ctx)
		if err == nil {
			p.noteAbsence(v, func(a *absence) { a.to = time.Now() })
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return errors.Join(err, context.Cause(ctx))
		}
	}
}

// noteAbsence updates a victim's latest absence. Once the absence is over, the victim can be killed again.
func (p *place) noteAbsence(v victim, add func(*absence)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range slices.Backward(p.absences) {
		if p.absences[i].victim == v {
			add(&p.absences[i])
			p.away[v] = p.absences[i].to.IsZero()
			return
		}
	}
}

// awaitService returns when each edge has served again.
func (p *place) awaitService(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, restartTimeout)
	defer cancel()
	tick := time.NewTicker(restartEvery)
	defer tick.Stop()
	for number := range edges {
		inc := p.doors.at(number)
		for enough := inc.servedSoFar() + servedAfter; inc.servedSoFar() < enough; {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return fmt.Errorf("edge %d does not serve: %w", number, context.Cause(ctx))
			}
		}
	}
	return nil
}
