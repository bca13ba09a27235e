package turnpike

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	pollFirst = 500 * time.Millisecond
	pollMax   = 10 * time.Second
)

// WaitCrawl waits until a crawl has ended. It calls progress, which may be nil, after each look.
func (c *Client) WaitCrawl(ctx context.Context, crawlID string, progress func(*Crawl)) (*Crawl, error) {
	return poll(ctx, c, progress, func() (*Crawl, error) { return c.GetCrawl(ctx, crawlID) },
		func(crawl *Crawl) bool { return crawl.Status == "completed" })
}

// WaitBatch waits until a batch has ended. It calls progress, which may be nil, after each look.
func (c *Client) WaitBatch(ctx context.Context, batchID string, progress func(*Batch)) (*Batch, error) {
	return poll(ctx, c, progress, func() (*Batch, error) { return c.GetBatch(ctx, batchID) },
		func(batch *Batch) bool { return batch.Status == "completed" })
}

func poll[T any](ctx context.Context, c *Client, progress func(*T), look func() (*T, error), ended func(*T) bool) (*T, error) {
	for wait := pollFirst; ; wait = min(wait*3/2, pollMax) {
		seen, err := look()
		if err != nil {
			return nil, err
		}
		if progress != nil {
			progress(seen)
		}
		if ended(seen) {
			return seen, nil
		}
		if err := c.pause(ctx, wait); err != nil {
			return seen, err
		}
	}
}

func (c *Client) pause(ctx context.Context, wait time.Duration) error {
	select {
	case <-c.wait(wait):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// items iterates over the items of a list part by part. A part without items that has a cursor is the end of a list that
// still grows: the next part is requested after a while.
func items[Q, T any](ctx context.Context, c *Client, query *Q, get func(*Q) ([]T, string, error), next func(*Q, string)) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		query := fill(query, func(*Q) {})
		for wait := pollFirst; ; {
			part, cursor, err := get(query)
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range part {
				if !yield(&part[i], nil) {
					return
				}
			}
			if cursor == "" {
				return
			}
			next(query, cursor)
			if len(part) > 0 {
				wait = pollFirst
				continue
			}
			if err := c.pause(ctx, wait); err != nil {
				yield(nil, err)
				return
			}
			wait = min(wait*3/2, pollMax)
		}
	}
}

// MonitorStep is an event of a monitor's planning.
type MonitorStep struct {
	// Event is phase, reasoning_token, complete or error.
	Event string
	// Data is the event's JSON.
	Data json.RawMessage
}

// MonitorSteps iterates over the events of a monitor's planning, from the first one, until it is complete or has failed.
// A stream that breaks is continued.
func (c *Client) MonitorSteps(ctx context.Context, monitorID string) iter.Seq2[*MonitorStep, error] {
	return func(yield func(*MonitorStep, error) bool) {
		last := ""
		for failures := 0; ; {
			before := last
			ended, err := c.readSteps(ctx, monitorID, &last, yield)
			if ended {
				return
			}
			if last != before {
				failures = 0
			}
			if failures++; failures > max(0, c.cfg.MaxRetries) || ctx.Err() != nil {
				yield(nil, fmt.Errorf("the stream of monitor %s broke: %w", monitorID, errors.Join(err, ctx.Err())))
				return
			}
			if c.pause(ctx, backoffFirst) != nil {
				continue // the next attempt reports it
			}
		}
	}
}

// readSteps reads one connection's events. ended is whether there is nothing more to say.
func (c *Client) readSteps(ctx context.Context, monitorID string, last *string, yield func(*MonitorStep, error) bool) (ended bool, err error) {
	r := &request{
		method: http.MethodGet, path: "/v1/monitors/" + url.PathEscape(monitorID) + "/stream", stream: true,
		header: http.Header{"Accept": {"text/event-stream, application/json"}},
	}
	if *last != "" {
		r.header.Set("Last-Event-Id", *last)
	}
	resp, _, err := c.do(ctx, r, nil)
	if err != nil {
		yield(nil, err)
		return true, nil
	}
	defer resp.Body.Close()
	for event, err := range Events(resp.Body) {
		if err != nil {
			return false, err
		}
		*last = orElse(event.ID, *last)
		if !yield(&MonitorStep{Event: event.Name, Data: json.RawMessage(event.Data)}, nil) || event.Name == "complete" || event.Name == "error" {
			return true, nil
		}
	}
	return false, io.ErrUnexpectedEOF
}

// WaitMonitor waits until a new monitor is planned. The monitor's status is failed if there is no plan.
func (c *Client) WaitMonitor(ctx context.Context, monitorID string) (*Monitor, error) {
	for _, err := range c.MonitorSteps(ctx, monitorID) {
		if err != nil {
			return nil, err
		}
	}
	return c.GetMonitor(ctx, monitorID, nil)
}

// ServerEvent is a server-sent event.
type ServerEvent struct{ ID, Name, Data string }

const eventLineMax = 16 << 20 // bytes

// Events iterates over the server-sent events in a stream.
func Events(stream io.Reader) iter.Seq2[ServerEvent, error] {
	return func(yield func(ServerEvent, error) bool) {
		lines := bufio.NewScanner(stream)
		lines.Buffer(nil, eventLineMax)
		var event ServerEvent
		var data []string
		for lines.Scan() {
			field, value, _ := strings.Cut(lines.Text(), ":")
			value = strings.TrimPrefix(value, " ")
			switch {
			case lines.Text() == "" && data != nil:
				event.Data = strings.Join(data, "\n")
				if !yield(event, nil) {
					return
				}
				event, data = ServerEvent{}, nil
			case field == "event":
				event.Name = value
			case field == "id":
				event.ID = value
			case field == "data":
				data = append(data, value)
			}
		}
		if err := lines.Err(); err != nil {
			yield(ServerEvent{}, err)
		}
	}
}
