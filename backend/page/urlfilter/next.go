package urlfilter

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
)

// ctxEvery is how many links are processed between two checks of the context.
const ctxEvery = 256

// Next returns the links of a page that are to be fetched, each URL once, in page order or, with a query, by relevance.
// Links must be absolute and serialised by the URL standard, as backend/page returns them. A known link costs only its key.
// Errors are those of the context and of Limits.Score.
func Next(ctx context.Context, from Page, links []page.Link, limits Limits) ([]Found, Dropped, error) {
	var dropped Dropped
	if from.External {
		dropped.Outside = len(links)
		return nil, dropped, nil
	}
	if limits.DepthMax != nil && from.Depth >= *limits.DepthMax {
		dropped.Deep = len(links)
		return nil, dropped, nil
	}
	r := reading{from: from, limits: &limits, mine: make(map[ID]bool, min(len(links), FoundMax)), dropped: &dropped}
	if u, err := fetch.ParseURL(from.URL); err == nil {
		var id ID
		u, id = limits.Noise.Key(u)
		r.mine[id] = true // a link of a page to itself adds nothing
		r.shape, _ = Shape(u)
	}
	for i := range links {
		if i%ctxEvery == 0 && ctx.Err() != nil {
			return nil, dropped, ctx.Err()
		}
		r.add(i, links[i].URL)
	}
	if limits.Query != "" && limits.Score != nil && len(r.found) > 0 {
		if err := r.rank(ctx, links); err != nil {
			return nil, dropped, err
		}
	}
	return r.cut(), dropped, nil
}

// reading is the state of processing a page's links.
type reading struct {
	from    Page
	limits  *Limits
	shape   uint64
	mine    map[ID]bool
	found   []candidate
	dropped *Dropped
}

// candidate is a found URL and the index of its link on the page.
type candidate struct {
	Found

	link int
}

func (r *reading) add(link int, written string) {
	kept, id := r.limits.Noise.key(written)
	if r.mine[id] || r.limits.Seen.Has(r.limits.Mark, id) {
		r.dropped.Known++
		return
	}
	r.mine[id] = true
	origin, path, query := split(kept)
	if _, host, ok := strings.Cut(origin, "://"); ok && r.limits.Scope.isFar(host) {
		r.dropped.Outside++
		return
	}
	if trapped(kept, path, query) != "" {
		r.dropped.Trapped++
		return
	}
	u, err := fetch.ParseURL(kept)
	if err != nil {
		r.dropped.Invalid++
		return
	}
	place := r.limits.Scope.Place(u)
	if place == Out || r.limits.Scope.Moved() {
		r.dropped.Outside++
		return
	}
	shape, traits := shapeOf(u.Host(), path, query)
	chain, endless := chained(r.shape, r.from.Chain, shape, traits)
	if endless || r.limits.Closed != nil && traits.Endless && r.limits.Closed(shape) {
		r.dropped.Trapped++
		return
	}
	r.found = append(r.found, candidate{link: link, Found: Found{
		URL: kept, ID: id, Host: u.Host(), Depth: r.from.Depth + 1, Chain: chain, Shape: shape, Endless: traits.Endless,
		External: place == External,
	}})
}

// rank sorts the found URLs by relevance. All links of the page are scored, because they show how rare a word is.
func (r *reading) rank(ctx context.Context, links []page.Link) error {
	scores, err := r.limits.Score(ctx, links, r.limits.Query)
	if err != nil {
		return err
	}
	if len(scores) != len(links) {
		return fmt.Errorf("scoring links: got %d scores for %d links", len(scores), len(links))
	}
	for i := range r.found {
		r.found[i].Relevance = scores[r.found[i].link]
	}
	slices.SortStableFunc(r.found, func(a, b candidate) int { return cmp.Compare(b.Relevance, a.Relevance) })
	return nil
}

// cut returns the found URLs within the limits of one page.
func (r *reading) cut() []Found {
	most := FoundMax
	if r.limits.TopN > 0 {
		most = min(most, r.limits.TopN)
	}
	out := make([]Found, 0, min(len(r.found), most))
	bytes := 0
	for i := range r.found {
		if bytes += len(r.found[i].URL); len(out) == most || bytes > FoundBytesMax {
			break
		}
		out = append(out, r.found[i].Found)
	}
	r.dropped.Surplus = len(r.found) - len(out)
	return out
}
