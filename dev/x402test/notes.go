package x402test

import (
	"fmt"
	"math/big"
	"sync"
	"time"

	"github.com/turnpike-edge/turnpike/payments/x402"
)

// Notes is an Observer that records its events.
type Notes struct {
	mu   sync.Mutex
	Said []string
}

func (n *Notes) addf(format string, args ...any) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.Said = append(n.Said, fmt.Sprintf(format, args...))
}

func (n *Notes) Challenged() { n.addf("challenged") }
func (n *Notes) Verified(refused x402.Code, took time.Duration) {
	n.addf("verified %s %s", refused, took)
}
func (n *Notes) Settled(outcome string, took time.Duration) { n.addf("settled %s %s", outcome, took) }
func (n *Notes) Spent(gas uint64, wei *big.Int)             { n.addf("spent %d %s", gas, wei) }

func (n *Notes) GasRefused(reason string) { n.addf("gas refused: %s", reason) }
