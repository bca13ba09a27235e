//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/jackc/pgx/v5"
)

const statementsMax = 25

// settings returns those of Postgres, which counts statements if a profile is wanted.
func (o *options) settings() map[string]string {
	if o.profile == "" {
		return nil
	}
	return map[string]string{"shared_preload_libraries": "pg_stat_statements", "pg_stat_statements.track_planning": "on"}
}

// watchStatements enables the statistics of statements.
func (p *product) watchStatements(ctx context.Context) error {
	if _, err := p.Pool.Exec(ctx, "create extension pg_stat_statements"); err != nil {
		return fmt.Errorf("watching statements: %w", err)
	}
	return nil
}

// sayStatements prints the statements that took the most time, per page, and resets the statistics.
func (p *product) sayStatements(ctx context.Context, pages int) error {
	rows, err := p.Pool.Query(ctx, `select query, calls, total_exec_time, total_plan_time, rows, shared_blks_hit::float8 / calls, wal_bytes::float8
		from pg_stat_statements where calls > 0 order by total_exec_time + total_plan_time desc limit $1`, statementsMax)
	if err != nil {
		return fmt.Errorf("reading statements: %w", err)
	}
	out := tabwriter.NewWriter(os.Stderr, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(out, "calls\tms/call\tplan ms/call\tus/page\trows/call\tbuffers/call\tWAL/page\t  ")
	var query string
	var calls, returned int64
	var executing, planning, buffers, wal float64
	_, err = pgx.ForEachRow(rows, []any{&query, &calls, &executing, &planning, &returned, &buffers, &wal}, func() error {
		_, err := fmt.Fprintf(out, "%d\t%.3f\t%.3f\t%.0f\t%.1f\t%.0f\t%.0f\t  %.60s\n", calls, executing/float64(calls), planning/float64(calls),
			1e3*(executing+planning)/float64(pages), float64(returned)/float64(calls), buffers, wal/float64(pages), strings.Join(strings.Fields(query), " "))
		return err
	})
	if err != nil {
		return fmt.Errorf("reading statements: %w", err)
	}
	if err := out.Flush(); err != nil {
		return err
	}
	_, err = p.Pool.Exec(ctx, "select pg_stat_statements_reset()")
	return err
}
