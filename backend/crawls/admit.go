package crawls

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/backend/queue/jobs"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/token"
)

const (
	// hostsMax is the number of hosts in which one round looks for URLs to open.
	hostsMax = 64
	// admitMore is how many URLs a batch opens beyond twice the number that it ends. A lane runs tasks that were added
	// in small batches before those of one large batch, so URLs of a large batch would be overtaken by all later ones.
	admitMore = 8
	// paceAhead is how long before its host's turn a URL may be opened when too little is in progress.
	paceAhead = 2 * time.Second
	// blockedLong is the longest block by a host during which its open URLs keep their places in the crawl.
	blockedLong = time.Minute
	// blockedMax caps the block that a host may ask for. The host limits use the same cap.
	blockedMax = time.Hour
)

// round is the parameters of one search for URLs to open.
type round struct {
	now      time.Time
	depthMax int32
	// dueBy limits the round to hosts that are due by this time. anyway opens one URL of each host, even if the host is
	// not due or is blocked, because nothing else is left to do.
	dueBy  time.Time
	anyway bool
}

// admit opens waiting URLs as far as places are free, enqueues their tasks and returns how many it opened.
//
// A URL is opened when its host is due, so its task need not be postponed. If that leaves less work than the team may
// run at once, some URLs are opened early and wait for their turn; each task that ends opens the next ones.
//
// With max_depth, a level starts when the level before it is finished. Only then is the depth of a URL that of its
// shortest path, which decides whether it is fetched at all. Without max_depth, nothing waits for slow URLs. Nothing
// waits for a host with a long block: its URLs are opened when the block ends, or when nothing else is left.
func (s *Service) admit(ctx context.Context, tx pgx.Tx, c *db.Crawl, ended int, now time.Time) (int, error) {
	most := min(int(c.MaxPages-c.Pages-c.Open), s.config.OpenMax-int(c.Open), int(c.Waiting), 2*ended+admitMore)
	if most <= 0 {
		return 0, nil
	}
	level := int32(math.MaxInt32)
	if c.MaxDepth != nil {
		level = c.Depth
	}
	n, err := s.openLevel(ctx, tx, c, round{now: now, depthMax: level}, most)
	if n > 0 || err != nil {
		return n, err
	}
	if c.MaxDepth != nil {
		over, err := s.levelOver(ctx, tx, c)
		if err != nil || !over {
			return 0, err
		}
		level++
		if n, err := s.openLevel(ctx, tx, c, round{now: now, depthMax: level}, most); n > 0 || err != nil {
			return n, err
		}
	}
	if c.Open > 0 {
		return 0, nil
	}
	return s.open(ctx, tx, c, round{now: now, depthMax: level, dueBy: now, anyway: true}, most)
}

// openLevel opens URLs of hosts that are due and, if too little is in progress, URLs of hosts that are due soon.
func (s *Service) openLevel(ctx context.Context, tx pgx.Tx, c *db.Crawl, r round, most int) (int, error) {
	r.dueBy = r.now
	n, err := s.open(ctx, tx, c, r, most)
	if err != nil {
		return 0, err
	}
	early := min(most, s.config.LaneMax-int(c.Open)) - n
	if early <= 0 {
		return n, nil
	}
	r.dueBy = r.now.Add(paceAhead)
	more, err := s.open(ctx, tx, c, r, early)
	return n + more, err
}

// open runs one round and returns how many URLs it opened.
func (s *Service) open(ctx context.Context, tx pgx.Tx, c *db.Crawl, r round, most int) (int, error) {
	ids := make([]string, most)
	for i := range ids {
		ids[i] = token.Random()
	}
	ns, err := db.New(tx).AdmitPages(ctx, db.AdmitPagesParams{
		CrawlID: c.ID, HostsMax: hostsMax, DepthMax: r.depthMax, Now: r.now, DueBy: r.dueBy, Anyway: r.anyway, RetrieveIds: ids,
	})
	if err != nil {
		return 0, fmt.Errorf("opening URLs of %s: %w", c.ID, err)
	}
	if len(ns) == 0 {
		return 0, nil
	}
	return len(ns), s.enqueue(ctx, tx, c, ns)
}

// levelOver reports whether no URL of the current level is in progress, except at blocked hosts.
func (s *Service) levelOver(ctx context.Context, tx pgx.Tx, c *db.Crawl) (bool, error) {
	if c.Open == 0 {
		return true, nil
	}
	busy, err := db.New(tx).CrawlIsBusy(ctx, c.ID)
	if err != nil {
		return false, fmt.Errorf("checking the open URLs of %s: %w", c.ID, err)
	}
	return !busy, nil
}

func (s *Service) enqueue(ctx context.Context, tx pgx.Tx, c *db.Crawl, ns []int32) error {
	return s.jobs.Enqueue(ctx, tx, jobs.Work{
		Queue: Queue, Lane: c.TeamID, TeamID: c.TeamID, Group: c.ID, Ns: ns, LaneMax: s.config.LaneMax,
	})
}

// park puts URLs of hosts with a long block back into the waiting state and returns the other URLs.
func (s *Service) park(ctx context.Context, tx pgx.Tx, c *db.Crawl, pages []ended, now time.Time) ([]ended, error) {
	p := db.ParkPagesParams{CrawlID: c.ID}
	left := pages[:0:0]
	for i := range pages {
		e := &pages[i]
		if e.state != stateWaiting {
			left = append(left, *e)
			continue
		}
		p.Ns, p.Tries = append(p.Ns, e.n), append(p.Tries, e.tries-e.unsent)
		p.BlockedUntils = append(p.BlockedUntils, now.Add(e.blocked))
	}
	if len(p.Ns) == 0 {
		return pages, nil
	}
	var err error
	if *c, err = db.New(tx).ParkPages(ctx, p); err != nil {
		return nil, fmt.Errorf("parking %d URLs of %s: %w", len(p.Ns), c.ID, err)
	}
	return left, nil
}
