package stripe

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/db/outage"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/price"
	"github.com/turnpike-edge/turnpike/payments/token"
)

// States of a row (topup.state).
const (
	statePending        = "pending"         // a request is processing it, or was lost
	stateUnknown        = "unknown"         // the sweeper handles it
	stateProcessing     = "processing"      // Stripe does not know the result yet
	stateActionRequired = "action_required" // its owner can pay it on a page
	stateSucceeded      = "succeeded"
	stateFailed         = "failed"
	stateMismatch       = "mismatch" // a person must decide
)

// Kinds of rows (topup.kind).
const kindHosted = "hosted"

const (
	// attemptTimeout bounds the request; the sweeper may take its row only after sweepAfter, which is later.
	attemptTimeout = 45 * time.Second
	sweepAfter     = time.Minute
	// storeTimeout bounds saving the result of a payment. It starts when the result is known, so that a slow Stripe
	// does not use up this time.
	storeTimeout = 10 * time.Second
)

// Purchase charges the team's saved card for a pack and credits it. A purchase that has begun continues when ctx ends.
// Errors: [PackError], [NoPaymentMethodError], [DeclinedError], [AuthenticationError], [InProgressError],
// [TooSoonError], [VelocityError], [ErrKeyReuse], [ErrKeyInProgress], [ErrUnavailable].
func (s *Service) Purchase(ctx context.Context, req PurchaseRequest) (Result, error) {
	if req.IdempotencyKey != "" {
		row, err := s.q.TopupByKey(ctx, db.TopupByKeyParams{TeamID: req.TeamID, IdemKey: req.IdempotencyKey})
		if err == nil {
			return s.replay(&req, &row)
		}
		if !errors.Is(err, pgx.ErrNoRows) {
			return Result{}, unavailable("looking up the idempotency key", err)
		}
	}
	pack, ok := s.cfg.Packs.Find(req.Credits)
	if !ok {
		return Result{}, s.noPack(req.Credits)
	}
	if s.cfg.Disabled {
		return Result{}, fmt.Errorf("%w: switched off", ErrUnavailable)
	}
	if err := s.needCard(ctx, req.TeamID); err != nil {
		return Result{}, err
	}
	// From here on, the purchase continues even if the client leaves.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), attemptTimeout)
	defer cancel()
	row, err := s.open(ctx, &req, pack)
	if err != nil {
		return Result{}, err
	}
	if row == nil { // unknown whether it was begun
		return Result{Status: Pending}, nil
	}
	return s.attempt(ctx, row)
}

func (s *Service) noPack(credits money.Credits) error {
	e := &PackError{Credits: credits}
	for _, p := range s.cfg.Packs {
		e.Allowed = append(e.Allowed, p.Credits)
	}
	return e
}

// needCard returns a NoPaymentMethodError with a setup page if the team has no card.
func (s *Service) needCard(ctx context.Context, teamID string) error {
	customer, err := s.customerWithCard(ctx, teamID)
	if err != nil {
		return err
	}
	if customer != nil && customer.PaymentMethodID != nil {
		return nil
	}
	refusal := &NoPaymentMethodError{}
	if refusal.SetupURL, err = s.SetupPage(ctx, SetupRequest{TeamID: teamID}); err != nil {
		s.cfg.Logger.Warn("no page to save a card was created", "team", teamID, "error", err)
	}
	return refusal
}

// open writes the row of a new purchase. It returns nil if the database may have written the row but did not confirm
// it: the sweeper then finds the row if it exists.
func (s *Service) open(ctx context.Context, req *PurchaseRequest, pack price.Pack) (*db.Topup, error) {
	row, err := s.insert(ctx, req, pack)
	if isViolation(err, "topup_open") {
		if err := s.clearTheWay(ctx, req.TeamID); err != nil {
			return nil, err
		}
		row, err = s.insert(ctx, req, pack)
	}
	switch {
	case err == nil:
		return &row, nil
	case errors.Is(err, pgx.ErrNoRows):
		return nil, s.limitReached(ctx, req.TeamID, pack)
	case isViolation(err, "topup_open"):
		return nil, &InProgressError{RetryAfter: sweepAfter}
	case isViolation(err, "topup_idem"):
		return nil, ErrKeyInProgress // by a concurrent copy of this request
	case outage.NotDone(err):
		return nil, unavailable("starting a top-up", err)
	default:
		s.cfg.Logger.Error("a top-up may have been started", "team", req.TeamID, "error", err)
		return nil, nil
	}
}

func (s *Service) insert(ctx context.Context, req *PurchaseRequest, pack price.Pack) (db.Topup, error) {
	now := s.cfg.Now()
	var hash []byte
	if req.IdempotencyKey != "" {
		hash = req.RequestHash[:]
	}
	return s.q.OpenTopup(ctx, db.OpenTopupParams{
		ID: token.New("topup"), HostedID: token.New("topup"), TeamID: req.TeamID, Livemode: s.live,
		Credits: pack.Credits, AmountCents: int64(pack.Price),
		IdemKey: some(req.IdempotencyKey), RequestHash: hash,
		Now: now, NextLookAt: now.Add(sweepAfter), AttemptBefore: now.Add(-s.cfg.AttemptEvery),
		DayAgo: now.Add(-day), AttemptsMost: int64(s.cfg.AttemptsPerDay), CentsMost: int64(s.cfg.CentsPerDay),
	})
}

const day = 24 * time.Hour

// isViolation reports whether this constraint or index refused a statement.
func isViolation(err error, constraint string) bool {
	refused, ok := errors.AsType[*pgconn.PgError](err)
	return ok && refused.ConstraintName == constraint
}

// limitReached returns the limit that prevented a purchase.
func (s *Service) limitReached(ctx context.Context, teamID string, pack price.Pack) error {
	now := s.cfg.Now()
	l, err := s.q.TopupLimits(ctx, db.TopupLimitsParams{TeamID: teamID, Livemode: s.live, Now: now, DayAgo: now.Add(-day)})
	if err != nil {
		return unavailable("reading the limits of a team", err)
	}
	wait := l.Oldest.Add(day).Sub(now)
	switch {
	case l.LastAttemptAt != nil && l.LastAttemptAt.After(now.Add(-s.cfg.AttemptEvery)):
		return &TooSoonError{RetryAfter: l.LastAttemptAt.Add(s.cfg.AttemptEvery).Sub(now)}
	case l.Attempts >= int64(s.cfg.AttemptsPerDay):
		return &VelocityError{Limit: fmt.Sprintf("%d attempts in 24 hours", s.cfg.AttemptsPerDay), RetryAfter: wait}
	case l.Cents+int64(pack.Price) > int64(s.cfg.CentsPerDay):
		return &VelocityError{Limit: fmt.Sprintf("%s USD in 24 hours", s.cfg.CentsPerDay), RetryAfter: wait}
	}
	return fmt.Errorf("%w: the card was removed a moment ago", ErrUnavailable)
}

// attempt charges a new row and returns the result.
func (s *Service) attempt(ctx context.Context, row *db.Topup) (Result, error) {
	out := s.charge(ctx, row)
	storeCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	if out.chargeStatus == statusBarred {
		s.cfg.Logger.Error("Stripe does not accept the secret key", "error", out.err)
		if _, err := s.q.ReleaseTopup(storeCtx, db.ReleaseTopupParams{ID: row.ID, ErrorCode: "unavailable"}); err != nil {
			s.cfg.Logger.Error("top-up not released", "topup", row.ID, "error", err)
		}
		return Result{}, unavailable("charging", out.err)
	}
	ended, err := s.settle(storeCtx, row, &out)
	if err != nil { // the sweeper or the webhook completes it
		s.cfg.Logger.Error("outcome of a top-up not recorded", "topup", row.ID, "payment_intent", out.intentID(), "error", err)
		return Result{Status: Pending, TopupID: row.ID, PaymentIntentID: out.intentID()}, nil
	}
	return answer(ended, false)
}

// replay returns the result for a key that was used before.
func (s *Service) replay(req *PurchaseRequest, row *db.Topup) (Result, error) {
	if !bytes.Equal(row.RequestHash, req.RequestHash[:]) {
		return Result{}, ErrKeyReuse
	}
	if row.State == statePending && s.cfg.Now().Before(row.CreatedAt.Add(sweepAfter)) {
		return Result{}, ErrKeyInProgress
	}
	return answer(row, true)
}

// answer converts a row's state to the result for the client. A credited purchase stays succeeded, even if money was
// given back later.
func answer(row *db.Topup, replayed bool) (Result, error) {
	intent := deref(row.PaymentIntentID)
	switch row.State {
	case stateSucceeded:
		return Result{
			Status: Succeeded, TopupID: row.ID, PaymentIntentID: intent,
			Credits: row.Credits, Replayed: replayed,
		}, nil
	case stateFailed:
		if row.ErrorCode == codeAuthentication {
			return Result{}, &AuthenticationError{
				TopupID: row.ID, PaymentIntentID: intent, ActionURL: row.ActionUrl, Replayed: replayed,
			}
		}
		return Result{}, &DeclinedError{
			TopupID: row.ID, PaymentIntentID: intent, Code: row.ErrorCode, DeclineCode: row.DeclineCode,
			Message: row.ErrorMessage, Replayed: replayed,
		}
	default:
		return Result{Status: Pending, TopupID: row.ID, PaymentIntentID: intent, Replayed: replayed}, nil
	}
}
