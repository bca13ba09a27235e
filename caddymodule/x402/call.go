package x402

import (
	"errors"
	"net/http"

	"github.com/turnpike-edge/turnpike/caddymodule/limits"
	"github.com/turnpike-edge/turnpike/caddymodule/response"
	"github.com/turnpike-edge/turnpike/payments/mcp"
	"github.com/turnpike-edge/turnpike/payments/price"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/gate"
	"github.com/turnpike-edge/turnpike/payments/x402/toolcall"
)

// serveCall takes payment for a call of an MCP server's tool, by x402's binding for MCP. The payment is bound to the tool
// and its arguments. The call's id is another in each copy of it.
func (x *Handler) serveCall(w *response.Writer, r *http.Request, offer x402.Offer, quote *price.Quote, room *limits.Room, run gate.NextFunc) error {
	call := quote.Message
	toolcall.Pay(r.Header, call)
	client := toolcall.NewClient(w, call)
	err := x.config.gate.Serve(client, r, offer, call.Purchase(), func(w http.ResponseWriter, r *http.Request, claim x402.Claim) error {
		r.Header.Set("Accept-Encoding", "identity") // so that the response can be read
		holder := mcp.NewHolder(w, call, room, client)
		if err := run(holder, r, claim); err != nil {
			return err
		}
		return holder.Finish()
	})
	x.count(err, client.Status())
	switch {
	case client.Status() != 0:
		return errors.Join(err, client.Finish())
	case err != nil && client.Began():
		return errors.Join(err, client.Refuse("The call has failed. Nothing was charged."))
	case errors.Is(err, x402.ErrUnavailable):
		return x.refuse(w, r, quote, refuseUnavailable(), nil)
	default:
		return err
	}
}
