//go:build linux

package e2e

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// canary listens where no fetch may lead, and records every visitor.
type canary struct {
	// places lists what it listens on, for the log.
	places []string

	mu   sync.Mutex
	seen []string
}

func (c *canary) sawf(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen = append(c.seen, fmt.Sprintf(format, args...))
}

// newCanary listens on this machine's own addresses, by TCP and UDP: on the port that tests may fetch elsewhere, on those
// that may be fetched everywhere, and on STUN's.
func newCanary(t *testing.T, port string) *canary {
	t.Helper()
	c := new(canary)
	for _, host := range []string{"127.0.0.1", "::1", metadataAddress} {
		if host == metadataAddress && !addMetadata(t) {
			continue
		}
		for _, port := range []string{port, "80", "443", "3478"} {
			at := net.JoinHostPort(host, port)
			if err := c.tcp(t, at); err != nil {
				t.Logf("no canary: %v", err)
			}
			if err := c.udp(t, at); err != nil {
				t.Logf("no canary: %v", err)
			}
		}
	}
	if len(c.places) < 2 {
		t.Fatal("no canary can listen: nothing would be shown")
	}
	t.Logf("canaries: %s", strings.Join(c.places, ", "))
	t.Cleanup(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if len(c.seen) > 0 {
			t.Errorf("the canary was reached:\n%s", strings.Join(c.seen, "\n"))
		}
	})
	return c
}

func (c *canary) tcp(t *testing.T, at string) error {
	t.Helper()
	listener, err := net.Listen("tcp", at)
	if err != nil {
		return err
	}
	c.places = append(c.places, "tcp "+at)
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			buffer := make([]byte, 200)
			_ = conn.SetReadDeadline(time.Now().Add(time.Second))
			n, _ := conn.Read(buffer)
			c.sawf("TCP at %s: %q", at, buffer[:n])
			_, _ = conn.Write([]byte("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecret"))
			conn.Close()
		}
	}()
	return nil
}

func (c *canary) udp(t *testing.T, at string) error {
	t.Helper()
	packets, err := net.ListenPacket("udp", at)
	if err != nil {
		return err
	}
	c.places = append(c.places, "udp "+at)
	t.Cleanup(func() { packets.Close() })
	go func() {
		buffer := make([]byte, 200)
		for {
			n, from, err := packets.ReadFrom(buffer)
			if err != nil {
				return
			}
			c.sawf("UDP at %s from %s: %q", at, from, buffer[:n])
		}
	}()
	return nil
}

// metadataAddress is where clouds serve a machine's credentials.
const metadataAddress = "169.254.169.254"

// addMetadata gives this machine the address while the test runs, if that is possible.
func addMetadata(t *testing.T) bool {
	t.Helper()
	if os.Getuid() != 0 {
		t.Logf("no canary on %s: only root can have it", metadataAddress)
		return false
	}
	out, err := exec.Command("ip", "addr", "add", metadataAddress+"/32", "dev", "lo").CombinedOutput()
	if err != nil {
		t.Logf("no canary on %s: %v: %s", metadataAddress, err, out)
		return false
	}
	t.Cleanup(func() {
		if out, err := exec.Command("ip", "addr", "del", metadataAddress+"/32", "dev", "lo").CombinedOutput(); err != nil {
			t.Errorf("taking %s back: %v: %s", metadataAddress, err, out)
		}
	})
	return true
}
