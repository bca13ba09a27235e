package fetch

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"testing"
	"time"
)

// Memory is requested before the body needs it, and not for small bodies.
func TestRoom(t *testing.T) {
	t.Parallel()
	const most = 6 << 20
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		size := map[string]int{"/small": RoomBytes, "/middling": RoomBytes + 1, "/large": roomBytesMore + 1, "/most": most, "/beyond": most + 1}[r.URL.Path]
		_, _ = w.Write(make([]byte, size))
	})
	for _, tt := range []struct {
		path string
		want []int64
		err  Reason
	}{
		{"/small", []int64{roomBytesMore}, ""}, // its end is not known in advance
		{"/middling", []int64{roomBytesMore}, ""},
		{"/large", []int64{roomBytesMore, most}, ""},
		{"/most", []int64{roomBytesMore, most}, ""},
		{"/beyond", []int64{roomBytesMore, most}, ReasonBodyTooLarge},
		{"/nothing", nil, ""},
	} {
		t.Run(tt.path, func(t *testing.T) {
			t.Parallel()
			client := newClient(t, func(c *Config) { c.BodyBytesMax = most })
			var asked []int64
			_, err := client.Get(t.Context(), Request{URL: mustParse(t, server.URL+tt.path), Room: func(_ context.Context, bytes int64) error {
				asked = append(asked, bytes)
				return nil
			}})
			if ReasonOf(err) != tt.err || !slices.Equal(asked, tt.want) {
				t.Errorf("asked for %d, got %v; want %d, reason %q", asked, err, tt.want, tt.err)
			}
		})
	}
}

// While a fetch waits for memory, the idle timeout does not run; the wait itself is limited.
func TestNoRoom(t *testing.T) {
	t.Parallel()
	const idle = 500 * time.Millisecond // a busy machine pauses, too
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 2*RoomBytes)) })
	client := newClient(t, func(c *Config) { c.Timeouts.BodyIdle = idle })
	get := func(room RoomFunc) error {
		_, err := client.Get(t.Context(), Request{URL: mustParse(t, server.URL), Room: room})
		return err
	}
	full := errors.New("full")
	if err := get(func(context.Context, int64) error { return full }); ReasonOf(err) != ReasonRoom || !errors.Is(err, full) {
		t.Errorf("without room: got %v, want %s", err, ReasonRoom)
	}
	err := get(func(ctx context.Context, _ int64) error {
		select {
		case <-time.After(2 * idle):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	if err != nil {
		t.Errorf("a wait longer than a target's: got %v", err)
	}
}
