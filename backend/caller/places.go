package caller

import (
	"context"
	"fmt"
	"time"

	"github.com/turnpike-edge/turnpike/admission"
	"github.com/turnpike-edge/turnpike/backend/problem"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

// Holder is whose share of the service's places a request has. Wallets and nobody have no key.
func (c *Caller) Holder() admission.Holder {
	return admission.Holder{Name: c.TeamID, Keyless: c.Kind != edgewire.PayerTeam}
}

// Enter takes a place for whom ctx's work is done, until leave is called. The error is a problem: it says that the caller
// has as much of it under way as it may, what being the plural of what it asks for, and when to come again.
func Enter(ctx context.Context, places *admission.Pool, what string, retryAfter time.Duration) (leave func(), err error) {
	place, err := places.Enter(ctx, 1)
	if err != nil {
		e := problem.Wrap(problem.Overloaded, fmt.Sprintf("You have as many %s under way as you may at the moment. Nothing was charged; try again in a moment.", what), err)
		e.RetryAfter = retryAfter
		return nil, e
	}
	return place.Release, nil
}
