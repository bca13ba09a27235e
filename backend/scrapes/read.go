package scrapes

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/db"
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

// readsMax is how many pieces of content are read at once for one response.
const readsMax = 8

// Contents returns the stored content of a team's pages, by retrieve_id. Expired content and that of other teams is
// missing. If all the text together exceeds bytesMax, none of it is read, there are only its URLs, and whole is false.
func (s *Service) Contents(ctx context.Context, teamID string, retrieveIDs []string, bytesMax int64) (contents map[string]page.Content, whole bool, err error) {
	contents = map[string]page.Content{}
	if len(retrieveIDs) == 0 {
		return contents, true, nil
	}
	rows, err := s.config.Queries.ListContents(ctx, db.ListContentsParams{RetrieveIds: retrieveIDs, TeamID: teamID})
	if err != nil {
		return nil, false, fmt.Errorf("listing content: %w", err)
	}
	var there []stored
	total, now := int64(0), s.config.Now()
	for _, row := range rows {
		if !now.Before(row.ExpiresAt) {
			continue
		}
		k := stored{retrieveID: row.RetrieveID, teamID: teamID, expires: row.ExpiresAt}
		if k.outcome, err = decodeOutcome(row.Outcome); err != nil {
			return nil, false, fmt.Errorf("reading the outcome of %s: %w", row.RetrieveID, err)
		}
		there = append(there, k)
		total += k.textBytes()
	}
	whole = total <= bytesMax
	var mu sync.Mutex
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(readsMax)
	for i := range there {
		g.Go(func() error {
			c, err := s.readContent(ctx, &there[i], whole)
			if err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			contents[there[i].retrieveID] = c
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, false, err
	}
	return contents, whole, nil
}

func (s *Service) readContent(ctx context.Context, k *stored, text bool) (page.Content, error) {
	c := page.Content{Text: map[page.Format]string{}, Hosted: map[page.Format]string{}}
	for _, format := range k.outcome.formats() {
		if !format.IsText() {
			continue
		}
		var err error
		if c.Hosted[format], err = s.hostedURL(k, format, k.expires.Sub(s.config.Now())); err != nil {
			return c, err
		}
		if !text {
			continue
		}
		name, _ := fileOf(format)
		data, err := s.config.Blobs.Read(ctx, contentKey(k.retrieveID, k.outcome.Attempt, name))
		if err != nil {
			return c, fmt.Errorf("reading content of %s: %w", k.retrieveID, err)
		}
		c.Text[format] = string(data)
	}
	return c, nil
}

// textBytes returns how much text is stored.
func (k *stored) textBytes() int64 {
	total := int64(0)
	for _, stored := range k.outcome.Contents {
		if stored.Format.IsText() {
			total += stored.Bytes
		}
	}
	return total
}
