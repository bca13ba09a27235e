package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/payments/credits"
	"github.com/turnpike-edge/turnpike/payments/money"
)

const (
	drainCredits  = money.Credits(100)
	drainRequests = 1000
	drainRounds   = 6 // of each kind
	// A round in which an edge could not decide in time proves less, so it is repeated with a new team.
	drainRoundsMore = 24
)

// order is one of the simultaneous requests.
type order struct {
	method, path, body string
	price              money.Credits
}

// outcome is the last response to an order.
type outcome struct {
	status    int
	available money.Credits // the available credits that a refusal names
	retries   int           // responses of 503 before that
}

// 1,000 simultaneous requests at three edges spend a team's 100 credits and no more, and no affordable request is refused.
//
//nolint:paralleltest // it measures
func TestCreditsRunOutAtManyEdgesAtOnce(t *testing.T) {
	p := newDrill(t, edges, &config{keys: 1, payers: 1}, nil)
	pool := p.pool(t)
	random := rand.New(rand.NewPCG(1, 2))
	for _, test := range []struct {
		name      string
		orderFunc func() order
	}{
		{"each costs 1", func() order { return order{http.MethodPost, "/metered/work", "{}", 1} }},
		{"each costs 1 to 7, by the query or the body", func() order {
			price := 1 + random.IntN(workPriceMax)
			if random.IntN(2) == 0 {
				return order{http.MethodPost, "/priced-by-body/work", fmt.Sprintf(`{"credits":%d}`, price), money.Credits(price)}
			}
			return order{http.MethodGet, fmt.Sprintf("/priced/work?credits=%d", price), "", money.Credits(price)}
		}},
	} {
		var rounds, whole, served, refused int
		for ; whole < drainRounds && rounds < drainRounds+drainRoundsMore; rounds++ {
			orders := make([]order, drainRequests)
			for i := range orders {
				orders[i] = test.orderFunc()
			}
			team, err := newTeam(t.Context(), pool, fmt.Sprintf("team_drain_%d_%d", len(test.name), rounds), drainCredits, spends)
			if err != nil {
				t.Fatal(err)
			}
			outcomes := p.drain(t, team, orders)
			s, r, retried := checkDrained(t, pool, test.name, team, orders, outcomes)
			served, refused = served+s, refused+r
			if retried == 0 {
				whole++
			}
		}
		if whole < drainRounds {
			t.Errorf("%s: %d of %d rounds were decided in time at once, want %d", test.name, whole, rounds, drainRounds)
		}
		t.Logf("%s: %d rounds of %d requests over %d edges on %d credits: %d served, %d refused; %d rounds without a 503",
			test.name, rounds, drainRequests, edges, drainCredits, served, refused, whole)
	}
}

// drain sends all orders at once, each to one of the edges.
func (p *place) drain(t *testing.T, payer team, orders []order) []outcome {
	t.Helper()
	outcomes := make([]outcome, len(orders))
	var ready, all sync.WaitGroup
	start := make(chan struct{})
	ready.Add(len(orders))
	for i := range orders {
		all.Go(func() {
			ready.Done()
			<-start
			var err error
			if outcomes[i], err = p.placeOrder(p.doors.at(i%edges), payer.key, &orders[i]); err != nil {
				t.Errorf("request %d: %v", i, err)
			}
		})
	}
	ready.Wait()
	close(start)
	all.Wait()
	return outcomes
}

// placeOrder repeats an order while it gets 503.
func (p *place) placeOrder(inc *incarnation, key string, o *order) (outcome, error) {
	for retries := 0; ; retries++ {
		req, err := http.NewRequest(o.method, inc.edge.URL(o.path), strings.NewReader(o.body))
		if err != nil {
			return outcome{}, err
		}
		req.Header.Set("Authorization", "Bearer "+key)
		req.Header.Set("Content-Type", "application/json")
		resp, err := inc.client.Do(req)
		if err != nil {
			return outcome{}, err
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			return outcome{}, err
		}
		if resp.StatusCode == http.StatusServiceUnavailable {
			continue
		}
		got := outcome{status: resp.StatusCode, retries: retries}
		if got.status == http.StatusPaymentRequired {
			var refusal struct {
				Metadata struct {
					Available money.Credits `json:"credits_available"`
				} `json:"metadata"`
			}
			err = json.Unmarshal(body, &refusal)
			got.available = refusal.Metadata.Available
		}
		return got, err
	}
}

// checkDrained checks one round's responses against the rule and the ledger.
func checkDrained(t *testing.T, pool *pgxpool.Pool, name string, payer team, orders []order, outcomes []outcome) (served, refused, retried int) {
	t.Helper()
	var spent money.Credits
	leastRefused := money.Credits(workPriceMax + 1)
	for i, got := range outcomes {
		retried += got.retries
		switch got.status {
		case http.StatusOK:
			served++
			spent += orders[i].price
		case http.StatusPaymentRequired:
			refused++
			leastRefused = min(leastRefused, orders[i].price)
			// A request must not be refused if the credits available at that moment were enough.
			if orders[i].price <= got.available {
				t.Errorf("%s: a request of %d was refused with %d available", name, orders[i].price, got.available)
			}
		default:
			t.Errorf("%s: request %d: got %d, want 200 or 402", name, i, got.status)
		}
	}
	ledger := credits.NewLedger(pool)
	var left credits.Balance
	eventually(t, "all holds are captured", time.Minute, func() bool {
		var err error
		if left, err = ledger.Balance(t.Context(), payer.id); err != nil {
			t.Fatal(err)
		}
		return left.Held == 0
	})
	if spent > drainCredits || left.Balance != drainCredits-spent {
		t.Errorf("%s: %d credits were served of %d, and %d are left", name, spent, drainCredits, left.Balance)
	}
	// Available credits only fall, unless a request that got 503 is voided. So a refused request is not affordable at the
	// end either.
	if retried == 0 && left.Balance >= leastRefused {
		t.Errorf("%s: %d credits are left, and a request of %d was refused", name, left.Balance, leastRefused)
	}
	isUnitPrice := !slices.ContainsFunc(orders, func(o order) bool { return o.price != 1 })
	if isUnitPrice && retried == 0 && served != int(drainCredits) {
		t.Errorf("%s: served %d, want exactly %d", name, served, drainCredits)
	}
	if differences, err := ledger.Check(t.Context()); err != nil || len(differences) > 0 {
		t.Errorf("%s: the ledger: got %v and %v, want no difference", name, differences, err)
	}
	return served, refused, retried
}
