package crawls

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/backend/jobs"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/token"
)

const (
	// hostsMax is how many hosts are looked at for URLs to open.
	hostsMax = 64
	// admitMore is how many URLs a flight opens beyond twice those that it ends. A lane takes what is added a few at a time
	// before what was added at once, so many at once would be overtaken by all that come after them.
	admitMore = 8
	// paceAhead is how long before its host's turn a URL is opened, where there is too little to do.
	paceAhead = 2 * time.Second
	// blockedLong is how long a host may want to be left alone without its URLs giving their places back.
	blockedLong = time.Minute
	// blockedMax is for how long hosts are believed, as they are where turns at them are given.
	blockedMax = time.Hour
)

// round is one look for URLs to open.
type round struct {
	now      time.Time
	depthMax int32
	// dueBy is when hosts are due of which some are opened. anyway has one of each host opened, due or not, and left alone
	// or not: for there is nothing else to do.
	dueBy  time.Time
	anyway bool
}

// admit opens URLs that wait as far as there are places for them, gives them tasks, and returns how many these are.
//
// They are opened when it is their host's turn, so that their tasks need not be put off. Where that leaves less to do than
// the team may have under way, some are opened before it, and wait for it: whichever comes to an end has the next opened.
//
// With a limit to depth, a level is begun when the one before it is over: only then is the depth of a URL that of its
// shortest way, which says whether it is fetched at all. Without one nothing waits for stragglers. Nor does anything wait
// for a host that is left alone for long: its URLs are opened when that is over, or when nothing else is left.
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

// openLevel opens what is due, and, as far as there would be too little under way, what is due soon.
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

// open is one round.
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

// levelOver reports whether nothing of the present level is under way, but at hosts that are left alone.
func (s *Service) levelOver(ctx context.Context, tx pgx.Tx, c *db.Crawl) (bool, error) {
	if c.Open == 0 {
		return true, nil
	}
	busy, err := db.New(tx).CrawlIsBusy(ctx, c.ID)
	if err != nil {
		return false, fmt.Errorf("looking at what is open of %s: %w", c.ID, err)
	}
	return !busy, nil
}

func (s *Service) enqueue(ctx context.Context, tx pgx.Tx, c *db.Crawl, ns []int32) error {
	return s.jobs.Enqueue(ctx, tx, jobs.Work{
		Queue: Queue, Lane: c.TeamID, TeamID: c.TeamID, Group: c.ID, Ns: ns, LaneMax: s.config.LaneMax,
	})
}

// park has URLs of a flight wait again whose hosts are left alone for long, and returns the others.
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
