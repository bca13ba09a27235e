package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/turnpike-edge/turnpike/db"
)

// trial is something that happens once in a storm, whatever else is drawn.
type trial struct {
	after time.Duration // since the storm's beginning
	run   func(ctx context.Context) error
}

const (
	// awayFor is longer than the database may be away before an edge counts as lost.
	awayFor = lostAfter * 3 / 2
	// poolerAwayFor is long enough for many requests to find no pooler.
	poolerAwayFor = time.Second
	// lockedFor is how long a row of an account is locked.
	lockedFor = 20 * time.Second
	// lockedTeam is the team whose account is locked, by its index.
	lockedTeam = 1
)

// trials returns the trials in order: a database that is down for longer than an edge may be silent, a pooler that is
// down, and a locked row of an account.
func (p *place) trials() []trial {
	return []trial{
		{after: p.cfg.duration / 10, run: p.takeAway(victimPostgres, awayFor)},
		{after: p.cfg.duration * 4 / 10, run: p.takeAway(victimPooler, poolerAwayFor)},
		{after: p.cfg.duration / 2, run: p.lockAccount},
	}
}

// spare waits until a process is up, and protects it from kills until release is called.
func (p *place) spare(ctx context.Context, v victim) (release func(), err error) {
	tick := time.NewTicker(restartEvery)
	defer tick.Stop()
	for {
		p.mu.Lock()
		isUp := !p.away[v]
		p.away[v] = true
		p.mu.Unlock()
		if isUp {
			return func() {
				p.mu.Lock()
				defer p.mu.Unlock()
				p.away[v] = false
			}, nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// takeAway returns a trial that kills a process and restarts it only after some time.
func (p *place) takeAway(v victim, lasts time.Duration) func(context.Context) error {
	return func(ctx context.Context) error {
		if _, err := p.spare(ctx, v); err != nil {
			return err
		}
		restart, err := p.kill(v)
		if err != nil {
			return fmt.Errorf("killing %s: %w", v, err)
		}
		if err := pause(ctx, lasts); err != nil {
			return err
		}
		return p.again(ctx, v, restart)
	}
}

// lockAccount locks the row of a team's account, as a forgotten session does. Like an operator it bypasses the pooler.
func (p *place) lockAccount(ctx context.Context) error {
	release, err := p.spare(ctx, victimPostgres)
	if err != nil {
		return err
	}
	defer release()
	conn, err := db.Connect(ctx, p.databaseURL, "chaos", map[string]string{"idle_in_transaction_session_timeout": "0"})
	if err != nil {
		return fmt.Errorf("connecting, to lock an account: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	tx, err := conn.Begin(ctx)
	if err != nil {
		return fmt.Errorf("locking an account: %w", err)
	}
	if err := db.New(tx).LockAccount(ctx, p.teams[lockedTeam].account); err != nil {
		return fmt.Errorf("locking an account: %w", err)
	}
	from := time.Now()
	if err := pause(ctx, lockedFor); err != nil {
		return err
	}
	p.mu.Lock()
	p.locked = [2]time.Time{from, time.Now()}
	p.mu.Unlock()
	if err := tx.Rollback(ctx); err != nil { // an error means that the lock did not last until now
		return fmt.Errorf("unlocking an account: %w", err)
	}
	return nil
}

// reloadX402 changes only an x402 setting of an edge that serves.
func (p *place) reloadX402(ctx context.Context, number int) {
	inc := p.doors.at(number)
	if inc == nil || !inc.reloading.TryLock() {
		return
	}
	defer inc.reloading.Unlock()
	variant := (inc.variant + 1) % x402Variants // Caddy ignores a configuration that it already has
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+p.slots[number].admin+"/load", bytes.NewReader(p.caddyfiles(number, variant)))
	if err != nil {
		p.faultf("reloading: %v", err)
		return
	}
	req.Header.Set("Content-Type", "text/caddyfile")
	resp, err := inc.client.Do(req)
	if err != nil {
		if inc.killed().IsZero() && ctx.Err() == nil {
			p.faultf("reloading edge %d: %v", number, err)
		}
		return
	}
	defer resp.Body.Close()
	said, _ := io.ReadAll(resp.Body)
	if resp.StatusCode == http.StatusOK {
		inc.variant = variant
		p.mu.Lock()
		p.reloads++
		p.mu.Unlock()
		return
	}
	// Without a database the new configuration is rejected, which is not a fault.
	if inc.killed().IsZero() && !p.isWithoutDatabase() {
		p.faultf("reloading edge %d: %s %s", number, resp.Status, said)
	}
}

// isWithoutDatabase reports whether Postgres or the pooler is down, or was a moment ago.
func (p *place) isWithoutDatabase() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.ContainsFunc(p.absences, func(a absence) bool {
		return a.victim.isDatabase() && (a.to.IsZero() || time.Since(a.to) < answerTimeout)
	})
}

// The least counts that make a storm meaningful.
const (
	repeatedLeast = 20
	leftLeast     = 50
	reloadedLeast = 3
	settledLeast  = 20
)

// auditTrials checks that each trial happened, because a storm without it shows nothing about it.
func (f *findings) auditTrials() {
	long := 0
	for _, a := range f.absences {
		if a.victim == victimPostgres && a.respawn.Sub(a.gone) > lostAfter {
			long++
		}
	}
	atLeast := func(what string, got, least int) {
		if got < least {
			f.violatef("the storm had too few %s: got %d, want at least %d", what, got, least)
		}
	}
	atLeast("times without Postgres of more than "+lostAfter.String(), long, 1)
	atLeast("kills of PgBouncer", f.kills()[victimPooler.kind()], 1)
	if f.lockedFor < lockedFor {
		f.violatef("the storm locked an account's row for %s, want %s", f.lockedFor.Round(time.Millisecond), lockedFor)
	}
	atLeast("answers with 503 for the team of the locked account", f.outage.locked, 1)
	atLeast("answers to other teams meanwhile", f.outage.beside, 1)
	atLeast("answers repeated for nothing by key", f.repeats.freeKeys, repeatedLeast)
	atLeast("answers repeated for nothing by wallet", f.repeats.freeCoins, repeatedLeast)
	atLeast("clients that left", f.repeats.left, leftLeast)
	atLeast("reloads of x402 settings alone", f.reloads, reloadedLeast)
	if len(f.settledOn) < 2 || slices.Min(f.settledOn) < settledLeast {
		f.violatef("the storm had too few payments on one network: got %s, want at least %d on each of two", fmt.Sprint(f.settledOn), settledLeast)
	}
	atLeast("payments at edges that do not settle on their network", f.repeats.elsewhere, 1)
}
