package admission

import "context"

// Holder is who has a share of pools. The zero value is the service itself.
type Holder struct {
	// Name tells holders of a kind apart: a team's id, an address.
	Name string
	// Keyless is for who has no subscriber's key: an address, or a wallet, whether or not it pays. Any number of them is
	// free to make, so all together have one share.
	Keyless bool
}

type contextKey struct{}

// With returns a context in which work is done for h.
func With(ctx context.Context, h Holder) context.Context {
	return context.WithValue(ctx, contextKey{}, h)
}

// From returns for whom work is done.
func From(ctx context.Context) Holder {
	h, _ := ctx.Value(contextKey{}).(Holder)
	return h
}
