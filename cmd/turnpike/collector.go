package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// heapFloor is the heap that an edge may fill before its garbage is collected.
//
// Go collects when the heap has doubled. An edge keeps little (connections, a
// cache of keys) and makes garbage fast, so that it would collect a few times a
// second and spend a seventh of its time on that. With this floor it collects about
// a fifth as often. What is kept beyond half of it is collected as Go does by itself:
// the floor never costs more memory than its own size.
const heapFloor = 512 << 20

// backendHeapFloor is the same for a backend, which makes garbage of every page, and whose memory is for pages.
const backendHeapFloor = 128 << 20

// limitShare is the part of the memory limit that the floor may be. Caddy sets
// the limit from the container or the machine, unless GOMEMLIMIT is set.
const limitShare = 4

// percentDefault is GOGC's.
const percentDefault = 100

// tuneCollector holds to heapFloor where an edge or a backend runs and GOGC is not set: who
// sets it knows better.
func tuneCollector(args []string) {
	if _, set := os.LookupEnv("GOGC"); set || len(args) < 2 {
		return
	}
	switch args[1] {
	case "run":
		newCollector(heapFloor, nil).tune()
	case "backend":
		newCollector(backendHeapFloor, nil).tune()
	}
}

// collector sets the collector's target again after each collection.
type collector struct {
	floor uint64
	tuned func(percent int) bool // for tests: told of each tuning, and whether to go on after the next

	mu      sync.Mutex
	samples []metrics.Sample
	ended   bool
}

// What a target is reckoned from: live objects, and what else is scanned for them.
const (
	sampleLive = iota
	sampleStacks
	sampleGlobals
)

func newCollector(floor uint64, tuned func(percent int) bool) *collector {
	return &collector{floor: floor, tuned: tuned, samples: []metrics.Sample{
		sampleLive:    {Name: "/gc/heap/live:bytes"},
		sampleStacks:  {Name: "/gc/scan/stack:bytes"},
		sampleGlobals: {Name: "/gc/scan/globals:bytes"},
	}}
}

// marker is what the next collection finds to be garbage.
type marker struct{ _ *marker }

// tune sets the target, and itself up for the time after the next collection.
func (c *collector) tune() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ended {
		runtime.AddCleanup(new(marker), func(c *collector) { c.tune() }, c)
	}
	// This waits for the end of a collection that is under way, and has none begin. What is live is not known before, and the marker
	// may outlive it: a target for little that was live would hold for much.
	debug.SetGCPercent(-1)
	metrics.Read(c.samples)
	live := c.samples[sampleLive].Value.Uint64()
	scanned := c.samples[sampleStacks].Value.Uint64() + c.samples[sampleGlobals].Value.Uint64()
	floor := min(c.floor, uint64(debug.SetMemoryLimit(-1))/limitShare) //nolint:gosec // never negative
	percent := percentFor(live, scanned, floor)
	debug.SetGCPercent(percent)
	if c.tuned != nil {
		c.ended = !c.tuned(percent)
	}
}

// percentMax is where there is next to nothing to scan.
const percentMax = 3000

// percentFor returns the GOGC by which the next collection begins when the heap
// has grown to floor, and never less than the default. The runtime's target is
// live + (live + scanned) × GOGC / 100.
func percentFor(live, scanned, floor uint64) int {
	if live >= floor {
		return percentDefault
	}
	percent := (floor - live) * 100 / max(1, live+scanned)
	return int(min(max(percent, percentDefault), percentMax)) //nolint:gosec // bounded
}
