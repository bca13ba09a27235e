package links

import (
	"sync"

	"golang.org/x/net/html/atom"

	"github.com/turnpike-edge/turnpike/backend/page/extract/markup"
)

// scanRoom is the memory of a scan, which the next one reuses.
type scanRoom struct {
	links    []scannedLink
	byURL    map[string]int
	text     []byte // visible text, white space folded
	headings []stretch
	hidden   []atom.Atom // open elements that show nothing
	images   []byte
}

var scanners = sync.Pool{New: func() any { return &scanner{scanRoom: scanRoom{byURL: map[string]int{}}} }}

const (
	// roomBytesMax and roomLinksMax bound the memory that is kept: most pages are small.
	roomBytesMax = 256 << 10
	roomLinksMax = 1000
)

func (s *scanner) begin(page string, r *resolver) {
	room := s.scanRoom
	room.empty()
	*s = scanner{scanRoom: room, tokens: markup.NewTokens(page), resolver: r, out: &Scan{}, open: -1}
}

// empty clears the results, and keeps their memory.
func (r *scanRoom) empty() {
	clear(r.links)
	clear(r.byURL)
	r.links, r.text, r.headings, r.hidden, r.images = r.links[:0], r.text[:0], r.headings[:0], r.hidden[:0], r.images[:0]
}

func (s *scanner) putBack() {
	room := s.scanRoom
	if cap(room.text)+cap(room.images) > roomBytesMax || cap(room.links)+cap(room.headings) > roomLinksMax {
		return
	}
	room.empty()
	*s = scanner{scanRoom: room}
	scanners.Put(s)
}
