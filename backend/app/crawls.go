package app

import (
	"context"
	"time"

	"github.com/turnpike-edge/turnpike/backend/crawls"
	"github.com/turnpike-edge/turnpike/backend/maps"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/page/fetch/hostlimits"
	"github.com/turnpike-edge/turnpike/backend/page/membudget"
	"github.com/turnpike-edge/turnpike/backend/page/urlfilter"
	"github.com/turnpike-edge/turnpike/backend/scrapes"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/credits"
	"github.com/turnpike-edge/turnpike/payments/money"
)

// seenEntries is how many known URLs of crawls a worker keeps in memory, at 16 bytes each.
const seenEntries = 1 << 20

// openSites creates the features that read whole sites, and their shared parts.
func (b *Backend) openSites(cfg Config, pages *membudget.Budget) (err error) {
	b.robots, err = hostlimits.NewRobots(hostlimits.RobotsConfig{
		Queries: db.New(b.pool), Fetcher: b.fetcher, Agent: fetch.ProductToken, Now: time.Now,
	})
	if err != nil {
		return err
	}
	if b.siteFetcher, err = fetch.New(siteFetching(cfg.Fetch)); err != nil {
		return err
	}
	b.maps, err = maps.New(maps.Config{
		Queries: db.New(b.pool), Fetcher: b.siteFetcher, Robots: b.robots, Blobs: b.store, Memory: pages, Agent: fetch.ProductToken,
		Places: b.share("maps", maps.PlacesDefault, placePatience), Available: b.available, Logger: cfg.Logger, Now: time.Now,
	})
	return err
}

// siteFetching returns the configuration for fetching sitemaps, which may be larger than pages.
func siteFetching(pages fetch.Config) fetch.Config {
	pages.WireBytesMax, pages.BodyBytesMax = maps.BodyBytesMax, maps.BodyBytesMax
	return pages
}

// available returns what a team can spend.
func (b *Backend) available(ctx context.Context, teamID string) (money.Credits, error) {
	balance, err := credits.NewLedger(b.pool).Balance(ctx, teamID)
	return balance.Available(), err
}

// openCrawls creates crawls. Their work runs where that of batches runs.
func (b *Backend) openCrawls(cfg Config) (err error) {
	config := crawls.Config{
		Pool: b.pool, Jobs: jobsOf{b}, Pages: b.scrapes.Engine(), Robots: b.robots, Webhooks: b.webhooks, Owe: owe,
		Score: scrapes.ScoreLinks, HostPace: b.hostPace, LaneMax: cfg.Jobs.TeamRunning, Logger: cfg.Logger, Now: time.Now,
	}
	if cfg.Role.works() {
		config.Seen = urlfilter.NewSeen(seenEntries)
	}
	b.crawls, err = crawls.New(config)
	return err
}

const (
	// paceAhead is how long the URLs last that are begun for a host at a time.
	paceAhead = 2 * time.Second
	// hostOpenMin URLs are begun for a host, however low its rate; hostOpenFree for a host without a rate limit.
	hostOpenMin, hostOpenFree = 4, 256
)

// hostPace returns the time between URLs that a crawl begins for a host, and how many are begun at once: as many as the
// host may get in two seconds.
func (b *Backend) hostPace(host string) (interval time.Duration, open int) {
	if b.gate == nil {
		return 0, hostOpenFree
	}
	interval, exempt := b.gate.Pace(host)
	if exempt {
		return 0, hostOpenFree
	}
	return interval, min(max(int(paceAhead/interval), hostOpenMin), hostOpenFree)
}
