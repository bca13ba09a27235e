package gate

import (
	"context"
	"math/big"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/rpc"

	"github.com/turnpike-edge/turnpike/dev/chain"
	"github.com/turnpike-edge/turnpike/dev/clocktest"
	"github.com/turnpike-edge/turnpike/dev/x402test"
	"github.com/turnpike-edge/turnpike/payments/price"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/claims"
	"github.com/turnpike-edge/turnpike/payments/x402/facilitator/local"
	"github.com/turnpike-edge/turnpike/payments/x402/signer"
)

// slowBooth is a gate with a real chain, on a clock that an upstream can move forward.
type slowBooth struct {
	*booth

	chain *chain.Chain
	ahead atomic.Int64 // nanoseconds
}

func (s *slowBooth) now() time.Time { return time.Now().Add(time.Duration(s.ahead.Load())) }

func newSlowBooth(t *testing.T, timeout, takes time.Duration) *slowBooth {
	t.Helper()
	s := new(slowBooth)
	var err error
	if s.chain, err = chain.Start(t.Context(), chain.Config{Now: s.now}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.chain.Close() })
	node, err := rpc.DialContext(t.Context(), s.chain.RPCURL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(node.Close)
	f, err := local.New(local.Config{
		RPC: node, Network: x402.BaseSepolia(), Signers: signer.Keys(s.chain.Settler()), Now: s.now, PollInterval: 20 * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close(context.Background()) })
	s.booth = newBooth(t, func(c *Config) { c.Facilitator, c.Now = f, s.now })
	s.key, s.clock, s.offer.UpstreamTimeout = s.chain.Wallet(), clocktest.At(s.now()), timeout
	good := s.next
	s.next = func(w http.ResponseWriter, r *http.Request, c x402.Claim) error {
		s.ahead.Add(int64(takes))
		return good(w, r, c)
	}
	return s
}

// wantSent wants that many transactions by the settler, and the payment of each.
func (s *slowBooth) wantSent(want uint64) {
	s.Helper()
	sent, err := s.chain.Client().NonceAt(s.Context(), chain.AddressOf(s.chain.Settler()), nil)
	if err != nil {
		s.Fatal(err)
	}
	paid, err := s.chain.Balance(s.Context(), x402test.PayTo)
	if err != nil {
		s.Fatal(err)
	}
	if sent != want || paid != want*uint64(s.offer.Amount) {
		s.Errorf("got %d transactions and %d units, want %d of %s", sent, paid, want, s.offer.Amount.Units())
	}
}

// An upstream that takes two minutes is paid: the validity that the gate asks of a payment covers its work.
func TestUpstreamOfTwoMinutes(t *testing.T) {
	t.Parallel()
	s := newSlowBooth(t, 120*time.Second, 120*time.Second)
	s.wantPaid(s.serve(s.request(s.pay(2)...)))
	s.wantSent(1)
}

// An upstream that exceeds its time limit is not paid if the payment has lapsed by then.
func TestUpstreamThatOutlastsItsPayment(t *testing.T) {
	t.Parallel()
	s := newSlowBooth(t, 120*time.Second, 200*time.Second)
	s.wantAnswer(s.serve(s.request(s.pay(2)...)), http.StatusPaymentRequired, x402.CodeValidBefore)
	s.wantState(claims.StateFailed)
	s.wantSent(0)
}

// A payment that is about to lapse is refused before the upstream runs, and costs no gas.
func TestPaymentAboutToLapse(t *testing.T) {
	t.Parallel()
	for settle, good := range map[price.Settle]time.Duration{
		price.SettleAfter: 120*time.Second + 30*time.Second, price.SettleBefore: x402.LapseMargin,
	} {
		s := newSlowBooth(t, 120*time.Second, 0)
		s.offer.Settle = settle
		a := s.authorization()
		a.ValidBefore = big.NewInt(s.now().Add(good).Unix())
		s.wantAnswer(s.serve(s.request(s.header(2, a, x402test.Sign(t, s.key, a, x402.BaseSepolia()), nil)...)), http.StatusPaymentRequired, x402.CodeValidBefore)
		if n := s.ran(); n != 0 {
			t.Errorf("settle %s: the upstream ran %d times", settle, n)
		}
		s.wantSent(0)
	}
}
