package db_test

import (
	"context"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"github.com/turnpike-edge/turnpike/dev/pgtest"
)

// Addresses that unsubscribed before consent existed stay unsubscribed, also after migrating down. No other consented.
func TestUnsubscribedStaySo(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	cfg, err := pgx.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	pool := stdlib.OpenDB(*cfg)
	defer pool.Close()
	provider, err := goose.NewProvider(goose.DialectPostgres, pool, os.DirFS("migrations"))
	if err != nil {
		t.Fatal(err)
	}
	conn := dial(t, url)
	to := func(move func(context.Context, int64) ([]*goose.MigrationResult, error), version int64) {
		t.Helper()
		if _, err := move(t.Context(), version); err != nil {
			t.Fatal(err)
		}
	}
	want := func(what, query string) {
		t.Helper()
		var so bool
		if err := conn.QueryRow(t.Context(), query).Scan(&so); err != nil || !so {
			t.Errorf("%s: got %t, %v, want it", what, so, err)
		}
	}
	to(provider.UpTo, 38)
	_, err = conn.Exec(t.Context(), `
		insert into team (id) values ('team_a');
		insert into event (id, team_id, type, subject, data, expires_at) values ('event_1', 'team_a', 'monitor.changed', 'monitor_1', '{}', now());
		insert into notification_message (id, team_id, channel, target, lane, status, tries_max, created_at, due_at, closed_at, ended_at)
		values ('message_1', 'team_a', 'email', 'Ann@example.com', 'l', 'delivered', 8, now(), now(), now(), now());
		insert into notification_delivery (id, event_id, message_id, team_id, subject, channel, target, unsubscribed, created_at)
		values ('notification_1', 'event_1', 'message_1', 'team_a', 'monitor_1', 'email', 'Ann@example.com', true, now());
		insert into notification_refusal (team_id, subject, address, created_at)
		values ('team_a', 'monitor_1', 'ann@example.com', now() - interval '1 day'), ('team_a', 'monitor_2', 'ann@example.com', now())`)
	if err != nil {
		t.Fatal(err)
	}
	to(provider.UpTo, 40)
	want("one who has unsubscribed", `select count(*) = 1 and bool_and(status = 'unsubscribed' and address = 'ann@example.com') from mail_consent`)
	want("the log", `select withheld = 'unsubscribed' from notification_delivery`)
	to(provider.DownTo, 38)
	want("the way back", `select count(*) = 1 and bool_and(subject = 'monitor_1' and address = 'ann@example.com') from notification_refusal`)
	want("the log on the way back", `select unsubscribed from notification_delivery`)
}
