//go:build linux

package load

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// server counts requests by key and responds as the upstream does, but with 503 from the failFrom-th request on.
func server(t *testing.T, failFrom int64) (address string, seen func() map[string]int) {
	t.Helper()
	var mu sync.Mutex
	var n atomic.Int64
	keys := map[string]int{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		keys[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]++
		mu.Unlock()
		if n.Add(1) >= failFrom {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		_, _ = w.Write([]byte(UpstreamBody))
	}))
	t.Cleanup(s.Close)
	return s.Listener.Addr().String(), func() map[string]int {
		mu.Lock()
		defer mu.Unlock()
		return keys
	}
}

const noFailure = 1 << 62

func runLoad(plan Plan, keys ...string) (Result, []string, error) {
	var marks []string
	l := &load{plan: plan, keys: keys, mark: func(line string) { marks = append(marks, line) }}
	result, err := l.run()
	return result, marks, err
}

func total(seen map[string]int) (n int) {
	for _, count := range seen {
		n += count
	}
	return n
}

func TestLoadCountsEveryResponse(t *testing.T) {
	t.Parallel()
	address, seen := server(t, noFailure)
	plan := Plan{Address: address, Conns: 8, WarmUp: 20 * time.Millisecond, Turn: 100 * time.Millisecond}
	got, marks, err := runLoad(plan, "key_1", "key_2")
	if err != nil {
		t.Fatal(err)
	}
	if want := total(seen()); got.Total != want || got.Responses == 0 || got.Responses > got.Total {
		t.Errorf("result: got %+v, want a total of %d, and some of them in the turn", got, want)
	}
	if len(seen()) != 2 || got.P50 <= 0 || got.P99 < got.P50 || got.Took < plan.Turn || got.CPU <= 0 {
		t.Errorf("result: got %+v with keys %v, want both keys, latencies, the turn and CPU", got, seen())
	}
	if !slices.Equal(marks, []string{LineBegin, LineEnd}) {
		t.Errorf("marks: got %q", marks)
	}
}

func TestHotLoadUsesOneKey(t *testing.T) {
	t.Parallel()
	address, seen := server(t, noFailure)
	_, _, err := runLoad(Plan{Address: address, Conns: 4, Turn: 50 * time.Millisecond, Hot: true}, "key_1", "key_2")
	if err != nil || len(seen()) != 1 || seen()["key_1"] == 0 {
		t.Errorf("got keys %v and error %v, want the first alone", seen(), err)
	}
}

func TestSweepUsesEachKeyOnce(t *testing.T) {
	t.Parallel()
	for _, conns := range []int{1, 3, 16} {
		address, seen := server(t, noFailure)
		keys := []string{"key_1", "key_2", "key_3", "key_4", "key_5"}
		got, marks, err := runLoad(Plan{Address: address, Conns: conns, Sweep: true}, keys...)
		if err != nil || got.Total != len(keys) || len(marks) != 0 {
			t.Fatalf("%d connections: got %+v, marks %q and error %v, want %d responses", conns, got, marks, err, len(keys))
		}
		for _, key := range keys {
			if seen()[key] != 1 {
				t.Errorf("%d connections: %s was used %d times", conns, key, seen()[key])
			}
		}
	}
}

// The load ends at the first refusal and counts only the requests before it.
func TestLoadEndsAtTheFirstRefusal(t *testing.T) {
	t.Parallel()
	const good = 50
	address, _ := server(t, good+1)
	got, _, err := runLoad(Plan{Address: address, Conns: 4, Turn: 10 * time.Second}, "key_1")
	if err != nil || !strings.Contains(got.Refused, "503") || got.Total != good || got.Took > 5*time.Second {
		t.Errorf("got %+v and error %v, want %d responses, the refusal and no more", got, err, good)
	}
}

func TestLoadSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	for name, plan := range map[string]Plan{
		"no address": {Conns: 1, Turn: time.Millisecond},
		"no server":  {Address: "127.0.0.1:1", Conns: 1, Turn: time.Millisecond},
	} {
		if _, _, err := runLoad(plan, "key_1"); err == nil {
			t.Errorf("%s: got no error, want one", name)
		}
	}
	if _, _, err := runLoad(Plan{Address: "127.0.0.1:1", Conns: 1}); err == nil {
		t.Error("no keys: got no error, want one")
	}
}

// The benchmark's own upstream serves the benchmark's own load.
func TestUpstreamAnswersTheLoad(t *testing.T) {
	t.Parallel()
	listener, address, err := listen()
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = serveUpstream(listener) }() // ends with the process, as in the benchmark
	got, _, err := runLoad(Plan{Address: address.String(), Conns: 16, Turn: 50 * time.Millisecond}, "key_1")
	if err != nil || got.Responses == 0 {
		t.Errorf("got %+v and error %v, want responses", got, err)
	}
}
