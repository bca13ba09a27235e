package main

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/google/uuid"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/dev/rig"
	"github.com/turnpike-edge/turnpike/payments/credits"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/price"
	"github.com/turnpike-edge/turnpike/payments/stripe/stripetest"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/claims"
)

// scene is a small storm whose books are sound: one team, one edge that was killed and one that was not. Each edge gave
// one response. There is one x402 payment, and two purchases by card, one of them declined.
type scene struct {
	books  *books
	spend  *spending
	buy    *buying
	topUp  *topups
	bought *purchase
	topup  *db.ListTopupsWithEntriesRow
	killed *incarnation
	lives  *incarnation
	claim  *db.ListClaimEndsRow
	paid   *payment
	at     func(seconds float64) time.Time
}

var (
	holdOfKilled = uuid.MustParse("00000000-0000-7000-8000-000000000001")
	holdOfLiving = uuid.MustParse("00000000-0000-7000-8000-000000000002")
	claimID      = uuid.MustParse("00000000-0000-7000-8000-000000000003")
)

const (
	account = 7
	cost    = money.Credits(3) // of one response

	packCredits, packCents = 10_000, 1000
)

func newScene() *scene {
	zero := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	s := &scene{at: func(seconds float64) time.Time { return zero.Add(time.Duration(seconds * float64(time.Second))) }}
	s.killed = &incarnation{edge: &rig.Edge{Address: "a"}, startAt: s.at(0), killedAt: s.at(60), atKill: map[int]exposure{}}
	s.lives = &incarnation{number: 1, edge: &rig.Edge{Address: "b"}, startAt: s.at(0)}
	s.spend = &spending{statuses: map[string]map[int]int{}, broke: map[int]int{}, served: []served{
		{job: "first", price: cost, inc: s.killed, begun: s.at(30), at: s.at(30.1)},
		{job: "second", price: cost, inc: s.lives, begun: s.at(61), at: s.at(61.1)},
	}}
	key := paymentKey{common.HexToAddress("0x1"), common.HexToHash("0x2")}
	tx := common.HexToHash("0x3")
	s.paid = &payment{
		paymentKey: key, status: http.StatusOK, job: "paid", sent: 1, receipt: &x402.Receipt{Success: true, Transaction: tx.Hex()},
	}
	s.buy = &buying{payments: []*payment{s.paid}}
	pack := price.Pack{Credits: packCredits, Price: packCents}
	s.bought = &purchase{pack: pack, key: "a", status: http.StatusOK, intent: "pi_a", credits: packCredits, asked: 2}
	declined := &purchase{pack: pack, key: "b", status: http.StatusPaymentRequired, code: "card_declined", asked: 1}
	s.topUp = &topups{purchases: []*purchase{s.bought, declined}}
	s.topup = &db.ListTopupsWithEntriesRow{
		ID: "topup_a", State: "succeeded", PaymentIntentID: new("pi_a"), Credits: packCredits, AmountCents: packCents,
		EntryCredits: packCredits, EntryCents: packCents,
	}
	s.claim = &db.ListClaimEndsRow{ID: claimID, Payer: key.payer.Hex(), State: string(claims.StateSettled), Transaction: tx.Hex()}
	s.books = &books{
		teams:    []team{{id: "team_a", account: account, granted: grantedRich}},
		balances: map[string]credits.Balance{"team_a": {Balance: grantedRich + packCredits - 2*cost}},
		holds: map[uuid.UUID]hold{
			holdOfKilled: {account: account, amount: cost, captured: true}, holdOfLiving: {account: account, amount: cost, captured: true},
		},
		charges: map[int64]exposure{account: {2, 2 * cost}},
		jobs: map[string]*work{
			"first": {holdOfKilled, 1}, "second": {holdOfLiving, 1}, "paid": {claimID, 1},
		},
		claims:    map[paymentKey]*db.ListClaimEndsRow{key: s.claim},
		transfers: map[string]int64{claimID.String(): priceUnits},
		chain:     map[paymentKey]*settlement{key: {tx: tx, to: payTo, units: priceUnits, times: 1}},
		earned:    priceUnits,
		topups: map[string]*db.ListTopupsWithEntriesRow{
			"topup_a": s.topup, "topup_b": {ID: "topup_b", State: "failed", PaymentIntentID: new("pi_b"), Credits: packCredits, AmountCents: packCents},
		},
		oracle: stripetest.Oracle{Payments: []stripetest.Payment{
			{ID: "pi_a", TopupID: "topup_a", TeamID: "team_a", Status: "succeeded", Charged: packCents},
			{ID: "pi_b", TopupID: "topup_b", TeamID: "team_a", Status: "requires_payment_method"},
		}},
	}
	return s
}

// charged adds a payment that Stripe charged.
func (s *scene) charged(id, topup string) {
	s.books.oracle.Payments = append(s.books.oracle.Payments,
		stripetest.Payment{ID: id, TopupID: topup, TeamID: "team_a", Status: "succeeded", Charged: packCents})
}

// balance plants credits in the team's account that it should not have.
func (s *scene) balance(more money.Credits) {
	b := s.books.balances["team_a"]
	b.Balance += more
	s.books.balances["team_a"] = b
}

// charge records what the team has paid.
func (s *scene) charge(requests int, amount money.Credits) {
	s.books.charges[account] = exposure{requests, amount}
	s.books.balances["team_a"] = credits.Balance{Balance: grantedRich + packCredits - amount}
}

// give makes one of the two responses free of charge.
func (s *scene) give(id uuid.UUID) {
	h := s.books.holds[id]
	h.captured = false
	s.books.holds[id] = h
	s.charge(1, cost)
}

// refund makes the payment refunded to an address. Its response came just before the kill.
func (s *scene) refund(to common.Address) {
	tx := common.HexToHash("0x4")
	s.claim.State, s.claim.RefundTransaction = string(claims.StateRefunded), tx.Hex()
	s.paid.inc, s.paid.at = s.killed, s.at(59.9)
	s.books.chain[paymentKey{payer: common.HexToAddress("0x8")}] = &settlement{tx: tx, to: to, units: priceUnits, times: 1}
}

func (s *scene) audit() []string {
	f := new(findings)
	f.auditBooks(s.books)
	s.spend.audit(s.books, f)
	s.buy.audit(s.books, f)
	s.topUp.audit(s.books, f)
	return f.violations
}

// The audit finds each fault that is planted in otherwise sound books. Without this, a storm could pass unchecked.
func TestAuditFindsPlantedFaults(t *testing.T) {
	t.Parallel()
	outageAt := func(s *scene, from, to float64) {
		s.books.absences = []absence{{victim: victimPostgres, from: s.at(from), gone: s.at(from), respawn: s.at(to), to: s.at(to)}}
	}
	for _, test := range []struct {
		name  string
		plant func(s *scene)
		want  string // part of the one violation; empty: none
	}{
		{"nothing", func(*scene) {}, ""},
		{"an authorisation is lost", func(s *scene) { delete(s.books.holds, holdOfLiving) }, "its authorisation is lost"},
		{"an authorisation of another team", func(s *scene) {
			s.books.holds[holdOfLiving] = hold{account: 8, amount: cost, captured: true}
		}, "is held on account 8"},
		{"an authorisation of another price", func(s *scene) {
			s.books.holds[holdOfLiving] = hold{account: account, amount: 1, captured: true}
		}, "1 were held"},
		{"an authorisation is left open", func(s *scene) {
			s.books.holds[uuid.Nil] = hold{account: account, open: true}
		}, "still open"},
		{"one authorisation serves twice", func(s *scene) { s.books.jobs["second"].payment = holdOfKilled }, "answered twice|nobody was answered"},
		{"an answer that nobody worked for", func(s *scene) { delete(s.books.jobs, "second") }, "knows nothing of it|nobody was answered"},
		{"one job is done twice", func(s *scene) { s.books.jobs["second"].times = 2 }, "done 2 times"},
		{"captured at admission, never answered", func(s *scene) {
			s.books.holds[uuid.Nil] = hold{account: account, amount: 1, captured: true}
			s.charge(3, 2*cost+1)
		}, "nobody was answered|-1 requests|-1 credits"},
		{"captured twice", func(s *scene) { s.charge(2, 3*cost) }, "-3 credits"},
		{"never captured by an edge that lives", func(s *scene) {
			s.give(holdOfLiving)
		}, "was not killed|1 requests, want 0 to 0|3 credits, want 0 to 0"},
		{"not captured long before the kill", func(s *scene) {
			s.give(holdOfKilled)
		}, "29.9s before|1 requests, want 0 to 0|3 credits, want 0 to 0"},
		{"too little captured", func(s *scene) { s.charge(2, cost) }, "3 credits, want 0 to 0"},
		{"not captured just before the kill", func(s *scene) {
			s.spend.served[0].at = s.at(59.9)
			s.give(holdOfKilled)
		}, ""},
		{"not captured long before the kill, while postgres was away", func(s *scene) {
			outageAt(s, 30.2, 59.5)
			s.give(holdOfKilled)
		}, ""},
		{"more given away than was in flight", func(s *scene) {
			s.killed.atKill[0] = exposure{1, 1}
			s.spend.served[0].at = s.at(61)
			s.give(holdOfKilled)
		}, "3 credits, want 0 to 1"},
		{"in flight at the kill, of another key", func(s *scene) {
			s.books.teams = append(s.books.teams, team{id: "team_b", account: 8})
			s.books.balances["team_b"] = credits.Balance{}
			s.killed.atKill[1] = exposure{1, cost}
			s.spend.served[0].at = s.at(61)
			s.give(holdOfKilled)
		}, "1 requests, want 0 to 0|3 credits, want 0 to 0"},
		{"the balance is another", func(s *scene) {
			s.balance(1)
		}, "team_a has a balance"},
		{"credits stay held", func(s *scene) {
			s.books.balances["team_a"] = credits.Balance{Balance: grantedRich + packCredits - 2*cost, Held: 1}
		}, "1 held"},
		{"the ledger disagrees with itself", func(s *scene) {
			s.books.differences = []credits.Difference{{Detail: "transfers in credit sum to 1"}}
		}, "sum to 1"},
		{"an account is overdrawn", func(s *scene) {
			s.books.overdrawn = []db.ListOverdrawnRow{{TeamID: "team_a", Available: -1}}
		}, "available -1"},
		{"refused with credits", func(s *scene) { s.spend.broke[0] = 1 }, "refused 1 times"},
		{"served without postgres", func(s *scene) { outageAt(s, 60.5, 61.5) }, "while there was no postgres|never served again"},
		{"not back after postgres", func(s *scene) {
			outageAt(s, 62, 63)
		}, "edge 1 at b never served again"},
		{"late back after postgres", func(s *scene) {
			outageAt(s, 50, 50.5)
			s.spend.served[1].begun, s.spend.served[1].at = s.at(57), s.at(58)
			s.killed.killedAt = s.at(50.2)
		}, "7.5s to serve again"},
		{"a settled payment moved nothing", func(s *scene) {
			clear(s.books.chain)
			s.books.earned = 0
		}, "its claim is settled, on the chain: false|on the chain: false|earned 0"},
		{"a payment is not in the ledger", func(s *scene) { s.books.transfers[claimID.String()] = 0 }, "in the ledger: 0"},
		{"an authorisation was used twice", func(s *scene) { s.books.chain[s.paid.paymentKey].times = 2 }, "used 2 times"},
		{"a refused payment has moved money", func(s *scene) {
			s.paid.status = http.StatusPaymentRequired
		}, "was refused"},
		{"a claim is left", func(s *scene) {
			s.claim.State = string(claims.StateUnknown)
			s.paid.status = http.StatusConflict
		}, "left unknown|unknown, on the chain|its claim is unknown"},
		{"a payment was served just before the kill, and its refund is due", func(s *scene) {
			s.claim.State = string(claims.StateRefundDue)
			s.paid.inc, s.paid.at = s.killed, s.at(59.9)
		}, ""},
		{"a payment was served by an edge that lives, and its refund is due", func(s *scene) {
			s.claim.State = string(claims.StateRefundDue)
			s.paid.inc, s.paid.at = s.lives, s.at(59.9)
		}, "its claim is refund_due"},
		{"a payment was paid back", func(s *scene) { s.refund(common.HexToAddress("0x1")) }, ""},
		{"a payment was paid back to somebody else", func(s *scene) { s.refund(common.HexToAddress("0x9")) }, "is refunded by transaction"},
		{"a payment is said to be paid back", func(s *scene) {
			s.refund(common.HexToAddress("0x1"))
			delete(s.books.chain, paymentKey{payer: common.HexToAddress("0x8")})
		}, "which is not on the chain"},
		{"a payment was never answered", func(s *scene) { s.paid.status = 0 }, "no last answer"},
		{"a purchase is credited twice", func(s *scene) {
			s.topup.EntryCredits *= 2
			s.topup.EntryCents *= 2
			s.balance(packCredits)
		}, "the ledger has 2000 cents and 20000 credits|team_a has a balance"},
		{"a purchase is credited twice on the account alone", func(s *scene) { s.balance(packCredits) }, "team_a has a balance"},
		{"a purchase is not credited", func(s *scene) {
			s.topup.State, s.topup.EntryCredits, s.topup.EntryCents = "failed", 0, 0
			s.balance(-packCredits)
		}, "the ledger has 0 cents and 0 credits|was charged and is failed|team_a has a balance"},
		{"a purchase is left", func(s *scene) {
			s.topup.State, s.topup.EntryCredits, s.topup.EntryCents = "unknown", 0, 0
			s.balance(-packCredits)
		}, "is left unknown|the ledger has 0 cents|was charged and is unknown|team_a has a balance"},
		{"a purchase is credited with another pack", func(s *scene) {
			s.topup.EntryCredits, s.topup.Credits = 20_000, 20_000
			s.balance(10_000)
		}, "1000 cents for 10000 credits, the ledger has 1000 cents and 20000 credits|team_a has a balance"},
		{"a purchase is charged twice", func(s *scene) {
			s.charged("pi_c", "topup_a")
			s.balance(packCredits)
		}, "pi_c was charged for topup_a beside another|topup_a was charged 2 times|pi_c of team_a was charged, and no client was told"},
		{"a declined purchase is charged", func(s *scene) {
			s.books.oracle.Payments[1].Charged = packCents
			s.topUp.purchases[1].intent = "pi_b"
			s.balance(packCredits)
		}, "1000 cents for 10000 credits, the ledger has 0 cents|was charged and is failed|was refused (card_declined)|no client was told"},
		{"credits that nobody paid for", func(s *scene) {
			s.books.oracle.Payments[0].Charged = 0
		}, "and nothing was charged|of which Stripe says|team_a has a balance"},
		{"a charge whose purchase is lost", func(s *scene) {
			delete(s.books.topups, "topup_a")
			s.balance(-packCredits)
		}, "which is not there|team_a has a balance"},
		{"two purchases with one payment", func(s *scene) {
			again := *s.bought
			s.topUp.purchases = append(s.topUp.purchases, &again)
		}, "is the answer to two purchases"},
		{"a purchase that was never answered", func(s *scene) { s.topUp.purchases[1].status = 0 }, "no last answer"},
		{"told of more credits than were bought", func(s *scene) { s.bought.credits++ }, "was answered with 10001"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newScene()
			test.plant(s)
			wantViolations(t, s.audit(), test.want)
		})
	}
}

// wantViolations wants each violation to contain one of the parts of want, which | separates, and each part to be found.
func wantViolations(t *testing.T, got []string, want string) {
	t.Helper()
	if want == "" {
		if len(got) > 0 {
			t.Errorf("got %q, want none", got)
		}
		return
	}
	wanted := strings.Split(want, "|")
	for _, part := range wanted {
		if !slices.ContainsFunc(got, func(violation string) bool { return strings.Contains(violation, part) }) {
			t.Errorf("got %q, want %q", got, part)
		}
	}
	for _, violation := range got {
		if !slices.ContainsFunc(wanted, func(part string) bool { return strings.Contains(violation, part) }) {
			t.Errorf("got %q, want %q", violation, want)
		}
	}
}
