package render

import (
	"context"
	"net/http"
	"sync"
)

// EnterFunc waits for a turn at hostPort, a name or an address with its port. What it returns is called once, with the
// status and header of the answer, or 0 and nil where there was none. Errors that are *fetch.Error are told on with
// their reason.
type EnterFunc func(ctx context.Context, hostPort string) (leave func(statusCode int, header http.Header), err error)

// turn is what a job holds of the turns at hosts: one, at the host that its document is asked for, for as long as the
// job lasts. What the page loads beside the document is bounded by the egress.
type turn struct {
	enter EnterFunc

	// moving is held while the turn moves: a page may be on its way to several places at once.
	moving sync.Mutex

	mu         sync.Mutex
	ended      bool
	hostPort   string
	leave      func(int, http.Header)
	statusCode int
	header     http.Header
	// refusal is why the turn at the host of a document could not be had.
	refusal error
}

// move waits for a turn at a host and gives back that at another.
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

// answered keeps what the host said of a document, to be told when the turn is given back.
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
