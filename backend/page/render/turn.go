package render

import (
	"context"
	"net/http"
	"sync"
)

// EnterFunc waits for a turn at hostPort, a name or an address with its port. Call leave once, with the status and header
// of the response, or 0 and nil if there was none. The reason of a *fetch.Error is passed on.
type EnterFunc func(ctx context.Context, hostPort string) (leave func(statusCode int, header http.Header), err error)

// turn is the one turn that a job holds, at the host of its document, for as long as the job lasts. The egress limits what
// the page loads besides the document.
type turn struct {
	enter EnterFunc

	// moving is held while the turn moves: a page may navigate to several hosts at once.
	moving sync.Mutex

	mu         sync.Mutex
	ended      bool
	hostPort   string
	leave      func(int, http.Header)
	statusCode int
	header     http.Header
	// refusal is why there was no turn at the host of a document.
	refusal error
}

// move waits for a turn at a host and gives back the one at the previous host.
func (t *turn) move(ctx context.Context, hostPort string) error {
	if t.enter == nil {
		return nil
	}
	t.moving.Lock()
	defer t.moving.Unlock()
	if t.at(hostPort) {
		return nil
	}
	t.giveBack(false)
	leave, err := t.enter(ctx, hostPort)
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case err != nil:
		t.refusal = err
		return err
	case t.ended:
		leave(0, nil)
		return errClosed
	}
	t.hostPort, t.leave, t.statusCode, t.header = hostPort, leave, 0, nil
	return nil
}

func (t *turn) at(hostPort string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.leave != nil && t.hostPort == hostPort
}

// answered stores the host's response to a document, to be passed on when the turn is given back.
func (t *turn) answered(hostPort string, statusCode int, header http.Header) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if hostPort == t.hostPort {
		t.statusCode, t.header = statusCode, header
	}
}

func (t *turn) refused() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.refusal
}

// end gives the turn back for good.
func (t *turn) end() { t.giveBack(true) }

func (t *turn) giveBack(forGood bool) {
	t.mu.Lock()
	leave, statusCode, header := t.leave, t.statusCode, t.header
	t.leave, t.ended = nil, t.ended || forGood
	t.mu.Unlock()
	if leave != nil {
		leave(statusCode, header)
	}
}
