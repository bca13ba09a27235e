package scrapes

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/turnpike-edge/turnpike/backend/caller"
	"github.com/turnpike-edge/turnpike/backend/problem"
)

// Scrape returns a scrape of c's team, or for nobody one that a wallet made.
func (s *Service) Scrape(ctx context.Context, c *caller.Caller, id string) (*Scrape, error) {
	r, err := s.store.byID(ctx, id)
	if err := visible(c, r, err, problem.ScrapeNotFound, "There is no scrape with this id."); err != nil {
		return nil, err
	}
	return s.full(ctx, r)
}

// read returns a scrape that is known to be the caller's.
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
	c, err := s.load(ctx, r, r.outcome.formats(), true)
	if err != nil {
		return nil, problem.Internal(err)
	}
	return s.answer(r, c)
}

// Retrieve returns the content under a retrieve_id: of formats, or of all that
// are stored if there are none. Formats that are not stored stay null.
func (s *Service) Retrieve(ctx context.Context, c *caller.Caller, retrieveID string, formats []Format) (*Retrieved, error) {
	const unknown = "There is no content with this retrieve_id, or its time is over."
	r, err := s.store.byRetrieveID(ctx, retrieveID)
	if err == nil && !s.config.Now().Before(r.expires) {
		err = errNotFound
	}
	if err := visible(c, r, err, problem.NotFound, unknown); err != nil {
		return nil, err
	}
	wanted := slices.DeleteFunc(r.outcome.formats(), func(f Format) bool {
		return len(formats) > 0 && !slices.Contains(formats, f)
	})
	loaded, err := s.load(ctx, r, wanted, false)
	if err != nil {
		return nil, problem.Internal(err)
	}
	contents, err := s.contents(r, loaded, wanted)
	if err != nil {
		return nil, problem.Internal(err)
	}
	return &Retrieved{RetrieveID: r.retrieveID, Contents: contents}, nil
}

// visible decides who reads r. A team's scrape and none at all look alike to all
// others: to another team both are missing, to nobody both need a key. Both cost the
// same one look-up, and nothing of the content is read before.
func visible(c *caller.Caller, r *record, err error, missing problem.Code, detail string) error {
	switch {
	case err != nil && !errors.Is(err, errNotFound):
		return problem.Internal(err)
	case c.Anonymous() && (err != nil || !r.walletOwned):
		return problem.NeedsKey(nil)
	case c.Anonymous():
		return nil
	case err != nil || r.teamID != c.TeamID:
		return problem.New(missing, detail)
	}
	return nil
}

// Purge deletes the content of up to rowsMax scrapes whose time is over and
// returns how many it dealt with. It may be run by any replica, at any time, again.
func (s *Service) Purge(ctx context.Context, rowsMax int32) (int, error) {
	now := s.config.Now()
	rows, err := s.store.expired(ctx, now, rowsMax)
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	ids := make([]string, 0, len(rows))
	for _, row := range rows {
		for attempt := int32(1); attempt <= row.Attempt; attempt++ {
			if err := s.deleteContent(ctx, row.RetrieveID, attempt); err != nil {
				return 0, fmt.Errorf("deleting content of %s: %w", row.ID, err)
			}
		}
		ids = append(ids, row.ID)
	}
	return len(ids), s.store.markPurged(ctx, ids, now)
}

func (s *Service) deleteContent(ctx context.Context, retrieveID string, attempt int32) error {
	names := []string{linksName}
	for _, format := range []Format{FormatHTML, FormatMarkdown, FormatText} {
		name, _ := format.file()
		names = append(names, name)
	}
	for _, name := range names {
		if err := s.config.Blobs.Delete(ctx, contentKey(retrieveID, attempt, name)); err != nil {
			return err
		}
	}
	return nil
}
