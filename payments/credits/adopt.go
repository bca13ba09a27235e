package credits

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/turnpike-edge/turnpike/db"
)

// ErrHoldNotOpen is returned for a hold that is not there, or has ended: captured,
// voided, swept or adopted.
var ErrHoldNotOpen = errors.New("hold is not open")

// Adopt makes a request's hold a job's, in the transaction that makes the job:
// what is held stays held, the edge can end it no more, and the sweeper leaves it
// alone until expiresAt. It returns ErrHoldNotOpen if there is nothing to adopt;
// the transaction is then to be rolled back.
//
// The hold may be one that [Ledger.OpenHold] has opened for the run of a schedule,
// under the job that [RunJob] names: then it is that run's no more.
//
// It must be the transaction's last statement. It locks the row of the hold's
// batch, and until the commit no other request of that batch can be captured.
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
