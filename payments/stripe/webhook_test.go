package stripe

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stripe/stripe-go/v76/webhook"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/stripe/stripetest"
)

// bought is a team with 10,000 paid credits; all events are delivered.
func bought(t *testing.T) (*bench, string) {
	t.Helper()
	b := setup(t)
	b.card(stripetest.OK)
	got, err := b.buy(10_000, "")
	if err != nil {
		t.Fatalf("buying: %v", err)
	}
	b.deliver(b.stripe.Events()...)
	b.wantBalance(10_000, 0)
	return b, got.PaymentIntentID
}

func must[T any](t *testing.T) func(T, error) T {
	t.Helper()
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func TestRefunds(t *testing.T) {
	t.Parallel()
	b, intent := bought(t)
	first := must[string](t)(b.stripe.Refund(intent, 300))
	events := b.stripe.Events()
	b.deliver(events...)
	b.wantBalance(7000, 0)
	b.deliver(events...)
	b.wantBalance(7000, 0)

	must[string](t)(b.stripe.Refund(intent, 333))
	b.deliver(b.stripe.Events()...)
	b.wantBalance(3670, 0)

	if err := b.stripe.FailRefund(first); err != nil {
		t.Fatal(err)
	}
	b.deliver(b.stripe.Events()...)
	b.wantBalance(6670, 0)
	wantTrialBalance(t, b)
	wantKinds(t, b, "refund 3000, refund 3330, reversal 3000, topup 10000")
}

// wantKinds compares the team's entries in any order.
func wantKinds(t *testing.T, b *bench, want string) {
	t.Helper()
	var got string
	if err := b.pool.QueryRow(t.Context(), `
		select string_agg(kind || ' ' || amount, ', ' order by kind, amount) from ledger_transfer
		where $1 in (debit_account, credit_account) and idem_key like 'stripe:%'`, b.account).Scan(&got); err != nil {
		t.Fatal(err)
	}
	if got != want {
		t.Errorf("entries: got %s, want %s", got, want)
	}
}

// Credits that are refunded after they were spent are owed, and the next top-up pays the debt first.
func TestRefundOfWhatIsSpent(t *testing.T) {
	t.Parallel()
	b, intent := bought(t)
	if err := spend(t.Context(), b.pool, b.account, 9000); err != nil {
		t.Fatal(err)
	}
	must[string](t)(b.stripe.Refund(intent, 1000))
	b.deliver(b.stripe.Events()...)
	b.wantBalance(0, 9000)
	b.clock.Advance(time.Minute)
	if _, err := b.buy(10_000, ""); err != nil {
		t.Fatal(err)
	}
	b.wantBalance(1000, 0)
	wantTrialBalance(t, b)
}

// A refund does not take what is held for a job.
func TestRefundLeavesWhatIsHeld(t *testing.T) {
	t.Parallel()
	b, intent := bought(t)
	if _, err := b.pool.Exec(t.Context(), `
		with account as (
			update ledger_account set available = available - 4000 where id = $1 returning id
		)
		insert into hold (id, account_id, job_id, operation, amount, expires_at)
		select gen_random_uuid(), id, 'crawl_1', 'crawl', 4000, now() + interval '1 hour' from account`, b.account); err != nil {
		t.Fatal(err)
	}
	must[string](t)(b.stripe.Refund(intent, 1000))
	b.deliver(b.stripe.Events()...)
	b.wantBalance(4000, 4000)
}

func TestDisputes(t *testing.T) {
	t.Parallel()
	for _, won := range []bool{true, false} {
		t.Run(map[bool]string{true: "won", false: "lost"}[won], func(t *testing.T) {
			t.Parallel()
			b, intent := bought(t)
			if err := spend(t.Context(), b.pool, b.account, 4000); err != nil {
				t.Fatal(err)
			}
			must[string](t)(b.stripe.Refund(intent, 100))
			b.deliver(b.stripe.Events()...)
			b.wantBalance(5000, 0)
			dispute := must[string](t)(b.stripe.Dispute(intent))
			b.deliver(b.stripe.Events()...)
			b.wantBalance(0, 4000)
			if err := b.stripe.CloseDispute(dispute, won); err != nil {
				t.Fatal(err)
			}
			b.deliver(b.stripe.Events()...)
			wantTrialBalance(t, b)
			if won {
				b.wantBalance(5000, 0)
				wantKinds(t, b, "dispute 9000, dispute_won 9000, refund 1000, topup 10000")
				return
			}
			b.wantBalance(0, 4000)
			wantKinds(t, b, "dispute 9000, refund 1000, topup 10000")
		})
	}
}

// The event of the refund comes first: it credits the payment, and takes the refund back.
func TestRefundBeforeCredit(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.card(stripetest.TimeoutAfter)
	if got, err := b.buy(10_000, ""); err != nil || got.Status != Pending {
		t.Fatalf("purchase: got %+v, %v, want pending", got, err)
	}
	paid := b.stripe.Events()
	must[string](t)(b.stripe.Refund(b.stripe.Oracle().Payments[0].ID, 400))
	b.deliver(b.stripe.Events()...)
	b.wantBalance(6000, 0)
	b.deliver(paid...)
	b.clock.Advance(2 * time.Minute)
	b.sweep()
	b.wantBalance(6000, 0)
	wantTrialBalance(t, b)
}

func TestForgedWebhooks(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.card(stripetest.TimeoutAfter)
	if _, err := b.buy(10_000, ""); err != nil {
		t.Fatal(err)
	}
	payload := b.stripe.Events()[0].Payload
	good := b.stripe.Sign(payload)
	b.clock.Advance(-6 * time.Minute)
	old := b.stripe.Sign(payload)
	b.clock.Advance(12 * time.Minute)
	early := b.stripe.Sign(payload)
	b.clock.Advance(-6 * time.Minute)
	notJSON := []byte("{")
	for _, tc := range []struct {
		name    string
		payload []byte
		header  string
		want    error
	}{
		{"no header", payload, "", ErrSignature},
		{"another secret", payload, b.stripe.SignWith(payload, "whsec_other"), ErrSignature},
		{"another body", append(bytes.Clone(payload), ' '), good, ErrSignature},
		{"too old", payload, old, ErrSignature},
		{"from the future", payload, early, ErrSignature},
		{"signed but no JSON", notJSON, b.stripe.Sign(notJSON), ErrSignature},
		{"signed but no event", []byte("{}"), b.stripe.Sign([]byte("{}")), ErrSignature},
		{"a header of nothing", payload, "t=,v1=", ErrSignature},
		{"too large", make([]byte, WebhookBytesMax+1), good, ErrPayloadTooLarge},
	} {
		if err := b.svc.Webhook(t.Context(), tc.payload, tc.header); !errors.Is(err, tc.want) {
			t.Errorf("%s: got %v, want %v", tc.name, err, tc.want)
		}
	}
	// Before the body arrives, a header that no body could match is refused.
	signed, sum, _ := strings.Cut(good, ",v1=")
	for header, want := range map[string]error{
		good: nil, signed + ",v0=a,v1=zz,v1=" + sum: nil, b.stripe.SignWith(payload, "whsec_other"): nil, old: ErrSignature, early: ErrSignature,
		"": ErrSignature, "nonsense": ErrSignature, "v1=" + sum: ErrSignature, signed: ErrSignature, signed + ",v1=00": ErrSignature,
		"t=now,v1=" + sum: ErrSignature, good + ",": ErrSignature, good + ",v1=a=b": ErrSignature,
	} {
		if err := b.svc.CheckSignature(header); !errors.Is(err, want) {
			t.Errorf("header %q: got %v, want %v", header, err, want)
		}
	}
	b.wantBalance(0, 0)
	if err := b.svc.Webhook(t.Context(), payload, good); err != nil {
		t.Errorf("the real one: got %v, want it taken", err)
	}
	b.wantBalance(10_000, 0)
}

// Events of other types are acknowledged at once; events of another API version are accepted.
func TestOtherEvents(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, payload := range []string{
		`{"id":"evt_a","object":"event","type":"invoice.paid","data":{"object":{"id":"in_1","object":"invoice"}}}`,
		`{"id":"evt_b","object":"event","type":"payment_intent.succeeded","api_version":"2031-01-01","data":{"object":{"id":"pi_others","object":"payment_intent"}}}`,
		`{"id":"evt_c","object":"event","type":"charge.refunded","data":{"object":{"id":"ch_1","object":"charge","payment_intent":null}}}`,
		`{"id":"evt_d","object":"event","type":"charge.dispute.created","data":{"object":{"id":"dp_1","payment_intent":{"id":"pi_others"}}}}`,
		`{"id":"evt_e","object":"event","type":"setup_intent.succeeded","data":{"object":{"id":"seti_others","object":"setup_intent"}}}`,
	} {
		if err := b.svc.Webhook(t.Context(), []byte(payload), b.stripe.Sign([]byte(payload))); err != nil {
			t.Errorf("%s: got %v, want it taken", payload, err)
		}
		id := payload[7:12]
		if done, err := b.q.StripeEventIsDone(t.Context(), id); err != nil || !done {
			t.Errorf("event %s: done is %t (%v), want true", id, done, err)
		}
	}
	live := []byte(`{"id":"evt_live","object":"event","type":"invoice.paid","livemode":true}`)
	if err := b.svc.Webhook(t.Context(), live, b.stripe.Sign(live)); err != nil {
		t.Errorf("an event of the other mode: got %v, want it passed over", err)
	}
}

func TestWebhookWithoutDatabaseComesAgain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.card(stripetest.TimeoutAfter)
	if _, err := b.buy(10_000, ""); err != nil {
		t.Fatal(err)
	}
	ev := b.stripe.Events()[0]
	for _, operation := range []string{"StripeEventIsDone", "TopupByIntent", "begin", "RecordStripeEvent", "CreditTopup", "commit"} {
		cfg := b.cfg
		cfg.DB = &border{db: b.pool, seen: func(string, string) {}, acts: acts{on: map[string]act{operation: {down: true}}}}
		err := newService(t, cfg).Webhook(t.Context(), ev.Payload, b.stripe.Sign(ev.Payload))
		if err == nil || errors.Is(err, ErrSignature) {
			t.Errorf("database away at %s: got %v, want an error that is not final", operation, err)
		}
	}
	b.wantBalance(0, 0)
	b.deliver(ev, ev)
	b.wantBalance(10_000, 0)
}

// A payment of another amount than was asked for is kept for a person to check, and credits nothing.
func TestMismatches(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.card(stripetest.TimeoutAfter)
	if _, err := b.buy(10_000, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := b.pool.Exec(t.Context(), `update topup set amount_cents = 999`); err != nil {
		t.Fatal(err)
	}
	b.deliver(b.stripe.Events()...)
	b.wantBalance(0, 0)
	wantMismatch(t, b, "not the one that was asked for")
}

func TestPaymentOfALostRow(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.card(stripetest.TimeoutAfter)
	if _, err := b.buy(10_000, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := b.pool.Exec(t.Context(), `delete from topup`); err != nil { // as after a restore
		t.Fatal(err)
	}
	b.deliver(b.stripe.Events()...)
	wantMismatch(t, b, "no such top-up")
}

func TestSecondPaymentForOneTopup(t *testing.T) {
	t.Parallel()
	b, _ := bought(t)
	if _, err := b.pool.Exec(t.Context(), `update topup set payment_intent_id = 'pi_first'`); err != nil {
		t.Fatal(err)
	}
	if _, err := b.pool.Exec(t.Context(), `delete from stripe_event`); err != nil {
		t.Fatal(err)
	}
	must[string](t)(b.stripe.Refund(b.stripe.Oracle().Payments[0].ID, 10))
	b.deliver(b.stripe.Events()...)
	b.wantBalance(10_000, 0)
	wantMismatch(t, b, "second payment")
}

func wantMismatch(t *testing.T, b *bench, reason string) {
	t.Helper()
	got, err := NewMismatches(b.pool, b.clock.Now).Waiting(t.Context())
	if err != nil || len(got) != 1 || !strings.Contains(got[0].Reason, reason) || got[0].AmountReceived != 1000 {
		t.Errorf("for a person: got %+v (%v), want one of 1000 cents: %s", got, err, reason)
	}
}

func TestMovements(t *testing.T) {
	t.Parallel()
	row := func(refunded, disputed money.Cents) *db.Topup {
		return &db.Topup{Credits: 20_000, AmountCents: 1900, RefundedCents: refunded, DisputedCents: disputed}
	}
	for _, tc := range []struct {
		name               string
		row                *db.Topup
		refunded, disputed money.Cents
		want               []movement
	}{
		{"nothing", row(0, 0), 0, 0, nil},
		{"a cent: parts of a credit are taken whole", row(0, 0), 1, 0, []movement{{"refund", 11, 1}}},
		{"the rest", row(1, 0), 1900, 0, []movement{{"refund", 19_989, 1899}}},
		{"disputed", row(0, 0), 0, 1900, []movement{{"dispute", 20_000, 1900}}},
		{"won", row(0, 1900), 0, 0, []movement{{"dispute_won", -20_000, -1900}}},
		{"disputed after a refund", row(900, 0), 900, 1000, []movement{{"dispute", 10_526, 1000}}},
		{"no more than was paid", row(0, 1900), 1900, 1900, []movement{{"refund", 20_000, 1900}, {"dispute_won", -20_000, -1900}}},
		{"a refund that failed", row(900, 0), 0, 0, []movement{{"reversal", -9474, -900}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got := movements(tc.row, tc.refunded, tc.disputed)
			if len(got) != len(tc.want) {
				t.Fatalf("movements: got %v, want %v", got, tc.want)
			}
			for i := range got {
				if got[i] != tc.want[i] {
					t.Errorf("movement %d: got %v, want %v", i, got[i], tc.want[i])
				}
			}
		})
	}
}

func FuzzParseEvent(f *testing.F) {
	const secret = "whsec_fuzz"
	now := time.Unix(1_790_000_000, 0)
	sign := func(payload []byte) string {
		return webhook.GenerateTestSignedPayload(&webhook.UnsignedPayload{Payload: payload, Secret: secret, Timestamp: now}).Header
	}
	good := []byte(`{"id":"evt_1","object":"event","type":"charge.refunded","data":{"object":{"id":"ch_1","object":"charge","payment_intent":{"id":"pi_1"}}}}`)
	f.Add(good, sign(good))
	f.Add(good, "t=1790000000,v1=00")
	f.Add([]byte(`{"id":"evt_1","object":"event","type":"x","data":{"object":{"payment_intent":["pi_1"]}}}`), "t=1790000000,t=1,v1=zz,v0=")
	f.Add([]byte("null"), "t=99999999999999999999,v1=")
	f.Add([]byte(`{"data":{"object":null}}`), ",=,t,v1==")
	f.Fuzz(func(t *testing.T, payload []byte, header string) {
		// A signature with another secret is refused.
		if ev, err := parseEvent(payload, header, secret+"other", now); err == nil {
			t.Errorf("event with header %q: got %+v, want it refused", header, ev)
		}
		// A signed event is read or refused with an error, and needs an id and a type.
		ev, err := parseEvent(payload, sign(payload), secret, now)
		if err == nil && (ev.id == "" || ev.kind == "") {
			t.Errorf("event: got %+v, want an id and a type", ev)
		}
		// A header that the library accepts is not refused before the body is read, whatever else it contains.
		header = sign(payload) + "," + header
		if webhook.ValidatePayloadIgnoringTolerance(payload, header, secret) == nil {
			if err := checkSignature(header, now); err != nil {
				t.Errorf("header %q: got %v, want it accepted as the library does", header, err)
			}
		}
	})
}
