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

// Classes of SQLSTATE by which the server, or a pooler in front of it, says that the connection is gone. See
// PostgreSQL, "Error Codes".
var gone = []string{
	"08",  // connection exception
	"57P", // shutdown, crash, starting up, database dropped
}

// Codes and classes by which the server says that it cannot do this now.
var busy = []string{
	"53",    // insufficient resources: too many connections, disk full, out of memory
	"55P03", // a lock was not available in time
	"57014", // statement_timeout
}

// unknown is the code of a statement whose outcome the server itself does not know.
const unknown = "40003"

// Is reports whether err means that the database is unavailable at the moment: it cannot be reached, the connection
// broke, it did not answer in time, or the server says so itself. Every other refusal is an error in the statement, and
// so in our code.
func Is(err error) bool {
	if err == nil {
		return false
	}
	// A failed connection counts as an outage even if the server's reason is a configuration error.
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
		errors.Is(err, context.DeadlineExceeded) || // also from waiting for a pool connection
		errors.Is(err, pgconn.ErrConnClosed) || errors.Is(err, net.ErrClosed) ||
		errors.Is(err, io.ErrUnexpectedEOF)
}

// NotDone reports whether the statement or transaction that failed with err certainly had no effect: it was never sent,
// or the server says that it was rolled back. In all other cases the outcome is unknown. That includes an error that
// ends the session or concerns the connection: a pooler reports one when it has lost the server, perhaps after the
// commit.
func NotDone(err error) bool {
	if pgconn.SafeToRetry(err) {
		return true
	}
	refused, ok := errors.AsType[*pgconn.PgError](err)
	return ok && !isLost(refused) && refused.Code != unknown
}

// isLost reports whether an error ends the session (FATAL, PANIC) or says that the connection is gone.
func isLost(err *pgconn.PgError) bool {
	severity := cmp.Or(err.SeverityUnlocalized, err.Severity) // a pooler may send only the second
	return severity != "" && severity != "ERROR" || startsWith(err.Code, gone)
}

func startsWith(code string, classes []string) bool {
	return slices.ContainsFunc(classes, func(class string) bool { return strings.HasPrefix(code, class) })
}
