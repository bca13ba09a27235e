package urlfilter

import (
	"hash/fnv"
	"math/bits"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/page/fetch"
)

// kinBits is in how many bits the Simhashes of kin pages may differ: the effect of a counter, a date or a navigation.
const kinBits = 12

// Kin returns a number that is equal for URLs under which most sites show one page: URLs that differ only in the case of
// letters, the scheme, www, and a trailing slash or index.html. Only the content shows whether they do: [Akin].
func (n Noise) Kin(u fetch.URL) uint64 {
	kept, _ := Key(u)
	written := kept.WithoutFragment()
	if !n.IsZero() {
		written = n.strip(written)
	}
	origin, path, query := split(written)
	_, host, _ := strings.Cut(origin, "://")
	path = strings.TrimSuffix(strings.ToLower(normalise(path)), "/")
	for _, index := range []string{"/index.html", "/index.htm", "/index.php"} {
		path = strings.TrimSuffix(path, index)
	}
	_, sorted := withoutNoise(query)
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(strings.TrimPrefix(host, "www.") + path + "?" + strings.ToLower(normalise(sorted)))) // never fails
	return hash.Sum64()
}

// Akin reports whether pages with kin URLs are the same, by their Simhashes. 0 equals nothing.
func Akin(a, b uint64) bool {
	return a != 0 && b != 0 && bits.OnesCount64(a^b) <= kinBits
}
