package compare

import (
	"math/bits"
	"slices"
)

// Noise is what a monitor has learned of its pages: which places differ between the looks of one run, how often places differ from run to
// run, and what was seen there. The zero value has learned nothing. It is kept as JSON, and of bounded size however long the monitor runs.
type Noise struct {
	// Runs is how many comparisons it has seen.
	Runs int `json:"comparisons"`
	// Places are those that differed, by their names.
	Places map[string]*History `json:"history,omitempty"`
	// Met are the pages that were looked at more than once, with the run in which that was.
	Met map[string]int `json:"looked_at,omitempty"`
	// Flips are the pages that showed in one look what they showed in the last run, and in another something else, with the run
	// in which that was.
	Flips map[string]int `json:"flipped,omitempty"`
}

// History is what is known of a place.
type History struct {
	// Run is the last run in which it differed, and Changed has a bit for each run in which it did, that one first.
	Run     int    `json:"r"`
	Changed uint32 `json:"c,omitempty"`
	// Varied is in how many looks it differed from another look of the same run.
	Varied int `json:"v,omitempty"`
	// Seen are hashes of what stood there, the latest last.
	Seen []uint32 `json:"s,omitempty"`
}

// Bounds of what is remembered.
const (
	placesMax = 4_000
	seenMax   = 24
	metMax    = 3_000
	flipRuns  = 10 // after which a flip is forgotten
)

func folded(text string) uint32 {
	hash := hashOf(text)
	return uint32(hash ^ hash>>32) //nolint:gosec // what is cut off is meant to be
}

// sane brings what was read from JSON within its bounds.
func (n *Noise) sane() {
	n.Runs = max(0, n.Runs)
	for place, h := range n.Places {
		if h == nil || h.Run > n.Runs {
			delete(n.Places, place)
		}
	}
}

// at is what is known of a place, which is made where nothing is.
func (n *Noise) at(place string) *History {
	h := n.Places[place]
	if h == nil {
		if n.Places == nil {
			n.Places = map[string]*History{}
		}
		h = &History{}
		n.Places[place] = h
	}
	if past := n.Runs - h.Run; past > 0 {
		h.Changed, h.Run = h.Changed<<min(past, 32), n.Runs
	}
	return h
}

func (h *History) see(texts ...string) {
	for _, text := range texts {
		hash := folded(text)
		h.Seen = append(slices.DeleteFunc(h.Seen, func(seen uint32) bool { return seen == hash }), hash)
	}
	h.Seen = h.Seen[max(0, len(h.Seen)-seenMax):]
}

// vary takes in a difference between two looks of one run.
func (n *Noise) vary(d *difference) {
	for _, place := range d.places {
		h := n.at(place)
		h.Varied++
		h.see(d.was, d.now)
	}
}

// change takes in a difference between two runs.
func (n *Noise) change(d *difference) {
	for _, place := range d.places {
		h := n.at(place)
		h.Changed |= 1
		h.see(d.was, d.now)
	}
	if d.list != "" {
		n.at(d.list).Changed |= 1
	}
}

// past is what is known of a difference's place.
type past struct {
	runs          int     // that were compared
	rate          float64 // how often it changed in the last 32
	streak        int     // how often in a row
	varied        int
	seen, wasSeen bool    // what is there now, and what was there before, was seen there earlier
	list          float64 // how often its list changed
}

func (n *Noise) past(d *difference) past {
	p := past{runs: n.Runs}
	for _, place := range d.places {
		h := n.Places[place]
		if h == nil {
			continue
		}
		rate, streak := h.rate(n.Runs)
		p.rate, p.streak, p.varied = max(p.rate, rate), max(p.streak, streak), max(p.varied, h.Varied)
		p.seen = p.seen || slices.Contains(h.Seen, folded(d.now))
		p.wasSeen = p.wasSeen || slices.Contains(h.Seen, folded(d.was))
	}
	if h := n.Places[d.list]; h != nil {
		p.list, _ = h.rate(n.Runs)
	}
	return p
}

// rate is how often a place changed in the runs so far, and in how many of the last ones in a row.
func (h *History) rate(runs int) (rate float64, streak int) {
	if runs == 0 {
		return 0, 0
	}
	changed := h.Changed >> 1 // without this run
	if past := runs - h.Run; past > 0 {
		changed = h.Changed << min(32, past-1)
	}
	return float64(bits.OnesCount32(changed)) / float64(min(runs, 32)), bits.TrailingZeros32(^changed)
}

// flip notes that a page showed what it showed in the last run, and something else, in one run. ok is false where that was so
// lately: such a page is left as it is no more.
func (n *Noise) flip(url string) (ok bool) {
	at, flipped := n.Flips[url]
	if flipped && n.Runs-at < flipRuns {
		return false
	}
	if n.Flips == nil {
		n.Flips = map[string]int{}
	}
	n.Flips[url] = n.Runs
	return true
}

// bound forgets what was not met for longest.
func (n *Noise) bound() {
	forget(n.Places, placesMax, func(h *History) int { return h.Run })
	forget(n.Met, metMax, func(run int) int { return run })
	forget(n.Flips, metMax, func(run int) int { return run })
}

func forget[V any](all map[string]V, most int, lastMet func(V) int) {
	if len(all) <= most {
		return
	}
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		if c := lastMet(all[a]) - lastMet(all[b]); c != 0 {
			return c
		}
		if a < b {
			return -1
		}
		return 1
	})
	for _, name := range names[:len(names)-most] {
		delete(all, name)
	}
}
