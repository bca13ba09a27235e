package facilitator

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/turnpike-edge/turnpike/payments/x402"
)

// supporting is a chain that lists what it settles.
type supporting struct {
	x402.Facilitator

	answer x402.Supported
	err    error
}

func (s *supporting) Supported(context.Context) (x402.Supported, error) { return s.answer, s.err }

func TestFacilitatorsSupportWhatEachDoes(t *testing.T) {
	t.Parallel()
	one := &supporting{answer: x402.Supported{Kinds: []x402.Kind{{X402Version: 2, Scheme: "exact", Network: "eip155:1"}}, Extensions: []string{"a"}, Signers: map[string][]string{"eip155:*": {"0x1"}}}}
	two := &supporting{answer: x402.Supported{Kinds: []x402.Kind{{X402Version: 2, Scheme: "exact", Network: "eip155:2"}}, Extensions: []string{"a", "b"}, Signers: map[string][]string{"eip155:*": {"0x1", "0x2"}}}}
	both := ByChain(map[uint64]x402.Facilitator{1: one, 2: two})
	got, err := both.Supported(t.Context())
	want := x402.Supported{
		Kinds: append(one.answer.Kinds, two.answer.Kinds...), Extensions: []string{"a", "b"}, Signers: map[string][]string{"eip155:*": {"0x1", "0x2"}},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	two.err = errTest
	if _, err := both.Supported(t.Context()); !errors.Is(err, errTest) {
		t.Errorf("one is away: got %v, want its error", err)
	}
}

var errTest = errors.New("test fault")
