package refunds

import (
	"context"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/dev/x402test"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/facilitator/local"
	"github.com/turnpike-edge/turnpike/payments/x402/signer"
)

// TestRemoteSignerSettles shows that a service signs settlements, replacements and refunds.
func TestRemoteSignerSettles(t *testing.T) {
	t.Parallel()
	s := newTill(t)
	_, settler := x402test.NewSigningService(t, s.Chain.Settler())
	f, err := local.New(local.Config{
		RPC: s.Node, Network: x402.BaseSepolia(), Signers: []signer.Signer{parsedSigner(t, settler)}, PollInterval: 10 * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close(context.Background()) })
	if err := f.Check(t.Context()); err != nil {
		t.Error(err)
	}
	_ = s.facilitator.Close(t.Context())
	s.facilitator = f
	for _, noTyped := range []bool{false, true} {
		service, treasury := x402test.NewSigningService(t, s.treasury)
		service.NoTyped = noTyped
		rec := s.paid(true)
		before := s.Balance(s.payer)
		from := s.from(s.treasury)
		from.Signer = parsedSigner(t, treasury)
		paid, err := s.refunds.Pay(t.Context(), rec.ID, from)
		if err != nil {
			t.Fatal(err)
		}
		s.wantRefunded(rec, paid.Transaction, before+uint64(rec.Amount))
	}
	s.wantBooks()
}

func parsedSigner(t *testing.T, text string) signer.Signer {
	t.Helper()
	parsed, err := signer.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}
