package main

import (
	"context"
	"time"

	"github.com/turnpike-edge/turnpike/backend/crawls"
	"github.com/turnpike-edge/turnpike/backend/extract"
	"github.com/turnpike-edge/turnpike/backend/fetch"
	"github.com/turnpike-edge/turnpike/backend/fetch/politeness"
	"github.com/turnpike-edge/turnpike/backend/frontier"
	"github.com/turnpike-edge/turnpike/backend/maps"
	"github.com/turnpike-edge/turnpike/backend/memory"
	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/credits"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// seenEntries is how many URLs of crawls a worker remembers as known, at 16 bytes each.
const seenEntries = 1 << 20

// openSites makes the features that look at whole sites, and what they have in common.
func (b *backend) openSites(cfg backendConfig, pages *memory.Budget) (err error) {
	b.robots, err = politeness.NewRobots(politeness.RobotsConfig{
		Queries: db.New(b.pool), Fetcher: b.fetcher, Agent: fetch.ProductToken, Now: time.Now,
	})
	if err != nil {
		return err
	}
	if b.siteFetcher, err = fetch.New(siteFetching(cfg.fetch)); err != nil {
		return err
	}
	b.maps, err = maps.New(maps.Config{
		Queries: db.New(b.pool), Fetcher: b.siteFetcher, Robots: b.robots, Blobs: b.store, Memory: pages, Agent: fetch.ProductToken,
		Places: b.share("maps", maps.PlacesDefault, placePatience), Available: b.available, Logger: cfg.logger, Now: time.Now,
	})
	return err
}

// siteFetching is how sitemaps are fetched, which may be larger than pages.
func siteFetching(pages fetch.Config) fetch.Config {
	pages.WireBytesMax, pages.BodyBytesMax = maps.BodyBytesMax, maps.BodyBytesMax
	return pages
}

// available is what a team can spend.
func (b *backend) available(ctx context.Context, teamID string) (money.Credits, error) {
	balance, err := credits.NewLedger(b.pool).Balance(ctx, teamID)
	return balance.Available(), err
}

// openCrawls makes crawls, whose work is done where that of batches is.
func (b *backend) openCrawls(cfg backendConfig) (err error) {
	config := crawls.Config{
		Pool: b.pool, Jobs: jobsOf{b}, Pages: b.scrapes.Engine(), Robots: b.robots, Webhooks: b.webhooks, Owe: owe,
		Score: scoreLinks, HostPace: b.hostPace, LaneMax: cfg.jobs.teamRunning, Logger: cfg.logger, Now: time.Now,
	}
	if cfg.role.works() {
		config.Seen = frontier.NewSeen(seenEntries)
	}
	b.crawls, err = crawls.New(config)
	return err
}

const (
	// paceAhead is for how long the URLs of a host last that are begun at a time.
	paceAhead = 2 * time.Second
	// hostOpenMin are begun of a host, however seldom it is asked, and hostOpenFree of one that may be asked at any rate.
	hostOpenMin, hostOpenFree = 4, 256
)

// hostPace is how far apart a crawl begins URLs of a host, and how many it has begun at once: what the host is asked for in
// two seconds.
func (b *backend) hostPace(host string) (interval time.Duration, open int) {
	if b.gate == nil {
		return 0, hostOpenFree
	}
	interval, exempt := b.gate.Pace(host)
	if exempt {
		return 0, hostOpenFree
	}
	return interval, min(max(int(paceAhead/interval), hostOpenMin), hostOpenFree)
}

// scoreLinks implements frontier.ScoreFunc.
func scoreLinks(ctx context.Context, links []page.Link, query string) ([]float64, error) {
	read := make([]extract.Link, len(links))
	for i := range links {
		l := &links[i]
		read[i] = extract.Link{URL: l.URL, Text: l.Text, Heading: l.Heading, Around: l.Around}
	}
	scored, err := extract.ScoreLinks(ctx, read, query)
	scores := make([]float64, len(scored))
	for i := range scored {
		scores[i] = scored[i].Score
	}
	return scores, err
}
