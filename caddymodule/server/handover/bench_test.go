package handover

import (
	"net"
	"net/http"
	"testing"
)

// A request on a connection that can be handed over costs no more allocations than on another.
func BenchmarkRequest(b *testing.B) {
	for name, wrap := range map[string]func(*http.Server, net.Listener) net.Listener{
		"plain": func(_ *http.Server, l net.Listener) net.Listener { return l },
		"kept": func(srv *http.Server, l net.Listener) net.Listener {
			g, s := new(Generation), NewSocket(l, net.KeepAliveConfig{})
			srv.ConnState = func(c net.Conn, state http.ConnState) { g.Changed(c, state) }
			return g.Listen(s, net.KeepAliveConfig{}, s.Close)
		},
	} {
		b.Run(name, func(b *testing.B) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				b.Fatal(err)
			}
			srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok")) })}
			go func() { _ = srv.Serve(wrap(srv, l)) }()
			defer srv.Close()
			conn, err := net.Dial("tcp", l.Addr().String())
			if err != nil {
				b.Fatal(err)
			}
			defer conn.Close()
			request, answer := []byte("GET / HTTP/1.1\r\nHost: a\r\n\r\n"), make([]byte, 4096)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := conn.Write(request); err != nil {
					b.Fatal(err)
				}
				if _, err := conn.Read(answer); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
