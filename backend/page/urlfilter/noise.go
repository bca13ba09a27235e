package urlfilter

import (
	"encoding/hex"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/page/fetch"
)

const (
	// noiseProofs is how many duplicates prove that a part of URLs is insignificant.
	noiseProofs = 3
	// noiseMax is how many parts of a crawl's URLs may be suspected, noiseBytesMax the maximum length of their names.
	noiseMax, noiseBytesMax = 64, 400
	// sessionLikeMin is the minimum length of a value that may be a session ID, whatever its name.
	sessionLikeMin = 16
)

// Noise is the parts of URLs that a crawl has found to be insignificant: session values that change from page to page,
// identified by host and the name of their parameter or the number of their segment. The zero value has none.
//
// It is stored as a list of texts, one per proof, to which [Noise.With] adds. Proofs from a single page do not count,
// however many there are: what a site shows for all deleted items says nothing about the existing ones.
type Noise struct {
	proofs []string
	proven map[string]bool
}

// NewNoise returns the noise that a list of proofs proves.
func NewNoise(proofs []string) Noise {
	n := Noise{proofs: proofs}
	pages := map[string][]string{}
	for _, proof := range proofs {
		part, page := cutLast(proof)
		pages[part] = append(pages[part], page)
		if of := pages[part]; len(of) >= noiseProofs && slices.ContainsFunc(of, func(p string) bool { return p != of[0] }) {
			if n.proven == nil {
				n.proven = map[string]bool{}
			}
			n.proven[part] = true
		}
	}
	return n
}

// cutLast splits a proof into the part that it concerns and the page that proves it.
func cutLast(proof string) (part, page string) {
	at := strings.LastIndexByte(proof, ' ')
	return proof[:max(at, 0)], proof[at+1:]
}

// Proofs returns the list of proofs to store.
func (n Noise) Proofs() []string { return n.proofs }

// IsZero reports whether nothing is proven.
func (n Noise) IsZero() bool { return len(n.proven) == 0 }

// String returns the same text for the same proven noise; "" if nothing is proven.
func (n Noise) String() string { return strings.Join(slices.Sorted(maps.Keys(n.proven)), "\n") }

// With adds the proof of two URLs that showed the same page, and reports whether there is one: the URLs must differ in
// exactly one value, which looks like a session ID in both.
func (n Noise) With(a, b fetch.URL) (Noise, bool) {
	part := differenceOf(a, b)
	if part == "" || len(part) > noiseBytesMax || len(n.proofs) >= noiseMax*noiseProofs || n.proven[part] {
		return n, false
	}
	kept, _ := Key(a)
	page := sha(Noise{proven: map[string]bool{part: true}}.strip(kept.WithoutFragment()))
	return NewNoise(append(slices.Clip(n.proofs), part+" "+hex.EncodeToString(page[:4]))), true
}

// differenceOf returns the only part in which two URLs differ, if it may be a session ID: "host name" for a parameter,
// "host /2" for a segment.
func differenceOf(a, b fetch.URL) string {
	if a.Origin() != b.Origin() {
		return ""
	}
	_, pathA, queryA := split(a.WithoutFragment())
	_, pathB, queryB := split(b.WithoutFragment())
	segmentsA, segmentsB := strings.Split(pathA, "/"), strings.Split(pathB, "/")
	parametersA, parametersB := strings.Split(queryA, "&"), strings.Split(queryB, "&")
	if len(segmentsA) != len(segmentsB) || len(parametersA) != len(parametersB) {
		return ""
	}
	part := ""
	for i, segment := range segmentsA {
		if segment == segmentsB[i] {
			continue
		}
		if part != "" || !isSessionLike(segment) || !isSessionLike(segmentsB[i]) {
			return ""
		}
		part = a.Host() + " /" + strconv.Itoa(i)
	}
	for i, parameter := range parametersA {
		if parameter == parametersB[i] {
			continue
		}
		name, value, _ := strings.Cut(parameter, "=")
		otherName, other, _ := strings.Cut(parametersB[i], "=")
		if part != "" || name != otherName || !isSessionLike(value) || !isSessionLike(other) {
			return ""
		}
		part = a.Host() + " " + name
	}
	return part
}

// isSessionLike reports whether a value looks like a session ID: long, of letters and digits, not a word.
func isSessionLike(value string) bool {
	if len(value) < sessionLikeMin || !isToken(value) {
		return false
	}
	digits, letters, hyphens := 0, 0, 0
	for i := range len(value) {
		switch c := value[i]; {
		case '0' <= c && c <= '9':
			digits++
		case c == '-' || c == '_' || c == '.':
			hyphens++
		default:
			letters++
		}
	}
	// A story's name has words between its hyphens and few digits; a plain number may be an item number.
	return digits >= 3 && letters >= 2 && hyphens <= 4 && digits*6 >= letters
}

// key is [keyOf] without proven noise in the ID. The URL to fetch keeps the noise.
func (n Noise) key(serialised string) (kept string, id ID) {
	kept, id = keyOf(serialised)
	if n.IsZero() {
		return kept, id
	}
	bare := n.strip(kept)
	if bare == kept {
		return kept, id
	}
	_, id = keyOf(bare)
	return kept, id
}

// Key is the function Key, with the noise found by a crawl.
func (n Noise) Key(u fetch.URL) (fetch.URL, ID) {
	clean, id := Key(u)
	if !n.IsZero() && !clean.IsZero() {
		_, id = n.key(clean.String())
	}
	return clean, id
}

// strip replaces insignificant values with *. The parameter or segment stays, so that the key differs from that of a URL
// without it.
func (n Noise) strip(written string) string {
	origin, path, query := split(written)
	_, host, _ := strings.Cut(origin, "://")
	segments := strings.Split(path, "/")
	for i, segment := range segments {
		if isSessionLike(segment) && n.proven[host+" /"+strconv.Itoa(i)] {
			segments[i] = "*"
		}
	}
	if query == "" {
		return origin + strings.Join(segments, "/")
	}
	parameters := strings.Split(query, "&")
	for i, parameter := range parameters {
		name, value, _ := strings.Cut(parameter, "=")
		if isSessionLike(value) && n.proven[host+" "+name] {
			parameters[i] = name + "=*"
		}
	}
	return origin + strings.Join(segments, "/") + "?" + strings.Join(parameters, "&")
}
