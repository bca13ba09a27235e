package x402test

import (
	"context"
	"encoding/json"
	"errors"
	"sync"

	"github.com/ethereum/go-ethereum/rpc"
)

// Scripted is a node whose answers a test writes. It counts its calls.
type Scripted struct {
	// Answer returns the JSON text of each answer.
	Answer func(ctx context.Context) (result string, err error)

	mu    sync.Mutex
	calls []string
}

func (s *Scripted) CallContext(ctx context.Context, result any, method string, _ ...any) error {
	s.mu.Lock()
	s.calls = append(s.calls, method)
	s.mu.Unlock()
	text, err := s.Answer(ctx)
	if err != nil {
		return err
	}
	return json.Unmarshal([]byte(text), result)
}

func (s *Scripted) BatchCallContext(ctx context.Context, batch []rpc.BatchElem) error {
	for i := range batch {
		err := s.CallContext(ctx, batch[i].Result, batch[i].Method, batch[i].Args...)
		if batch[i].Error = err; err != nil && !errors.As(err, new(rpc.Error)) {
			return err
		}
	}
	return nil
}

// Asked returns how many calls it has got.
func (s *Scripted) Asked() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.calls)
}

// Says is a node that always gives the same answer.
func Says(text string, err error) *Scripted {
	return &Scripted{Answer: func(context.Context) (string, error) { return text, err }}
}

// Hangs is a node that never answers.
func Hangs() *Scripted {
	return &Scripted{Answer: func(ctx context.Context) (string, error) { <-ctx.Done(); return "", ctx.Err() }}
}
