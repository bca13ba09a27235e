package batches

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/queue/billing"
	"github.com/turnpike-edge/turnpike/backend/queue/jobs"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/credits"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/token"
)

var (
	errMadeBefore = errors.New("a batch already exists for this identity")
	errNoJobs     = errors.New("this process has no job queue")
)

// Create creates the batch of r, once for each identity, and returns it. When it returns, the work is scheduled and the
// client's hold is taken over. A dry run is checked like any other request and returns nil.
func (s *Service) Create(ctx context.Context, c *principal.Caller, r *Request) (*Batch, error) {
	p, err := s.plan(ctx, c.TeamID, c.Unit, r)
	if err != nil {
		return nil, err
	}
	if c.DryRun != nil {
		return nil, nil //nolint:nilnil // documented: the quote is the answer
	}
	if s.config.Jobs == nil {
		return nil, problem.Internal(errNoJobs)
	}
	b, err := s.newBatch(ctx, c, p, r)
	if err != nil {
		return nil, err
	}
	secret, err := s.secretFor(ctx, c, b)
	if err != nil {
		return nil, err
	}
	var answer *Batch
	err = s.inTx(ctx, func(tx pgx.Tx) error {
		if err := s.insert(ctx, tx, b, p.items); err != nil {
			return err
		}
		if answer, err = s.object(b); err != nil {
			return err
		}
		if err := c.Record(ctx, tx, principal.Priced[Batch]{Result: answer}); err != nil {
			return err
		}
		return adopt(ctx, tx, c, b)
	})
	switch {
	case errors.Is(err, errMadeBefore):
		return s.madeBefore(ctx, c, p)
	case err != nil:
		return nil, problem.From(err)
	}
	s.begun(c, b.Paid)
	answer.WebhookSecret = secret // not in what is recorded: secrets are never stored
	return answer, nil
}

// secretFor returns the webhook secret for a wallet that named a webhook, and nil for others: they have a key to request it.
func (s *Service) secretFor(ctx context.Context, c *principal.Caller, b *db.Batch) (*string, error) {
	if c.Unit != edgewire.UnitUSDC || b.Webhook == nil {
		return nil, nil //nolint:nilnil // documented
	}
	secret, err := s.config.Webhooks.Secret(ctx, c.TeamID)
	if err != nil {
		return nil, problem.Internal(fmt.Errorf("creating the webhook's secret: %w", err))
	}
	return &secret, nil
}

// newBatch returns the row of a new batch. It refuses items that cost more than the client's hold.
func (s *Service) newBatch(ctx context.Context, c *principal.Caller, p *plan, r *Request) (*db.Batch, error) {
	now := s.config.Now()
	options, err := json.Marshal(p.options)
	if err != nil {
		return nil, problem.Internal(fmt.Errorf("writing options: %w", err))
	}
	metadata, err := json.Marshal(p.metadata)
	if err != nil {
		return nil, problem.Internal(fmt.Errorf("writing metadata: %w", err))
	}
	n := int32(p.items.count) //nolint:gosec // ItemsMax at most
	b := &db.Batch{
		ID: token.New("batch"), TeamID: c.TeamID, Jti: c.IdentityID, RoundJti: c.IdentityID, RequestSha256: p.request[:], Paid: paidCredits,
		Options: options, Metadata: metadata, Status: string(StatusInProgress), Total: n, Open: n, CreatedAt: now, DeadlineAt: now.Add(s.config.Timeout),
	}
	if p.webhook != "" {
		b.Webhook = &p.webhook
	}
	if r.FileID != "" {
		b.FileID = &r.FileID
	}
	if b.ClaimID, err = billing.ClaimOf(c); err != nil {
		return nil, err
	}
	if b.ClaimID != nil {
		b.Paid, b.PaidUsdc = paidUSDC, money.MicroUSDC(c.Cost())
		return b, nil
	}
	unit, err := s.config.Pages.Price(ctx, c.TeamID, p.options)
	if err != nil {
		return nil, problem.From(err)
	}
	b.UnitCredits = unit
	return b, billing.Covered(c, unit, p.items.count)
}

// insert writes a batch with its items and tasks.
func (s *Service) insert(ctx context.Context, tx pgx.Tx, b *db.Batch, items *list) error {
	n, err := db.New(tx).InsertBatch(ctx, db.InsertBatchParams{
		ID: b.ID, TeamID: b.TeamID, Jti: b.Jti, RequestSha256: b.RequestSha256, Paid: b.Paid, UnitCredits: b.UnitCredits,
		ClaimID: b.ClaimID, PaidUsdc: b.PaidUsdc, Options: b.Options, Metadata: b.Metadata, Webhook: b.Webhook, FileID: b.FileID,
		Total: b.Total, CreatedAt: b.CreatedAt, DeadlineAt: b.DeadlineAt,
	})
	switch {
	case err != nil:
		return fmt.Errorf("inserting batch: %w", err)
	case n == 0:
		return errMadeBefore
	}
	if err := insertItems(ctx, tx, b, items); err != nil {
		return err
	}
	ns := make([]int32, b.Total)
	for i := range ns {
		ns[i] = int32(i) + 1 //nolint:gosec // ItemsMax at most
	}
	return s.promise(ctx, tx, b, ns)
}

// promise schedules the work of a round.
func (s *Service) promise(ctx context.Context, tx pgx.Tx, b *db.Batch, ns []int32) error {
	work := jobs.Work{Queue: Queue, Lane: b.TeamID, TeamID: b.TeamID, Group: b.ID, Ns: ns, LaneMax: s.config.LaneMax}
	return s.config.Jobs.Enqueue(ctx, tx, work)
}

// adopt takes over the client's hold for a round of b. It must be the transaction's last statement.
func adopt(ctx context.Context, tx pgx.Tx, c *principal.Caller, b *db.Batch) error {
	return fundsOf(b).Adopt(ctx, tx, c, b.DeadlineAt.Add(holdSpare))
}

// begun runs after the commit of a round.
func (s *Service) begun(c *principal.Caller, paid string) {
	if paid == paidCredits {
		c.Adopt()
	}
	s.config.Jobs.Wake(Queue)
}

// madeBefore returns the existing batch to a request that repeats its identity: nothing is held or paid a second time.
func (s *Service) madeBefore(ctx context.Context, c *principal.Caller, p *plan) (*Batch, error) {
	b, err := s.queries.BatchByIdentity(ctx, c.IdentityID)
	if err != nil {
		return nil, problem.Internal(fmt.Errorf("reading the batch of an identity: %w", err))
	}
	if b.TeamID != c.TeamID || !bytes.Equal(b.RequestSha256, p.request[:]) {
		return nil, problem.New(problem.InvalidState, "This payment or authorization was already used for a different request.")
	}
	if err := fundsOf(&b).Repeated(ctx, credits.NewLedger(s.config.Pool), c); err != nil {
		return nil, err
	}
	answer, err := s.object(&b)
	if err != nil {
		return nil, problem.Internal(err)
	}
	return answer, nil
}
