//nolint:paralleltest // Caddy runs one configuration per process
package caddymodule

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/caddymodule/topup"
)

// forged is a header that looks like Stripe's, with a timestamp of that age.
func forged(age time.Duration) string {
	return "t=" + strconv.FormatInt(time.Now().Add(-age).Unix(), 10) + ",v1=" + strings.Repeat("0", 64)
}

// slowEvent sends the headers of an event of 200 KiB, and its first byte.
func slowEvent(t *testing.T, address, header string) net.Conn {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if _, err := fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\n%s\r\n{", topup.PathWebhook, address, 200<<10, header); err != nil {
		t.Fatal(err)
	}
	return conn
}

// statusOf returns the status of the response that arrives before until; 0: none.
func statusOf(t *testing.T, conn net.Conn, until time.Time) int {
	t.Helper()
	if err := conn.SetReadDeadline(until); err != nil {
		t.Error(err)
	}
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return 0
	}
	if err != nil {
		t.Error(err)
		return 0
	}
	defer res.Body.Close()
	return res.StatusCode
}

// A request whose headers cannot belong to an event is refused before its body arrives.
func TestEventsAreRefusedUnread(t *testing.T) {
	s := newShop(t)
	s.load("")
	for _, tt := range []struct {
		name, header string
		want         int
	}{
		{"no signature", "", 400},
		{"no form", "Stripe-Signature: nonsense\r\n", 400},
		{"no time", "Stripe-Signature: v1=" + strings.Repeat("0", 64) + "\r\n", 400},
		{"nothing signed", "Stripe-Signature: t=" + strconv.FormatInt(time.Now().Unix(), 10) + "\r\n", 400},
		{"too old", "Stripe-Signature: " + forged(6*time.Minute) + "\r\n", 400},
		{"of the future", "Stripe-Signature: " + forged(-6*time.Minute) + "\r\n", 400},
		{"two signatures", strings.Repeat("Stripe-Signature: "+forged(0)+"\r\n", 2), 400},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var clients [64]net.Conn
			for i := range clients {
				clients[i] = slowEvent(t, s.address, tt.header)
			}
			unanswered := 0
			until := time.Now().Add(3 * time.Second) // far longer than a response takes
			for _, conn := range clients {
				switch got := statusOf(t, conn, until); got {
				case tt.want:
				case 0:
					unanswered++
				default:
					t.Fatalf("got %d, want %d", got, tt.want)
				}
			}
			if unanswered > 0 {
				t.Errorf("got %d of %d clients whose body is waited for, want 0", unanswered, len(clients))
			}
		})
	}
	s.stop()
}

// Slow bodies with headers like Stripe's displace each other: 64 are read at once. Stripe's own events still find room,
// and each read has a time limit.
func TestSlowEventsGiveWay(t *testing.T) {
	s := newShop(t)
	s.load("")
	const held, more = 64, 32
	ended := make(chan int, held+more)
	slow := func() {
		conn := slowEvent(t, s.address, "Stripe-Signature: "+forged(0)+"\r\n")
		go func() { ended <- statusOf(t, conn, time.Now().Add(testTimeout)) }()
	}
	wantEnded := func(n int) {
		t.Helper()
		for i := range n {
			if got := <-ended; got != http.StatusServiceUnavailable {
				t.Fatalf("slow body %d: got %d, want 503", i, got)
			}
		}
	}
	began := time.Now()
	for range held + more {
		slow()
	}
	wantEnded(more)
	if took := time.Since(began); took >= 5*time.Second {
		t.Errorf("got %d of %d slow bodies ended after %s, want them to give way at once", more, held+more, took)
	}

	// One second of Stripe events at 100 a second, from four addresses, all at once.
	var wg sync.WaitGroup
	statuses := make([]int, 100)
	for i := range statuses {
		wg.Go(func() { statuses[i] = s.eventFrom(net.IPv4(127, 0, 0, byte(2+i%4)), fmt.Sprintf("evt_burst_%d", i)) })
	}
	wg.Wait()
	for i, got := range statuses {
		if got != http.StatusOK {
			t.Errorf("event %d: got %d, want 200", i, got)
		}
	}

	wantEnded(held)
	slow()
	wantEnded(1) // no other request comes
	s.stop()
}

// eventFrom delivers an unrelated event from an address of this machine, and returns the status.
func (s *shop) eventFrom(from net.IP, id string) int {
	payload := []byte(`{"id":"` + id + `","object":"event","type":"invoice.paid","data":{"object":{"id":"in_1","object":"invoice"}}}`)
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: from}}
	client := &http.Client{Timeout: testTimeout, Transport: &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true}}
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, "http://"+s.address+topup.PathWebhook, bytes.NewReader(payload))
	if err != nil {
		s.t.Error(err)
		return 0
	}
	r.Header.Set("Stripe-Signature", s.double.Sign(payload))
	res, err := client.Do(r)
	if err != nil {
		s.t.Error(err)
		return 0
	}
	defer res.Body.Close()
	return res.StatusCode
}
