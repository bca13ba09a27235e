package credits

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/turnpike-edge/turnpike/db"
)

// ErrHoldNotOpen is returned for a hold that does not exist or has ended: captured, voided, swept or adopted.
var ErrHoldNotOpen = errors.New("hold is not open")

// Adopt turns a request's hold into a job's hold, in the transaction that creates the job. The credits stay held, the
// edge can no longer end the hold, and the sweeper ignores it until expiresAt. If there is nothing to adopt, Adopt
// returns ErrHoldNotOpen, and the transaction must be rolled back.
//
// The hold may also be one that [Ledger.OpenHold] opened for the run of a schedule, under the job that [RunJob] names.
// It then no longer belongs to that run.
//
// Adopt must be the last statement of the transaction. It locks the row of the hold's batch, and until the commit no
// other request of that batch can be captured.
func Adopt(ctx context.Context, tx db.DBTX, hold HoldID, jobID string, expiresAt time.Time) error {
	n, err := int64(0), error(nil)
	if hold.Slot() < slotsMax {
		n, err = db.New(tx).AdoptHold(ctx, db.AdoptHoldParams{
			HoldID: [16]byte(hold), BatchID: hold.Batch(), Slot: int32(hold.Slot()), //nolint:gosec // below slotsMax
			JobID: jobID, ExpiresAt: expiresAt,
		})
	}
	if n == 0 && err == nil {
		n, err = db.New(tx).HandHoldOver(ctx, db.HandHoldOverParams{
			HoldID: [16]byte(hold), RunJobID: RunJob([16]byte(hold)), JobID: jobID, ExpiresAt: expiresAt,
		})
	}
	if err != nil {
		return fmt.Errorf("adopting hold %s for %s: %w", hold, jobID, err)
	}
	if n == 0 {
		return fmt.Errorf("hold %s: %w", hold, ErrHoldNotOpen)
	}
	return nil
}
