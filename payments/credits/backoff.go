package credits

import (
	"context"
	"time"
)

// backoff spaces attempts to reach the database: 20 ms, doubled up to 500 ms, so that metering resumes well within a
// second after the database does.
type backoff struct{ next time.Duration }

const (
	backoffMin = 20 * time.Millisecond
	backoffMax = 500 * time.Millisecond
)

func newBackoff() *backoff { return &backoff{next: backoffMin} }

func (b *backoff) reset() { b.next = backoffMin }

func (b *backoff) wait(ctx context.Context) {
	timer := time.NewTimer(b.next)
	defer timer.Stop()
	b.next = min(2*b.next, backoffMax)
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
