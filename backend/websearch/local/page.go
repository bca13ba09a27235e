package local

import (
	"cmp"
	"crypto/sha256"
	"math"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/turnpike-edge/turnpike/clip"
)

// Limits of what is kept and indexed of a page.
const (
	// TextBytesMax is how much of a page's text is indexed, and kept for snippets.
	TextBytesMax = 32 << 10
	titleBytesMax,
	headingsBytesMax = 500, 4000
	// termsMax is how many different terms of a page are indexed: those with the highest impact.
	termsMax = 1200
)

// Weights of a term by its location, and the parameters of BM25 (Robertson and Zaragoza, 2009, 3.6): how soon repetitions
// stop counting, and how much length counts. The usual length is fixed, so that an impact never needs to be updated.
const (
	weightTitle, weightHeading, weightURL, weightBody = 5, 2, 2, 1

	impactK1      = 1.2
	impactB       = 0.6
	usualLength   = 300
	impactHighest = 255
)

// Page is a page to index.
type Page struct {
	// TeamID is the team that fetched it.
	TeamID string
	// RetrieveID is the ID of its kept content.
	RetrieveID string
	// URL is its absolute URL. A fragment is ignored.
	URL string
	// Title, Headings and Text are plain text, the headings one per line.
	Title, Headings, Text string
	// Published is the publication time that the page states, or zero.
	Published time.Time
	// Fetched is when it was fetched, Expires when its content expires.
	Fetched, Expires time.Time
	// Shareable reports that anyone who requests the URL gets this page: it does not depend on the team's request.
	Shareable bool
}

// entry is a page as it is indexed in one scope.
type entry struct {
	scope, retrieveID, url string
	title, text            string
	host                   string
	published              time.Time
	fetched, expires       time.Time
	digest                 int64
	terms                  []term // the highest impact first
}

// term is a term of a page with its impact, 1 to impactHighest.
type term struct {
	text   string
	impact byte
}

// draft is a page whose words are counted but not yet stemmed.
type draft struct {
	entry

	length float64
	counts map[string]float64 // by word
	titled map[string]bool    // words of the title
}

// draftOf counts the words of p. It returns false if p cannot be found: no URL or no words.
func draftOf(p *Page) (*draft, bool) {
	u, err := url.Parse(p.URL)
	if err != nil || u.Hostname() == "" || (u.Scheme != "http" && u.Scheme != "https") || !utf8.ValidString(p.URL) {
		return nil, false
	}
	u.Fragment, u.RawFragment, u.User = "", "", nil
	d := &draft{counts: map[string]float64{}, titled: map[string]bool{}}
	d.entry = entry{
		scope: p.TeamID, retrieveID: p.RetrieveID, url: u.String(), host: strings.ToLower(u.Hostname()),
		title: oneLine(clip.Bytes(storable(p.Title), titleBytesMax)), text: clip.Bytes(storable(p.Text), TextBytesMax),
		published: p.Published, fetched: p.Fetched, expires: p.Expires,
	}
	digest := keyDigest{}
	count := func(text string, weight float64, each func(string)) {
		eachWord(text, func(w word) bool {
			d.counts[w.text] += weight
			if weight == weightBody {
				d.length++
			}
			if each != nil {
				each(w.text)
			}
			return true
		})
	}
	count(d.text, weightBody, digest.add)
	count(d.title, weightTitle, func(w string) { d.titled[w] = true })
	count(clip.Bytes(storable(p.Headings), headingsBytesMax), weightHeading-weightBody, nil) // they are in the text, too
	count(urlText(u), weightURL, nil)
	if d.digest = digest.sum; d.length == 0 {
		d.digest = hash64(d.url)
	}
	return d, len(d.counts) > 0
}

// keyDigest is a digest of a text's words.
type keyDigest struct{ sum int64 }

func (k *keyDigest) add(w string) { k.sum = k.sum*1099511628211 + hash64(w) }

// finish makes the entry of a draft, given the stems of its words: "" for stop words, which count only in titles.
func (d *draft) finish(stems map[string]string) *entry {
	counts := make(map[string]float64, len(d.counts))
	for w, n := range d.counts {
		stem, known := stems[w]
		if !known {
			stem = w
		}
		if stem == "" {
			if !d.titled[w] {
				continue
			}
			stem = w
		}
		counts[stem] += n
	}
	k := impactK1 * (1 - impactB + impactB*min(max(d.length/usualLength, 0.2), 4))
	d.terms = make([]term, 0, len(counts))
	for text, n := range counts {
		d.terms = append(d.terms, term{text, byte(max(1, math.Round(impactHighest*n/(n+k))))})
	}
	slices.SortFunc(d.terms, func(a, b term) int {
		return cmp.Or(cmp.Compare(b.impact, a.impact), cmp.Compare(a.text, b.text))
	})
	d.terms = d.terms[:min(len(d.terms), termsMax)]
	d.counts, d.titled = nil, nil
	e := d.entry
	return &e
}

// in returns the entry in another scope.
func (e *entry) in(scope string) *entry {
	other := *e
	other.scope = scope
	return &other
}

func (e *entry) urlSHA256() []byte {
	sum := sha256.Sum256([]byte(e.url))
	return sum[:]
}

// keys returns the keys by which the entry is found: first its terms, in the order of impacts, then their levels, and last
// the hosts and the scope.
func (e *entry) keys() (keys []int64, impacts []byte) {
	keys, impacts = make([]int64, len(e.terms), 2*len(e.terms)+4), make([]byte, len(e.terms))
	for i, t := range e.terms {
		keys[i], impacts[i] = keyOf(e.scope, kindTerm, 0, t.text), t.impact
	}
	for _, t := range e.terms {
		for level := 1; level <= levelOf(t.impact); level++ {
			keys = append(keys, keyOf(e.scope, kindTerm, level, t.text))
		}
	}
	for _, domain := range domainsOf(e.host) {
		keys = append(keys, keyOf(e.scope, kindHost, 0, domain))
	}
	return append(keys, keyOf(e.scope, kindAll, 0, "")), impacts
}

// dated returns when a page was published or else fetched; never later than fetched.
func (e *entry) dated() time.Time {
	if e.published.IsZero() || e.published.After(e.fetched) {
		return e.fetched
	}
	return e.published
}

// storable returns text that the database can store.
func storable(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", " ")
}

// oneLine collapses white space, and removes control characters.
func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(s, isGap), " ")
}
