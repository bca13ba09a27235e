package principal

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
)

// Access says who may call an operation. The default is subscribers and wallets only.
type Access int

const (
	// Keyed needs a subscriber's key or a wallet's payment.
	Keyed Access = iota
	// Readable also allows requests without either, for what a wallet created. The handler decides by
	// [Caller.Anonymous].
	Readable
	// Public is for everyone; there is no principal.
	Public
)

const (
	accessKey  = "turnpike-access"
	bodyMaxKey = "turnpike-body-max"
	formKey    = "turnpike-error-form"
	keyNameKey = "turnpike-idempotency-key"
)

// Trait is another property of an operation: a [BodyMax] or [NoReplay].
type Trait interface {
	set(metadata map[string]any)
}

// BodyMax is the largest body of the operation in bytes, if it is not the usual 1 MiB. Only a few such bodies are read at once.
type BodyMax int64

func (n BodyMax) set(metadata map[string]any) { metadata[bodyMaxKey] = n }

type flag string

func (f flag) set(metadata map[string]any) { metadata[string(f)] = true }

// NoReplay switches Idempotency-Key off, which works for every POST otherwise: the operation handles each request anew,
// for example because it streams.
const NoReplay = flag("turnpike-no-replay")

// TargetInPath says that the operation's path ends with a target URL and its query. The handler gets them unchanged, as
// one parameter. No part of the query is the operation's own, so there is no dry run.
const TargetInPath = flag("turnpike-target-in-path")

// MonitorErrors gives the operation's errors the format of the monitor routes: {error, monitor_id}. Its path has a
// parameter monitor_id, or none.
const MonitorErrors = flag("turnpike-monitor-errors")

// EitherPays says that the operation is sold for credits and for USDC at the same path. A request that costs nothing there
// needs neither a key nor a payment.
const EitherPays = flag("turnpike-either-pays")

// HasEitherPays reports whether the operation has EitherPays.
func HasEitherPays(op *huma.Operation) bool {
	has, _ := op.Metadata[string(EitherPays)].(bool)
	return has
}

// HasMonitorErrors reports whether the operation has MonitorErrors.
func HasMonitorErrors(op *huma.Operation) bool {
	has, _ := op.Metadata[string(MonitorErrors)].(bool)
	return has
}

// ErrorForm writes the operation's errors in a format of its own, such as that of another service.
type ErrorForm func(e *problem.Error) any

func (f ErrorForm) set(metadata map[string]any) { metadata[formKey] = f }

// ErrorFormOf returns the operation's ErrorForm, or nil.
func ErrorFormOf(op *huma.Operation) ErrorForm {
	form, _ := op.Metadata[formKey].(ErrorForm)
	return form
}

// KeyName is another header in which clients of the operation may send their Idempotency-Key.
type KeyName string

func (n KeyName) set(metadata map[string]any) { metadata[keyNameKey] = n }

// KeyNameOf returns the operation's KeyName, or "".
func KeyNameOf(op *huma.Operation) string {
	name, _ := op.Metadata[keyNameKey].(KeyName)
	return string(name)
}

// HasTargetInPath reports whether the operation has TargetInPath.
func HasTargetInPath(op *huma.Operation) bool {
	has, _ := op.Metadata[string(TargetInPath)].(bool)
	return has
}

// Metadata returns a Huma operation's metadata for a and the traits.
func (a Access) Metadata(traits ...Trait) map[string]any {
	metadata := map[string]any{accessKey: a}
	for _, trait := range traits {
		trait.set(metadata)
	}
	return metadata
}

// BodyMaxOf returns the operation's BodyMax, or usual without one.
func BodyMaxOf(op *huma.Operation, usual int64) int64 {
	if n, ok := op.Metadata[bodyMaxKey].(BodyMax); ok {
		return int64(n)
	}
	return usual
}

// Replays reports whether the operation supports Idempotency-Key. By default every POST does, because a POST creates or spends.
func Replays(op *huma.Operation) bool {
	no, _ := op.Metadata[string(NoReplay)].(bool)
	return op.Method == http.MethodPost && AccessOf(op) != Public && !no
}

// AccessOf returns the operation's access. The default is Keyed.
func AccessOf(op *huma.Operation) Access {
	a, _ := op.Metadata[accessKey].(Access)
	return a
}
