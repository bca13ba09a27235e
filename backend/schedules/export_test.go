package schedules

import (
	"context"
	"sync"

	"github.com/turnpike-edge/turnpike/db"
)

// Take takes runs, as a worker does.
func (s *Service) Take(ctx context.Context) ([]db.TakeRunsRow, error) { return s.take(ctx) }

// Make makes the calls of the taken runs, one after the other.
func (s *Service) Make(ctx context.Context, rows []db.TakeRunsRow) error {
	for i := range rows {
		if err := s.call(ctx, &rows[i]); err != nil {
			return err
		}
	}
	return nil
}

// Begin takes runs and makes their calls in the background. over is closed when all calls have ended.
func (s *Service) Begin(ctx context.Context) (over <-chan struct{}, err error) {
	var under sync.WaitGroup
	err = s.begin(ctx, ctx, &under, make(chan struct{}, 1))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		under.Wait()
	}()
	return ended, err
}

// ReadFields returns the fields that are read from a response.
func ReadFields(body []byte) (id, code, detail, message string) {
	f := readFields(body)
	return f.ID, f.Code, f.Detail, f.Error
}
