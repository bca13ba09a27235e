package principal

import (
	"context"
	"fmt"
	"time"

	"github.com/turnpike-edge/turnpike/admission"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

// Holder returns whose share of the service's limits the request counts against. Wallets and anonymous clients are keyless.
func (c *Caller) Holder() admission.Holder {
	return admission.Holder{Name: c.TeamID, Keyless: c.Kind != edgewire.PayerTeam}
}

// Enter takes one of places for ctx's holder, until leave is called. The error is a problem: the holder has reached its
// share, and may retry after retryAfter. what is a plural noun for the message.
func Enter(ctx context.Context, places *admission.Pool, what string, retryAfter time.Duration) (leave func(), err error) {
	place, err := places.Enter(ctx, 1)
	if err != nil {
		e := problem.Wrap(problem.Overloaded, fmt.Sprintf("You have reached the limit of %s in progress. Nothing was charged; try again in a moment.", what), err)
		e.RetryAfter = retryAfter
		return nil, e
	}
	return place.Release, nil
}
