// Package heaptest measures the peak memory use of code, for tests of bounds.
//
// It imports nothing of ours.
package heaptest

import (
	"runtime"
	"testing"
	"time"
)

// lookEvery is how often the heap size is sampled.
const lookEvery = 10 * time.Millisecond

// Growth returns the peak growth of the heap in use while f ran, in bytes, including uncollected garbage. Anything else
// in the process counts too, so the test should not be parallel.
func Growth(t testing.TB, f func()) int64 {
	t.Helper()
	inUse := func() int64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapInuse)
	}
	runtime.GC()
	before, most := inUse(), int64(0)
	done, watched := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		look := time.NewTicker(lookEvery)
		defer look.Stop()
		for {
			select {
			case <-look.C:
				most = max(most, inUse())
			case <-done:
				most = max(most, inUse())
				return
			}
		}
	}()
	f()
	close(done)
	<-watched
	return most - before
}
