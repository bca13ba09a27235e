package graceful_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/backend/api/graceful"
)

// A server that stops under load answers all requests it received; other clients could not connect. One of the 16 may
// have connected in the microseconds between the last look at the socket's queue and its end.
func TestServeEndsWithoutLoss(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(w, r.Body)
	})}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- graceful.Serve(ctx, server, listener, time.Minute) }()
	defer stop()
	transport := &http.Transport{MaxIdleConnsPerHost: 64}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	var clients sync.WaitGroup
	var answered, lost atomic.Int64
	for range 16 {
		clients.Go(func() {
			for {
				res, err := client.Post("http://"+listener.Addr().String(), "text/plain", strings.NewReader("a"))
				if failed, ok := errors.AsType[*net.OpError](err); ok && failed.Op == "dial" {
					return
				}
				if err != nil {
					t.Logf("after %d answers: %v", answered.Load(), err)
					lost.Add(1)
					return
				}
				_, _ = io.Copy(io.Discard, res.Body)
				_ = res.Body.Close()
				if answered.Add(1) == 500 {
					stop()
				}
			}
		})
	}
	clients.Wait()
	if err := <-ended; err != nil {
		t.Errorf("serving: %v", err)
	}
	if lost.Load() > 1 {
		t.Errorf("got %d requests that were sent and not answered, want none", lost.Load())
	}
}
