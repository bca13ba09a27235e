package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/price"
	"github.com/turnpike-edge/turnpike/payments/stripe/stripetest"
)

// purchase is one pack that a client wants, and its last response: the client retries with one key until it is final.
type purchase struct {
	team    int // index
	pack    price.Pack
	key     string
	status  int // of the last real response; 0: none yet
	code    string
	intent  string
	credits money.Credits
	asked   int // how often
}

// topups is the load by card: teams buy credits.
type topups struct {
	p       *place
	clients sync.WaitGroup

	mu        sync.Mutex
	purchases []*purchase
	statuses  map[int]int // of all responses; 0 for none
}

func newTopups(p *place) *topups { return &topups{p: p, statuses: make(map[int]int)} }

// behaviours are what cards do; repeats give the odds. After each of them a team can go on. An error that Stripe
// stores, with nothing charged, is left out because it would stop the team for a day.
var behaviours = []stripetest.Behaviour{
	stripetest.OK, stripetest.OK, stripetest.OK, stripetest.OK, stripetest.OK, stripetest.OK, stripetest.InsufficientFunds,
	stripetest.ProcessingSucceeds, stripetest.Error500After, stripetest.DropBefore, stripetest.DropAfter, stripetest.InUse,
	stripetest.Unavailable,
}

func (l *topups) start(beginning, finishing context.Context) {
	l.p.stripeFake.isSlow.Store(true)
	context.AfterFunc(beginning, func() { l.p.stripeFake.isSlow.Store(false) })
	for i := range l.p.teams {
		if l.p.teams[i].buys {
			random := rand.New(rand.NewPCG(l.p.cfg.seed, uint64(2_000_000+i))) //nolint:gosec // no secret
			l.clients.Go(func() { l.buy(beginning, i, random) })
		}
	}
	m := &messenger{p: l.p, random: rand.New(rand.NewPCG(l.p.cfg.seed, 3_000_000))} //nolint:gosec // no secret
	l.clients.Go(func() { m.deliver(beginning, finishing) })
}

func (l *topups) wait() { l.clients.Wait() }

// buy buys one pack after the other while beginning lasts. [topups.conclude] asks for purchases that are still open
// then: sweepers take up a purchase of a killed edge only when it is a minute old.
func (l *topups) buy(beginning context.Context, team int, random *rand.Rand) {
	packs := price.DefaultPacks()
	for beginning.Err() == nil {
		l.p.stripeFake.double.SetBehaviour(l.p.teams[team].card, behaviours[random.IntN(len(behaviours))])
		bought := &purchase{team: team, pack: packs[random.IntN(len(packs))], key: uuid.NewString()}
		l.mu.Lock()
		l.purchases = append(l.purchases, bought)
		l.mu.Unlock()
		l.askUntilKnown(beginning, bought, random)
	}
}

func (l *topups) askUntilKnown(ctx context.Context, b *purchase, random *rand.Rand) {
	for {
		inc := l.p.doors.anyOpen(ctx, random)
		if inc == nil {
			return
		}
		// A request that was sent is waited for, whatever ctx says.
		if l.ask(context.WithoutCancel(ctx), b, inc) || pause(ctx, askEvery) != nil {
			return
		}
	}
}

// ask reports whether the response is final: credited, or declined.
func (l *topups) ask(ctx context.Context, b *purchase, inc *incarnation) (known bool) {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	body := fmt.Sprintf(`{"credits":%d}`, b.pack.Credits)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, inc.edge.URL("/user/purchase-topup"), strings.NewReader(body))
	if err != nil {
		l.p.faultf("making a request: %v", err)
		return true
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+l.p.teams[b.team].key)
	req.Header.Set("Idempotency-Key", b.key)
	b.asked++
	var answer struct {
		Code            string        `json:"code"`
		PaymentIntentID string        `json:"payment_intent_id"`
		Credits         money.Credits `json:"credits"`
	}
	status := 0
	if resp, err := inc.client.Do(req); err == nil {
		defer resp.Body.Close()
		if json.NewDecoder(resp.Body).Decode(&answer) == nil {
			status = resp.StatusCode
		}
	} else if ctx.Err() != nil {
		l.p.faultf("a purchase had no answer within %s", answerTimeout)
	}
	l.mu.Lock()
	l.statuses[status]++
	l.mu.Unlock()
	switch status {
	case 0, http.StatusAccepted, http.StatusConflict, http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return false
	case http.StatusOK, http.StatusPaymentRequired:
	default:
		l.p.faultf("purchase %s of %s was answered with %d %s", b.key, l.p.teams[b.team].id, status, answer.Code)
	}
	b.status, b.code, b.intent, b.credits = status, answer.Code, answer.PaymentIntentID, answer.Credits
	return true
}

// conclude asks again for purchases whose outcome is unknown, after the sweepers have finished what killed edges began.
func (l *topups) conclude(ctx context.Context) {
	for i, b := range l.purchases {
		if b.status != 0 {
			continue
		}
		l.p.stripeFake.double.SetBehaviour(l.p.teams[b.team].card, stripetest.OK)
		random := rand.New(rand.NewPCG(l.p.cfg.seed, uint64(4_000_000+i))) //nolint:gosec // no secret
		l.clients.Go(func() { l.askUntilKnown(ctx, b, random) })
	}
	l.clients.Wait()
}

// askEvery spaces requests for one purchase.
const askEvery = time.Second

// hastenEvery is how often purchases are marked as due for the sweepers.
const hastenEvery = time.Second
