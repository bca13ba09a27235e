package firecrawl

import (
	"context"

	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/scrapes"
)

// scrapeRequest is the body of POST /v2/scrape.
type scrapeRequest struct {
	URL string `json:"url"`
	Options
}

// scrape returns r as scrapes takes it.
func (r *scrapeRequest) scrape() (*scrapes.Request, wants, error) {
	o, w, faults := r.page("")
	if len(faults) > 0 {
		return nil, nil, refuse(faults...)
	}
	out := &scrapes.Request{URL: r.URL, Options: o}
	if r.MaxAge != nil {
		out.MaxAge = int(min(*r.MaxAge/msPerSecond, maxAgeMax))
	}
	out, err := checked(out)
	return out, w, err
}

const (
	msPerSecond = 1000
	// maxAgeMax is how old a copy can be, in seconds: as long as results are kept.
	maxAgeMax = 7 * 24 * 60 * 60
)

type scrapeResponse struct {
	done

	Data *document `json:"data"`
}

func (s *Service) scrape(ctx context.Context, c *principal.Caller, _ *request) (any, error) {
	r, err := body[scrapeRequest](ctx)
	if err != nil {
		return nil, err
	}
	asked, w, err := r.scrape()
	if err != nil {
		return nil, err
	}
	limited, cancel := within(ctx, r.Timeout)
	defer cancel()
	scrape, err := s.config.Scrapes.Create(limited, c, asked)
	if err != nil || scrape == nil {
		return nil, late(limited, err)
	}
	d := documentOf(scrape.URL, scrape.ID, scrape.CreditsConsumed, &scrape.Result, w)
	if d.Metadata.CacheState = "miss"; scrape.Age > 0 {
		d.Metadata.CacheState, d.Metadata.CachedAt = "hit", isoTime(scrape.Created-scrape.Age)
	}
	return &scrapeResponse{ok(), d}, nil
}
