package maps

import "context"

// Cursor is one of a map, before so many of its URLs.
func Cursor(id string, first int) string { return *position{id: id, first: first}.cursor() }

// ListBytes is what a list of so many URLs and bytes is taken to need at most, with what any map has in hand.
func ListBytes(urls, bytes int) int64 {
	return baseBytes + roomStep + garbageFactor*(int64(bytes)+entryBytes*int64(urls))
}

// Collect finds the URLs of a site, without a database.
func Collect(ctx context.Context, config Config, r *Request) (urls []string, truncated bool, err error) {
	s, err := New(config)
	if err != nil {
		return nil, false, err
	}
	p, err := s.plan(r)
	if err != nil {
		return nil, false, err
	}
	return s.collect(ctx, p, &room{hold: config.Memory.Hold()})
}
