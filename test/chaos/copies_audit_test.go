package main

import (
	"fmt"
	"maps"
	"math/big"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"

	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/claims"
)

// audit compares the responses to the copies with the upstream, the claims, the ledger and the chain.
func (d *copiesDrill) audit(t *testing.T) {
	t.Helper()
	if err := d.awaitSwept(t.Context()); err != nil {
		t.Fatal(err)
	}
	b, f := new(books), new(findings)
	if err := b.readClaims(t.Context(), d.pool(t)); err != nil {
		t.Fatal(err)
	}
	if err := b.readChains(t.Context(), d.place); err != nil {
		t.Fatal(err)
	}
	moved := d.transfersByPayer(t)
	for _, r := range d.rounds {
		d.auditRound(r, b, moved[r.payer], f)
	}
	if paid := f.bought.settled + f.bought.refunds; len(b.claims) != len(d.rounds) || len(b.chain) != paid || b.earned != uint64(paid)*priceUnits {
		f.violatef("%d claims of %d payments, %d authorisations used and %d earned for %d that are paid", len(b.claims), len(d.rounds), len(b.chain), b.earned, paid)
	}
	for i, violation := range append(f.violations, d.faults...) {
		if i == violationsShown {
			t.Errorf("and more: %d", len(f.violations)-i)
			break
		}
		t.Error(violation)
	}
	t.Logf("claims: %d settled, %d refunds due, %d abandoned or released", f.bought.settled, f.bought.refunds, len(b.claims)-f.bought.settled-f.bought.refunds)
	d.reconcile(t)
}

// transfersByPayer returns the recipient and amount of each wallet's transfers.
func (d *copiesDrill) transfersByPayer(t *testing.T) map[common.Address][]string {
	t.Helper()
	logs, err := d.chain.Client().FilterLogs(t.Context(), ethereum.FilterQuery{
		FromBlock: new(big.Int), Addresses: []common.Address{d.chain.Token()}, Topics: [][]common.Hash{{topicTransfer}},
	})
	if err != nil {
		t.Fatal(err)
	}
	moved := make(map[common.Address][]string)
	for i := range logs {
		from, to := common.BytesToAddress(logs[i].Topics[1].Bytes()), common.BytesToAddress(logs[i].Topics[2].Bytes())
		moved[from] = append(moved[from], fmt.Sprintf("%s %s in %s", new(big.Int).SetBytes(logs[i].Data), to, logs[i].TxHash))
	}
	return moved
}

// auditRound wants one claim, one run, one transfer, and responses that agree with them.
func (d *copiesDrill) auditRound(r *copied, b *books, moved []string, f *findings) {
	c := b.claims[r.paymentKey]
	if c == nil {
		f.violatef("%s: the payment was never claimed", r)
		return
	}
	f.checkClaim(c, b.chain[r.paymentKey], b.transfers[c.ID.String()])
	state := claims.State(c.State)
	var want []string
	if state == claims.StateSettled || state == claims.StateRefundDue {
		want = []string{fmt.Sprintf("%d %s in %s", priceUnits, payTo, c.Transaction)}
	}
	if !slices.Equal(moved, want) {
		f.violatef("%s is %s, and its payer has paid %q, want %q", r, state, moved, want)
	}
	if s := b.chain[r.paymentKey]; s != nil && s.times != 1 {
		f.violatef("%s: its authorisation was used %d times", r, s.times)
	}
	if runs := d.up.runs[r.number]; runs != 1 {
		f.violatef("%s is %s, and the upstream has run %d times, want once", r, state, runs)
	}
	if r.mayEndIn(state) {
		r.checkAnswers(state, c.Transaction, f)
		return
	}
	f.violatef("%s ended %s", r, state)
}

// mayEndIn allows a payment to end unsettled only if the edge that ran the request was killed before it could record the end.
func (r *copied) mayEndIn(state claims.State) bool {
	switch state {
	case claims.StateSettled:
		return r.kill != killRunning
	case claims.StateAbandoned: // nothing was paid, and nothing will be paid
		return !r.before && (r.kill == killRunning || r.kill == killAnswered)
	case claims.StateRefundDue:
		return r.before && (r.kill == killRunning || r.kill == killAnswered)
	default:
		return false
	}
}

// checkAnswers wants the same body and receipt in every 200, all on one route, and a fitting error in all other responses.
func (r *copied) checkAnswers(state claims.State, transaction string, f *findings) {
	uses := slices.Concat(r.first, r.again)
	var served *use
	if i := slices.IndexFunc(uses, func(u use) bool { return u.status == http.StatusOK }); i >= 0 {
		served = &uses[i]
	}
	for i, u := range uses {
		if u.status != http.StatusOK {
			r.checkUnserved(&u, served, state, i >= len(r.first), f)
			continue
		}
		if u.body != served.body || u.receipt != served.receipt || u.route != served.route {
			f.violatef("%s: one was served %s with %+v, another %s with %+v", r, served.body, served.receipt, u.body, u.receipt)
		}
		if !u.receipt.Success || u.receipt.Transaction != transaction {
			f.violatef("%s: the receipt is %+v, the claim says %s", r, u.receipt, transaction)
		}
	}
	if served == nil && r.kill != killRunning && r.kill != killAnswered {
		f.violatef("%s: nobody was served", r)
	}
}

// checkUnserved wants 409 in a response that is not 200 or, when an edge was killed, the payment's outcome.
func (r *copied) checkUnserved(u, served *use, state claims.State, again bool, f *findings) {
	told := fmt.Sprintf("%d %s", u.status, u.code)
	killed := r.kill == killRunning || r.kill == killAnswered
	switch {
	case u.status == 0 && r.kill != killNone: // at a killed edge: sendAll fails otherwise
	case told == "409 "+string(x402.CodeAlreadyUsed) && (served == nil || u.route != served.route):
	case told == "409 "+string(x402.CodeInProgress) && u.retry != "" && !again:
	case killed && state == claims.StateAbandoned && told == "402 "+string(x402.CodeAbandoned):
	case killed && state != claims.StateAbandoned && told == "409 "+string(x402.CodeResponseNotKept) && u.receipt.Success:
	case killed && !again && told == "503 "+string(x402.CodeSettlementPending):
	default:
		f.violatef("%s is %s, and one was told %s: %s", r, state, told, u.body)
	}
}

func (d *copiesDrill) reconcile(t *testing.T) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), d.binary, "payments", "reconcile")
	cmd.Env = append(os.Environ(), "DATABASE_URL="+d.databaseURL, "BASE_RPC_URL="+d.chain.RPCURL(), "X402_NETWORK=base-sepolia", "STRIPE_SECRET_KEY=")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "claims, chain: no differences") {
		t.Errorf("turnpike payments reconcile: %v\n%s", err, out)
	}
}

// report logs the figures in one line.
func (d *copiesDrill) report(t *testing.T, setUp, took time.Duration) {
	t.Helper()
	told, uses, runs := make(map[string]int), 0, 0
	for _, r := range d.rounds {
		for _, u := range slices.Concat(r.first, r.again) {
			uses++
			switch u.status {
			case 0:
				told["cut off"]++
			case http.StatusOK:
				told["200"]++
			default:
				told[fmt.Sprintf("%d %s", u.status, u.code)]++
			}
		}
		runs += d.up.runs[r.number]
	}
	var answers []string
	for _, name := range slices.Sorted(maps.Keys(told)) {
		answers = append(answers, fmt.Sprintf("%s: %d", name, told[name]))
	}
	t.Logf("%d payments used %d times over %d routes and %d edges, %d of which were killed: %d runs of the upstream; %s; %s, and %s to set up",
		len(d.rounds), uses, len(copyRoutes), edges, d.kills, runs, strings.Join(answers, ", "), took.Round(time.Second), setUp.Round(time.Second))
}
