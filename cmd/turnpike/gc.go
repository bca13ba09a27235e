package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// heapFloor is the heap size that an edge may reach before garbage collection.
//
// Go collects when the heap has doubled. An edge keeps little (connections, a cache of keys) but makes garbage fast, so
// it would collect a few times a second and spend a seventh of its time on that. With this floor it collects about a
// fifth as often. Once half of the floor is live, collection follows Go's default: the floor never costs more memory
// than its own size.
const heapFloor = 512 << 20

// backendHeapFloor is the same for a backend, which makes garbage with every page, and whose memory is for pages.
const backendHeapFloor = 128 << 20

// limitShare: the floor is at most 1/limitShare of the memory limit. Caddy sets the limit from the container or the
// machine, unless GOMEMLIMIT is set.
const limitShare = 4

// percentDefault is the default of GOGC.
const percentDefault = 100

// tuneCollector applies the heap floor if an edge or a backend runs and GOGC is not set: an operator's GOGC has
// precedence.
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

// collector sets the garbage collector's target again after each collection.
type collector struct {
	floor uint64
	tuned func(percent int) bool // for tests: gets each new percentage; false ends tuning after the next

	mu      sync.Mutex
	samples []metrics.Sample
	ended   bool
}

// The inputs of the target: live objects, and other memory that is scanned.
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

// marker becomes garbage at once, so the next collection finds it.
type marker struct{ _ *marker }

// tune sets the target, and registers itself to run after the next collection.
func (c *collector) tune() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ended {
		runtime.AddCleanup(new(marker), func(c *collector) { c.tune() }, c)
	}
	// This waits for a running collection to end, and keeps a new one from starting. Before its end, the live heap is
	// unknown, and the marker may survive it: a target computed from a small live heap would then stay too long.
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

// percentMax is the limit if there is almost nothing to scan.
const percentMax = 3000

// percentFor returns the GOGC with which the next collection begins when the heap has grown to floor, but at least the
// default. The runtime's target is live + (live + scanned) × GOGC / 100.
func percentFor(live, scanned, floor uint64) int {
	if live >= floor {
		return percentDefault
	}
	percent := (floor - live) * 100 / max(1, live+scanned)
	return int(min(max(percent, percentDefault), percentMax)) //nolint:gosec // bounded
}
