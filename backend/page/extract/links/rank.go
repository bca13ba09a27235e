package links

import (
	"cmp"
	"context"
	"math"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/turnpike-edge/turnpike/clip"
)

const (
	// queryTermsMax is how many different terms of a query count.
	queryTermsMax = 64
	queryBytesMax = 4000
	// The usual parameters of BM25 (Robertson and Zaragoza, 2009, 3.4): how soon repeated terms stop counting, and how
	// much length counts.
	bm25K1 = 1.2
	bm25B  = 0.75
	// A link's text says more about its target than its URL, and that more than the heading that it shares.
	weightText    = 3
	weightURL     = 1.5
	weightHeading = 1
	weightAround  = 0.5

	rankCtxEvery = 256
)

// Rank returns links in the order of their relevance to the query. Links of equal relevance keep their order; without
// terms in the query all do. Errors are the context's.
func Rank(ctx context.Context, links []Link, query string) ([]Link, error) {
	scores, err := Scores(ctx, len(links), func(i int) *Link { return &links[i] }, query)
	if err != nil {
		return nil, err
	}
	order := make([]int, len(links))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	out := make([]Link, len(links))
	for i, at := range order {
		out[i] = links[at]
	}
	return out, nil
}

// Scores returns the relevance of n links to a query, in their order: BM25 over their text, the words of their URLs, their
// headings and the text around them. A score is above 0 if the link contains any of the query's terms, and only comparable
// within one call. The links need not exist at once: link returns that of a number, and is called once for each. A score
// takes 8 bytes, and about 20 more until it is known. Errors are the context's.
func Scores(ctx context.Context, n int, link func(i int) *Link, query string) ([]float64, error) {
	scores := make([]float64, n)
	wanted := map[string]int{}
	for _, term := range termsOf(clip.Bytes(query, queryBytesMax)) {
		if _, ok := wanted[term]; !ok && len(wanted) < queryTermsMax {
			wanted[term] = len(wanted)
		}
	}
	if len(wanted) == 0 || n == 0 {
		return scores, nil
	}
	r := ranking{wanted: wanted, holding: make([]int, len(wanted)), links: make([]linkFigures, 0, n), words: map[string][]string{}}
	for i := range n {
		if i%rankCtxEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		r.count(link(i))
	}
	for i := range scores {
		scores[i] = r.score(i)
	}
	return scores, nil
}

// ranking has the counts of a list of links for one query.
type ranking struct {
	wanted  map[string]int // terms of the query, numbered
	holding []int          // links that contain each
	links   []linkFigures
	counts  []termCount // of all links, one after the other
	length  float64     // of all links
	// words are the terms of headings and similar texts, which links share.
	words map[string][]string
}

// linkFigures are a link's weighted length, and the end of its counts. Weights are halves, so that sums are exact.
type linkFigures struct {
	length float32
	end    uint32
}

// termCount is the weighted frequency of a wanted term in a link.
type termCount struct {
	number uint8 // queryTermsMax at most
	count  float32
}

// countsOf returns the counts of a link.
func (r *ranking) countsOf(i int) []termCount {
	from := uint32(0)
	if i > 0 {
		from = r.links[i-1].end
	}
	return r.counts[from:r.links[i].end]
}

func (r *ranking) count(l *Link) {
	first, length := len(r.counts), float32(0)
	add := func(terms []string, weight float32) {
		length += weight * float32(len(terms))
		for _, term := range terms {
			number, ok := r.wanted[term]
			if !ok {
				continue
			}
			i := slices.IndexFunc(r.counts[first:], func(c termCount) bool { return int(c.number) == number })
			if i < 0 {
				i = len(r.counts) - first
				r.counts = append(r.counts, termCount{number: uint8(number)}) //nolint:gosec // below queryTermsMax
				r.holding[number]++
			}
			r.counts[first+i].count += weight
		}
	}
	add(termsOf(l.Text), weightText)
	add(r.shared(l.Heading), weightHeading)
	add(r.shared(l.Around), weightAround)
	host, path := URLWords(l.URL)
	add(r.shared(host), weightURL)
	add(termsOf(path), weightURL)
	r.length += float64(length)
	r.links = append(r.links, linkFigures{length: length, end: uint32(len(r.counts))}) //nolint:gosec // 64 a link at most
}

func (r *ranking) shared(text string) []string {
	if text == "" {
		return nil
	}
	terms, ok := r.words[text]
	if !ok {
		terms = termsOf(text)
		r.words[text] = terms
	}
	return terms
}

func (r *ranking) score(i int) float64 {
	counts, length := r.countsOf(i), float64(r.links[i].length)
	average := r.length / float64(len(r.links))
	score := 0.0
	// By number, so that the floating-point sum is the same in each run.
	slices.SortFunc(counts, func(a, b termCount) int { return cmp.Compare(a.number, b.number) })
	for _, c := range counts {
		n, all := float64(r.holding[c.number]), float64(len(r.links))
		rarity := math.Log(1 + (all-n+0.5)/(n+0.5))
		count := float64(c.count)
		score += rarity * count * (bm25K1 + 1) / (count + bm25K1*(1-bm25B+bm25B*length/average))
	}
	return score
}

// URLWords returns the host and the rest of a URL, decoded.
func URLWords(address string) (host, path string) {
	_, rest, _ := strings.Cut(address, "://")
	i := strings.IndexAny(rest, "/?#")
	if i < 0 {
		return rest, ""
	}
	host, path = strings.TrimPrefix(rest[:i], "www."), rest[i:]
	if decoded, err := url.PathUnescape(path); err == nil && utf8.ValidString(decoded) {
		path = decoded
	}
	return host, clip.Bytes(path, TextBytesMax)
}
