package firecrawl

import (
	"context"

	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/scrapes"
)

// scrapeRequest is the body of POST /v2/scrape.
type scrapeRequest struct {
	URL string `json:"url" minLength:"1" maxLength:"8192"`
	Options

	Alexandria absent `json:"alexandria,omitempty" refuse:"there are no data providers"`
}

// scrape returns r as scrapes takes it.
func (r *scrapeRequest) scrape() (*scrapes.Request, wants, error) {
	o, w, faults := r.page("")
	if len(faults) > 0 {
		return nil, nil, refuse(faults)
	}
	return &scrapes.Request{URL: r.URL, Options: o}, w, nil
}

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
	return &scrapeResponse{ok(), documentOf(scrape.URL, scrape.ID, scrape.CreditsConsumed, &scrape.Result, w)}, nil
}
