package claims

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/price"
	"github.com/turnpike-edge/turnpike/payments/x402"
)

// Postgres is the [Store] that edges share. The statement that marks a claim as settled also writes the
// settlement to the ledger.
type Postgres struct {
	q    *db.Queries
	edge uuid.UUID
}

var _ Store = (*Postgres)(nil)

// NewPostgres returns the store for an instance, on a pool whose schema is migrated. A process that takes no
// claims needs no instance (uuid.Nil).
func NewPostgres(conn db.DBTX, instance uuid.UUID) *Postgres {
	return &Postgres{q: db.New(conn), edge: instance}
}

// orphansMost is how many claims one call of TakeOrphans takes, the longest unattended first, the rest next time.
const orphansMost = 100

// Find implements [Store].
func (s *Postgres) Find(ctx context.Context, key Key) (Record, error) {
	row, err := s.q.PaymentClaim(ctx, db.PaymentClaimParams{
		Network: key.Network, Asset: key.Asset, Payer: key.Payer, Nonce: key.Nonce[:],
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return Record{}, ErrNotFound
	}
	if err != nil {
		return Record{}, fmt.Errorf("finding claim: %w", err)
	}
	return recordOf(key, &row), nil
}

func recordOf(key Key, row *db.PaymentClaimRow) Record {
	rec := Record{
		ID: row.ID, Key: key, Version: int(row.Version), PayTo: row.PayTo, Amount: row.Amount,
		Payment: row.Payment, Method: row.Method, URI: row.Uri, Operation: row.Operation,
		Settle: price.Settle(row.Settle), LapsesAt: row.LapsesAt, KeepUntil: row.KeepUntil, EdgeID: row.EdgeID,
		State: State(row.State), Transaction: row.Transaction, Reason: x402.Code(row.Reason), Identifier: row.PaymentID,
		ResponseKept: row.ResponseKept, CreatedAt: row.CreatedAt, RunAt: row.RunAt, DoneAt: row.DoneAt,
	}
	copy(rec.PayloadHash[:], row.PayloadHash)
	copy(rec.RequestHash[:], row.RequestHash)
	return rec
}

// recordOfAny is recordOf for a row that was not found by its key.
func recordOfAny(row *db.TakeOrphanClaimsRow) Record {
	key := Key{Network: row.Network, Asset: row.Asset, Payer: row.Payer}
	copy(key.Nonce[:], row.Nonce)
	return recordOf(key, &db.PaymentClaimRow{
		ID: row.ID, Version: row.Version, PayTo: row.PayTo, Amount: row.Amount, Payment: row.Payment,
		PayloadHash: row.PayloadHash, RequestHash: row.RequestHash, Method: row.Method, Uri: row.Uri,
		Operation: row.Operation, Settle: row.Settle, LapsesAt: row.LapsesAt, KeepUntil: row.KeepUntil,
		EdgeID: row.EdgeID, State: row.State, Transaction: row.Transaction, Reason: row.Reason,
		CreatedAt: row.CreatedAt, PaymentID: row.PaymentID, RunAt: row.RunAt, DoneAt: row.DoneAt, ResponseKept: row.ResponseKept,
	})
}

// FindIdentified implements [Store].
func (s *Postgres) FindIdentified(ctx context.Context, identity Identity, now time.Time) (Record, error) {
	row, err := s.q.IdentifiedClaim(ctx, db.IdentifiedClaimParams{
		Network: identity.Network, Payer: identity.Payer, PaymentID: identity.Identifier, Now: now,
	})
	return foundAny((*db.TakeOrphanClaimsRow)(&row), err)
}

// FindAnswer implements [Store].
func (s *Postgres) FindAnswer(ctx context.Context, asked Purchaser, now time.Time) (Record, error) {
	row, err := s.q.AnswerableClaim(ctx, db.AnswerableClaimParams{
		Payer: asked.Payer, Network: asked.Network, RequestHash: asked.RequestHash[:], Now: now,
	})
	return foundAny((*db.TakeOrphanClaimsRow)(&row), err)
}

func foundAny(row *db.TakeOrphanClaimsRow, err error) (Record, error) {
	if errors.Is(err, pgx.ErrNoRows) {
		return Record{}, ErrNotFound
	}
	if err != nil {
		return Record{}, fmt.Errorf("finding claim: %w", err)
	}
	return recordOfAny(row), nil
}

// UseSignIn implements [Store].
func (s *Postgres) UseSignIn(ctx context.Context, account, nonce string, expires time.Time) error {
	n, err := s.q.UseSignIn(ctx, db.UseSignInParams{Account: account, Nonce: nonce, ExpiresAt: expires})
	if err != nil {
		return fmt.Errorf("using sign-in: %w", err)
	}
	if n == 0 {
		return ErrSignInUsed
	}
	return nil
}

// ForgetSignIns implements [Store].
func (s *Postgres) ForgetSignIns(ctx context.Context, now time.Time) error {
	if _, err := s.q.ForgetSignIns(ctx, now); err != nil {
		return fmt.Errorf("deleting old sign-ins: %w", err)
	}
	return nil
}

// claimTries is how often Claim is tried when the claim in its way turns out to be gone: one that had its identifier, or
// a duplicate.
const claimTries = 3

// Claim implements [Store].
func (s *Postgres) Claim(ctx context.Context, rec *Record, seen x402.Checked) (Record, bool, error) {
	for try := 1; ; try++ {
		row, err := s.claim(ctx, rec, seen)
		switch {
		case err == nil && row.IsTaken:
			won := *rec
			won.State, won.EdgeID = StateClaimed, s.edge
			if rec.Settle == price.SettleAfter {
				won.RunAt = &row.TakenAt
			}
			return won, true, nil
		case err == nil:
			other, err := s.inTheWay(ctx, rec, seen, row)
			if err != nil && other.ID != uuid.Nil && try < claimTries {
				continue // a duplicate's claim, released just now, may itself be what was in flight
			}
			return other, false, err
		case !isIdentifierTaken(err) || try == claimTries:
			return Record{}, false, fmt.Errorf("claiming: %w", err)
		}
		other, err := s.FindIdentified(ctx, rec.Identity(), rec.CreatedAt)
		if !errors.Is(err, ErrNotFound) {
			return other, false, err
		}
		_, err = s.q.FreeIdentifier(ctx, db.FreeIdentifierParams{
			Network: rec.Key.Network, Payer: rec.Key.Payer, PaymentID: rec.Identifier, Now: rec.CreatedAt,
		})
		if err != nil {
			return Record{}, false, fmt.Errorf("freeing identifier: %w", err)
		}
	}
}

// inTheWay says why a claim was not taken: because its payment has a claim, or else for lack of a settler or of money.
// With an error it returns the payment's claim that was released, if there is one.
func (s *Postgres) inTheWay(ctx context.Context, rec *Record, seen x402.Checked, row db.ClaimPaymentRow) (Record, error) {
	other, err := s.Find(ctx, rec.Key)
	inFlight := money.MicroUSDC(row.InFlight)
	switch isFree := errors.Is(err, ErrNotFound) || err == nil && other.reclaimable(rec); {
	case !isFree:
	case !row.IsSettler:
		err = ErrNotSettler
	case !seen.Covers(rec.Amount, inFlight):
		err = &InFlightError{inFlight}
	case !seen.TriesFor(int(row.Tries)):
		err = ErrUnpaidTries
	case !seen.Affords(x402.Gwei(row.GasHeld)):
		err = ErrGasBudget
	}
	return other, err // if free, it has become so since: the caller looks again
}

func (s *Postgres) claim(ctx context.Context, rec *Record, seen x402.Checked) (db.ClaimPaymentRow, error) {
	args := db.ClaimPaymentParams{
		ID: rec.ID, Network: rec.Key.Network, Asset: rec.Key.Asset, Payer: rec.Key.Payer, Nonce: rec.Key.Nonce[:],
		Version: int16(rec.Version), //nolint:gosec // 1 or 2
		PayTo:   rec.PayTo, Amount: int64(rec.Amount), Payment: rec.Payment,
		PayloadHash: rec.PayloadHash[:], RequestHash: rec.RequestHash[:], Method: rec.Method, Uri: rec.URI,
		Operation: rec.Operation, Settle: string(rec.Settle), LapsesAt: rec.LapsesAt, KeepUntil: rec.KeepUntil,
		EdgeID: s.edge, CreatedAt: rec.CreatedAt, PaymentID: rec.Identifier, ReadAt: signedBlock(seen.Block),
		IsContract: seen.Contract, TriesMax: x402.UnpaidTriesMax, Cost: int64(seen.Gas), Budget: int64(seen.GasBudget),
	}
	if seen.Known {
		balance := int64(seen.Balance)
		args.Balance = &balance
	}
	return s.q.ClaimPayment(ctx, args)
}

// Disclaim implements [Store].
func (s *Postgres) Disclaim(ctx context.Context, rec *Record) error {
	err := s.q.DisclaimPayment(ctx, db.DisclaimPaymentParams{
		ID: rec.ID, Network: rec.Key.Network, Asset: rec.Key.Asset, Payer: rec.Key.Payer, Nonce: rec.Key.Nonce[:],
		Version: int16(rec.Version), //nolint:gosec // 1 or 2
		PayTo:   rec.PayTo, Amount: rec.Amount, Payment: rec.Payment,
		PayloadHash: rec.PayloadHash[:], RequestHash: rec.RequestHash[:], Method: rec.Method, Uri: rec.URI,
		Operation: rec.Operation, Settle: string(rec.Settle), LapsesAt: rec.LapsesAt, KeepUntil: rec.KeepUntil,
		EdgeID: s.edge, CreatedAt: rec.CreatedAt,
	})
	if err != nil {
		return fmt.Errorf("giving up a claim: %w", err)
	}
	return nil
}

func signedBlock(n uint64) int64 { return int64(n) } //nolint:gosec // no chain has 2^63 blocks

// blockColumn is the block of a settlement, null if it is not known.
func blockColumn(n uint64) *int64 {
	if n == 0 {
		return nil
	}
	block := signedBlock(n)
	return &block
}

// uniqueViolation is Postgres's error code for a row that conflicts with an existing one.
const uniqueViolation = "23505"

// isIdentifierTaken reports whether the unique index on identifiers refused a claim.
func isIdentifierTaken(err error) bool {
	refused, ok := errors.AsType[*pgconn.PgError](err)
	return ok && refused.Code == uniqueViolation && refused.ConstraintName == "x402_claim_identifier"
}

// CheckMoved turns the row count of a guarded update into the store's error.
func CheckMoved(step string, n int64, err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", step, err)
	}
	if n == 0 {
		return fmt.Errorf("%s: %w", step, ErrMoved)
	}
	return nil
}

// keptColumns are the columns of a kept response, all null without one. Header values are stored as bytes, because
// upstreams may send values that are not UTF-8.
func keptColumns(resp *Response) (status *int32, header, body []byte, err error) {
	if resp == nil {
		return nil, nil, nil, nil
	}
	raw := make(map[string][][]byte, len(resp.Header))
	for name, values := range resp.Header {
		for _, v := range values {
			raw[name] = append(raw[name], []byte(v))
		}
	}
	if header, err = json.Marshal(raw); err != nil {
		return nil, nil, nil, fmt.Errorf("encoding response headers: %w", err)
	}
	code := int32(resp.Status) //nolint:gosec // three digits
	return &code, header, append([]byte{}, resp.Body...), nil
}

// Response implements [Store].
func (s *Postgres) Response(ctx context.Context, id uuid.UUID) (*Response, error) {
	row, err := s.q.KeptResponse(ctx, id)
	if errors.Is(err, pgx.ErrNoRows) || (err == nil && row.ResponseStatus == nil) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("reading stored response: %w", err)
	}
	var raw map[string][][]byte
	if err := json.Unmarshal(row.ResponseHeader, &raw); err != nil {
		return nil, fmt.Errorf("decoding stored response headers: %w", err)
	}
	header := make(http.Header, len(raw))
	for name, values := range raw {
		for _, v := range values {
			header[name] = append(header[name], string(v))
		}
	}
	return &Response{Status: int(*row.ResponseStatus), Header: header, Body: row.ResponseBody}, nil
}

// Release implements [Store].
func (s *Postgres) Release(ctx context.Context, id uuid.UUID, reason x402.Code, resp *Response) error {
	status, header, body, err := keptColumns(resp)
	if err != nil {
		return err
	}
	n, err := s.q.ReleaseClaim(ctx, db.ReleaseClaimParams{ID: id, EdgeID: s.edge, Reason: string(reason), Status: status, Header: header, Body: body})
	return CheckMoved("releasing claim", n, err)
}

// Serve implements [Store].
func (s *Postgres) Serve(ctx context.Context, id uuid.UUID, resp *Response) error {
	status, header, body, err := keptColumns(resp)
	if err != nil {
		return err
	}
	n, err := s.q.ServeClaim(ctx, db.ServeClaimParams{ID: id, EdgeID: s.edge, Status: status, Header: header, Body: body})
	return CheckMoved("serving claim", n, err)
}

// Settling implements [Store].
func (s *Postgres) Settling(ctx context.Context, id uuid.UUID) error {
	n, err := s.q.StartSettlingClaim(ctx, db.StartSettlingClaimParams{ID: id, EdgeID: s.edge})
	return CheckMoved("starting to settle claim", n, err)
}

// Settled implements [Store].
func (s *Postgres) Settled(ctx context.Context, id uuid.UUID, by x402.Settlement, run bool) error {
	n, err := s.q.SettleClaim(ctx, db.SettleClaimParams{
		ID: id, EdgeID: s.edge, Transaction: by.Transaction, Block: blockColumn(by.Block), Run: run,
	})
	return CheckMoved("settling claim", n, err)
}

// Unknown implements [Store].
func (s *Postgres) Unknown(ctx context.Context, id uuid.UUID, transaction string) error {
	n, err := s.q.MarkClaimUnknown(ctx, db.MarkClaimUnknownParams{ID: id, EdgeID: s.edge, Transaction: transaction})
	return CheckMoved("marking claim unknown", n, err)
}

// Fail implements [Store].
func (s *Postgres) Fail(ctx context.Context, id uuid.UUID, reason x402.Code) error {
	n, err := s.q.FailClaim(ctx, db.FailClaimParams{ID: id, EdgeID: s.edge, Reason: string(reason)})
	return CheckMoved("failing claim", n, err)
}

// Abandon implements [Store].
func (s *Postgres) Abandon(ctx context.Context, id uuid.UUID) error {
	n, err := s.q.AbandonClaim(ctx, db.AbandonClaimParams{ID: id, EdgeID: s.edge})
	return CheckMoved("abandoning claim", n, err)
}

// StartRun implements [Store].
func (s *Postgres) StartRun(ctx context.Context, id uuid.UUID) error {
	n, err := s.q.StartClaimRun(ctx, db.StartClaimRunParams{ID: id, EdgeID: s.edge})
	return CheckMoved("starting claim's run", n, err)
}

// Finish implements [Store].
func (s *Postgres) Finish(ctx context.Context, id uuid.UUID, failed bool, resp *Response) error {
	status, header, body, err := keptColumns(resp)
	if err != nil {
		return err
	}
	n, err := s.q.FinishClaim(ctx, db.FinishClaimParams{ID: id, EdgeID: s.edge, Failed: failed, Status: status, Header: header, Body: body})
	return CheckMoved("finishing claim", n, err)
}

// RefundDue implements [Store].
func (s *Postgres) RefundDue(ctx context.Context, id uuid.UUID) error {
	n, err := s.q.MarkRefundDue(ctx, db.MarkRefundDueParams{ID: id, EdgeID: s.edge})
	return CheckMoved("recording refund", n, err)
}

// Owe implements [Store].
func (s *Postgres) Owe(ctx context.Context, id uuid.UUID, note string) error {
	n, err := s.q.OweClaim(ctx, db.OweClaimParams{ID: id, Note: note})
	return CheckMoved("recording the refund due", n, err)
}

// Counts implements [Store].
func (s *Postgres) Counts(ctx context.Context) (Counts, error) {
	rows, err := s.q.CountOpenClaims(ctx)
	if err != nil {
		return nil, fmt.Errorf("counting claims: %w", err)
	}
	counts := make(Counts, len(rows))
	for _, row := range rows {
		counts[State(row.State)] = Count{Claims: int(row.Claims), Amount: money.MicroUSDC(row.Amount), Oldest: row.Oldest}
	}
	return counts, nil
}

// Stranded implements [Store].
func (s *Postgres) Stranded(ctx context.Context) (int, error) {
	n, err := s.q.CountStrandedClaims(ctx)
	if err != nil {
		return 0, fmt.Errorf("counting claims that no process settles: %w", err)
	}
	return int(n), nil
}

// unclosedMost is how many claims one round looks at.
const unclosedMost = 100

// Unclosed implements [Store].
func (s *Postgres) Unclosed(ctx context.Context, settles []string, before time.Time) ([]Key, error) {
	rows, err := s.q.ListUnclosedClaims(ctx, db.ListUnclosedClaimsParams{LapsedBefore: before, Settles: settles, BatchSize: unclosedMost})
	if err != nil {
		return nil, fmt.Errorf("listing failed claims: %w", err)
	}
	keys := make([]Key, len(rows))
	for i, row := range rows {
		keys[i] = Key{Network: row.Network, Asset: row.Asset, Payer: row.Payer}
		copy(keys[i].Nonce[:], row.Nonce)
	}
	return keys, nil
}

// Close implements [Store].
func (s *Postgres) Close(ctx context.Context, id uuid.UUID) error {
	n, err := s.q.CloseFailedClaim(ctx, id)
	return CheckMoved("closing claim", n, err)
}

// paidAfterAllNote is the reason for the refund of a claim that had failed.
const paidAfterAllNote = "settled after it had been refused"

// PaidAfterAll implements [Store].
func (s *Postgres) PaidAfterAll(ctx context.Context, id uuid.UUID, by x402.Settlement) error {
	n, err := s.q.OweFailedClaim(ctx, db.OweFailedClaimParams{
		ID: id, Transaction: by.Transaction, Block: blockColumn(by.Block), Note: paidAfterAllNote,
	})
	return CheckMoved("recording a late settlement", n, err)
}

// TakeOrphans implements [Store].
func (s *Postgres) TakeOrphans(ctx context.Context, settles []string, active []uuid.UUID, now time.Time) ([]Record, error) {
	if active == nil {
		active = []uuid.UUID{} // a null array would match nothing
	}
	rows, err := s.q.TakeOrphanClaims(ctx, db.TakeOrphanClaimsParams{
		EdgeID: s.edge, Settles: settles, Active: active, Now: now, BatchSize: orphansMost,
	})
	if err != nil {
		return nil, fmt.Errorf("taking orphaned claims: %w", err)
	}
	recs := make([]Record, len(rows))
	for i := range rows {
		recs[i] = recordOfAny(&rows[i])
	}
	return recs, nil
}

// TakeUnknown implements [Store].
func (s *Postgres) TakeUnknown(ctx context.Context, id uuid.UUID) error {
	n, err := s.q.TakeUnknownClaim(ctx, db.TakeUnknownClaimParams{ID: id, EdgeID: s.edge})
	return CheckMoved("taking claim", n, err)
}

// ForgetResponses implements [Store].
func (s *Postgres) ForgetResponses(ctx context.Context, now time.Time) (int, error) {
	n, err := s.q.ForgetKeptResponses(ctx, now)
	if err != nil {
		return 0, fmt.Errorf("deleting old responses: %w", err)
	}
	return int(n), nil
}
