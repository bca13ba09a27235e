package caller

import "github.com/danielgtaylor/huma/v2"

// Access says who may call an operation. An operation that does not say is for
// subscribers and wallets only.
type Access int

const (
	// Keyed: a subscriber's key or a wallet's payment.
	Keyed Access = iota
	// Readable: also nobody, for what a wallet made. The handler decides by
	// [Caller.Anonymous].
	Readable
	// Public: everyone; there is no caller.
	Public
)

const accessKey = "turnpike-access"

// Metadata is a Huma operation's metadata for a.
func (a Access) Metadata() map[string]any { return map[string]any{accessKey: a} }

// AccessOf returns what the operation said, Keyed if nothing.
func AccessOf(op *huma.Operation) Access {
	a, _ := op.Metadata[accessKey].(Access)
	return a
}
