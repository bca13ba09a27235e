package pgtest

import (
	"bytes"
	"context"
	"net"
	"net/url"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

// Loser stands between a client and the server as a pooler does, and can lose the server's response: the statement is
// executed, but the client receives an error that ends the session.
type Loser struct {
	// URL is the address of the database through the Loser.
	URL string

	server *pgconn.Config
	answer atomic.Pointer[pgproto3.ErrorResponse]
}

// NewLoser returns a Loser in front of the database at address. It ends with the test.
func NewLoser(t testing.TB, address string) *Loser {
	t.Helper()
	config, err := pgconn.ParseConfig(address)
	if err != nil {
		t.Fatalf("reading the address of the database: %v", err)
	}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("listening: %v", err)
	}
	query := url.Values{"sslmode": {"disable"}}
	u := url.URL{Scheme: "postgres", User: url.UserPassword(config.User, config.Password), Host: listener.Addr().String(), Path: "/" + config.Database, RawQuery: query.Encode()}
	l := &Loser{URL: u.String(), server: config}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	t.Cleanup(func() { cancel(); _ = listener.Close() })
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go l.serve(ctx, client)
		}
	}()
	return l
}

// LoseNext loses the response to the next prepared statement: the server executes it, and the client receives this error.
func (l *Loser) LoseNext(severity, code, message string) {
	l.answer.Store(&pgproto3.ErrorResponse{Severity: severity, Code: code, Message: message})
}

func (l *Loser) serve(ctx context.Context, client net.Conn) {
	network, address := pgconn.NetworkAddress(l.server.Host, l.server.Port)
	server, err := (&net.Dialer{}).DialContext(ctx, network, address)
	if err != nil {
		_ = client.Close()
		return
	}
	stop := context.AfterFunc(ctx, func() { _ = client.Close(); _ = server.Close() })
	defer stop()
	defer server.Close()
	defer client.Close()
	var lost atomic.Pointer[pgproto3.ErrorResponse]
	go func() {
		defer server.Close()
		buf := make([]byte, 1<<16)
		for {
			n, err := client.Read(buf)
			if err != nil {
				return
			}
			if isDoing := buf[0] == 'B'; isDoing { // Bind, the first message of the execution of a prepared statement
				if answer := l.answer.Swap(nil); answer != nil {
					lost.Store(answer)
				}
			}
			if _, err := server.Write(buf[:n]); err != nil {
				return
			}
		}
	}()
	ready := []byte{'Z', 0, 0, 0, 5, 'I'} // ready, and in no transaction
	var withheld []byte
	buf := make([]byte, 1<<16)
	for {
		n, err := server.Read(buf)
		if err != nil {
			return
		}
		answer := lost.Load()
		if answer == nil {
			if _, err := client.Write(buf[:n]); err != nil {
				return
			}
			continue
		}
		if withheld = append(withheld, buf[:n]...); bytes.HasSuffix(withheld, ready) {
			if text, err := answer.Encode(nil); err == nil {
				_, _ = client.Write(text)
			}
			return
		}
	}
}
