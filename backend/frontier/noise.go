package frontier

import (
	"encoding/hex"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/fetch"
)

const (
	// noiseProofs is how many duplicates prove that a part of URLs says nothing of the page.
	noiseProofs = 3
	// noiseMax is how many parts of a crawl's URLs may be under suspicion, noiseBytesMax how long their names may be.
	noiseMax, noiseBytesMax = 64, 400
	// sessionLikeMin is how long a value is at least that may be a session's, whatever its name.
	sessionLikeMin = 16
)

// Noise is what a crawl has found to say nothing of which page a URL is: session values that change from page to page, by
// host and the name of their parameter, or the number of their segment. The zero value knows none.
//
// It is kept as a list of texts, one for each proof: [Noise.With] adds to it. Proofs by one page alone are none, however
// many: what a site shows for all items that are gone says nothing of the items that are there.
type Noise struct {
	proofs []string
	proven map[string]bool
}

// NewNoise returns what a list of proofs proves.
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

// cutLast cuts a proof into what it proves and the page by which it does.
func cutLast(proof string) (part, page string) {
	at := strings.LastIndexByte(proof, ' ')
	return proof[:max(at, 0)], proof[at+1:]
}

// Proofs is the list, to be kept.
func (n Noise) Proofs() []string { return n.proofs }

// IsZero reports whether nothing is proven.
func (n Noise) IsZero() bool { return len(n.proven) == 0 }

// String is the same for noise that proves the same; "" where nothing is proven.
func (n Noise) String() string { return strings.Join(slices.Sorted(maps.Keys(n.proven)), "\n") }

// With returns n with what two URLs prove that were found to show the same page, and whether that is more: they differ in
// one value alone, which looks like a session's in both.
func (n Noise) With(a, b fetch.URL) (Noise, bool) {
	part := differenceOf(a, b)
	if part == "" || len(part) > noiseBytesMax || len(n.proofs) >= noiseMax*noiseProofs || n.proven[part] {
		return n, false
	}
	kept, _ := Key(a)
	page := sha(Noise{proven: map[string]bool{part: true}}.strip(kept.WithoutFragment()))
	return NewNoise(append(slices.Clip(n.proofs), part+" "+hex.EncodeToString(page[:4]))), true
}

// differenceOf is the one part in which URLs differ, if it may name a session: "host name" of a parameter, "host /2" of a
// segment.
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

// isSessionLike reports whether a value is of the kind that sessions are: long, of letters and digits, and no word.
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
	// A story's name has words between its hyphens and few digits, a number is one of many.
	return digits >= 3 && letters >= 2 && hyphens <= 4 && digits*6 >= letters
}

// key is [keyOf] without what is proven to say nothing, which the URL to fetch keeps.
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

// Key is the function Key for a crawl that has found so much.
func (n Noise) Key(u fetch.URL) (fetch.URL, ID) {
	clean, id := Key(u)
	if !n.IsZero() && !clean.IsZero() {
		_, id = n.key(clean.String())
	}
	return clean, id
}

// strip takes the values away that say nothing: the places where they stood stay, so that the key is none of a URL without
// them.
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
