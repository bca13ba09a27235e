package scrapes

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/page"
)

// Scrape returns a scrape of c's team, or for an anonymous client one that a wallet created.
func (s *Service) Scrape(ctx context.Context, c *principal.Caller, id string) (*Scrape, error) {
	r, err := s.store.byID(ctx, id)
	if err := visible(c, &r.stored, err, problem.ScrapeNotFound, "There is no scrape with this id."); err != nil {
		return nil, err
	}
	return s.full(ctx, r)
}

// read returns a scrape that is known to be the client's.
func (s *Service) read(ctx context.Context, id string) (*Scrape, error) {
	r, err := s.store.byID(ctx, id)
	if err != nil {
		return nil, problem.Internal(fmt.Errorf("reading %s again: %w", id, err))
	}
	return s.full(ctx, r)
}

func (s *Service) full(ctx context.Context, r *record) (*Scrape, error) {
	if !s.config.Now().Before(r.expires) {
		return s.answer(r, &content{})
	}
	c, err := s.load(ctx, &r.stored, r.outcome.formats(), true)
	if err != nil {
		return nil, problem.Internal(err)
	}
	return s.answer(r, c)
}

// Retrieve returns the content under a retrieve_id: in formats, or all stored ones if formats is empty. Formats that
// are not stored stay null.
func (s *Service) Retrieve(ctx context.Context, c *principal.Caller, retrieveID string, formats []page.Format) (*Retrieved, error) {
	const unknown = "There is no content with this retrieve_id, or it has expired."
	k, err := s.store.byRetrieveID(ctx, retrieveID)
	if err == nil && !s.config.Now().Before(k.expires) {
		err = errNotFound
	}
	if err := visible(c, k, err, problem.NotFound, unknown); err != nil {
		return nil, err
	}
	all := len(formats) == 0
	wanted := slices.DeleteFunc(k.outcome.formats(), func(f page.Format) bool {
		return !all && !slices.Contains(formats, f)
	})
	loaded, err := s.load(ctx, k, wanted, all)
	if err != nil {
		return nil, problem.Internal(err)
	}
	result, err := s.result(k, loaded, wanted, all)
	if err != nil {
		return nil, problem.Internal(err)
	}
	return &Retrieved{RetrieveID: k.retrieveID, Result: *result}, nil
}

// visible decides whether c may read k. Forbidden and missing content cost the same single lookup, and no content is
// read before.
func visible(c *principal.Caller, k *stored, err error, missing problem.Code, detail string) error {
	if err != nil && !errors.Is(err, errNotFound) {
		return problem.Internal(err)
	}
	none := problem.New(missing, detail)
	if err != nil {
		return c.Reads("", "", none)
	}
	return c.Reads(k.teamID, k.teamKind, none)
}
