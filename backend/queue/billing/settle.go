package billing

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/payments/credits"
)

// OweFunc records in a transaction that a wallet's payment must be refunded, and why. It returns false if there is
// nothing to refund: the money has not moved, or is back.
type OweFunc func(ctx context.Context, tx pgx.Tx, claim uuid.UUID, note string) (bool, error)

// Settler closes the payment of jobs of one kind.
type Settler struct {
	// Owe is required if wallets pay.
	Owe OweFunc
	// Note tells operators and payers why a payment is refunded: "no page of the batch could be fetched".
	Note   string
	Logger *slog.Logger // required
}

// Settle returns what an ending job has not used, in the transaction that ends it: the rest of a hold, or a wallet's whole
// payment if no item was finished. finished is the number of finished items; a wallet's payment is not refunded in part.
func (s *Settler) Settle(ctx context.Context, tx pgx.Tx, f *Funds, finished int) error {
	if f.Claim != nil {
		return s.owe(ctx, tx, f, finished)
	}
	_, err := credits.NewLedger(tx).CloseHold(ctx, f.Job)
	if errors.Is(err, credits.ErrNoHold) {
		s.Logger.ErrorContext(ctx, "a finished job has no hold", "job", f.Job)
		return nil
	}
	return err
}

func (s *Settler) owe(ctx context.Context, tx pgx.Tx, f *Funds, finished int) error {
	if finished > 0 {
		return nil
	}
	if s.Owe == nil {
		return errors.New("a wallet is owed a refund, but Owe is not configured")
	}
	owed, err := s.Owe(ctx, tx, *f.Claim, s.Note)
	if err != nil {
		return fmt.Errorf("recording the refund of %s: %w", f.Job, err)
	}
	if !owed {
		s.Logger.WarnContext(ctx, "a job finished without results, and there was no refund to record", "job", f.Job, "claim", f.Claim)
	}
	return nil
}
