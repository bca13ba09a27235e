package outage_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/turnpike-edge/turnpike/db/outage"
)

func TestIs(t *testing.T) {
	t.Parallel()
	refused := func(code string) error { return &pgconn.PgError{Code: code} }
	for _, tt := range []struct {
		name string
		err  error
		want bool
	}{
		{"none", nil, false},
		{"no row", pgx.ErrNoRows, false},
		{"any other", errors.New("a bug"), false},
		{"no connection", &pgconn.ConnectError{Config: &pgconn.Config{}}, true},
		{"connection refused", &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}, true},
		{"connection closed", fmt.Errorf("x: %w", pgconn.ErrConnClosed), true},
		{"connection broke off", fmt.Errorf("x: %w", io.ErrUnexpectedEOF), true},
		{"own end closed", net.ErrClosed, true},
		{"waited in vain", fmt.Errorf("x: %w", context.DeadlineExceeded), true},
		{"client left", context.Canceled, false},
		{"connection_failure", refused("08006"), true},
		{"too_many_connections", refused("53300"), true},
		{"disk_full", refused("53100"), true},
		{"admin_shutdown", refused("57P01"), true},
		{"crash_shutdown", refused("57P02"), true},
		{"cannot_connect_now", fmt.Errorf("x: %w", refused("57P03")), true},
		{"statement_timeout", refused("57014"), true},
		{"lock_not_available", refused("55P03"), true},
		{"idle in a transaction", &pgconn.PgError{Severity: "FATAL", Code: "25P03"}, true},
		{"undefined_table", refused("42P01"), false},
		{"unique_violation", refused("23505"), false},
		{"data_exception", refused("22000"), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := outage.Is(tt.err); got != tt.want {
				t.Errorf("Is(%v): got %t, want %t", tt.err, got, tt.want)
			}
		})
	}
}

func TestNotDone(t *testing.T) {
	t.Parallel()
	said := func(severity, code string) error {
		return fmt.Errorf("x: %w", &pgconn.PgError{Severity: severity, Code: code})
	}
	for _, tt := range []struct {
		name string
		err  error
		want bool
	}{
		{"refused", said("ERROR", "23505"), true},
		{"refused, in another language", &pgconn.PgError{Severity: "FEHLER", SeverityUnlocalized: "ERROR", Code: "23505"}, true},
		{"lock timeout", said("ERROR", "55P03"), true},
		{"statement timeout", said("ERROR", "57014"), true},
		{"deadlock", said("ERROR", "40P01"), true},
		{"out of space", said("ERROR", "53100"), true},
		{"outcome unknown to the server", said("ERROR", "40003"), false},
		{"shutdown", said("FATAL", "57P01"), false},
		{"shutdown, in another language", &pgconn.PgError{Severity: "FATALE", SeverityUnlocalized: "FATAL", Code: "57P01"}, false},
		{"crash", said("WARNING", "57P02"), false},
		{"out of space for the log", said("PANIC", "53100"), false},
		{"a pooler lost the server", said("FATAL", "08P01"), false},
		{"a pooler lost the server, mildly", said("ERROR", "08006"), false},
		{"idle in a transaction", said("FATAL", "25P03"), false},
		{"connection broke off", io.ErrUnexpectedEOF, false},
		{"no answer", context.DeadlineExceeded, false},
		{"none", nil, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := outage.NotDone(tt.err); got != tt.want {
				t.Errorf("NotDone(%v): got %t, want %t", tt.err, got, tt.want)
			}
		})
	}
}
