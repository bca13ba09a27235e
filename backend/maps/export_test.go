package maps

import "context"

// Cursor is the cursor of a map at its URL first.
func Cursor(id string, first int) string { return *position{id: id, first: first}.cursor() }

// ListBytes is the estimated maximum of memory for a list of so many URLs and bytes, including the base amount of any map.
func ListBytes(urls, bytes int) int64 {
	return baseBytes + roomStep + garbageFactor*(int64(bytes)+entryBytes*int64(urls))
}

// Collect finds the URLs of a site without a database.
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
