package price

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"testing"
)

// reserved is a body that records how much room is requested, and grants up to max.
type reserved struct {
	io.Reader

	asked []int64
	max   int64
}

func (*reserved) Close() error { return nil }

func (r *reserved) Reserve(_ context.Context, bytes int64) error {
	if r.asked = append(r.asked, bytes); bytes > r.max {
		return ErrOverloaded
	}
	return nil
}

func TestReadBodyAsksForRoom(t *testing.T) {
	t.Parallel()
	const most = 1 << 20
	for _, tt := range []struct {
		name   string
		bytes  int
		length int64 // announced
		max    int64 // the available room
		want   error
		asked  []int64
	}{
		{"small", 100, 100, 0, nil, nil},
		{"small, of unknown length", 4000, -1, 0, nil, nil},
		{"all of what is announced", 100_000, 100_000, most, nil, []int64{100_001, 100_000}},
		{"of unknown length", 50_000, -1, most, nil, []int64{reserveFirst, 50_000}},
		{"long, of unknown length", 500_000, -1, 2 * most, nil, []int64{reserveFirst, most + 1, 500_000}},
		{"without room", 100_000, 100_000, 1, ErrOverloaded, []int64{100_001}},
		{"longer than announced", 30_000, 10_000, 2 * most, nil, []int64{10_001, most + 1, 30_000}},
		{"too long", most + 10, -1, 2 * most, ErrBodyTooLarge, []int64{reserveFirst, most + 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			sent := bytes.Repeat([]byte("x"), tt.bytes)
			body := &reserved{Reader: bytes.NewReader(sent), max: tt.max}
			r := (&http.Request{Body: body, ContentLength: tt.length}).WithContext(t.Context())
			got, err := ReadBody(r, most)
			if !errors.Is(err, tt.want) {
				t.Fatalf("got %v, want %v", err, tt.want)
			}
			if err == nil && !bytes.Equal(got, sent) {
				t.Errorf("got %d bytes, want the %d that were sent", len(got), len(sent))
			}
			if !slices.Equal(body.asked, tt.asked) {
				t.Errorf("got room asked for %d, want %d", body.asked, tt.asked)
			}
		})
	}
}

// slow is a body that arrives in pieces. It fails if more is held than twice what has arrived.
type slow struct {
	t    *testing.T
	came int
}

func (s *slow) Read(p []byte) (int, error) {
	if held := s.came + len(p); held > max(2*s.came, bytes.MinRead) {
		s.t.Errorf("got %d bytes held when %d had come, want at most twice as many", held, s.came)
	}
	if s.came >= 100_000 {
		return 0, io.ErrUnexpectedEOF
	}
	n := min(len(p), 1000)
	s.came += n
	return n, nil
}

// At most twice as much is held as has arrived, whatever was announced.
func TestReadBodyGrowsAsBytesCome(t *testing.T) {
	t.Parallel()
	const announced = 16 << 20
	r := (&http.Request{ContentLength: announced, Body: io.NopCloser(&slow{t: t})}).WithContext(t.Context())
	if _, err := ReadBody(r, announced); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Fatalf("got %v, want %v", err, io.ErrUnexpectedEOF)
	}
}
