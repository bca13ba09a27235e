package follow

import (
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func startText(t *testing.T, status int, body string) (*Document[string], *atomic.Int64) {
	t.Helper()
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if r.Header.Get("Accept") != "text/plain" {
			t.Errorf("got Accept %q", r.Header.Get("Accept"))
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(server.Close)
	d := Start(Config[string]{
		What: "text", URL: server.URL, Accept: "text/plain", Refresh: time.Hour, BytesMax: 10, Client: server.Client(),
		Logger: slog.New(slog.DiscardHandler),
		Parse: func(data []byte) (*string, error) {
			if len(data) == 0 {
				return nil, errors.New("text: is empty")
			}
			text := string(data)
			return &text, nil
		},
		After: func(time.Duration) <-chan time.Time { return nil },
	})
	t.Cleanup(d.Close)
	<-d.Looked()
	return d, &asked
}

func TestDocument(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		status  int
		body    string
		wantErr string // empty: the document is read
	}{
		{"good", 200, "0123456789", ""},
		{"too large", 200, "0123456789a", "text: is larger than 10 bytes"},
		{"nonsense", 200, "", "text: is empty"},
		{"away", 502, "good", "text request: got status 502, want 200"},
		{"nothing new, where nothing was had", 304, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d, asked := startText(t, tt.status, tt.body)
			isGood := tt.status == 200 && tt.wantErr == ""
			if got := d.Last(); (got != nil) != isGood || isGood && *got != tt.body {
				t.Errorf("got %v", got)
			}
			err := d.Ensure(t.Context())
			if tt.wantErr == "" && err != nil || tt.wantErr != "" && (err == nil || !strings.Contains(err.Error(), tt.wantErr)) {
				t.Errorf("got %v, want %q", err, tt.wantErr)
			}
			if got, want := asked.Load(), int64(2); isGood && got != 1 || !isGood && got != want {
				t.Errorf("asked %d times: a document that is there is not asked for again, one that is not is", got)
			}
		})
	}
}
