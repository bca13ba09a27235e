package crawls_test

import (
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/crawls"
	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/dev/workshop"
	"github.com/turnpike-edge/turnpike/payments/money"
)

var (
	propertySeed  = flag.Uint64("property-seed", 0, "what the property test does, of chance else")
	propertySteps = flag.Int("property-steps", 40, "how much the property test does")
)

// web is a random site. Its pages fail, copy another page, redirect (also to a page that fails when asked for
// directly), are another page with an upper-case URL and a line of their own, or only say that they do not exist.
type web struct {
	name  string
	nodes []node
}

type node struct {
	links []int
	same  int  // the page whose content it has
	still bool // same content for every request, as others copy it
	kind  int
}

// The kinds of nodes.
const (
	plain = iota
	copied
	redirecting
	failing
	missing
	guarded // fails unless reached by a redirect
	leading // redirects to a guarded page
	capital
	soft
	kinds
)

func newWeb(rnd *rand.Rand, name string, size int) *web {
	w := &web{name: name, nodes: make([]node, size)}
	for i := range w.nodes {
		n := &w.nodes[i]
		n.same = i
		for range 1 + rnd.IntN(4) {
			n.links = append(n.links, rnd.IntN(size))
		}
		if i > 0 && rnd.IntN(2) == 0 {
			n.kind = rnd.IntN(kinds)
		}
	}
	for i := range w.nodes {
		n := &w.nodes[i]
		switch n.kind {
		case copied, redirecting, capital:
			n.same = w.any(rnd, plain)
			w.nodes[n.same].still = w.nodes[n.same].still || n.kind == copied
		case leading:
			if n.same = w.any(rnd, guarded); n.same < 0 {
				n.kind, n.same = plain, i
			}
		}
	}
	return w
}

// any is a random node of a kind, or -1.
func (w *web) any(rnd *rand.Rand, kind int) int {
	var of []int
	for i := range w.nodes {
		if w.nodes[i].kind == kind {
			of = append(of, i)
		}
	}
	if len(of) == 0 {
		return -1
	}
	return of[rnd.IntN(len(of))]
}

// url spells numbers in letters: the crawler would treat digits as a URL pattern.
func (w *web) url(i int) string {
	if n := &w.nodes[i]; n.kind == capital {
		host, path, _ := strings.Cut(strings.TrimPrefix(w.url(n.same), "https://"), "/")
		return "https://" + host + "/" + strings.ToUpper(path)
	}
	spelled := strings.Map(func(r rune) rune { return 'a' + r - '0' }, strconv.Itoa(i))
	return fmt.Sprintf("https://%c.%s.test/%s", 'a'+rune(i%3), w.name, spelled)
}

func (w *web) start() string { return w.url(0) }

func (w *web) at(url string) int {
	_, spelled, _ := strings.Cut(strings.TrimPrefix(url, "https://"), "/")
	i, err := strconv.Atoi(strings.Map(func(r rune) rune { return '0' + r - 'a' }, strings.ToLower(spelled)))
	if err != nil || i < 0 || i >= len(w.nodes) {
		return -1
	}
	return i
}

func (w *web) get(j *page.Job) (page.Kept, error) {
	i := w.at(j.URL)
	if i < 0 || w.nodes[i].kind == soft {
		k := kept(j)
		k.Title, k.Heading = "Page not found", "Page not found"
		return k, nil
	}
	n := &w.nodes[i]
	switch n.kind {
	case failing, guarded:
		return page.Kept{}, failure(page.ClassFinal, problem.FetchFailed)
	case missing:
		k := kept(j)
		k.StatusCode = 404
		return k, nil
	}
	var links []string
	for _, to := range w.nodes[n.same].links {
		links = append(links, w.url(to))
	}
	k := kept(j, links...)
	binary.BigEndian.PutUint64(k.ContentKey[:], uint64(n.same)+1)
	k.Simhash = (uint64(n.same) + 1) * 0x9e3779b97f4a7c15
	if n.kind == redirecting || n.kind == leading {
		k.FinalURL = w.url(n.same)
	}
	if strings.ToLower(j.URL) != j.URL && !n.still { // upper case: content differs by request
		k.ContentKey[15], k.Simhash = j.RetrieveID[0], k.Simhash^1<<(j.RetrieveID[0]%64)
	}
	return k, nil
}

// reachable counts the pages within a depth.
func (w *web) reachable(depth *int32) int {
	reached, seen := map[int]bool{}, map[int]bool{0: true}
	level := []int{0}
	for d := int32(0); len(level) > 0; d++ {
		var next []int
		for _, i := range level {
			n := &w.nodes[i]
			switch {
			case n.kind == failing, n.kind == missing, n.kind == guarded, n.kind == soft, reached[n.same]:
				continue
			}
			reached[n.same] = true
			if depth != nil && d >= *depth {
				continue
			}
			for _, to := range w.nodes[n.same].links {
				if !seen[to] {
					seen[to] = true
					next = append(next, to)
				}
			}
		}
		level = next
	}
	return len(reached)
}

// chance serves webs, and makes some tries fail that later tries make good.
type chance struct {
	mu   sync.Mutex
	rnd  *rand.Rand
	webs map[string]*web
}

func (c *chance) n(n int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.rnd.IntN(n)
}

func (c *chance) of(url string) *web {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.webs[strings.Split(strings.Split(url, "/")[2], ".")[1]]
}

func (c *chance) keep(ctx context.Context, j *page.Job) (page.Kept, error) {
	if w := c.of(j.URL); w.at(j.URL) < 0 { // a probe for the site's "not found" page
		return w.get(j)
	}
	switch c.n(20) {
	case 0, 1:
		if j.Attempt == 1 {
			return page.Kept{}, failure(page.ClassLater, problem.RequestTimeout)
		}
	case 2:
		if j.Attempt == 1 {
			k := kept(j)
			k.StatusCode = 503
			return k, nil
		}
	case 3, 4: // takes a while, or until it is cut off
		timer := time.NewTimer(time.Duration(c.n(100)) * time.Millisecond)
		defer timer.Stop()
		select {
		case <-ctx.Done():
			return page.Kept{}, failure(page.ClassWait, problem.FetchFailed)
		case <-timer.C:
		}
	}
	return c.of(j.URL).get(j)
}

// order is a crawl of a random web.
func (c *chance) order(steps *rand.Rand, i int) (*crawls.Order, *web) {
	name := "w" + string(rune('a'+i/26)) + string(rune('a'+i%26))
	w := newWeb(steps, name, 2+steps.IntN(80))
	c.mu.Lock()
	c.webs[name] = w
	c.mu.Unlock()
	o := &crawls.Order{
		StartURL: w.start(), MaxPages: 1 + steps.Int32N(60), Spec: crawls.Spec{IncludeSubdomain: true}, Webhook: "https://hooks.example.com/",
	}
	if steps.IntN(3) == 0 {
		o.MaxDepth = new(steps.Int32N(5))
	}
	return o, w
}

// Whatever happens to pages, workers and crawls: there are at most max_pages pages, and no fewer than can be found.
// Each URL and content occurs once, and the captured amount is the cost of the pages.
func TestWhateverHappens(t *testing.T) {
	t.Parallel()
	seed := *propertySeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("seed %d", seed)
	p := newPlace(t)
	luck := &chance{rnd: rand.New(rand.NewPCG(seed, 1)), webs: map[string]*web{}}
	p.pages.price, p.pages.keep = 3, luck.keep
	steps := rand.New(rand.NewPCG(seed, 2))
	teams := []*workshop.Team{p.NewTeam(1_000_000), p.NewTeam(1_000_000)}
	workers := []*workshop.Mortal{p.NewMortal(p.worker), p.NewMortal(p.worker)}
	want, owner := map[string]int{}, map[string]*workshop.Team{}
	var ids []string
	killed := 0
	for step := range *propertySteps {
		id := ""
		if len(ids) > 0 {
			id = ids[steps.IntN(len(ids))]
		}
		switch what := steps.IntN(10); {
		case what < 5 || id == "":
			tm := teams[steps.IntN(len(teams))]
			o, w := luck.order(steps, step)
			c := p.mustCreate(tm, o)
			ids, owner[c.ID] = append(ids, c.ID), tm
			want[c.ID] = min(int(o.MaxPages), w.reachable(o.MaxDepth))
		case what < 6:
			_, err := p.service.Cancel(t.Context(), owner[id].Reader(), id)
			workshop.Must(t, err)
		case what < 7 && steps.IntN(2) == 0:
			workshop.Must(t, crawls.EndCrawl(t.Context(), p.service, id))
		case what < 8 && killed < 3:
			i := steps.IntN(len(workers))
			workers[i].Kill()
			workers[i] = p.NewMortal(p.worker)
			killed++
		default: // let a page or two be fetched
			p.Await()
		}
	}
	p.Until("all crawls completed", func() bool { return p.Count(`select count(*) from crawl where status = 'in_progress'`) == 0 })
	p.settled()
	whole := 0
	for _, id := range ids {
		c := p.crawl(id)
		cut := p.Count(`select count(*) from crawl_url where crawl_id = $1 and reason = 'request_timeout'`, id)
		if *c.Outcome == "canceled" || cut > 0 {
			if int(c.PagesCount) > want[id] {
				t.Errorf("%s: got %d pages, want %d at most", id, c.PagesCount, want[id])
			}
			continue
		}
		whole++
		if int(c.PagesCount) != want[id] {
			t.Errorf("%s: got %d pages of at most %d, want %d", id, c.PagesCount, c.MaxPages, want[id])
		}
		if *c.CreditsConsumed != money.Credits(3*c.PagesCount) {
			t.Errorf("%s: got %d credits for %d pages", id, *c.CreditsConsumed, c.PagesCount)
		}
	}
	t.Logf("%d crawls, %d of them whole, %d URLs ended, %d pages, %d workers killed", len(ids), whole,
		p.Count(`select count(*) from url_ending`), p.Count(`select sum(pages)::int from crawl`), killed)
}
