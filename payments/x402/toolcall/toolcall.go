// Package toolcall is x402's binding for MCP, between a gate that takes payment for HTTP requests and a client that calls
// a tool. The payment comes in the message, and so do the challenge and the receipt. [Client] translates what the gate
// writes: the claims, the checks and the settlement are those of any HTTP request.
//
// A call that is not served has a tool's result that says so, with status 200. Its text is one that the client's model can
// read. Nothing is written before the gate has decided, except what the server needs from the client before it has a
// result (see [mcp.Holder]).
package toolcall

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"

	"github.com/turnpike-edge/turnpike/payments/mcp"
	"github.com/turnpike-edge/turnpike/payments/x402"
)

// Pay moves the payment of a message into the header in which a gate expects it.
func Pay(h http.Header, m *mcp.Message) {
	if m.Payment != nil {
		h.Add(x402.HeaderPaymentV2, base64.StdEncoding.EncodeToString(m.Payment))
	}
}

// Client is the response to a call. A gate writes its response to it. Call Finish at the end.
type Client struct {
	w       http.ResponseWriter
	message *mcp.Message
	header  http.Header // of the gate's response
	status  int         // of the gate's response
	body    []byte
	live    bool // an event stream has begun
	queue   [][]byte
}

// NewClient returns the response to m, which is written to w.
func NewClient(w http.ResponseWriter, m *mcp.Message) *Client {
	return &Client{w: w, message: m, header: w.Header().Clone()}
}

// Status is the status that the gate has written, 0 if it has not.
func (c *Client) Status() int { return c.status }

// Unwrap lets a gate find the room for the response, and http.ResponseController the connection.
func (c *Client) Unwrap() http.ResponseWriter { return c.w }

// Header implements http.ResponseWriter.
func (c *Client) Header() http.Header { return c.header }

// WriteHeader implements http.ResponseWriter.
func (c *Client) WriteHeader(status int) {
	if c.status == 0 && status >= http.StatusOK {
		c.status = status
	}
}

// Write implements http.ResponseWriter.
func (c *Client) Write(p []byte) (int, error) {
	c.WriteHeader(http.StatusOK)
	c.body = append(c.body, p...)
	return len(p), nil
}

// FlushError implements the method that http.ResponseController looks for. A response is written as a whole.
func (*Client) FlushError() error { return nil }

// sessionHeader tells a client of an MCP server its session.
const sessionHeader = "Mcp-Session-Id"

// Send implements [mcp.Live].
func (c *Client) Send(event []byte, header http.Header) error {
	if !c.live {
		c.begin(header)
	}
	if _, err := c.w.Write(event); err != nil {
		return err //nolint:wrapcheck // the caller expects the errors of the inner writer
	}
	return http.NewResponseController(c.w).Flush() //nolint:wrapcheck // see above
}

// Queue implements [mcp.Live].
func (c *Client) Queue(event []byte) { c.queue = append(c.queue, event) }

// begin begins an event stream. header is the server's.
func (c *Client) begin(header http.Header) {
	c.live = true
	h := c.w.Header()
	if id := header[sessionHeader]; id != nil {
		h[sessionHeader] = id
	}
	h.Set("Content-Type", "text/event-stream")
	h.Set(x402.HeaderCacheControl, "no-store")
	h.Set("X-Accel-Buffering", "no") // a proxy in front must not hold back events
	x402.ExposeHeaders(h)
	c.w.WriteHeader(http.StatusOK)
}

// Finish sends what the gate has written, in the form of MCP. It does nothing if the gate has written nothing.
func (c *Client) Finish() error {
	if c.status == 0 {
		return nil
	}
	receipt := decode(c.header, x402.HeaderReceiptV2)
	if receipt == nil { // of a payment in a header
		receipt = decode(c.header, x402.HeaderReceiptV1)
	}
	required := decode(c.header, x402.HeaderRequired)
	var notice x402.Notice
	switch {
	case c.status < http.StatusBadRequest:
		return c.answer(c.message.Answer(c.body, receipt), receipt != nil)
	case required != nil:
		_ = json.Unmarshal(c.body, &notice) // a challenge of version 1, which has a text too
		return c.answer(c.message.RequirePayment(required, notice.Message, receipt), false)
	case json.Unmarshal(c.body, &notice) == nil && notice.X402Version != 0:
		return c.answer(c.message.Refuse(string(notice.Error)+": "+notice.Message, receipt), false)
	case c.live:
		return c.Refuse("The server has refused the call with status " + strconv.Itoa(c.status) + ". Nothing was charged.")
	}
	c.copyHeader()
	c.w.WriteHeader(c.status)
	_, err := c.w.Write(c.body)
	return err //nolint:wrapcheck // the caller expects the errors of the inner writer
}

// Refuse answers a call for which the gate has written nothing.
func (c *Client) Refuse(text string) error { return c.answer(c.message.Refuse(text, nil), false) }

// Began reports whether the client has got a part of the response.
func (c *Client) Began() bool { return c.live }

// answer sends the response. Queued events are only for a client that has paid.
func (c *Client) answer(response []byte, paid bool) error {
	if paid && len(c.queue) > 0 && !c.live {
		c.copyHeader()
		c.begin(c.header)
	}
	if c.live {
		events := mcp.Event(response)
		if paid {
			events = append(slices.Concat(c.queue...), events...)
		}
		return c.Send(events, nil)
	}
	c.copyHeader()
	h := c.w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(response)))
	c.w.WriteHeader(http.StatusOK)
	_, err := c.w.Write(response)
	return err //nolint:wrapcheck // the caller expects the errors of the inner writer
}

// copyHeader copies the gate's header. What it says by the protocol's headers is in the message. A client that also pays
// for HTTP requests could otherwise take the response for one to such a request, and pay again.
func (c *Client) copyHeader() {
	h := c.w.Header()
	clear(h)
	maps.Copy(h, c.header)
	for _, name := range []string{x402.HeaderRequired, x402.HeaderReceiptV1, x402.HeaderReceiptV2} {
		h.Del(name)
	}
	if c.status >= http.StatusBadRequest {
		h.Del(x402.HeaderRetryAfter)
	}
	h.Del("Content-Length")
}

// decode returns the JSON of a header of the protocol, nil if there is none.
func decode(h http.Header, name string) json.RawMessage {
	value := h.Get(name)
	if value == "" {
		return nil
	}
	text, err := x402.DecodeBase64(value)
	if err != nil || !json.Valid([]byte(text)) {
		return nil
	}
	return json.RawMessage(text)
}

// Interface guards
var _ mcp.Live = (*Client)(nil)
