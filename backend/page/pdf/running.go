package pdf

import (
	"math"
	"strings"
	"unicode"
)

const (
	// edgeLinesMax is how many lines at each end of a page may be its header or footer.
	edgeLinesMax = 3
	// repeatsMin is on how many pages a line has to stand to be one.
	repeatsMin = 3
)

// edgeKey is what headers and footers of different pages have in common: where they stand, and their text but for
// numbers.
type edgeKey struct {
	text string
	v    int
}

// dropRunning removes headers, footers and page numbers: lines at the ends of pages that stand on several of them in the
// same place.
func dropRunning(pages []pageText) {
	counts := map[edgeKey]int{}
	for i := range pages {
		for key := range edgesOf(&pages[i]) {
			counts[key]++
		}
	}
	for i := range pages {
		edges := edgesOf(&pages[i])
		drop := map[*line]bool{}
		for key, lines := range edges {
			if counts[key] >= repeatsMin {
				for _, ln := range lines {
					drop[ln] = true
				}
			}
		}
		if len(drop) == 0 {
			continue
		}
		for j := range pages[i].regions {
			lines := pages[i].regions[j].lines
			kept := lines[:0:0]
			for k := range lines {
				if !drop[&lines[k]] {
					kept = append(kept, lines[k])
				}
			}
			pages[i].regions[j].lines = kept
		}
	}
}

// edgesOf are the lines of a page that may be a header or footer.
func edgesOf(p *pageText) map[edgeKey][]*line {
	var lines []*line
	for i := range p.regions {
		for j := range p.regions[i].lines {
			if ln := &p.regions[i].lines[j]; ln.edge && ln.cells == nil {
				lines = append(lines, ln)
			}
		}
	}
	out := map[edgeKey][]*line{}
	for _, ln := range lines {
		above, below := 0, 0
		for _, other := range lines {
			switch {
			case other.v > ln.v+1:
				above++
			case other.v < ln.v-1:
				below++
			}
		}
		if above >= edgeLinesMax && below >= edgeLinesMax {
			continue
		}
		key := edgeKey{edgeText(ln.text), int(math.Round(float64(ln.v) / 4))}
		out[key] = append(out[key], ln)
	}
	return out
}

// edgeText is a text with its numbers taken out. A line that is a number alone, also a Roman one, is nothing but that.
func edgeText(t string) string {
	if len(t) > 300 {
		t = t[:300]
	}
	t = strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return '#'
		}
		return unicode.ToLower(r)
	}, t)
	for strings.Contains(t, "##") {
		t = strings.ReplaceAll(t, "##", "#")
	}
	t = strings.TrimSpace(t)
	if t != "" && len(t) <= 8 && strings.Trim(t, "ivxlc") == "" {
		return "#"
	}
	return t
}
