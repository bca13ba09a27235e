package gate

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/turnpike-edge/turnpike/payments/x402/facilitator/remote"
)

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
