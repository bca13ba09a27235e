package crawls_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/crawls"
	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/dev/workshop"
)

// town is a site of many hosts. The start page links to all pages, or (deep) to the first page of each host, which
// links to the others. It records the order of the hosts' requests and their concurrency.
type town struct {
	hosts map[string]int // number of pages
	deep  bool           // the first page of each host links to the others
	takes func(host string) time.Duration
	fails func(host string, n int) (page.Kept, error) // nil error and no status: no failure

	mu    sync.Mutex
	order []string
	begun map[string]int
	open  map[string]int
	most  map[string]int
}

const townStart = "https://town.test/"

func (w *town) keep(ctx context.Context, j *page.Job) (page.Kept, error) {
	host := strings.Split(j.URL, "/")[2]
	n := w.begin(host)
	defer w.end(host)
	if w.takes != nil {
		timer := time.NewTimer(w.takes(host))
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return page.Kept{}, failure(page.ClassWait, problem.FetchFailed)
		}
	}
	if w.fails != nil {
		if k, err := w.fails(host, n); err != nil || k.StatusCode != 0 {
			k.RetrieveID, k.Attempts, k.Outcome, k.Expires, k.FinalURL = j.RetrieveID, j.Attempt, []byte(`{}`), j.Expires, j.URL
			return k, err
		}
	}
	k := kept(j, w.links(j.URL, host)...)
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(j.URL))
	binary.BigEndian.PutUint64(k.ContentKey[:], hash.Sum64())
	return k, nil
}

func (w *town) links(url, host string) (links []string) {
	switch {
	case url == townStart:
		for name, pages := range w.hosts {
			if w.deep {
				pages = 1
			}
			for i := range pages {
				links = append(links, townPage(name, i))
			}
		}
	case w.deep && url == townPage(host, 0):
		for i := 1; i < w.hosts[host]; i++ {
			links = append(links, townPage(host, i))
		}
	}
	return links
}

// townPage spells numbers in letters: the crawler would treat digits as a URL pattern.
func townPage(host string, i int) string { return "https://" + host + "/" + letters(i) }

func letters(i int) string {
	return strings.Map(func(r rune) rune { return 'a' + r - '0' }, fmt.Sprintf("%05d", i))
}

func (w *town) begin(host string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.begun == nil {
		w.begun, w.open, w.most = map[string]int{}, map[string]int{}, map[string]int{}
	}
	w.order = append(w.order, host)
	w.begun[host]++
	w.open[host]++
	w.most[host] = max(w.most[host], w.open[host])
	return w.begun[host]
}

func (w *town) end(host string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.open[host]--
}

func (w *town) pages() int {
	n := 1
	for _, pages := range w.hosts {
		n += pages
	}
	return n
}

func busy(host string, after time.Duration) error {
	err := &fetch.BusyError{Host: host, RetryAfter: after}
	return &page.Error{Class: page.ClassWait, After: after, Problem: problem.Wrap(problem.Overloaded, "Busy.", err)}
}

// Sixty small hosts, one large host, and a few places: the hosts take turns. No host gets two turns while another with
// pages left gets none.
func TestHostsTakeTurns(t *testing.T) {
	t.Parallel()
	const small, each, large, places = 60, 4, 150, 8
	p := newPlace(t, func(c *crawls.Config) {
		c.OpenMax, c.LaneMax, c.HostPace = places, places, func(string) (time.Duration, int) { return 0, 2 }
	})
	w := &town{hosts: map[string]int{"large.town.test": large}}
	for i := range small {
		w.hosts[letters(i)+".town.test"] = each
	}
	p.pages.keep = w.keep
	p.work()
	tm := p.NewTeam(10_000)
	c := p.untilCompleted(p.mustCreate(tm, &crawls.Order{
		StartURL: townStart, MaxPages: 5000, Spec: crawls.Spec{IncludeSubdomain: true},
	}).ID)
	if want := w.pages(); int(c.PagesCount) != want {
		t.Errorf("got %d pages, want %d", c.PagesCount, want)
	}
	for host, n := range w.most {
		if n > 2 {
			t.Errorf("%s: got %d pages under way at once, want 2 at most", host, n)
		}
	}
	// Between two turns of a host, another has one or two. A few more are possible, as pages of one flight start in any order.
	since := map[string]map[string]int{}
	left := map[string]int{}
	for host, n := range w.hosts {
		since[host], left[host] = map[string]int{}, n
	}
	worst := 0
	for _, host := range w.order[1:] {
		left[host]--
		clear(since[host])
		for other, turns := range since {
			if left[other] > 0 && other != host {
				turns[host]++
				worst = max(worst, turns[host])
			}
		}
	}
	t.Logf("most turns of a host between two of another: %d", worst)
	if worst > places {
		t.Errorf("a host had %d turns between two of another that had pages left, want %d at most", worst, places)
	}
	p.settled()
}

// A host that asks for an hour's pause takes no places meanwhile, and the next level does not wait for it. Its pages
// are fetched when the pause is over.
func TestHostsThatAreLeftAlone(t *testing.T) {
	t.Parallel()
	p := newPlace(t, func(c *crawls.Config) { c.OpenMax, c.LaneMax = 4, 4 })
	var mu sync.Mutex
	blocked, asked := true, 0
	w := &town{hosts: map[string]int{"sulky.town.test": 6, "kind.town.test": 12, "mild.town.test": 12}, deep: true}
	w.fails = func(host string, n int) (page.Kept, error) {
		mu.Lock()
		defer mu.Unlock()
		switch {
		case host != "sulky.town.test":
			return page.Kept{}, nil
		case n == 1:
			return page.Kept{StatusCode: http.StatusTooManyRequests, RetryAfter: time.Hour}, nil
		case blocked:
			asked++
			return page.Kept{}, busy(host, time.Hour)
		}
		return page.Kept{}, nil
	}
	p.pages.keep = w.keep
	p.work()
	tm := p.NewTeam(1000)
	c := p.mustCreate(tm, &crawls.Order{
		StartURL: townStart, MaxPages: 100, MaxDepth: new(int32(2)), Spec: crawls.Spec{IncludeSubdomain: true},
	})
	p.Until("all but the sulky host's pages", func() bool { return p.Count(`select pages from crawl where id = $1`, c.ID) == 1+12+12 })
	p.Until("the last of what is left waits in peace", func() bool {
		return p.Count(`select count(*) from task where not_before > now() + interval '50 minutes'`) == 1
	})
	if got := p.Count(`select open from crawl where id = $1`, c.ID); got != 1 {
		t.Errorf("got %d URLs open while the host is left alone, want 1", got)
	}
	mu.Lock()
	if asked > 3 {
		t.Errorf("the host was to be asked %d times while it was left alone, want once or twice", asked)
	}
	blocked = false
	mu.Unlock()
	_, err := p.Pool.Exec(t.Context(), `update task set not_before = now()`)
	workshop.Must(t, err)
	if c := p.untilCompleted(c.ID); int(c.PagesCount) != w.pages() || c.Failed != 0 || c.ActualMaxDepth != 2 {
		t.Errorf("got %d pages, %d failed, depth %d, want %d, none and 2", c.PagesCount, c.Failed, c.ActualMaxDepth, w.pages())
	}
	p.settled()
}

// Hosts are randomly busy, failing, or paused for a short or long time. Every page is fetched in the end, except those
// that failed three times.
func TestHostsOfAllTempers(t *testing.T) {
	t.Parallel()
	seed := *propertySeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 3))
	p := newPlace(t, func(c *crawls.Config) {
		c.OpenMax, c.LaneMax = 12, 12
		c.HostPace = func(host string) (time.Duration, int) {
			return time.Duration(len(host)%3) * time.Millisecond, 1 + len(host)%4
		}
	})
	w := &town{hosts: map[string]int{}}
	for i := range 25 {
		w.hosts[strings.Repeat(letters(i)[3:], 1+i%3)+".town.test"] = 1 + rnd.IntN(8)
	}
	var mu sync.Mutex
	w.fails = func(host string, n int) (page.Kept, error) {
		mu.Lock()
		defer mu.Unlock()
		if host == "town.test" || n > 6 {
			return page.Kept{}, nil
		}
		switch rnd.IntN(8) {
		case 0:
			return page.Kept{}, busy(host, time.Millisecond)
		case 1:
			return page.Kept{}, busy(host, time.Hour)
		case 2:
			return page.Kept{StatusCode: http.StatusServiceUnavailable, RetryAfter: time.Hour}, nil
		}
		return page.Kept{}, nil
	}
	p.pages.keep = w.keep
	p.work()
	p.work()
	tm := p.NewTeam(10_000)
	c := p.mustCreate(tm, &crawls.Order{StartURL: townStart, MaxPages: 400, Spec: crawls.Spec{IncludeSubdomain: true}})
	p.Until("crawl completed", func() bool {
		// The pauses of hosts pass at once.
		_, err := p.Pool.Exec(t.Context(), `update crawl_host set blocked_until = now() - interval '1 s' where blocked_until > now()`)
		workshop.Must(t, err)
		_, err = p.Pool.Exec(t.Context(), `update task set not_before = now() where not_before > now() + interval '2 s'`)
		workshop.Must(t, err)
		return p.Count(`select count(*) from crawl where id = $1 and status = 'completed'`, c.ID) == 1
	})
	if c := p.crawl(c.ID); int(c.PagesCount+c.Failed) != w.pages() {
		t.Errorf("got %d pages and %d failures, want %d in all", c.PagesCount, c.Failed, w.pages())
	}
	for host, n := range w.most {
		if most := 1 + len(host)%4; n > most {
			t.Errorf("%s: got %d under way at once, want %d at most", host, n, most)
		}
	}
	p.settled()
}
