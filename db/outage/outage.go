package outage

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// Classes of SQLSTATE by which the server says that it is not there for us. See
// PostgreSQL, "Error Codes".
var classes = []string{
	"08",  // connection exception
	"53",  // insufficient resources: too many connections, disk full, out of memory
	"57P", // shutdown, crash, starting up, database dropped
}

// Is reports whether err comes of a database that cannot be used at the moment:
// no connection is to be had, the one in use broke off, no answer came in time,
// or the server says so itself. Whatever else it refuses is a fault of the
// statement, and so of ours.
func Is(err error) bool {
	if err == nil {
		return false
	}
	// What keeps us from connecting is an outage even where the server's reason is a fault of the configuration.
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return true
	}
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok {
		return isClass(refused.Code)
	}
	if _, ok := errors.AsType[net.Error](err); ok {
		return true
	}
	return pgconn.Timeout(err) ||
		errors.Is(err, context.DeadlineExceeded) || // also of a wait for a connection of the pool
		errors.Is(err, pgconn.ErrConnClosed) || errors.Is(err, net.ErrClosed) ||
		errors.Is(err, io.ErrUnexpectedEOF)
}

func isClass(code string) bool {
	for _, class := range classes {
		if strings.HasPrefix(code, class) {
			return true
		}
	}
	return false
}
