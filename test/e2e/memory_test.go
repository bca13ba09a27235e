//go:build linux

package e2e

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"os"
	"path"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/payments/x402"
)

const (
	mebibyte = 1 << 20
	// How much the edge's memory may grow during a download of any length.
	growthMax = 64 * mebibyte
	// downloadBytes is the size of a single download, and manyBytes the size of each of manyDownloads at once.
	downloadBytes = 1 << 30
	manyDownloads = 8
	manyBytes     = 128 * mebibyte
	// blockBytes is how much the upstream writes at once. Each block begins with its number.
	blockBytes = 256 << 10
	// sampleEvery is the interval at which the edge's memory is measured.
	sampleEvery = 10 * time.Millisecond
)

// large is an upstream that sends as many bytes as the last part of the path says, and counts the bytes it receives.
type large struct {
	mu       sync.Mutex
	received int64
}

func (u *large) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n, err := io.Copy(io.Discard, r.Body)
	u.mu.Lock()
	u.received += n
	u.mu.Unlock()
	if err != nil {
		return
	}
	length, err := strconv.ParseInt(path.Base(r.URL.Path), 10, 64)
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Length", strconv.FormatInt(length, 10))
	writeBlocks(w, length)
}

// writeBlocks writes the content of a download, in which no two blocks are equal.
func writeBlocks(w io.Writer, length int64) {
	block := make([]byte, blockBytes)
	for i := range block {
		block[i] = byte(i * 7 / 5)
	}
	for number := uint64(0); length > 0; number++ {
		binary.BigEndian.PutUint64(block, number)
		n, err := w.Write(block[:min(length, blockBytes)])
		length -= int64(n)
		if err != nil {
			return
		}
	}
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// memory returns the memory of a process in bytes: now, and at most since the last resetPeak.
func memory(t *testing.T, pid int) (resident, peak int64) {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		name, value, _ := strings.Cut(line, ":")
		if name != "VmRSS" && name != "VmHWM" {
			continue
		}
		kibibytes, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if name == "VmRSS" {
			resident = kibibytes << 10
		} else {
			peak = kibibytes << 10
		}
	}
	return resident, peak
}

// resetPeak sets the peak to the process's current memory (proc(5), clear_refs).
func resetPeak(t *testing.T, pid int) {
	t.Helper()
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0); err != nil {
		t.Fatal(err)
	}
}

// usage is the memory of a process around some work.
type usage struct{ before, mostSampled, peak, after int64 }

func (u usage) growth() int64 { return max(u.mostSampled, u.peak) - u.before }

func (u usage) String() string {
	return fmt.Sprintf("%d MiB before, at most %d (sampled) and %d (by the system), %d after: %+d",
		u.before/mebibyte, u.mostSampled/mebibyte, u.peak/mebibyte, u.after/mebibyte, u.growth()/mebibyte)
}

// measure records the memory of a process while work runs.
func measure(t *testing.T, pid int, work func()) usage {
	t.Helper()
	resetPeak(t, pid)
	var u usage
	u.before, _ = memory(t, pid)
	done := make(chan struct{})
	go func() {
		defer close(done)
		work()
	}()
	tick := time.NewTicker(sampleEvery)
	defer tick.Stop()
	for {
		resident, _ := memory(t, pid)
		u.mostSampled = max(u.mostSampled, resident)
		select {
		case <-tick.C:
			continue
		case <-done:
		}
		u.after, u.peak = memory(t, pid)
		return u
	}
}

// download reads the whole response, and checks that it is what the upstream wrote.
func (o *streamOrder) download(ctx context.Context, t *testing.T, length int64, sum uint32) {
	t.Helper()
	resp, err := o.try(ctx)
	if err != nil {
		t.Error(err)
		return
	}
	defer resp.Body.Close()
	receipt, err := x402.ReadReceipt(resp.Header)
	if err != nil || resp.StatusCode != http.StatusOK || receipt == nil || !receipt.Success {
		t.Errorf("got %s, receipt %+v, error %v, want 200 with one of success", resp.Status, receipt, err)
		return
	}
	hash := crc32.New(castagnoli)
	n, err := io.CopyBuffer(hash, resp.Body, make([]byte, blockBytes))
	if err != nil || n != length || hash.Sum32() != sum {
		t.Errorf("got %d bytes with checksum %08x, error %v, want %d with %08x", n, hash.Sum32(), err, length, sum)
	}
}

// TestMemoryStaysFlat shows that the edge's memory does not grow with the size of paid downloads and uploads: it buffers
// no more of a response than the cap, and no more of a request than the limit.
func TestMemoryStaysFlat(t *testing.T) {
	t.Parallel()
	up := new(large)
	s := newStreamEdge(t, up)
	pid := s.edge.PID()
	routes := []string{"/caddy/after/", "/direct/after/", "/caddy/before/", "/direct/before/"}
	// A warm-up makes the one-time allocations: pools, connections, buffers.
	warm := s.orderDownloads(t, routes, manyDownloads, 4*mebibyte)
	warm(t)
	for _, tt := range []struct {
		name   string
		routes []string
		count  int
		length int64
	}{
		{"one of 1 GiB, settled after", routes[:1], 1, downloadBytes},
		{"one of 1 GiB, settled before", routes[3:], 1, downloadBytes},
		{"8 of 128 MiB at once, settled after", routes[:2], manyDownloads, manyBytes},
		{"8 of 128 MiB at once, settled before", routes[2:], manyDownloads, manyBytes},
	} {
		work := s.orderDownloads(t, tt.routes, tt.count, tt.length)
		begun := time.Now()
		used := measure(t, pid, func() { work(t) })
		t.Logf("%s: %s; %.0f MiB/s", tt.name, used, float64(int64(tt.count)*tt.length)/mebibyte/time.Since(begun).Seconds())
		if used.growth() > growthMax {
			t.Errorf("%s: memory grew by %d bytes, want at most %d", tt.name, used.growth(), growthMax)
		}
	}
	s.wantUploadsRefused(t, up)
}

// orderDownloads signs payments for downloads, and returns a function that fetches them all at once.
func (s *streamEdge) orderDownloads(t *testing.T, routes []string, count int, length int64) func(t *testing.T) {
	t.Helper()
	hash := crc32.New(castagnoli)
	writeBlocks(hash, length)
	orders := make([]*streamOrder, count)
	for i := range orders {
		orders[i] = s.order(t, 1+i%2, false, routes[i%len(routes)]+strconv.FormatInt(length, 10))
	}
	return func(t *testing.T) {
		t.Helper()
		var all sync.WaitGroup
		for _, o := range orders {
			all.Go(func() { o.download(t.Context(), t, length, hash.Sum32()) })
		}
		all.Wait()
		for _, o := range orders {
			o.wantClaim(t, "settled", true)
		}
	}
}

// zeros is a body of downloadBytes zeros. net/http may still read it after the response has arrived.
type zeros struct{ sent atomic.Int64 }

func (z *zeros) Read(p []byte) (int, error) {
	n := min(downloadBytes-z.sent.Load(), int64(len(p)))
	if n == 0 {
		return 0, io.EOF
	}
	clear(p[:n])
	z.sent.Add(n)
	return int(n), nil
}

// wantUploadsRefused sends bodies of 1 GiB with payments. A payment is bound to its body, so the edge has to buffer it. A
// body over the limit is refused before the payment is checked, and without reading it to its end.
func (s *streamEdge) wantUploadsRefused(t *testing.T, up *large) {
	t.Helper()
	for _, announced := range []bool{true, false} {
		name := map[bool]string{true: "announced", false: "in chunks"}[announced]
		o := s.order(t, 2, false, "/caddy/before/1")
		o.url = s.url(false, "/caddy/upload/1")
		body := new(zeros)
		var status int
		used := measure(t, s.edge.PID(), func() {
			status = o.upload(t, body, announced)
		})
		t.Logf("upload of 1 GiB, %s: %d after %d KiB; %s", name, status, body.sent.Load()>>10, used)
		if status != http.StatusRequestEntityTooLarge {
			t.Errorf("upload of 1 GiB, %s: got %d, want 413", name, status)
		}
		if used.growth() > growthMax {
			t.Errorf("upload of 1 GiB, %s: memory grew by %d bytes, want at most %d", name, used.growth(), growthMax)
		}
		o.wantClaim(t, "none", false)
	}
	up.mu.Lock()
	defer up.mu.Unlock()
	if up.received != 0 {
		t.Errorf("the upstream got %d bytes of what was refused", up.received)
	}
}

func (o *streamOrder) upload(t *testing.T, body *zeros, announced bool) (status int) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, o.url, io.NopCloser(body))
	if err != nil {
		t.Error(err)
		return 0
	}
	if announced {
		req.ContentLength = downloadBytes
	}
	req.Header.Set(o.payment.HeaderName, o.payment.HeaderValue)
	resp, err := o.s.http1.Do(req)
	if err != nil {
		t.Error(err)
		return 0
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode
}
