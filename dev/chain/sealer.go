package chain

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/eth"
	"github.com/ethereum/go-ethereum/event"
	"github.com/ethereum/go-ethereum/miner"
)

// ErrClockBehind means that no block can be sealed yet: the newest has the current second, and block times must rise.
var ErrClockBehind = errors.New("the clock has not passed the newest block's second")

// ErrClosed is returned by a chain that was closed.
var ErrClosed = errors.New("the chain is closed")

const (
	// recheckMin prevents a tight loop while the clock stands still.
	recheckMin = 5 * time.Millisecond
	// retryAfter is the pause after a failure to seal, which the next attempt may repeat.
	retryAfter = time.Second
)

// sealer makes the blocks. Only run changes the chain's head.
type sealer struct {
	eth    *eth.Ethereum
	now    func() time.Time
	idle   time.Duration
	logger *slog.Logger

	wake     chan struct{}
	requests chan chan<- sealing
	stop     chan struct{}
	done     chan struct{}

	mu     sync.Mutex
	sealed chan struct{} // closed and replaced at each block
}

type sealing struct {
	header *types.Header
	err    error
}

func newSealer(backend *eth.Ethereum, cfg Config) *sealer {
	return &sealer{
		eth:      backend,
		now:      cfg.Now,
		idle:     cfg.IdleInterval,
		logger:   cfg.Logger,
		wake:     make(chan struct{}, 1),
		requests: make(chan chan<- sealing),
		stop:     make(chan struct{}),
		done:     make(chan struct{}),
		sealed:   make(chan struct{}),
	}
}

// listen wakes run for new transactions, until the subscription ends. It is separate from run because the pool waits
// until its event is received, and while sealing run waits for the pool: in one goroutine they would deadlock.
func (s *sealer) listen(newTxs <-chan core.NewTxsEvent, subscription event.Subscription) {
	for {
		select {
		case <-newTxs:
			select {
			case s.wake <- struct{}{}:
			default: // already awake
			}
		case <-subscription.Err():
			return
		}
	}
}

// run seals until stop is closed.
func (s *sealer) run() {
	defer close(s.done)
	timer := time.NewTimer(s.wait())
	defer timer.Stop()
	for {
		select {
		case <-s.stop:
			return
		case <-s.wake:
		case <-timer.C:
		case reply := <-s.requests:
			header, err := s.seal()
			reply <- sealing{header, err}
		}
		if s.wait() <= 0 {
			if _, err := s.seal(); err != nil {
				s.logger.Error("sealing a block failed", "error", err)
				timer.Reset(retryAfter)
				continue
			}
		}
		timer.Reset(max(s.wait(), recheckMin))
	}
}

// wait is how long to keep the current head: to the end of its second if a transaction is waiting, otherwise for the idle
// interval.
func (s *sealer) wait() time.Duration {
	life := s.idle
	if pending, _ := s.eth.TxPool().Stats(); pending > 0 {
		life = time.Second
	}
	head := time.Unix(int64(s.eth.BlockChain().CurrentBlock().Time), 0)
	// A clock that was set back, or stands still in a test, is read again soon.
	return min(head.Add(life).Sub(s.now()), life)
}

// seal makes one block of the waiting transactions, with the clock's second as its time.
func (s *sealer) seal() (*types.Header, error) {
	chain := s.eth.BlockChain()
	parent := chain.CurrentBlock()
	now := s.now().Unix()
	if now <= int64(parent.Time) {
		return nil, fmt.Errorf("block %d at %d: %w", parent.Number, parent.Time, ErrClockBehind)
	}
	// The pool processes the last block in the background; a block built before that would repeat its transactions.
	if err := s.eth.TxPool().Sync(); err != nil {
		return nil, fmt.Errorf("waiting for the transaction pool: %w", err)
	}
	args := &miner.BuildPayloadArgs{
		Parent:      parent.Hash(),
		Timestamp:   uint64(now),
		Withdrawals: types.Withdrawals{},
		BeaconRoot:  new(common.Hash),
	}
	if _, err := rand.Read(args.Random[:]); err != nil {
		return nil, fmt.Errorf("reading randomness: %w", err)
	}
	block, _, err := s.eth.Miner().BuildTestingPayload(args, nil, false, nil)
	if err != nil {
		return nil, fmt.Errorf("building block %d: %w", parent.Number.Uint64()+1, err)
	}
	if _, err := chain.InsertBlockWithoutSetHead(context.Background(), block, false); err != nil {
		return nil, fmt.Errorf("inserting block %d: %w", block.NumberU64(), err)
	}
	if _, err := chain.SetCanonical(block); err != nil {
		return nil, fmt.Errorf("making block %d the head: %w", block.NumberU64(), err)
	}
	// There is one sealer and no reorganisation: blocks behind the head are final.
	chain.SetSafe(block.Header())
	chain.SetFinalized(parent)
	// Those who wait for the block must see a pool without its transactions.
	if err := s.eth.TxPool().Sync(); err != nil {
		return nil, fmt.Errorf("waiting for the transaction pool: %w", err)
	}
	s.announce()
	return block.Header(), nil
}

func (s *sealer) announce() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.sealed)
	s.sealed = make(chan struct{})
}

// next is closed at the next block. Get it before checking a condition, then wait on it.
func (s *sealer) next() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sealed
}

// request asks run to seal a block now.
func (s *sealer) request(ctx context.Context) (*types.Header, error) {
	reply := make(chan sealing, 1)
	select {
	case s.requests <- reply:
	case <-s.done:
		return nil, ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	answer := <-reply
	return answer.header, answer.err
}
