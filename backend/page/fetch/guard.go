package fetch

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"syscall"
)

// guard decides to which addresses sockets may connect. It is immutable.
type guard struct {
	allowPrivate []netip.Prefix
	allowPorts   []uint16
	allowAnyPort bool
}

// control is a net.Dialer.ControlContext: it runs for each dialled address, after name resolution and before connect(2), so
// that the checked address is the one connected to.
func (g *guard) control(_ context.Context, network, address string, _ syscall.RawConn) error {
	switch network {
	case "tcp4", "tcp6":
	default:
		return fmt.Errorf("network %q is not allowed", network)
	}
	target, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("dial address is not an IP address: %w", err)
	}
	if err := g.checkPort(target.Port()); err != nil {
		return err
	}
	return g.checkAddr(target.Addr())
}

func (g *guard) checkAddr(addr netip.Addr) error {
	name := deniedRange(addr)
	if name == "" {
		return nil
	}
	for _, prefix := range g.allowPrivate {
		if prefix.Contains(plain(addr)) {
			return nil
		}
	}
	return &BlockedError{Addr: addr, Range: name}
}

func (g *guard) checkPort(port uint16) error {
	if port == 80 || port == 443 || g.allowAnyPort || slices.Contains(g.allowPorts, port) {
		return nil
	}
	return &blockedPortError{port: port}
}

// checkURL refuses what the URL alone shows, for a clear message without a DNS query. Names that are private by convention
// pass if any private range is allowed: control then checks what they resolve to.
func (g *guard) checkURL(u URL) error {
	if err := g.checkPort(u.port()); err != nil {
		return err
	}
	if addr, ok := u.addr(); ok {
		return g.checkAddr(addr)
	}
	if u.PlainlyPrivate() && len(g.allowPrivate) == 0 {
		return &BlockedError{Range: "name " + u.Hostname() + " is private by convention"}
	}
	return nil
}
