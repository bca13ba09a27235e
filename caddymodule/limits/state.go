package limits

import (
	"fmt"
	"net/http"
	"net/netip"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/turnpike-edge/turnpike/caddymodule/reload"
	"github.com/turnpike-edge/turnpike/caddymodule/request"
	"github.com/turnpike-edge/turnpike/payments/ratelimit"
)

// limitState is what all team_limit handlers of this process share, so that a reload does not reset a quota. Teams and
// addresses have separate tables, so that a flood from many addresses evicts no team.
type limitState struct {
	teams     *ratelimit.Limiter[string]
	addresses *ratelimit.Limiter[netip.Addr]
}

// limitStateKey is the only key of limitState in the pool.
type limitStateKey struct{}

func openLimitState() (*limitState, error) {
	shared, _, err := reload.Pool.LoadOrNew(limitStateKey{}, func() (caddy.Destructor, error) { return newLimitState(time.Now), nil })
	if err != nil {
		return nil, err
	}
	state, ok := shared.(*limitState)
	if !ok {
		return nil, fmt.Errorf("pool holds a %T as limits", shared)
	}
	return state, nil
}

func newLimitState(now func() time.Time) *limitState {
	cfg := ratelimit.Config{Now: now}
	return &limitState{teams: ratelimit.New[string](cfg), addresses: ratelimit.New[netip.Addr](cfg)}
}

// Destruct implements caddy.Destructor.
func (*limitState) Destruct() error { return nil }

func (*limitState) release() error {
	_, err := reload.Pool.Delete(limitStateKey{})
	return err
}

// subscriberBits is the part of an IPv6 address that its subscriber cannot choose: each gets a whole network (RFC 6177,
// section 2; RFC 4291, section 2.5.4).
const subscriberBits = 64

// subscriber returns the address that a request without a key counts for. All invalid addresses count as one.
func subscriber(r *http.Request) netip.Addr { return subscriberOf(request.ClientAddress(r)) }

func subscriberOf(text string) netip.Addr {
	addr, err := netip.ParseAddr(text)
	if err != nil {
		withPort, err := netip.ParseAddrPort(text)
		if err != nil {
			return netip.Addr{}
		}
		addr = withPort.Addr()
	}
	addr = addr.Unmap().WithZone("")
	if addr.Is4() {
		return addr
	}
	prefix, err := addr.Prefix(subscriberBits)
	if err != nil {
		return netip.Addr{}
	}
	return prefix.Addr()
}
