package main

import (
	"crypto/ecdsa"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/google/uuid"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/dev/rig"
	"github.com/turnpike-edge/turnpike/payments/x402/claims"
)

// repeatScene is a faultless record of repeated requests: one bought by key and one by wallet. Each was tried twice, paid
// the second time, and then delivered once more free of charge.
type repeatScene struct {
	books         *books
	load          *repeating
	byKey, byCoin *repeated
	first, second *db.ListClaimEndsRow // the claims of the wallet's two payments
	killed        *incarnation
}

var (
	holdVoided  = uuid.MustParse("00000000-0000-7000-8000-00000000000a")
	holdPaid    = uuid.MustParse("00000000-0000-7000-8000-00000000000b")
	claimFirst  = uuid.MustParse("00000000-0000-7000-8000-00000000000c")
	claimSecond = uuid.MustParse("00000000-0000-7000-8000-00000000000d")
	paidFirst   = paymentKey{common.HexToAddress("0x1"), common.HexToHash("0xa")}
	paidSecond  = paymentKey{common.HexToAddress("0x1"), common.HexToHash("0xb")}
)

func newRepeatScene() *repeatScene {
	zero := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	lives := &incarnation{edge: &rig.Edge{Address: "a"}}
	s := &repeatScene{
		killed: &incarnation{edge: &rig.Edge{Address: "b"}, killedAt: zero.Add(100 * time.Millisecond)},
		first:  &db.ListClaimEndsRow{ID: claimFirst, State: string(claims.StateReleased)},
		second: &db.ListClaimEndsRow{ID: claimSecond, State: string(claims.StateSettled)},
	}
	s.byKey = &repeated{key: "by key", given: []given{{job: "k", inc: lives, at: zero}, {job: "k", free: true, inc: lives, at: zero}}}
	s.byCoin = &repeated{
		key: "by wallet", team: -1, wallet: new(ecdsa.PrivateKey), payments: []paymentKey{paidFirst, paidSecond},
		given: []given{{job: "w", payment: paidSecond, inc: lives, at: zero}, {job: "w", free: true, payment: paidSecond, inc: lives, at: zero}},
	}
	s.load = &repeating{things: []*repeated{s.byKey, s.byCoin}}
	s.books = &books{
		repeaters: []team{{id: "team_r", account: account}},
		holds:     map[uuid.UUID]hold{holdVoided: {account: account, amount: 1}, holdPaid: {account: account, amount: 1, captured: true}},
		payers:    map[string]uuid.UUID{"by key": holdPaid, "by wallet": s.second.ID},
		claims:    map[paymentKey]*db.ListClaimEndsRow{paidFirst: s.first, paidSecond: s.second},
		chain:     map[paymentKey]*settlement{paidSecond: {times: 1}},
	}
	return s
}

func (s *repeatScene) capture(id uuid.UUID, captured bool) {
	h := s.books.holds[id]
	h.captured = captured
	s.books.holds[id] = h
}

// Each rule of the audit of repeated requests finds the fault that is planted for it.
func TestAuditFindsPlantedFaultsOfRepetitions(t *testing.T) {
	t.Parallel()
	const forNothing = "given for nothing, and is not paid"
	for _, test := range []struct {
		name  string
		plant func(s *repeatScene)
		want  string // parts of the violations; empty: none
	}{
		{"nothing", func(*repeatScene) {}, ""},
		{"repeated for nothing, of a hold that was voided", func(s *repeatScene) {
			s.byKey.given = s.byKey.given[1:]
			s.capture(holdPaid, false)
		}, forNothing},
		{"repeated for nothing, of a payment that was released", func(s *repeatScene) {
			s.byCoin.given = s.byCoin.given[1:]
			s.second.State = string(claims.StateReleased)
			delete(s.books.chain, paidSecond)
		}, forNothing},
		{"repeated for nothing, of a payment whose refund is due", func(s *repeatScene) {
			s.byCoin.given = s.byCoin.given[1:]
			s.second.State = string(claims.StateRefundDue)
		}, forNothing},
		{"repeated for nothing, of a payment that was given back", func(s *repeatScene) {
			s.byCoin.given = s.byCoin.given[1:]
			s.second.State = string(claims.StateRefunded)
		}, forNothing},
		{"repeated for nothing, just before its edge was killed", func(s *repeatScene) {
			s.byKey.given = s.byKey.given[1:]
			s.byKey.given[0].inc = s.killed
			s.capture(holdPaid, false)
		}, forNothing},
		{"paid twice by key", func(s *repeatScene) { s.capture(holdVoided, true) }, "hold " + holdVoided.String() + " is charged, and pays for nothing"},
		{"paid twice by wallet", func(s *repeatScene) {
			s.first.State = string(claims.StateSettled)
			s.books.chain[paidFirst] = &settlement{times: 1}
		}, "claim " + claimFirst.String() + " is settled, and pays for nothing"},
		{"paid a second time by wallet, and given back", func(s *repeatScene) {
			s.first.State = string(claims.StateRefunded)
			s.books.chain[paidFirst] = &settlement{times: 1}
		}, ""},
		{"what was paid by key is lost", func(s *repeatScene) {
			delete(s.books.payers, "by key")
		}, "hold " + holdPaid.String() + " is charged, and pays for nothing|by key was " + forNothing + "|by key was given for a credit"},
		{"what was paid by wallet is lost", func(s *repeatScene) {
			delete(s.books.payers, "by wallet")
		}, "claim " + claimSecond.String() + " is settled, and pays for nothing|by wallet was " + forNothing},
		{"another answer by key", func(s *repeatScene) { s.byKey.given[1].job = "other" }, "by key was answered with k and with other"},
		{"another answer by wallet", func(s *repeatScene) { s.byCoin.given[1].job = "other" }, "by wallet was answered with w and with other"},
		{"given for a credit that was not taken", func(s *repeatScene) {
			s.byKey.given = s.byKey.given[:1]
			s.capture(holdPaid, false)
		}, "for a credit, which was not taken"},
		{"given for a credit that was not taken, just before its edge was killed", func(s *repeatScene) {
			s.byKey.given = s.byKey.given[:1]
			s.byKey.given[0].inc = s.killed
			s.capture(holdPaid, false)
		}, ""},
		{"given for a credit that was not taken, and read as its edge was killed", func(s *repeatScene) {
			s.byKey.given = s.byKey.given[:1]
			s.byKey.given[0].inc, s.byKey.given[0].at = s.killed, s.killed.killedAt.Add(time.Millisecond)
			s.capture(holdPaid, false)
		}, ""},
		{"given for a payment that has moved nothing", func(s *repeatScene) { delete(s.books.chain, paidSecond) }, "which is not settled"},
		{"given for a payment that was not claimed", func(s *repeatScene) { s.byCoin.given[0].payment = paymentKey{} }, "which is not settled"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newRepeatScene()
			test.plant(s)
			f := new(findings)
			s.load.audit(s.books, f)
			wantViolations(t, f.violations, test.want)
		})
	}
}
