package crawls

import (
	"context"

	"github.com/turnpike-edge/turnpike/backend/api/decode"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

// EndCrawl ends a crawl as if its deadline had passed.
func EndCrawl(ctx context.Context, s *Service, id string) error { return s.fail(ctx, id) }

// OrderOf decodes a body as its quote and its operation do.
func (s *Service) OrderOf(ctx context.Context, body []byte) (*Order, error) {
	r, err := decode.Request[Request](edgewire.NewBody(body))
	if err != nil {
		return nil, err
	}
	return s.order(ctx, "team_x", r)
}
