//go:build linux

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"strconv"
	"time"

	"github.com/turnpike-edge/turnpike/bench/stand"
	"github.com/turnpike-edge/turnpike/payments/money"
)

const (
	// crawlPoll is the interval of the status requests, which count in the cost.
	crawlPoll = 100 * time.Millisecond
	// spare is added to the page limit: the crawl must end because the site does.
	spare = 100
	// funds are more than all rounds can cost.
	funds money.Credits = 100_000_000
)

// product is the running product, and the site it crawls.
type product struct {
	*stand.Stand

	site *siteProcess
	paid money.Credits
}

// openProduct starts the product; it writes its profile into a file if o names one.
func openProduct(ctx context.Context, o *options, s *siteProcess) (*product, error) {
	place, err := stand.Open(ctx, funds, o.settings())
	p := &product{Stand: place, site: s}
	if err != nil {
		return p, err
	}
	_, port, err := net.SplitHostPort(s.Address)
	if err != nil {
		return p, err
	}
	binary, err := filepath.Abs(o.server)
	if err != nil {
		return p, err
	}
	env := []string{"TURNPIKE_TEAM_RUNNING=" + strconv.Itoa(o.running)}
	if o.profile != "" {
		profile, err := filepath.Abs(o.profile)
		if err != nil {
			return p, err
		}
		env = append(env, "TURNPIKE_CPU_PROFILE="+profile)
	}
	if o.profile != "" {
		if err := p.watchStatements(ctx); err != nil {
			return p, err
		}
	}
	return p, p.Start(ctx, stand.Config{Binary: binary, Port: port, Env: env})
}

// crawlAnswer holds the fields of a crawl that are used here.
type crawlAnswer struct {
	ID      string        `json:"id"`
	Status  string        `json:"status"`
	Outcome string        `json:"outcome"`
	Pages   int           `json:"pages_count"`
	Failed  int           `json:"failed"`
	Credits money.Credits `json:"credits_consumed"`
}

// run crawls the site, and checks the result against the site's hits and the ledger.
func (p *product) run(ctx context.Context, pages int, bare bool) (t turn, err error) {
	request := map[string]any{"start_url": p.site.url(), "max_pages": pages + spare}
	if bare {
		request["scrape_options"] = map[string]any{"formats": []string{}}
	}
	body, err := json.Marshal(request)
	if err != nil {
		return t, err
	}
	before, err := p.CPU()
	if err != nil {
		return t, err
	}
	begun := time.Now()
	var c crawlAnswer
	if err := p.Ask(ctx, http.MethodPost, "/v1/crawls", body, &c); err != nil {
		return t, err
	}
	if err := p.await(ctx, &c); err != nil {
		return t, err
	}
	t.Took = time.Since(begun)
	after, err := p.CPU()
	if err != nil {
		return t, err
	}
	used := after.Less(before)
	t.Pages, t.CPU, t.Postgres, t.Edge = c.Pages, used.All(), used.Postgres, used.Edge
	if err := p.site.count(ctx, &t); err != nil {
		return t, err
	}
	p.paid += c.Credits
	return t, errors.Join(p.check(&c, &t, pages), p.Audit(ctx, c.ID, money.Credits(pages), p.paid))
}

// await returns when the crawl has ended.
func (p *product) await(ctx context.Context, c *crawlAnswer) error {
	tick := time.NewTicker(crawlPoll)
	defer tick.Stop()
	for c.Status != "completed" {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("%d pages are done, %d failed: %w", c.Pages, c.Failed, ctx.Err())
		}
		if err := p.Ask(ctx, http.MethodGet, "/v1/crawls/"+c.ID, nil, c); err != nil {
			return err
		}
	}
	return nil
}

// check reports an error unless each page was crawled once.
func (p *product) check(c *crawlAnswer, t *turn, pages int) error {
	if c.Pages != pages || c.Failed != 0 || c.Credits != money.Credits(pages) || c.Outcome != "succeeded" || t.Wrong != 0 {
		return fmt.Errorf("a crawl that %s: %d pages, %d failed, %d credits, want %d, none and as many; %d pages were not asked for once",
			c.Outcome, c.Pages, c.Failed, c.Credits, pages, t.Wrong)
	}
	return nil
}
