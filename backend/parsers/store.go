package parsers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/token"
)

const (
	// parsersMax is how many parsers a team may have, including deleted ones, whose names keep their version count.
	parsersMax = 1000
	// versionsMax is how many versions a parser may have.
	versionsMax = 10_000
)

var (
	errNotFound = errors.New("no such parser")
	errFull     = errors.New("the team has reached its limit of parsers, or of versions of this one")
	errRunning  = errors.New("the trial of this identity is in progress")
	errTakenFor = errors.New("the identity was used for another request")
)

// store accesses the parser tables.
type store struct{ queries *db.Queries }

// stored is a stored version.
type stored struct {
	id, name    string
	version     int
	description string
	definition  []byte
	created     time.Time
}

// newVersion is the input of create.
type newVersion struct {
	teamID, name, description string
	definition                []byte
	sha256                    [32]byte
	now                       time.Time
}

// create adds a version, unless it equals the latest, which is then returned.
func (s *store) create(ctx context.Context, n *newVersion) (*stored, error) {
	row, err := s.queries.CreateParserVersion(ctx, db.CreateParserVersionParams{
		ID: token.New("parser"), TeamID: n.teamID, Name: n.name, Description: n.description, Definition: n.definition,
		DefinitionSha256: n.sha256[:], Now: n.now, ParsersMax: parsersMax, VersionsMax: versionsMax,
	})
	switch {
	case err == nil:
		return &stored{row.ID, n.name, int(row.Version), n.description, n.definition, n.now}, nil
	case !errors.Is(err, pgx.ErrNoRows):
		return nil, fmt.Errorf("adding a version of %s: %w", n.name, err)
	}
	latest, err := s.queries.LatestParser(ctx, db.LatestParserParams{TeamID: n.teamID, Name: n.name})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil, errFull
	case err != nil:
		return nil, fmt.Errorf("reading the latest version of %s: %w", n.name, err)
	case !bytes.Equal(latest.DefinitionSha256, n.sha256[:]):
		return nil, errFull
	}
	return &stored{latest.ID, latest.Name, int(latest.Version), latest.Description, latest.Definition, latest.CreatedAt}, nil
}

// find returns the version that r names. A deleted one is returned only if deleted is set and r names it exactly.
func (s *store) find(ctx context.Context, teamID string, r reference, deleted bool) (*stored, error) {
	var out *stored
	var err error
	gone := false
	switch {
	case r.id != "":
		var row db.ParserVersionByIDRow
		row, err = s.queries.ParserVersionByID(ctx, db.ParserVersionByIDParams{ID: r.id, TeamID: teamID})
		out, gone = &stored{row.ID, row.Name, int(row.Version), row.Description, row.Definition, row.CreatedAt}, row.Deleted
	case r.version > 0:
		var row db.ParserVersionRow
		row, err = s.queries.ParserVersion(ctx, db.ParserVersionParams{TeamID: teamID, Name: r.name, Version: int32(r.version)}) //nolint:gosec // at most versionMax
		out, gone = &stored{row.ID, row.Name, int(row.Version), row.Description, row.Definition, row.CreatedAt}, row.Deleted
	default:
		var row db.LatestParserRow
		row, err = s.queries.LatestParser(ctx, db.LatestParserParams{TeamID: teamID, Name: r.name})
		out = &stored{row.ID, row.Name, int(row.Version), row.Description, row.Definition, row.CreatedAt}
	}
	switch {
	case errors.Is(err, pgx.ErrNoRows) || (err == nil && gone && !deleted):
		return nil, errNotFound
	case err != nil:
		return nil, fmt.Errorf("reading a parser: %w", err)
	}
	return out, nil
}

// list returns up to n parsers with names greater than after.
func (s *store) list(ctx context.Context, teamID, after string, n int) ([]stored, error) {
	rows, err := s.queries.ListParsers(ctx, db.ListParsersParams{TeamID: teamID, After: after, RowsMax: int32(n)}) //nolint:gosec // a page
	if err != nil {
		return nil, fmt.Errorf("listing parsers: %w", err)
	}
	out := make([]stored, len(rows))
	for i, row := range rows {
		out[i] = stored{id: row.ID, name: row.Name, version: int(row.Version), description: row.Description, created: row.CreatedAt}
	}
	return out, nil
}

// versions returns up to n versions below before, latest first; before 0 starts with the latest.
func (s *store) versions(ctx context.Context, teamID, name string, before, n int) ([]stored, error) {
	if before == 0 {
		before = math.MaxInt32
	}
	rows, err := s.queries.ListParserVersions(ctx, db.ListParserVersionsParams{TeamID: teamID, Name: name, Before: int32(before), RowsMax: int32(n)}) //nolint:gosec // bounded
	if err != nil {
		return nil, fmt.Errorf("listing versions of %s: %w", name, err)
	}
	out := make([]stored, len(rows))
	for i, row := range rows {
		out[i] = stored{id: row.ID, name: row.Name, version: int(row.Version), description: row.Description, created: row.CreatedAt}
	}
	return out, nil
}

func (s *store) delete(ctx context.Context, teamID, name string, now time.Time) error {
	_, err := s.queries.DeleteParser(ctx, db.DeleteParserParams{TeamID: teamID, Name: name, Now: now})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return errNotFound
	case err != nil:
		return fmt.Errorf("deleting parser %s: %w", name, err)
	}
	return nil
}

// claim is the claim to run a paid trial.
type claim struct {
	identityID, teamID        string
	requestSHA256             [32]byte
	now, expires, staleBefore time.Time
}

// start claims the work of an identity and returns the attempt. If the work is done, it returns the stored response. The
// error is errRunning or errTakenFor if the work is another's.
func (s *store) start(ctx context.Context, c *claim) (int32, []byte, error) {
	attempt, err := s.queries.StartParserTrial(ctx, db.StartParserTrialParams{
		Jti: c.identityID, TeamID: c.teamID, RequestSha256: c.requestSHA256[:], Now: c.now, ExpiresAt: c.expires, StaleBefore: c.staleBefore,
	})
	switch {
	case err == nil:
		return attempt, nil, nil
	case !errors.Is(err, pgx.ErrNoRows):
		return 0, nil, fmt.Errorf("starting a parser's trial: %w", err)
	}
	row, err := s.queries.ParserTrial(ctx, c.identityID)
	switch {
	case err != nil:
		return 0, nil, fmt.Errorf("reading a parser's trial: %w", err)
	case row.TeamID != c.teamID || !bytes.Equal(row.RequestSha256, c.requestSHA256[:]):
		return 0, nil, errTakenFor
	case row.Status != "succeeded":
		return 0, nil, errRunning
	}
	return 0, row.Answer, nil
}

// finish writes a trial's response. The error is errRunning if another attempt took over.
func (s *store) finish(ctx context.Context, identityID string, attempt int32, answer []byte) error {
	n, err := s.queries.FinishParserTrial(ctx, db.FinishParserTrialParams{Answer: answer, Jti: identityID, Attempt: attempt})
	if err != nil {
		return fmt.Errorf("finishing a parser's trial: %w", err)
	}
	if n == 0 {
		return errRunning
	}
	return nil
}

func (s *store) fail(ctx context.Context, identityID string, attempt int32) error {
	if _, err := s.queries.FailParserTrial(ctx, db.FailParserTrialParams{Jti: identityID, Attempt: attempt}); err != nil {
		return fmt.Errorf("failing a parser's trial: %w", err)
	}
	return nil
}

func (s *store) purge(ctx context.Context, now time.Time, rowsMax int32) (int64, error) {
	n, err := s.queries.DeleteExpiredParserTrials(ctx, db.DeleteExpiredParserTrialsParams{ExpiredBefore: now, RowsMax: rowsMax})
	if err != nil {
		return 0, fmt.Errorf("deleting old trials of parsers: %w", err)
	}
	return n, nil
}
