package main

import (
	"math"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"testing"
	"time"
)

func TestPercentFor(t *testing.T) {
	t.Parallel()
	const floor = 512 << 20
	for _, tc := range []struct {
		name          string
		live, scanned uint64
		want          int
	}{
		{"an edge at work", 96 << 20, 8 << 20, 400},
		{"just begun", 2 << 20, 0, percentMax},
		{"nothing known yet", 0, 0, percentMax},
		{"half of the floor", floor / 2, 0, percentDefault},
		{"near the floor", floor - 1, 0, percentDefault},
		{"beyond the floor", 4 * floor, 1 << 20, percentDefault},
		{"beyond all bounds", math.MaxUint64, math.MaxUint64, percentDefault},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := percentFor(tc.live, tc.scanned, floor); got != tc.want {
				t.Errorf("got %d, want %d", got, tc.want)
			}
		})
	}
}

// Each collection sets a new target.
func TestCollectorTunesAfterEachCollection(t *testing.T) { //nolint:paralleltest // the target is the process's
	before := debug.SetGCPercent(percentDefault)
	defer debug.SetGCPercent(before)
	const times = 3
	tuned, n := make(chan int, times), 0
	c := newCollector(heapFloor, func(percent int) bool {
		tuned <- percent
		n++
		return n < times
	})
	c.tune()
	deadline := time.After(time.Minute)
	for i := 0; i < times; {
		select {
		case percent := <-tuned:
			if percent < percentDefault || percent > percentMax {
				t.Errorf("tune %d: got %d, want %d to %d", i, percent, percentDefault, percentMax)
			}
			i++
		case <-deadline:
			t.Fatalf("tune %d: nothing was tuned after a collection", i)
		default:
			runtime.GC() // the next marker may be set only after this collection, because tuned reports before
		}
	}
}

// A target set during a collection follows the live heap that this collection finds. A target for the small heap before
// it would let the heap grow many times too large.
func TestCollectorWaitsForACollection(t *testing.T) { //nolint:paralleltest // the target is the process's
	before := debug.SetGCPercent(percentDefault)
	defer debug.SetGCPercent(before)
	const much = 64 << 20
	want := int64(percentFor(much, 0, heapFloor))
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for i := range 20 {
		var percent atomic.Int64
		var over atomic.Bool
		c := newCollector(heapFloor, func(to int) bool {
			percent.Store(int64(to))
			return !over.Load()
		})
		runtime.GC() // little is live
		kept := make([]*[8 << 10]byte, much/(8<<10))
		for at := range kept {
			kept[at] = new([8 << 10]byte)
		}
		collected := make(chan struct{})
		go func() {
			runtime.GC()
			close(collected)
		}()
		<-tick.C
		c.tune()
		<-collected
		for deadline := time.After(5 * time.Second); percent.Load() > want; {
			select {
			case <-tick.C:
			case <-deadline:
				t.Fatalf("time %d: got a target of %d %%, want at most %d: %d MiB are live", i, percent.Load(), want, much>>20)
			}
		}
		runtime.KeepAlive(kept)
		over.Store(true)
	}
}

func TestCollectorIsLeftAlone(t *testing.T) {
	for _, tc := range []struct {
		name string
		gogc string
		args []string
	}{
		{"with GOGC set", "50", []string{"turnpike", "run"}},
		{"in another command", "", []string{"turnpike", "migrate"}},
		{"without a command", "", []string{"turnpike"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if tc.gogc != "" {
				t.Setenv("GOGC", tc.gogc)
			}
			const mark = 123
			defer debug.SetGCPercent(debug.SetGCPercent(mark))
			tuneCollector(tc.args)
			if got := debug.SetGCPercent(mark); got != mark {
				t.Errorf("GC percent: got %d, want it as it was, %d", got, mark)
			}
		})
	}
}
