package urlfilter

import (
	"crypto/sha256"
	"encoding/binary"
	"math/bits"
	"sync"
)

// Mark identifies a crawl in Seen.
type Mark [16]byte

// MarkOf returns the mark of a crawl.
func MarkOf(crawlID string) Mark {
	sum := sha256.Sum256([]byte(crawlID))
	return Mark(sum[:len(Mark{})])
}

const (
	seenWays   = 4
	seenStripe = 256 // buckets that share a lock
)

// Seen caches URLs that are in the frontiers of crawls, in bounded memory, so that most links of a page need no database
// query. It forgets entries when it is full, so a URL that it does not know may still be known. A URL that it knows is
// certain: entries are whole IDs, mixed with the crawl's mark, and collide with a chance of one in 2^128. Therefore add
// only committed URLs, or links would be lost. It is safe for concurrent use.
type Seen struct {
	buckets [][seenWays][16]byte
	mask    uint64
	locks   []sync.Mutex
}

// NewSeen returns a cache of at most entries URLs, rounded up to a power of two. Each takes 16 bytes.
func NewSeen(entries int) *Seen {
	buckets := uint64(1) << bits.Len(uint(max(entries/seenWays, 1)-1)) //nolint:gosec // 1 at least
	return &Seen{
		buckets: make([][seenWays][16]byte, buckets), mask: buckets - 1, locks: make([]sync.Mutex, max(buckets/seenStripe, 1)),
	}
}

// Has reports whether a URL of a crawl is known. A nil cache knows none.
func (s *Seen) Has(crawl Mark, id ID) bool {
	if s == nil {
		return false
	}
	mark, at := s.place(crawl, id)
	lock := &s.locks[at%uint64(len(s.locks))]
	lock.Lock()
	defer lock.Unlock()
	bucket := &s.buckets[at]
	return bucket[0] == mark || bucket[1] == mark || bucket[2] == mark || bucket[3] == mark
}

// Add adds URLs of a crawl, which must be committed.
func (s *Seen) Add(crawl Mark, ids ...ID) {
	if s == nil {
		return
	}
	for _, id := range ids {
		s.add(crawl, id)
	}
}

func (s *Seen) add(crawl Mark, id ID) {
	mark, at := s.place(crawl, id)
	lock := &s.locks[at%uint64(len(s.locks))]
	lock.Lock()
	defer lock.Unlock()
	bucket := &s.buckets[at]
	free := -1
	for i := range bucket {
		switch bucket[i] {
		case mark:
			return
		case [16]byte{}:
			free = i
		}
	}
	if free < 0 {
		free = int(mark[15]) % seenWays // pseudo-random: bits of the entry that do not select its bucket
	}
	bucket[free] = mark
}

// place mixes an ID with a crawl's mark and returns the bucket.
func (s *Seen) place(crawl Mark, id ID) (mark [16]byte, bucket uint64) {
	for i := range mark {
		mark[i] = id[i] ^ crawl[i]
	}
	return mark, binary.LittleEndian.Uint64(mark[:8]) & s.mask
}
