//go:build linux

package main

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
	longPages      = 100_000
	longPagesShort = 5_000
	// longStations is how often a crawl is inspected.
	longStations = 10
	// longRunning is how many pages of the team are processed at once.
	longRunning = 64
	longTimeout = 40 * time.Minute
	longPoll    = 200 * time.Millisecond
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

// longRun is one crawl of a large site.
type longRun struct {
	*stand.Stand

	site     *longSite
	id       string
	before   stand.CPU
	began    time.Time
	stations []station
}

// measureLong crawls a large site and measures the cost along the way.
func measureLong(ctx context.Context, o options) (err error) {
	ctx, cancel := context.WithTimeout(ctx, longTimeout)
	defer cancel()
	pages := longPages
	if o.short {
		pages = longPagesShort
	}
	product, err := stand.Open(ctx, money.Credits(pages), nil)
	defer func() { err = errors.Join(err, product.Close()) }()
	if err != nil {
		return err
	}
	r := &longRun{Stand: product}
	if r.site, err = serveLongSite(ctx, pages); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.site.server.Close()) }()
	_, port, err := net.SplitHostPort(r.site.listener.Addr().String())
	if err != nil {
		return err
	}
	env := []string{"TURNPIKE_TEAM_RUNNING=" + strconv.Itoa(longRunning)}
	if err := r.Start(ctx, stand.Config{Binary: o.server, Port: port, Apart: true, Env: env}); err != nil {
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
	return reportLong(o, r)
}

// crawlAnswer holds the fields of a crawl that are used here.
type crawlAnswer struct {
	ID     string `json:"id"`
	Status string `json:"status"`
	Pages  int    `json:"pages_count"`
	Failed int    `json:"failed"`
}

// crawl starts the crawl and measures until it ends.
func (r *longRun) crawl(ctx context.Context, pages int) (err error) {
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
	tick := time.NewTicker(longPoll)
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
		if c.Pages >= (len(r.stations)+1)*pages/longStations {
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
func (r *longRun) look(ctx context.Context, done, pages int) (err error) {
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
	if len(r.stations)+1 < longStations && done < pages {
		if at.costs, err = frontierCosts(ctx, r.Pool.Config().ConnString(), r.id); err != nil {
			return err
		}
	}
	r.stations = append(r.stations, at)
	fmt.Fprintln(os.Stderr, "bench: crawl:", r.line(len(r.stations)-1))
	return nil
}
