//go:build linux

package crawllong

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/turnpike-edge/turnpike/bench/stand"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/money"
)

const (
	pagesMost  = 100_000
	pagesShort = 5_000
	// stationsMost is how often a crawl is inspected.
	stationsMost = 10
	// running is how many pages of the team are processed at once.
	running = 64
	timeout = 40 * time.Minute
	poll    = 200 * time.Millisecond
)

// station is a measurement after another tenth of the pages.
type station struct {
	pages  int
	at     time.Duration // since the crawl began
	memory int64         // the worker's peak resident memory so far, in bytes
	cpu    stand.CPU     // since the crawl began
	bytes  db.FrontierBytesRow
	costs  map[string]cost // by statement; nil at the end, when no page waits
}

// run is one crawl of a large site.
type run struct {
	*stand.Stand

	site     *site
	id       string
	before   stand.CPU
	began    time.Time
	stations []station
}

// Measure crawls a large site and measures the cost along the way.
func Measure(ctx context.Context, o stand.Options) (err error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	pages := pagesMost
	if o.Short {
		pages = pagesShort
	}
	product, err := stand.Open(ctx, money.Credits(pages), nil)
	defer func() { err = errors.Join(err, product.Close()) }()
	if err != nil {
		return err
	}
	r := &run{Stand: product}
	if r.site, err = serve(ctx, pages); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.site.server.Close()) }()
	_, port, err := net.SplitHostPort(r.site.listener.Addr().String())
	if err != nil {
		return err
	}
	env := []string{"TURNPIKE_TEAM_RUNNING=" + strconv.Itoa(running)}
	if err := r.Start(ctx, stand.Config{Binary: o.Binary, Port: port, Apart: true, Env: env}); err != nil {
		return err
	}
	if err := r.crawl(ctx, pages); err != nil {
		return err
	}
	if err := r.site.check(); err != nil {
		return err
	}
	if err := r.Audit(ctx, r.id, money.Credits(pages), money.Credits(pages)); err != nil {
		return err
	}
	return report(o, r)
}

// crawlAnswer holds the fields of a crawl that are used here.
type crawlAnswer struct {
	ID     string `json:"id"`
	Status string `json:"status"`
	Pages  int    `json:"pages_count"`
	Failed int    `json:"failed"`
}

// crawl starts the crawl and measures until it ends.
func (r *run) crawl(ctx context.Context, pages int) (err error) {
	body, err := json.Marshal(map[string]any{"start_url": r.site.url(), "max_pages": pages, "scrape_options": map[string]any{"formats": []string{}}})
	if err != nil {
		return err
	}
	if r.before, err = r.CPU(); err != nil {
		return err
	}
	r.began = time.Now()
	var c crawlAnswer
	if err := r.Ask(ctx, http.MethodPost, "/v1/crawls", body, &c); err != nil {
		return err
	}
	r.id = c.ID
	tick := time.NewTicker(poll)
	defer tick.Stop()
	for c.Status != "completed" {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("%d of %d pages are done, %d failed: %w", c.Pages, pages, c.Failed, ctx.Err())
		}
		if err := r.Ask(ctx, http.MethodGet, "/v1/crawls/"+c.ID, nil, &c); err != nil {
			return err
		}
		if c.Pages >= (len(r.stations)+1)*pages/stationsMost {
			if err := r.look(ctx, c.Pages, pages); err != nil {
				return err
			}
		}
	}
	if c.Pages != pages || c.Failed != 0 {
		return fmt.Errorf("%d of %d pages are done, %d failed", c.Pages, pages, c.Failed)
	}
	return nil
}

// look records a station.
func (r *run) look(ctx context.Context, done, pages int) (err error) {
	at := station{pages: done, at: time.Since(r.began)}
	if at.memory, err = r.Memory(); err != nil {
		return err
	}
	cpu, err := r.CPU()
	if err != nil {
		return err
	}
	at.cpu = cpu.Less(r.before)
	if at.bytes, err = db.New(r.Pool).FrontierBytes(ctx); err != nil {
		return fmt.Errorf("measuring tables: %w", err)
	}
	if len(r.stations)+1 < stationsMost && done < pages {
		if at.costs, err = frontierCosts(ctx, r.Pool.Config().ConnString(), r.id); err != nil {
			return err
		}
	}
	r.stations = append(r.stations, at)
	fmt.Fprintln(os.Stderr, "bench: crawl:", r.line(len(r.stations)-1))
	return nil
}
