package admission

import "context"

// Holder is a principal that holds shares of pools. The zero value is the service itself.
type Holder struct {
	// Name identifies the holder among those of its kind: a team's id, or an address.
	Name string
	// Keyless is true for a client without a subscriber's key: an address or a wallet, whether or not it pays. Anyone
	// can make any number of those, so all of them together have one share.
	Keyless bool
}

type contextKey struct{}

// With returns a context whose work is done for h.
func With(ctx context.Context, h Holder) context.Context {
	return context.WithValue(ctx, contextKey{}, h)
}

// From returns the holder for whom the context's work is done.
func From(ctx context.Context) Holder {
	h, _ := ctx.Value(contextKey{}).(Holder)
	return h
}
