package caller

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"
)

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

const (
	accessKey  = "turnpike-access"
	bodyMaxKey = "turnpike-body-max"
)

// Trait is something else that an operation says of itself: a [BodyMax] or [NoReplay].
type Trait interface {
	set(metadata map[string]any)
}

// BodyMax is the size in bytes of the largest body that the operation takes,
// where that is not the service's usual 1 MiB. Few such bodies are read at once.
type BodyMax int64

func (n BodyMax) set(metadata map[string]any) { metadata[bodyMaxKey] = n }

type flag string

func (f flag) set(metadata map[string]any) { metadata[string(f)] = true }

// NoReplay takes an operation out of what Idempotency-Key does for every POST:
// it answers each request anew, such as one whose answer is a stream.
const NoReplay = flag("turnpike-no-replay")

// TargetInPath says that what stands behind the operation's path is a URL with its query, and reaches the handler as one
// parameter, as it was sent: no part of it is the operation's own, so that it asks for no dry run either.
const TargetInPath = flag("turnpike-target-in-path")

// MonitorErrors says that the operation's errors have the form of monitors': {error, monitor_id}. Its path has a parameter
// monitor_id, or none.
const MonitorErrors = flag("turnpike-monitor-errors")

// HasMonitorErrors reports whether the operation said so.
func HasMonitorErrors(op *huma.Operation) bool {
	has, _ := op.Metadata[string(MonitorErrors)].(bool)
	return has
}

// HasTargetInPath reports whether the operation said so.
func HasTargetInPath(op *huma.Operation) bool {
	has, _ := op.Metadata[string(TargetInPath)].(bool)
	return has
}

// Metadata is a Huma operation's metadata for a and the traits.
func (a Access) Metadata(traits ...Trait) map[string]any {
	metadata := map[string]any{accessKey: a}
	for _, trait := range traits {
		trait.set(metadata)
	}
	return metadata
}

// BodyMaxOf returns what the operation said, usual if nothing.
func BodyMaxOf(op *huma.Operation, usual int64) int64 {
	if n, ok := op.Metadata[bodyMaxKey].(BodyMax); ok {
		return int64(n)
	}
	return usual
}

// Replays reports whether Idempotency-Key holds for the operation: for every POST
// that does not say otherwise, since a POST creates or spends.
func Replays(op *huma.Operation) bool {
	no, _ := op.Metadata[string(NoReplay)].(bool)
	return op.Method == http.MethodPost && AccessOf(op) != Public && !no
}

// AccessOf returns what the operation said, Keyed if nothing.
func AccessOf(op *huma.Operation) Access {
	a, _ := op.Metadata[accessKey].(Access)
	return a
}
