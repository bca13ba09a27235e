package maps

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/token"
)

// reading is the part of a map to return, and its price.
type reading struct {
	first   int
	urls    int
	credits money.Credits
}

// Map returns URLs of a team's map, from a cursor or from the start; for an anonymous client those of one that a wallet
// has paid for. It is free.
func (s *Service) Map(ctx context.Context, c *principal.Caller, id, cursor string) (*Map, error) {
	at := &position{id: id}
	if cursor != "" {
		var err error
		if at, err = parsePosition(cursor); err != nil || at.id != id {
			return nil, problem.Validation(problem.Fault{Loc: []any{"query", "cursor"}, Msg: "is not a cursor of this map", Type: problem.FaultInvalid})
		}
	}
	row, err := s.byID(ctx, c, id)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil, problem.New(problem.MapNotFound, "There is no map with this id, or it has expired.")
	case err != nil:
		return nil, problem.Internal(err)
	}
	m, err := s.answer(ctx, row, reading{first: at.first, urls: PageURLsMax})
	if errors.Is(err, errBeyond) {
		return nil, problem.Validation(problem.Fault{Loc: []any{"query", "cursor"}, Msg: "is not a cursor of this map", Type: problem.FaultInvalid})
	}
	return m, err
}

// byID returns a readable map, or pgx.ErrNoRows.
func (s *Service) byID(ctx context.Context, c *principal.Caller, id string) (*db.Map, error) {
	if !token.Is(id, idPrefix) {
		return nil, pgx.ErrNoRows
	}
	row, err := s.config.Queries.MapByID(ctx, db.MapByIDParams{ID: id, TeamID: c.TeamID, ByID: c.Anonymous()})
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return nil, fmt.Errorf("reading map %s: %w", id, err)
	}
	if err == nil && (row.PurgedAt != nil || s.expired(row.ExpiresAt)) {
		err = pgx.ErrNoRows
	}
	return &row, err
}

// more returns the next URLs of a map, once per identity.
func (s *Service) more(ctx context.Context, c *principal.Caller, p *plan) (*Map, error) {
	noCursor := problem.Validation(problem.BodyFault("cursor", errNoCursor.Error()))
	row, err := s.byID(ctx, c, p.cursor.id)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil, noCursor
	case err != nil:
		return nil, problem.Internal(err)
	case !bytes.Equal(row.RequestSha256, p.sha256[:]):
		return nil, problem.Validation(problem.BodyFault("cursor", "belongs to a different request: all other fields must be unchanged"))
	}
	before, err := s.config.Queries.MapReadByIdentity(ctx, c.IdentityID)
	switch {
	case err == nil && (before.MapID != row.ID || int(before.First) != p.cursor.first):
		return nil, takenFor()
	case err == nil:
		c.SetCredits(before.Credits)
		return s.answer(ctx, row, reading{first: int(before.First), urls: int(before.Urls), credits: before.Credits})
	case !errors.Is(err, pgx.ErrNoRows):
		return nil, problem.Internal(fmt.Errorf("reading the map page of an identity: %w", err))
	}
	m, err := s.answer(ctx, row, reading{first: p.cursor.first, urls: s.limit(c)})
	if errors.Is(err, errBeyond) {
		return nil, noCursor
	}
	if err != nil {
		return nil, err
	}
	m.Credits = s.price(c, len(m.URLs))
	_, err = s.config.Queries.AddMapRead(ctx, db.AddMapReadParams{
		Jti: c.IdentityID, MapID: row.ID, First: int32(p.cursor.first), Urls: int32(len(m.URLs)), Credits: m.Credits, //nolint:gosec // at most URLsMax
	})
	if err != nil {
		return nil, problem.Internal(fmt.Errorf("storing the map page of an identity: %w", err))
	}
	c.SetCredits(m.Credits)
	return m, nil
}

// firstURLs is how many URLs the first response of a map had: those paid for, or a full response in USDC.
func firstURLs(row *db.Map) int {
	if row.Credits == 0 {
		return PageURLsMax
	}
	return afforded(row.Credits)
}

// roomFor waits for memory for a response, which is held until ctx ends, that is, until the response is sent.
func (s *Service) roomFor(ctx context.Context, c chunk) error {
	hold := s.config.Memory.Hold()
	if err := hold.Set(ctx, answerBytes(c)); err != nil {
		return noRoom(err)
	}
	context.AfterFunc(ctx, hold.Release)
	return nil
}

// answer reads a part of a map, with memory held until ctx ends. The error is errBeyond if the part begins after the map's
// end, or a problem.
func (s *Service) answer(ctx context.Context, row *db.Map, part reading) (*Map, error) {
	if s.expired(row.ExpiresAt) || row.PurgedAt != nil {
		return nil, problem.New(problem.MapNotFound, "This map has expired.")
	}
	var chunks []chunk
	if err := json.Unmarshal(row.Chunks, &chunks); err != nil {
		return nil, problem.Internal(fmt.Errorf("reading the chunks of %s: %w", row.ID, err))
	}
	k, before, err := find(chunks, part.first)
	if err != nil {
		return nil, err
	}
	if err := s.roomFor(ctx, chunks[k]); err != nil {
		return nil, err
	}
	urls, err := s.load(ctx, row.ID, k, chunks[k])
	if err != nil {
		return nil, problem.Internal(err)
	}
	urls = urls[before:]
	urls = urls[:min(len(urls), part.urls)]
	m := &Map{
		ID: row.ID, Object: idPrefix, Created: row.CreatedAt.Unix(), URL: row.Url, URLsCount: int(row.UrlsCount), URLs: urls,
		Truncated: row.Truncated, Credits: part.credits,
	}
	if next := part.first + len(urls); next < m.URLsCount {
		m.Cursor = position{id: row.ID, first: next}.cursor()
	}
	return m, nil
}
