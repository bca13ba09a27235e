package e2e

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/turnpike-edge/turnpike/dev/rig"
)

// killing is an edge that is brought into a state and then killed.
type killing struct {
	*faultSite

	pins   *pins
	doomed *rig.Edge
	firsts sync.WaitGroup
	// held is how many database writes are blocked.
	held int
}

// reaching brings a payment into the state in which the edge is killed.
type reaching func(t *testing.T, k *killing, p *patron)

// kill is a kill -9 of the edge while one payment per mode is in a state.
type kill struct {
	at    reaching
	modes []string
	// options of x402. Default: patient.
	options string
	// still: the chain makes no blocks until another edge waits for one. dark: it makes none until the edge is dead, and
	// then includes the payments before another edge starts.
	still, dark bool
	// meanwhile runs after another edge has started and before the clients retry.
	meanwhile reaching
}

// killed is a kill with default options.
func killed(at reaching, modes ...string) faultRow { return kill{at: at, modes: modes}.play }

// play kills the edge, and lets another edge continue the payments.
func (c kill) play(t *testing.T, b *faultBench) (after, before string) {
	t.Helper()
	goOn := func() {}
	if c.still || c.dark {
		b, goOn = b.stillChain(t)
	}
	if c.options == "" {
		c.options = patient
	}
	k := &killing{faultSite: b.site(t, c.options)}
	k.pins = newPins(t, k.stack)
	k.doomed = k.start(t)
	all := k.patrons(t, c.modes...)
	for _, p := range all {
		c.at(t, k, p)
	}
	if err := k.doomed.Kill(); err != nil {
		t.Fatal(err)
	}
	close(k.gone)
	k.firsts.Wait()
	k.pins.lose(t)
	if c.dark {
		goOn()
		for _, p := range all {
			p.wantCharged(t)
		}
	}
	k.line.breaks(func(x *exchange) {
		if x.has("eth_getTransactionReceipt") {
			goOn()
		}
		x.pass()
	})
	survivor := k.start(t)
	if c.meanwhile != nil {
		together(all, func(p *patron) { c.meanwhile(t, k, p) })
	}
	together(all, func(p *patron) { p.paysAgain(t, survivor.URL("")) })
	return k.outcomes(t, all)
}

// begin sends the payment without waiting for the response.
func (k *killing) begin(p *patron) {
	k.send(p, func() reply { return p.pays(k.doomed.URL("")) })
}

func (k *killing) send(p *patron, request func() reply) {
	k.firsts.Go(func() {
		p.first = request()
		p.answered.give()
	})
}

// kills returns the states in which an edge is killed.
func kills() map[string]faultRow {
	return map[string]faultRow{
		"killed_checking":         killed(atCall("eth_call", (*exchange).hang), bothModes...),
		"killed_claimed":          killed(atWrite("settling"), "before"),
		"killed_at_work":          killed(atWork, bothModes...),
		"killed_answered":         killed(atWrite("served"), "after"),
		"killed_served":           killed(atWrite("settling"), "after"),
		"killed_preparing":        killed(atCall(prepares, (*exchange).hang), bothModes...),
		"killed_before_broadcast": killed(atCall("eth_sendRawTransaction", (*exchange).hang), bothModes...),
		"killed_after_broadcast":  kill{at: atCall("eth_sendRawTransaction", (*exchange).hangAfter), modes: bothModes, dark: true}.play,
		"killed_in_pool":          kill{at: atCall("eth_sendRawTransaction", (*exchange).pass), modes: bothModes, still: true}.play,
		"killed_mined":            killed(atWrite("settled"), bothModes...),
		"killed_unknown":          kill{at: unknown, modes: bothModes, options: impatient}.play,
		"killed_settled":          kill{at: settledLate, modes: []string{"before"}, options: impatient}.play,
		"killed_streaming":        killed(streaming, bothModes...),
		"killed_delivering":       kill{at: delivering, modes: []string{"after"}, options: "\n\t\t\tresponse_max 16MiB" + localOptions}.play,
		"killed_unrecorded":       killed(atWrite("finished"), "before"),
		"killed_fault_unrecorded": killed(faultUnrecorded, "before"),
		"killed_released":         killed(released, "after"),
		"killed_failed":           killed(failed, bothModes...),
		"killed_refund_due":       killed(refundDue, "before"),
		"killed_not_asked_again": kill{
			at: atCall("eth_sendRawTransaction", (*exchange).hangAfter), modes: []string{"before"}, dark: true, meanwhile: nobodyReturns,
		}.play,
	}
}

// atWork: the upstream is working.
func atWork(t *testing.T, k *killing, p *patron) {
	t.Helper()
	p.serve = func(_ http.ResponseWriter, r *http.Request, _ int64) { <-r.Context().Done() }
	k.begin(p)
	k.await(t, p, p.arrived, "the upstream at work")
}

// await waits for a signal that must come before the payment's response.
func (k *killing) await(t *testing.T, p *patron, s *signal, what string) {
	t.Helper()
	select {
	case <-s.c:
	case <-t.Context().Done():
	case <-p.answered.c:
		if !s.given() {
			t.Fatalf("%s: not before the answer, %d %s (%v)", what, p.first.status, p.first.body, p.first.err)
		}
	case <-k.doomed.Done():
		t.Fatalf("%s: the edge has ended", what)
	}
}

// atWrite: the claim's next state, step, is about to be written.
func atWrite(step string) reaching {
	return func(t *testing.T, k *killing, p *patron) {
		t.Helper()
		k.pins.set(t, p.payer(), step)
		k.begin(p)
		k.held++
		k.pins.await(t, k.held)
	}
}

// atCall: the node receives a call about the payment, and then does what is given.
func atCall(method string, then func(x *exchange)) reaching {
	return func(t *testing.T, k *killing, p *patron) {
		t.Helper()
		reached, payer := newSignal(), strings.ToLower(p.payer()[2:])
		k.line.add(func(x *exchange) bool {
			if !x.has(method) || !strings.Contains(strings.ToLower(string(x.body)), payer) {
				return false
			}
			reached.give()
			then(x)
			return true
		})
		k.begin(p)
		k.await(t, p, reached, method)
	}
}

// unknown: the node is gone, and the payer was asked to retry.
func unknown(t *testing.T, k *killing, p *patron) {
	t.Helper()
	k.line.breaks(fromCall((*exchange).drop, prepares))
	p.first = p.pays(k.doomed.URL(""))
	p.wantFirst(t, "503 settlement_pending")
	k.line.breaks(nil)
}

// settledLate: the payment was found on the chain after the payer was asked to retry; the upstream is still to be called.
func settledLate(t *testing.T, k *killing, p *patron) {
	t.Helper()
	k.line.breaks(fromAfter((*exchange).drop, "eth_sendRawTransaction"))
	p.first = p.pays(k.doomed.URL(""))
	p.wantFirst(t, "503 settlement_pending")
	k.line.breaks(nil)
	p.wantState(t, "settled")
	if n := p.runs.Load(); n != 0 {
		t.Errorf("the upstream was asked %d times before somebody came again", n)
	}
}

// nobodyReturns: the payer does not retry before the paid claim expires, ten minutes after the payment lapses.
func nobodyReturns(t *testing.T, k *killing, p *patron) {
	t.Helper()
	p.wantState(t, "settled")
	if _, err := k.pool.Exec(t.Context(), `update x402_claim set keep_until = now() - interval '1 second' where payer = $1`, p.payer()); err != nil {
		t.Fatal(err)
	}
	p.wantState(t, "refund_due")
}

// failed: the settlement was refused, and the payer was informed.
func failed(t *testing.T, k *killing, p *patron) {
	t.Helper()
	k.line.breaks(settlesDearly())
	p.first = p.pays(k.doomed.URL(""))
	p.wantState(t, "failed")
	k.line.breaks(nil)
}

// streaming: the client has part of a long response.
func streaming(t *testing.T, k *killing, p *patron) {
	t.Helper()
	p.serve = func(w http.ResponseWriter, r *http.Request, _ int64) {
		_, _ = w.Write(make([]byte, 2<<20)) // over response_max
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}
	begun := newSignal()
	k.send(p, func() reply { return p.reads(k.doomed.URL(""), begun) })
	k.await(t, p, begun, "the first of the answer")
}

// delivering: the response is settled and stored, and a slow client has part of it.
func delivering(t *testing.T, k *killing, p *patron) {
	t.Helper()
	p.whole = strings.Repeat(p.id, (12<<20)/len(p.id))
	p.serve = func(w http.ResponseWriter, _ *http.Request, _ int64) { _, _ = w.Write([]byte(p.whole)) }
	begun := newSignal()
	k.send(p, func() reply { return p.reads(k.doomed.URL(""), begun) })
	k.await(t, p, begun, "the first of the answer")
	if state := p.claim(t); state != "settled" {
		t.Errorf("the claim is %s when the answer begins, want settled", state)
	}
}

// faultUnrecorded: the upstream failed after the settlement, and this is not recorded.
func faultUnrecorded(t *testing.T, k *killing, p *patron) {
	t.Helper()
	p.serve = failsOnce
	atWrite("finished")(t, k, p)
}

func failsOnce(w http.ResponseWriter, _ *http.Request, run int64) {
	if run == 1 {
		http.Error(w, "out of order", http.StatusInternalServerError)
		return
	}
	_, _ = fmt.Fprint(w, "not the second time")
}

// released: the upstream failed, and nothing was settled.
func released(t *testing.T, k *killing, p *patron) {
	t.Helper()
	p.serve = func(w http.ResponseWriter, _ *http.Request, run int64) {
		if run == 1 {
			http.Error(w, "out of order", http.StatusInternalServerError)
			return
		}
		_, _ = w.Write([]byte(p.id))
	}
	p.first = p.pays(k.doomed.URL(""))
	p.wantState(t, "released")
}

// refundDue: the upstream failed after the settlement.
func refundDue(t *testing.T, k *killing, p *patron) {
	t.Helper()
	p.serve = failsOnce
	p.first = p.pays(k.doomed.URL(""))
	p.wantState(t, "refund_due")
}

// wantCharged waits until the payment is in a block.
func (p *patron) wantCharged(t *testing.T) {
	t.Helper()
	eventually(t, "the payment in a block", func() error {
		left, err := p.site.chain.Balance(context.Background(), p.wallet.address())
		if err == nil && left == p.wallet.funded {
			err = errors.New("it is not")
		}
		return err
	})
}

// wantState waits until the claim is in a state: its final state is written after the response.
func (p *patron) wantState(t *testing.T, want string) {
	t.Helper()
	eventually(t, "the state of the claim", func() error {
		if got := p.claim(t); got != want {
			return fmt.Errorf("it is %q, want %q", got, want)
		}
		return nil
	})
}
