package db

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// session are the bounds of every session, so that no process that hangs, is
// stopped or has lost its network keeps a lock. What the address of the database
// itself says counts more.
var session = map[string]string{
	"statement_timeout":                   "60s",
	"idle_in_transaction_session_timeout": "10s",
	"tcp_keepalives_idle":                 "30",
	"tcp_keepalives_interval":             "10",
	"tcp_keepalives_count":                "3",
	"tcp_user_timeout":                    "30s",
}

// Unbounded are further settings of a session whose statements may take as long as
// they take: those of operators.
var Unbounded = map[string]string{"statement_timeout": "0"}

// The same in the other direction: for how long the server may be silent.
const (
	keepAliveIdle     = 15 * time.Second
	keepAliveInterval = 5 * time.Second
	keepAliveCount    = 3
	userTimeout       = 30 * time.Second
	connectTimeout    = 10 * time.Second
)

// poolerMode is how pgx sends statements to a pooler: in one round trip, without
// prepared statements, which are the session's and so anybody's. Their parameters'
// types are asked for once and remembered.
const poolerMode = "default_query_exec_mode=cache_describe"

// Pooled returns the address of a database that is reached by a pooler which gives
// out sessions for a transaction each. Such a session cannot be told anything: its
// settings are those of the role.
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

// bound gives a connection its bounds and its name.
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

// checkSession returns an error unless the role has what a session behind a
// pooler cannot be given.
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
			faults = append(faults, fmt.Errorf("%s is %s: want it set by `alter role %s set %s = '%s'` (docs/pgbouncer.md)",
				want.name, want.got, pgx.Identifier{s.Role}.Sanitize(), want.name, want.value))
		}
	}
	return errors.Join(faults...)
}
