package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/turnpike-edge/turnpike/payments/money"
)

// served is a metered request that got a complete response with 200.
type served struct {
	job   string
	key   int // index of the team
	price money.Credits
	inc   *incarnation
	begun time.Time
	at    time.Time
}

// refusal is a response with 503.
type refusal struct {
	key   int // index of the team
	begun time.Time
	took  time.Duration
}

// product is something that a key buys.
type product struct {
	name    string
	clients int
	// method is POST by default: net/http sends that once, while it may repeat a GET on a connection that breaks.
	method string
	// fresh says that each request has a connection of its own.
	fresh bool
	// orderFunc draws a request: the path, and the price; 0 if only the response states it.
	orderFunc func(random *rand.Rand) (path string, price money.Credits)
	body      string
	// jobFunc reads from a response the name of the job that was done for it.
	jobFunc func(body []byte) (string, error)
}

// spending is the load by key: teams spend their credits.
type spending struct {
	p        *place
	products []product
	clients  sync.WaitGroup

	mu       sync.Mutex
	served   []served
	refusals []refusal
	statuses map[string]map[int]int // by product and status; 0 for no response
	broke    map[int]int            // refused for lack of credits, by key
}

func newSpending(p *place, products ...product) *spending {
	s := &spending{p: p, products: products, statuses: make(map[string]map[int]int), broke: make(map[int]int)}
	for _, sold := range products {
		s.statuses[sold.name] = make(map[int]int)
	}
	return s
}

func (s *spending) start(beginning, finishing context.Context) {
	for i, sold := range s.products {
		for client := range sold.clients {
			random := rand.New(rand.NewPCG(s.p.cfg.seed, uint64((i+1)*10_000+client))) //nolint:gosec // no secret
			s.clients.Go(func() {
				for beginning.Err() == nil {
					s.buy(finishing, &sold, random)
				}
			})
		}
	}
}

func (s *spending) wait() { s.clients.Wait() }

const (
	// One request in hotOneIn uses the single hot key; the others share the rest.
	hotOneIn = 3
	// retryAfter spaces the retries after a broken connection or a 503.
	retryAfter = 50 * time.Millisecond
	// After one in giveUpOneIn refusals with 503 a client wants something else, perhaps for another team.
	giveUpOneIn = 4
	// answerTimeout is longer than anything takes that is not broken.
	answerTimeout = time.Minute
)

func (s *spending) drawKey(random *rand.Rand) int {
	if random.IntN(hotOneIn) == 0 {
		return 0
	}
	return random.IntN(len(s.p.teams))
}

// buy requests one thing until it has a final response, from any edge that serves. It retries when the connection
// breaks or the edge cannot decide.
func (s *spending) buy(ctx context.Context, sold *product, random *rand.Rand) {
	key := s.drawKey(random)
	path, price := sold.orderFunc(random)
	for {
		inc := s.p.doors.anyOpen(ctx, random)
		if inc == nil {
			return
		}
		if !inc.begin(key, price) {
			continue
		}
		got := served{key: key, price: price, inc: inc, begun: time.Now()}
		var status int
		// A request that was sent is waited for, whatever ctx says.
		got.job, status = s.ask(context.WithoutCancel(ctx), sold, path, &got)
		got.at = time.Now()
		inc.end(key, price, status == http.StatusOK)
		s.note(sold, &got, status)
		if isLast(status) || pause(ctx, retryAfter) != nil || status == http.StatusServiceUnavailable && random.IntN(giveUpOneIn) == 0 {
			return
		}
	}
}

func isLast(status int) bool {
	return status != 0 && status < http.StatusInternalServerError && status != http.StatusTooManyRequests
}

// ask makes one request and returns the job that was done for it, and the status; 0 if no complete response came.
func (s *spending) ask(ctx context.Context, sold *product, path string, order *served) (job string, status int) {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, cmp.Or(sold.method, http.MethodPost), order.inc.edge.URL(path), strings.NewReader(sold.body))
	if err != nil {
		s.p.faultf("making a request: %v", err)
		return "", 0
	}
	req.Close = sold.fresh
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+s.p.teams[order.key].key)
	resp, err := order.inc.client.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			s.p.faultf("%s: no answer within %s", path, answerTimeout)
		}
		return "", 0
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return "", 0
	}
	if resp.StatusCode != http.StatusOK {
		return "", resp.StatusCode
	}
	used, err := strconv.ParseInt(resp.Header.Get("X-Credits-Used"), 10, 64)
	if told := money.Credits(used); err != nil || order.price != 0 && order.price != told {
		s.p.faultf("%s says that it cost %q, want %d", path, resp.Header.Get("X-Credits-Used"), order.price)
	}
	order.price = money.Credits(used)
	if job, err = sold.jobFunc(body); err != nil {
		s.p.faultf("an answer names no job: %v", err)
	}
	return job, resp.StatusCode
}

func (s *spending) note(sold *product, got *served, status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.statuses[sold.name][status]++
	switch status {
	case http.StatusOK:
		s.served = append(s.served, *got)
	case http.StatusServiceUnavailable:
		s.refusals = append(s.refusals, refusal{got.key, got.begun, got.at.Sub(got.begun)})
	case http.StatusPaymentRequired:
		s.broke[got.key]++
	}
}

func (s *spending) servedSoFar() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.served)
}

// products are what teams buy in the storm: nearly free work at mixed prices, for high load, and scrapes.
func (p *place) products() []product {
	work := product{
		name: "work", clients: p.cfg.workers, body: "{}",
		jobFunc: jobName,
		orderFunc: func(random *rand.Rand) (string, money.Credits) {
			price := 1 + random.IntN(workPriceMax)
			return fmt.Sprintf("/task/some?credits=%d", price), money.Credits(price)
		},
	}
	scrape := product{
		name: "scrapes", clients: p.cfg.scrapers, body: p.scrapeBody(), jobFunc: scrapeOf,
		orderFunc: func(*rand.Rand) (string, money.Credits) { return "/v1/scrapes", 1 },
	}
	return []product{work, scrape}
}

const workPriceMax = 7
