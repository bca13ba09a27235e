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
		{"query_canceled", refused("57014"), false},
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
