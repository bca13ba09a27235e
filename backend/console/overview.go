package console

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"sync"
)

// panel is a part of a page with an API call of its own: if it fails, the others are still shown.
type panel[T any] struct {
	Value T
	Fault *faultPage // nil: Value is set
}

// panels reads the parts of a page concurrently. A refused key ends them all.
type panels struct {
	v  *visit
	wg sync.WaitGroup

	mu      sync.Mutex
	refused error
}

func read[T any](p *panels, into *panel[T], path string, query url.Values) {
	p.wg.Go(func() {
		err := p.v.get(path, query, &into.Value)
		if err == nil {
			return
		}
		into.Fault = faultOf(err)
		if no, ok := errors.AsType[*Refusal](err); ok && no.Status == http.StatusUnauthorized {
			p.mu.Lock()
			p.refused = err
			p.mu.Unlock()
		}
	})
}

// wait returns when all parts are read. The error is that of a refused key.
func (p *panels) wait() error {
	p.wg.Wait()
	return p.refused
}

type overviewPage struct {
	Balance  panel[balance]
	Usage    panel[usage]
	Chart    *chart
	Days     []usageRow // with usage, latest first
	Monitors panel[monitorList]
	Batches  panel[batchList]
	Crawls   panel[crawlList]
}

// listedInOverview is how many entries of each list the first page shows.
const listedInOverview = "5"

func (c *Console) overview(v *visit) error {
	page := &overviewPage{}
	p := &panels{v: v}
	running := url.Values{"status": {"in_progress"}, "limit": {listedInOverview}}
	read(p, &page.Balance, "/user/credits/info", nil)
	read(p, &page.Usage, "/user/usage", url.Values{"group_by": {"day"}})
	read(p, &page.Monitors, "/v1/monitors", nil)
	read(p, &page.Batches, "/v1/batches", running)
	read(p, &page.Crawls, "/v1/crawls", running)
	if err := p.wait(); err != nil {
		return err
	}
	if page.Usage.Fault == nil {
		page.Chart, page.Days = chartOf(&page.Usage.Value), latestFirst(page.Usage.Value.Rows)
	}
	if list := &page.Monitors.Value.Monitors; len(*list) > 5 {
		*list = (*list)[:5]
	}
	live := len(page.Batches.Value.Data)+len(page.Crawls.Value.Data) > 0
	return v.showLive("overview", "Overview", live, page)
}

func latestFirst(rows []usageRow) []usageRow {
	days := slices.Clone(rows)
	slices.SortFunc(days, func(a, b usageRow) int { return cmp.Compare(b.Day, a.Day) })
	return days
}
