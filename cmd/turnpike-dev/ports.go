package main

import (
	"context"
	"fmt"
	"net"
	"strconv"
)

// The parts of a development server that have ports of their own, besides the edge.
const (
	partBackend = "backend"
	partSample  = "sample site"
	partChain   = "chain"
)

// The search for the parts' ports begins at 20000 plus the last digits of the edge's port. That is below the ranges for
// outgoing connections, so that the ports are probably free at the next start too.
const (
	partPortsBase  = 20_000
	partPortsRange = 10_000
	partPortsTried = 200
)

// listen listens for a part on this machine. It uses the port of earlier starts, because monitors and copied commands
// contain it. If that port is taken, it uses another one this time, and says so.
func (d *devServer) listen(ctx context.Context, part string) (net.Listener, error) {
	kept := d.state.Ports[part]
	if kept != 0 {
		if l, err := listenLocally(ctx, int(kept)); err == nil {
			return l, nil
		}
	}
	first := partPortsBase + int(d.port)%partPortsRange
	for port := first; port < first+partPortsTried; port++ {
		if d.isKept(port) {
			continue
		}
		l, err := listenLocally(ctx, port)
		if err != nil {
			continue
		}
		if kept != 0 {
			fmt.Fprintf(d.cmd.ErrOrStderr(), "Port %d of the %s is taken: it uses port %d this time, and URLs with the old port do not work.\n", kept, part, port)
			return l, nil
		}
		d.state.Ports[part] = uint16(port) //nolint:gosec // below 30,000 plus partPortsTried
		return l, d.state.save()
	}
	return nil, fmt.Errorf("no port from %d to %d is free for the %s", first, first+partPortsTried-1, part)
}

// isKept reports whether a port is kept for a part, and so not used for another one.
func (d *devServer) isKept(port int) bool {
	for _, kept := range d.state.Ports {
		if int(kept) == port {
			return true
		}
	}
	return false
}

func listenLocally(ctx context.Context, port int) (net.Listener, error) {
	return new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
}
