package outage

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// Classes of SQLSTATE by which the server, or a pooler before it, says that the
// connection is gone. See PostgreSQL, "Error Codes".
var gone = []string{
	"08",  // connection exception
	"57P", // shutdown, crash, starting up, database dropped
}

// Codes and classes by which it says that it is there and cannot do it now.
var busy = []string{
	"53",    // insufficient resources: too many connections, disk full, out of memory
	"55P03", // a lock was not to be had in time
	"57014", // statement_timeout
}

// unknown is the code of a statement whose outcome the server itself does not know.
const unknown = "40003"

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
		return isLost(refused) || startsWith(refused.Code, busy)
	}
	if _, ok := errors.AsType[net.Error](err); ok {
		return true
	}
	return pgconn.Timeout(err) ||
		errors.Is(err, context.DeadlineExceeded) || // also of a wait for a connection of the pool
		errors.Is(err, pgconn.ErrConnClosed) || errors.Is(err, net.ErrClosed) ||
		errors.Is(err, io.ErrUnexpectedEOF)
}

// NotDone reports whether what failed with err, a statement by itself or a
// transaction, certainly had no effect: it was never sent, or the server says that
// it was rolled back. Of everything else the outcome is unknown, also of an error
// that ends the session or is about the connection: a pooler says so when it has
// lost the server, perhaps after the commit.
func NotDone(err error) bool {
	if pgconn.SafeToRetry(err) {
		return true
	}
	refused, ok := errors.AsType[*pgconn.PgError](err)
	return ok && !isLost(refused) && refused.Code != unknown
}

// isLost reports whether an error ends the session (FATAL, PANIC) or says that
// the connection is gone.
func isLost(err *pgconn.PgError) bool {
	severity := cmp.Or(err.SeverityUnlocalized, err.Severity) // a pooler may send but the second
	return severity != "" && severity != "ERROR" || startsWith(err.Code, gone)
}

func startsWith(code string, classes []string) bool {
	return slices.ContainsFunc(classes, func(class string) bool { return strings.HasPrefix(code, class) })
}
