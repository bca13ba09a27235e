package e2e

import (
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/dev/rig"
)

// remoteBench is two edges with a third-party facilitator, shared by all such faults: one with a node, one without.
type remoteBench struct {
	double        *remoteDouble
	seeing, blind *remoteSite
	// other is the transaction of another payment.
	other string
}

type remoteSite struct {
	*faultSite

	edge *rig.Edge
}

const (
	seeingOptions = `
			verify_timeout 4s
			facilitator http REMOTE {
				rpc LINE
				timeout 4s
			}`
	blindOptions = `
			verify_timeout 4s
			facilitator http REMOTE {
				timeout 4s
			}`
)

func newRemoteBench(t *testing.T, b *faultBench) *remoteBench {
	t.Helper()
	r := &remoteBench{double: newRemoteDouble(t, b.chain, b.newSettler(t), b.newSettler(t))}
	site := func(options string) *remoteSite {
		s := b.site(t, strings.Replace(options, "REMOTE", r.double.url, 1))
		return &remoteSite{s, s.start(t)}
	}
	r.seeing, r.blind = site(seeingOptions), site(blindOptions)
	p := r.seeing.patron(t, "after")
	p.first = p.pays(r.seeing.edge.URL(""))
	p.wantFirst(t, "200")
	var paid receipt
	decodeHeader(t, p.first.header.Get("X-Payment-Response"), &paid)
	r.other = paid.Transaction
	return r
}

const madeUp = "0x1212121212121212121212121212121212121212121212121212121212121212"

// remoteFaults returns the faults of the facilitator of `facilitator http`.
func remoteFaults() map[string]faultRow {
	const refusal, failure = "invalid_exact_evm_signature", "invalid_exact_evm_transaction_failed"
	drop, hang, fail := (*deal).drop, (*deal).hang, (*deal).fail
	return map[string]faultRow{
		"verify_drops":     remoteFault{fault: verifying(drop)}.play,
		"verify_hangs":     remoteFault{fault: verifying(hang)}.play,
		"verify_500":       remoteFault{fault: verifying(fail)}.play,
		"verify_garbage":   remoteFault{fault: verifying(remoteSays(`{"isVal`))}.play,
		"verify_redirects": remoteFault{fault: verifying((*deal).redirect)}.play,
		"verify_refuses":   remoteFault{fault: verifying(remoteSays(`{"isValid":false,"invalidReason":"insufficient_funds"}`))}.play,
		"verify_lies":      remoteFault{fault: verifying(remoteSays(`{"isValid":true}`)), poor: true}.play,

		"settle_drops":            remoteFault{fault: settling(drop)}.play,
		"settle_drops_then_sends": remoteFault{fault: settling(drop), late: true}.play,
		"settle_charged_drops":    remoteFault{fault: settling(charged(drop))}.play,
		"settle_unreachable":      unreachable,
		"settle_hangs":            remoteFault{fault: settling(hang)}.play,
		"settle_charged_hangs":    remoteFault{fault: settling(charged(hang))}.play,
		"settle_500":              remoteFault{fault: settling(fail)}.play,
		"settle_charged_500":      remoteFault{fault: settling(charged(fail))}.play,
		"settle_garbage":          remoteFault{fault: settling(remoteSays(`{"success":tr`))}.play,
		"settle_redirects":        remoteFault{fault: settling((*deal).redirect)}.play,

		"settle_refuses":            remoteFault{fault: settling(saysRefused(refusal))}.play,
		"settle_refuses_then_sends": remoteFault{fault: settling(saysRefused(refusal)), late: true, lapses: true}.play,
		"settle_charged_refuses":    remoteFault{fault: settling(charged(saysRefused(refusal)))}.play,
		"settle_fails":              remoteFault{fault: settling(saysRefused(failure))}.play,
		"settle_lies_no_such":       remoteFault{fault: settling(saysSettled(madeUp))}.play,
		"settle_lies_another":       liesOfAnother,
		"settle_charged_wrong_hash": remoteFault{fault: settling(charged(saysSettled(madeUp)))}.play,

		"blind_charged_drops":   remoteFault{fault: settling(charged(drop)), blind: true}.play,
		"blind_lies_no_such":    remoteFault{fault: settling(saysSettled(madeUp)), blind: true, believed: true}.play,
		"blind_charged_refuses": remoteFault{fault: settling(charged(saysRefused(refusal))), blind: true, believed: true}.play,
	}
}

// unreachable: the facilitator verifies a payment and then stops listening, before the payment is to be settled.
func unreachable(t *testing.T, b *faultBench) (after, before string) {
	t.Helper()
	var outcomes [2]string
	for i, settle := range bothModes {
		var lc net.ListenConfig
		front, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		address, double := front.Addr().String(), b.remote.double
		server := &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: double}
		go func() { _ = server.Serve(front) }()
		t.Cleanup(func() { _ = server.Close() })

		s := b.site(t, strings.Replace(seeingOptions, "REMOTE", "http://"+address, 1))
		edge, p := s.start(t), s.patron(t, settle)
		double.breaks(p.payer(), verifying(func(d *deal) {
			d.w.Header().Set("Connection", "close")
			d.pass()
			_ = front.Close()
		}))
		p.first = p.pays(edge.URL(""))
		double.breaks(p.payer(), nil)
		again, err := lc.Listen(t.Context(), "tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		back := &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: double}
		go func() { _ = back.Serve(again) }()
		t.Cleanup(func() { _ = back.Close() })
		p.paysAgain(t, edge.URL(""))
		s.wantReconciled(t)
		outcomes[i] = p.outcome(t, false)
	}
	return outcomes[0], outcomes[1]
}

// remoteFault is a fault of the facilitator that lasts until the payment's first response.
type remoteFault struct {
	fault func(d *deal)
	// poor: the payer has no money.
	poor bool
	// late: the facilitator sends the payment after that response. lapses: the payment expires by then.
	late, lapses bool
	// blind: the edge has no node. believed: nothing protects from this fault.
	blind, believed bool
}

func (f remoteFault) play(t *testing.T, b *faultBench) (after, before string) {
	t.Helper()
	site := b.remote.seeing
	if f.blind {
		site = b.remote.blind
	}
	all := site.patrons(t, bothModes...)
	together(all, func(p *patron) {
		if f.poor {
			p.becomePoor(t)
		}
		b.remote.double.breaks(p.payer(), f.fault)
		p.first = p.pays(site.edge.URL(""))
		b.remote.double.breaks(p.payer(), nil)
		if f.late {
			b.remote.double.sendsNow(t, p.payer())
		}
		if f.lapses {
			p.lapses(t)
		}
		p.paysAgain(t, site.edge.URL(""))
	})
	if f.believed {
		site.wantFound(t)
	}
	return outcomesOf(t, all, f.believed)
}

// wantFound checks that the operator's command finds what the edge wrongly believed.
func (s *remoteSite) wantFound(t *testing.T) {
	t.Helper()
	if out, code := s.reconcile(t); code != 1 {
		t.Errorf("reconcile: got %d, want 1, and\n%s", code, out)
	}
}

// becomePoor gives the patron another wallet, which is empty.
func (p *patron) becomePoor(t *testing.T) {
	t.Helper()
	p.wallet = p.site.emptyWallet(t)
	p.wallet.to = &p.site.payTo
	p.signs(t)
}

// lapses lets the patron's payment expire, by changing its claim.
func (p *patron) lapses(t *testing.T) {
	t.Helper()
	if _, err := p.site.pool.Exec(t.Context(), `update x402_claim set lapses_at = now() - interval '1 minute' where payer = $1`, p.payer()); err != nil {
		t.Fatal(err)
	}
	p.wantState(t, "refund_due")
}

// liesOfAnother reports the transaction of another payment.
func liesOfAnother(t *testing.T, b *faultBench) (after, before string) {
	t.Helper()
	return remoteFault{fault: settling(saysSettled(b.remote.other))}.play(t, b)
}
