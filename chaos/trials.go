package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

// trial is something that happens once in a storm.
type trial struct {
	after time.Duration // the storm's beginning
	run   func(ctx context.Context) error
}

const (
	// awayFor is longer than an edge may be silent.
	awayFor = lostAfter * 3 / 2
	// lockedFor is how long a row of an account is locked.
	lockedFor = 20 * time.Second
)

// trials are, in a storm's first and second half: a database that is away for longer than an edge may be silent, and
// a row of an account that is locked.
func (p *place) trials() []trial {
	return []trial{
		{after: p.cfg.duration / 10, run: p.longAbsence},
		{after: p.cfg.duration / 2, run: p.lockAccount},
	}
}

// spare keeps Postgres from being hit until release is called. It waits until it is back where it is away.
func (p *place) spare(ctx context.Context) (release func(), err error) {
	tick := time.NewTicker(restartEvery)
	defer tick.Stop()
	for {
		p.mu.Lock()
		isUp := !p.away[victimPostgres]
		p.away[victimPostgres] = true
		p.mu.Unlock()
		if isUp {
			return func() {
				p.mu.Lock()
				defer p.mu.Unlock()
				p.away[victimPostgres] = false
			}, nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// longAbsence kills Postgres and has it back when every edge has been silent for too long.
func (p *place) longAbsence(ctx context.Context) error {
	if _, err := p.spare(ctx); err != nil {
		return err
	}
	restart, err := p.kill(victimPostgres)
	if err != nil {
		return fmt.Errorf("killing postgres: %w", err)
	}
	if err := pause(ctx, awayFor); err != nil {
		return err
	}
	return p.again(ctx, victimPostgres, restart)
}

// lockAccount locks the row of a team's account, as a forgotten session does.
func (p *place) lockAccount(ctx context.Context) error {
	release, err := p.spare(ctx)
	if err != nil {
		return err
	}
	defer release()
	conn, err := pgx.Connect(ctx, p.databaseURL)
	if err != nil {
		return fmt.Errorf("connecting, to lock an account: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	tx, err := conn.Begin(ctx)
	if err != nil {
		return fmt.Errorf("locking an account: %w", err)
	}
	if _, err := tx.Exec(ctx, "select from ledger_account where id = $1 for update", p.teams[lockedTeam].account); err != nil {
		return fmt.Errorf("locking an account: %w", err)
	}
	from := time.Now()
	err = pause(ctx, lockedFor)
	p.mu.Lock()
	p.locked = [2]time.Time{from, time.Now()}
	p.mu.Unlock()
	return err
}

// lockedTeam is the team whose account is locked, by its index.
const lockedTeam = 1

// reloadX402 changes a setting of x402, and nothing else, of an edge that serves.
func (p *place) reloadX402(ctx context.Context, number int) {
	inc := p.doors.at(number)
	if inc == nil {
		return
	}
	p.mu.Lock()
	p.reloads++
	variant := p.reloads % x402Variants
	p.mu.Unlock()
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
	// A ledger that cannot be reached is a configuration that cannot be had.
	if resp.StatusCode != http.StatusOK && inc.killed().IsZero() && !p.isAway(victimPostgres) {
		p.faultf("reloading edge %d: %s %s", number, resp.Status, said)
	}
}

// isAway reports whether a process is away, or was a moment ago.
func (p *place) isAway(v victim) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.away[v] || slices.ContainsFunc(p.absences, func(a absence) bool {
		return a.victim == v && (a.to.IsZero() || time.Since(a.to) < answerTimeout)
	})
}
