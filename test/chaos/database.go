package main

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/dev/postgres"
	"github.com/turnpike-edge/turnpike/dev/rig"
	"github.com/turnpike-edge/turnpike/payments/apikey"
	"github.com/turnpike-edge/turnpike/payments/credits"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// startPostgres starts the server on its data directory, which outlives it.
func (p *place) startPostgres(ctx context.Context) error {
	server, err := postgres.Start(ctx, postgres.Config{DataDir: p.data, Settings: sessionSettings})
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.postgres = server
	return nil
}

// sessionSettings are those that docs/operations.md prescribes for the role behind a pooler; here the server sets them.
var sessionSettings = map[string]string{
	"statement_timeout": "60s", "idle_in_transaction_session_timeout": "10s", "client_connection_check_interval": "5s",
}

// startPooler starts PgBouncer in front of the database.
func (p *place) startPooler(ctx context.Context) error {
	pooler, err := rig.StartPgBouncerAt(ctx, p.dir, p.poolerAddress, p.databaseURL)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pooler = pooler
	return nil
}

// databaseURLs returns the URL that the programs use, and the direct one that bypasses the pooler if there is one.
func (p *place) databaseURLs() (programs, direct string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pooler == nil {
		return p.databaseURL, ""
	}
	return p.pooler.URL, p.databaseURL
}

// prepareDatabase creates the schema and the teams, each with a key and credits.
func (p *place) prepareDatabase(ctx context.Context) error {
	const database = "chaos"
	if err := p.postgres.CreateDatabase(ctx, database); err != nil {
		return err
	}
	p.databaseURL = p.postgres.URL(database)
	if _, err := db.Migrate(ctx, p.databaseURL); err != nil {
		return err
	}
	pool, err := db.Open(ctx, p.databaseURL, nil)
	if err != nil {
		return err
	}
	defer pool.Close()
	for i := range p.cfg.keys {
		granted := grantedRich
		if i%poorOneIn == poorOneIn-1 {
			granted = grantedPoor
		}
		t, err := newTeam(ctx, pool, fmt.Sprintf("team_%04d", i), granted, spends)
		if err != nil {
			return err
		}
		p.teams = append(p.teams, t)
	}
	for i := range p.cfg.buyers {
		t, err := newTeam(ctx, pool, fmt.Sprintf("team_b%03d", i), grantedBuyer, spends|apikey.ScopeBilling)
		if err != nil {
			return err
		}
		t.buys = true
		p.teams = append(p.teams, t)
	}
	for i := range p.cfg.repeaters {
		t, err := newTeam(ctx, pool, fmt.Sprintf("team_r%03d", i), grantedRich, spends)
		if err != nil {
			return err
		}
		p.repeaters = append(p.repeaters, t)
	}
	return nil
}

func newTeam(ctx context.Context, pool *pgxpool.Pool, id string, granted money.Credits, scopes apikey.Scopes) (team, error) {
	if _, err := db.New(pool).CreateTeam(ctx, db.CreateTeamParams{ID: id}); err != nil {
		return team{}, fmt.Errorf("making %s: %w", id, err)
	}
	key, err := apikey.NewStore(pool, time.Now).Create(ctx, apikey.NewKey{TeamID: id, Scopes: scopes})
	if err != nil {
		return team{}, err
	}
	ledger := credits.NewLedger(pool)
	if _, err := ledger.Grant(ctx, credits.Grant{TeamID: id, Amount: granted, Source: credits.SourcePromo, Key: "chaos-" + id}); err != nil {
		return team{}, err
	}
	balance, err := ledger.Balance(ctx, id)
	if err != nil {
		return team{}, err
	}
	return team{id: id, key: key.Key, account: balance.Account, granted: granted}, nil
}
