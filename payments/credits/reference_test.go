package credits

import "github.com/turnpike-edge/turnpike/payments/money"

// reference is the specification of one customer's ledger, written as simply as possible. Tests compare the ledger in
// Postgres with it.
type reference struct {
	balance, held, owed money.Credits

	requests []*referenceRequest
	jobs     []*referenceJob
	moves    []*referenceMove
}

type referenceRequest struct {
	hold Hold // the one in Postgres
	edge int
	open bool
}

type referenceJob struct {
	id               string
	amount, captured money.Credits
	captures         int
	state            HoldState
	lapsed           bool // it has expired, and no sweeper has run yet
}

// referenceMove is a transfer: credits to the customer, or from it if negative.
type referenceMove struct {
	transfer int64
	credits  money.Credits
	cause    Cause
	key      string
	reversed bool
}

func (r *reference) available() money.Credits { return r.balance - r.held }

// give adds credits; debt is paid first.
func (r *reference) give(n money.Credits) {
	paid := min(r.owed, n)
	r.owed -= paid
	r.balance += n - paid
}

// take takes credits, at most what is available; the rest becomes debt.
func (r *reference) take(n money.Credits) {
	taken := min(r.available(), n)
	r.balance -= taken
	r.owed += n - taken
}

func (r *reference) move(n money.Credits) {
	if n < 0 {
		r.take(-n)
	} else {
		r.give(n)
	}
}

// hold sets credits aside, if they are available.
func (r *reference) hold(n money.Credits) bool {
	if n > r.available() {
		return false
	}
	r.held += n
	return true
}

// end spends part of what was held and frees the rest.
func (r *reference) end(held, spent money.Credits) {
	r.held -= held
	r.balance -= held // first removed entirely, then the rest is given back
	r.give(held - spent)
}

func (r *reference) endRequest(q *referenceRequest, captured money.Credits) {
	if q.open {
		q.open = false
		r.end(q.hold.Amount(), min(captured, q.hold.Amount()))
	}
}

func (r *reference) endJob(j *referenceJob, state HoldState) {
	if j.state == HoldOpen {
		j.state = state
		r.end(j.amount, j.captured)
	}
}
