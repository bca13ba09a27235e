package crawls

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/backend/page/urlfilter"
	"github.com/turnpike-edge/turnpike/db"
)

const (
	// foundChunk is how many URLs one statement writes.
	foundChunk = 5000
	// waitingPerPage and waitingSpare limit how many URLs wait: four for each page that still has a place, plus a spare.
	// URLs beyond the limit are counted and dropped, so that an endless site does not use endless storage.
	waitingPerPage, waitingSpare = 4, 10_000
)

// widen stores the URLs that the pages of a batch link to, and returns their keys.
func (s *Service) widen(ctx context.Context, tx pgx.Tx, c *db.Crawl, pages []ended) ([]urlfilter.ID, error) {
	if c.Pages >= c.MaxPages {
		return nil, nil // nothing more will be fetched
	}
	found, dropped := gather(pages)
	room := max(waitingPerPage*int(c.MaxPages-c.Pages)+waitingSpare-int(c.Waiting), 0)
	if len(found) > room {
		found, dropped = trim(found, room), dropped+len(found)-room
	}
	if len(found) == 0 && dropped == 0 {
		return nil, nil
	}
	numbers, err := s.number(ctx, tx, c, found)
	if err != nil {
		return nil, err
	}
	keys := make([]urlfilter.ID, len(found))
	queries := db.New(tx)
	for first := 0; first < len(found) || dropped > 0; first += foundChunk {
		chunk := found[min(first, len(found)):min(first+foundChunk, len(found))]
		// If all links were dropped there are no keys, but Keys must not be null.
		p := db.FoundPagesParams{CrawlID: c.ID, Dropped: int32(min(dropped, math.MaxInt32)), Keys: [][]byte{}} //nolint:gosec // bounded
		dropped = 0
		for i := range chunk {
			f := &chunk[i]
			keys[first+i] = f.ID
			p.Keys, p.Urls, p.Hosts = append(p.Keys, f.ID[:]), append(p.Urls, f.URL), append(p.Hosts, numbers[f.Host])
			p.Depths = append(p.Depths, int32(min(f.Depth, math.MaxInt32))) //nolint:gosec // bounded
			p.Chains = append(p.Chains, int32(min(f.Chain, math.MaxInt16))) //nolint:gosec // bounded
			p.Shapes = append(p.Shapes, int64(f.Shape))                     //nolint:gosec // 64 bits, whatever their sign
			p.Externals, p.Relevances = append(p.Externals, f.External), append(p.Relevances, relevance(f.Relevance))
		}
		if c.Waiting, err = queries.FoundPages(ctx, p); err != nil {
			return nil, fmt.Errorf("inserting %d URLs found by %s: %w", len(chunk), c.ID, err)
		}
	}
	return keys, nil
}

// relevance returns v as it is stored: infinity stands for none.
func relevance(v float64) float32 {
	if v == 0 {
		return float32(math.Inf(1))
	}
	return float32(v)
}

// gather returns the links of pages, each once: by depth, then in the order in which they were found.
func gather(pages []ended) (found []urlfilter.Found, dropped int) {
	at := map[urlfilter.ID]int{}
	for i := range pages {
		dropped += pages[i].dropped
		for _, f := range pages[i].found {
			first, known := at[f.ID]
			if !known {
				at[f.ID] = len(found)
				found = append(found, f)
				continue
			}
			best := max(found[first].Relevance, f.Relevance)
			if f.Depth < found[first].Depth {
				found[first] = f
			}
			found[first].Relevance = best
		}
	}
	slices.SortStableFunc(found, func(a, b urlfilter.Found) int { return cmp.Compare(a.Depth, b.Depth) })
	return found, dropped
}

// trim keeps the n most relevant of found, in their order.
func trim(found []urlfilter.Found, n int) []urlfilter.Found {
	order := make([]int, len(found))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(found[b].Relevance, found[a].Relevance) })
	order = order[:n]
	slices.Sort(order)
	kept := make([]urlfilter.Found, n)
	for i, at := range order {
		kept[i] = found[at]
	}
	return kept
}

// number returns the numbers of the hosts in found.
func (s *Service) number(ctx context.Context, tx pgx.Tx, c *db.Crawl, found []urlfilter.Found) (map[string]int32, error) {
	numbers := map[string]int32{}
	p := db.NumberHostsParams{CrawlID: c.ID}
	for i := range found {
		host := found[i].Host
		if _, known := numbers[host]; known {
			continue
		}
		numbers[host] = 0
		intervalMs, open := s.hostPace(host)
		p.Hosts, p.OpenMaxima, p.IntervalMs = append(p.Hosts, host), append(p.OpenMaxima, open), append(p.IntervalMs, intervalMs)
	}
	if len(p.Hosts) == 0 {
		return numbers, nil
	}
	rows, err := db.New(tx).NumberHosts(ctx, p)
	if err != nil {
		return nil, fmt.Errorf("numbering %d hosts of %s: %w", len(p.Hosts), c.ID, err)
	}
	for _, row := range rows {
		numbers[row.Host] = row.N
	}
	return numbers, nil
}
