package db

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// session are the limits of every session, so that no process that hangs, is stopped or has lost its network keeps a
// lock. They also force index lookups where an index exists: Postgres keeps the plans of prepared statements, even one
// from a time when a table was empty and a full scan cost nothing. Without sequential scans, a plan that needs one
// counts as so expensive that Postgres would compile it (jit), which takes longer than running it. Settings in the
// database's address override these.
var session = map[string]string{
	"enable_seqscan":                      "off",
	"jit":                                 "off",
	"statement_timeout":                   "60s",
	"idle_in_transaction_session_timeout": "10s",
	"tcp_keepalives_idle":                 "30",
	"tcp_keepalives_interval":             "10",
	"tcp_keepalives_count":                "3",
	"tcp_user_timeout":                    "30s",
}

// Unbounded are further settings for operators' sessions, whose statements may run without a time limit and read whole
// tables.
var Unbounded = map[string]string{"statement_timeout": "0", "enable_seqscan": "on"}

// The same for the other direction: how long the server may be silent.
const (
	keepAliveIdle     = 15 * time.Second
	keepAliveInterval = 5 * time.Second
	keepAliveCount    = 3
	userTimeout       = 30 * time.Second
	connectTimeout    = 10 * time.Second
)

// poolerMode is how pgx sends statements to a pooler: in one round trip, without prepared statements, because those
// belong to a session that other clients share. The types of parameters are queried once and cached.
const poolerMode = "default_query_exec_mode=cache_describe"

// Pooled returns the address for a database behind a pooler that assigns sessions per transaction. A client cannot
// configure such a session: its settings are those of the role.
func Pooled(url string) string {
	switch {
	case strings.Contains(url, "default_query_exec_mode="):
		return url
	case !strings.Contains(url, "://"): // keywords and values
		return url + " " + poolerMode
	case strings.Contains(url, "?"):
		return url + "&" + poolerMode
	default:
		return url + "?" + poolerMode
	}
}

func isPooled(c *pgx.ConnConfig) bool {
	return c.DefaultQueryExecMode != pgx.QueryExecModeCacheStatement
}

// bound sets a connection's limits and its name.
func bound(c *pgx.ConnConfig, name string, settings map[string]string) {
	c.RuntimeParams["application_name"] = name
	if c.ConnectTimeout == 0 {
		c.ConnectTimeout = connectTimeout
	}
	dialer := net.Dialer{
		Timeout:         c.ConnectTimeout,
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: keepAliveIdle, Interval: keepAliveInterval, Count: keepAliveCount},
		Control:         setUserTimeout,
	}
	c.DialFunc = dialer.DialContext
	if isPooled(c) {
		return
	}
	for _, more := range []map[string]string{settings, session} {
		for name, value := range more {
			if _, isSet := c.RuntimeParams[name]; !isSet {
				c.RuntimeParams[name] = value
			}
		}
	}
}

var errNoCancel = errors.New("cancel requests are not sent to a pooler")

// withoutCancel stops the one connection made with c from sending cancel requests to a pooler. When a statement's
// context ends, pgx sends a cancel request on a separate connection before it closes the first. A pooler must forward
// it, at the cost of a login, and PgBouncer 1.18 exits if the process that sent it is gone by then (its issue 801; 822,
// 904 and 1376 are of the same kind). Closing the connection ends the statement too: the pooler closes its session,
// which Postgres notices (client_connection_check_interval).
func withoutCancel(c *pgx.ConnConfig) {
	if !isPooled(c) {
		return
	}
	var isConnected atomic.Bool
	dial, connected := c.DialFunc, c.AfterConnect
	c.AfterConnect = func(ctx context.Context, conn *pgconn.PgConn) error {
		isConnected.Store(true)
		if connected == nil {
			return nil
		}
		return connected(ctx, conn)
	}
	c.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		if isConnected.Load() {
			return nil, errNoCancel
		}
		return dial(ctx, network, address)
	}
}

// checkSession returns an error unless the role has the settings that a session behind a pooler cannot set.
func checkSession(ctx context.Context, q *Queries) error {
	s, err := q.SessionSettings(ctx)
	if err != nil {
		return fmt.Errorf("reading the settings of the database's role: %w", err)
	}
	var faults []error
	for _, want := range []struct {
		name, got, off, value string
	}{
		{"statement_timeout", s.StatementTimeout, "0", session["statement_timeout"]},
		{"idle_in_transaction_session_timeout", s.IdleTimeout, "0", session["idle_in_transaction_session_timeout"]},
		{"synchronous_commit", s.SynchronousCommit, "off", "on"},
	} {
		if want.got == want.off {
			faults = append(faults, fmt.Errorf("%s is %s: set it with `alter role %s set %s = '%s'` (docs/pgbouncer.md)",
				want.name, want.got, pgx.Identifier{s.Role}.Sanitize(), want.name, want.value))
		}
	}
	return errors.Join(faults...)
}
