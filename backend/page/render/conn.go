package render

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/cdp"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// conn is a DevTools protocol connection to one browser: commands with their responses, and events of its pages.
type conn struct {
	transport chromedp.Transport
	out       chan *cdproto.Message
	// gone is closed once the connection has ended.
	gone chan struct{}

	mu      sync.Mutex
	last    int64
	waiting map[int64]chan *cdproto.Message
	events  map[target.SessionID]eventFunc
}

// eventFunc receives the events of one page, in order. It must not block: all pages wait for it.
type eventFunc func(method string, params jsonv2.Value)

func newConn(transport chromedp.Transport) *conn {
	c := &conn{
		transport: transport, out: make(chan *cdproto.Message), gone: make(chan struct{}),
		waiting: map[int64]chan *cdproto.Message{}, events: map[target.SessionID]eventFunc{},
	}
	go c.read()
	go c.write()
	return c
}

func (c *conn) close() { _ = c.transport.Close() }

// read ends with the connection. An invalid message ends it, too: nothing after it could be understood.
func (c *conn) read() {
	defer close(c.gone)
	defer c.close()
	for {
		message := new(cdproto.Message)
		if err := c.transport.Read(context.Background(), message); err != nil {
			return
		}
		c.mu.Lock()
		reply, event := c.waiting[message.ID], c.events[message.SessionID]
		delete(c.waiting, message.ID)
		c.mu.Unlock()
		switch {
		case message.Method != "" && event != nil:
			event(string(message.Method), message.Params)
		case message.ID != 0 && reply != nil:
			reply <- message // has room for it
		}
	}
}

// write has its own goroutine: a browser that stops reading would otherwise block the caller beyond every time limit.
func (c *conn) write() {
	for {
		select {
		case message := <-c.out:
			if err := c.transport.Write(context.Background(), message); err != nil {
				c.close()
				return
			}
		case <-c.gone:
			return
		}
	}
}

func (c *conn) listen(id target.SessionID, event eventFunc) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.events[id] = event
}

func (c *conn) forget(id target.SessionID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.events, id)
}

// session is a page of the browser or, with an empty id, the browser itself.
type session struct {
	*conn

	id target.SessionID
}

func (s session) roundTrip(ctx context.Context, method string, params []byte) (*cdproto.Message, error) {
	reply := make(chan *cdproto.Message, 1)
	s.mu.Lock()
	s.last++
	id := s.last
	s.waiting[id] = reply
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.waiting, id)
		s.mu.Unlock()
	}()

	out := s.out
	for {
		select {
		case out <- &cdproto.Message{ID: id, SessionID: s.id, Method: cdproto.MethodType(method), Params: params}:
			out = nil
		case message := <-reply:
			return message, nil
		case <-s.gone:
			return nil, errBrowserGone
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// call sends a command and returns its result. Errors of the browser are *cdproto.Error.
func call[P, R any](ctx context.Context, s session, command cdp.Command[P, R], params P) (R, error) {
	var result, none R
	text, err := jsonv2.Marshal(params, chromedp.DefaultMarshalOptions)
	if err != nil {
		return none, fmt.Errorf("%s: %w", command.Method, err)
	}
	message, err := s.roundTrip(ctx, command.Method, text)
	switch {
	case err != nil:
		return none, err
	case message.Error != nil:
		return none, fmt.Errorf("%s: %w", command.Method, message.Error)
	case len(message.Result) == 0:
		return result, nil
	}
	if err := jsonv2.Unmarshal(message.Result, &result, chromedp.DefaultUnmarshalOptions); err != nil {
		return none, fmt.Errorf("%s: answer: %w", command.Method, err)
	}
	return result, nil
}

// do sends a command and ignores its result.
func do[P, R any](ctx context.Context, s session, command cdp.Command[P, R], params P) error {
	_, err := call(ctx, s, command, params)
	return err
}

// boundedMessages fails on a zero-terminated message longer than max: a page can make the browser send an event of any
// size, for example with a data URL of an image.
type boundedMessages struct {
	io.ReadCloser

	max, length int
}

func (b *boundedMessages) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if end := bytes.LastIndexByte(p[:n], 0); end >= 0 {
		b.length = n - end - 1
	} else {
		b.length += n
	}
	if b.length > b.max {
		return 0, fmt.Errorf("a message from the browser is longer than %d bytes", b.max)
	}
	return n, err
}
