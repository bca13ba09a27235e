package gate

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/turnpike-edge/turnpike/payments/x402/facilitator/remote"
)

// saying is a facilitator that gives the same answer to everything.
func saying(status int, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}
}

func dropping(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

func newRemote(t testing.TB, handler http.Handler, change func(*remote.Config)) *remote.Facilitator {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	server.Start()
	t.Cleanup(server.Close)
	cfg := remote.Config{URL: server.URL, Client: server.Client()}
	if change != nil {
		change(&cfg)
	}
	f, err := remote.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

const sampleHash = "0x1111111111111111111111111111111111111111111111111111111111111111"
