package main

import (
	"context"
	"fmt"
	"net"
	"strconv"
)

// The parts of a development server that have ports of their own, beside the edge.
const (
	partBackend = "backend"
	partSample  = "sample site"
	partChain   = "chain"
)

// Ports for the parts are looked for from 20000 and the last digits of the edge's port on: below the ranges from which
// systems choose ports for outgoing connections, so that they are free at the next start too.
const (
	partPortsBase  = 20_000
	partPortsRange = 10_000
	partPortsTried = 200
)

// listen listens for a part on this machine: on the port that it had at earlier starts, for monitors and commands that
// were copied name it. Where that is taken, it has another one for this time, and says so.
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
			fmt.Fprintf(d.cmd.ErrOrStderr(), "Port %d of the %s is taken: it has port %d this time, and what names the old one fails.\n", kept, part, port)
			return l, nil
		}
		d.state.Ports[part] = uint16(port) //nolint:gosec // below 30,000 and what is tried
		return l, d.state.save()
	}
	return nil, fmt.Errorf("no port from %d to %d is free for the %s", first, first+partPortsTried-1, part)
}

// isKept: a port that a part has at other times is left to it.
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
