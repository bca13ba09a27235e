package evm

import (
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/turnpike-edge/turnpike/payments/x402"
)

func TestAgreed(t *testing.T) {
	t.Parallel()
	receipt := func(block int64, hash byte) *types.Receipt {
		return &types.Receipt{Status: 1, BlockNumber: big.NewInt(block), BlockHash: common.Hash{hash}}
	}
	reverted := receipt(10, 1)
	reverted.Status = 0
	otherLog := receipt(10, 1)
	otherLog.Logs = []*types.Log{{Address: common.Address{1}}}
	yes, early, far := vote{12, receipt(10, 1)}, vote{10, receipt(10, 1)}, vote{12, receipt(10, 2)}
	gone, behind := vote{12, nil}, vote{9, nil}
	for name, tt := range map[string]struct {
		votes []vote
		of    int
		want  bool
		all   bool
	}{
		"one of one":                        {[]vote{yes}, 1, true, true},
		"one of one, too early":             {[]vote{early}, 1, false, false},
		"one of one, none":                  {[]vote{gone}, 1, false, false},
		"two of two":                        {[]vote{yes, yes}, 2, true, true},
		"one of two, the other is away":     {[]vote{yes}, 2, false, false},
		"one of two, the other is behind":   {[]vote{yes, behind}, 2, false, false},
		"two of three, one is away":         {[]vote{yes, yes}, 3, true, false},
		"two of three, one is behind":       {[]vote{yes, behind, yes}, 3, true, false},
		"two of three, one is not so far":   {[]vote{early, yes, yes}, 3, true, false},
		"two of three, one has none":        {[]vote{yes, gone, yes}, 3, false, false},
		"two of three, one has another":     {[]vote{yes, far, yes}, 3, false, false},
		"two of three, one says reverted":   {[]vote{yes, {12, reverted}, yes}, 3, false, false},
		"two of three, one has another log": {[]vote{yes, {12, otherLog}, yes}, 3, false, false},
		"one of three":                      {[]vote{yes, behind, behind}, 3, false, false},
		"a liar of three":                   {[]vote{far, gone, gone}, 3, false, false},
		"two of four":                       {[]vote{yes, yes}, 4, false, false},
		"three of three":                    {[]vote{yes, yes, yes}, 3, true, true},
		"nobody answers":                    {nil, 3, false, false},
	} {
		c := NewWatcher(nil, x402.BaseSepolia()).WithConfirmations(2)
		at, all := c.agreed(tt.votes, tt.of)
		if (at >= 0) != tt.want || all != tt.all {
			t.Errorf("%s: got %d, all %v, want %v, %v", name, at, all, tt.want, tt.all)
		}
		if at >= 0 && !c.confirmed(tt.votes[at].receipt, 12) {
			t.Errorf("%s: got vote %d, which has no receipt", name, at)
		}
	}
}
