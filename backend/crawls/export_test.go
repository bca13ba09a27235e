package crawls

import "context"

// EndLate runs the system job of a crawl's deadline.
func EndLate(ctx context.Context, s *Service, id string) error {
	return s.deadline(ctx, deadlineArgs{Crawl: id})
}

// OrderOf decodes a body as its quote and its operation do.
func (s *Service) OrderOf(ctx context.Context, body []byte) (*Order, error) {
	r, err := s.bodies.Decode(body)
	if err != nil {
		return nil, err
	}
	return s.order(ctx, "team_x", r)
}
