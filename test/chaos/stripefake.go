package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/turnpike-edge/turnpike/dev/rig"
	"github.com/turnpike-edge/turnpike/payments/stripe/stripetest"
)

const (
	stripeKey     = "sk_test_double"
	stripeWebhook = "whsec_double"
	webhookPath   = "/webhooks/stripe"

	// stripeTakes is the longest delay of the Stripe fake before it acts, and again before it responds: a kill is to
	// hit purchases in either half.
	stripeTakes = 150 * time.Millisecond
	// eventsEvery is how often events are looked for, and eventLateMost how late one may come. One in eventLostOneIn
	// never comes: the request or the sweepers must then find the outcome.
	eventsEvery    = 100 * time.Millisecond
	eventLateMost  = 2 * time.Second
	eventLostOneIn = 4
	// One in eventTwiceOneIn events comes again although it was accepted.
	eventTwiceOneIn = 5
)

// stripeFake is the Stripe fake. It outlives everything, and knows what was really charged.
type stripeFake struct {
	double *stripetest.Double
	server *httptest.Server
	isSlow atomic.Bool // while there is a storm
}

func newStripeFake() *stripeFake {
	t := &stripeFake{double: stripetest.New(stripetest.Config{SecretKey: stripeKey, WebhookSecret: stripeWebhook})}
	t.server = httptest.NewServer(http.HandlerFunc(t.serve))
	return t
}

func (t *stripeFake) settings() *rig.Stripe {
	return &rig.Stripe{SecretKey: stripeKey, WebhookSecret: stripeWebhook, APIBase: t.server.URL}
}

// decide makes banks decide on payments that are still pending.
func (t *stripeFake) decide() {
	for _, paid := range t.double.Oracle().Payments {
		t.double.Finish(paid.ID)
	}
}

// serve delays a request before it is processed, and before its response.
func (t *stripeFake) serve(w http.ResponseWriter, r *http.Request) {
	if t.isSlow.Load() {
		// A request that arrived is processed even if its client was killed meanwhile.
		_ = pause(context.WithoutCancel(r.Context()), drawTime(stripeTakes))
		w = &slowWriter{ResponseWriter: w}
	}
	t.double.ServeHTTP(w, r)
}

func drawTime(most time.Duration) time.Duration { return rand.N(most) } //nolint:gosec // no secret

type slowWriter struct{ http.ResponseWriter }

func (w *slowWriter) WriteHeader(status int) {
	_ = pause(context.Background(), drawTime(stripeTakes))
	w.ResponseWriter.WriteHeader(status)
}

// messenger delivers the Stripe fake's events as Stripe does: late, out of order, some twice, until each is accepted.
// Unlike Stripe, it loses some.
type messenger struct {
	p      *place
	random *rand.Rand
	posts  sync.WaitGroup
}

// deliver runs while beginning lasts, and drops undelivered events when finishing ends. It decides pending payments.
func (m *messenger) deliver(beginning, finishing context.Context) {
	tick := time.NewTicker(eventsEvery)
	defer tick.Stop()
	defer m.posts.Wait()
	for {
		for _, ev := range m.p.stripeFake.double.Events() {
			if ev.Type == "payment_intent.processing" {
				m.p.stripeFake.double.Finish(intentOf(ev))
			}
			if m.random.IntN(eventLostOneIn) == 0 {
				continue
			}
			late, random := rand.N(eventLateMost), rand.New(rand.NewPCG(m.random.Uint64(), 0)) //nolint:gosec // no secret
			m.posts.Go(func() {
				if pause(finishing, late) == nil {
					m.post(finishing, ev, random)
				}
			})
		}
		select {
		case <-tick.C:
		case <-beginning.Done():
			return
		}
	}
}

// post delivers one event to any edge that accepts it.
func (m *messenger) post(ctx context.Context, ev stripetest.Event, random *rand.Rand) {
	for times := 1 + oneIn(random, eventTwiceOneIn); times > 0; {
		inc := m.p.doors.anyOpen(ctx, random)
		if inc == nil {
			return
		}
		status, err := m.p.stripeFake.double.Deliver(ctx, inc.client, inc.edge.URL(webhookPath), ev)
		switch {
		case err == nil && status == http.StatusOK:
			times--
		case err == nil && status < http.StatusInternalServerError:
			m.p.faultf("event %s (%s) was answered with %d", ev.ID, ev.Type, status)
			return
		case pause(ctx, sendEvery) != nil:
			return
		}
	}
}

func oneIn(random *rand.Rand, n int) int {
	if random.IntN(n) == 0 {
		return 1
	}
	return 0
}

// intentOf reads the payment that an event is about.
func intentOf(ev stripetest.Event) string {
	var event struct {
		Data struct {
			Object struct {
				ID string `json:"id"`
			} `json:"object"`
		} `json:"data"`
	}
	_ = json.Unmarshal(ev.Payload, &event) // the Stripe fake wrote it
	return event.Data.Object.ID
}

// saveCards gives each team that buys credits a card, in the way that its owner would.
func (p *place) saveCards(ctx context.Context, random *rand.Rand) error {
	for i := range p.teams {
		if t := &p.teams[i]; t.buys {
			if err := p.saveCard(ctx, t, random); err != nil {
				return fmt.Errorf("saving a card of %s: %w", t.id, err)
			}
		}
	}
	return nil
}

func (p *place) saveCard(ctx context.Context, t *team, random *rand.Rand) error {
	inc := p.doors.anyOpen(ctx, random)
	if inc == nil {
		return context.Cause(ctx)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, inc.edge.URL("/user/payment-method"), strings.NewReader(`{}`))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+t.key)
	req.Header.Set("Content-Type", "application/json")
	resp, err := inc.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	var page struct {
		URL string `json:"url"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&page); err != nil || resp.StatusCode != http.StatusOK {
		return errors.Join(fmt.Errorf("asking for a page: %s", resp.Status), err)
	}
	if t.card, err = p.stripeFake.double.Complete(page.URL, stripetest.OK); err != nil {
		return err
	}
	for _, ev := range p.stripeFake.double.Events() {
		status, err := p.stripeFake.double.Deliver(ctx, inc.client, inc.edge.URL(webhookPath), ev)
		if err != nil || status != http.StatusOK {
			return errors.Join(fmt.Errorf("event %s was answered with %d", ev.Type, status), err)
		}
	}
	return nil
}
