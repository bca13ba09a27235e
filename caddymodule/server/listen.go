//go:build unix && !solaris

package server

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/turnpike-edge/turnpike/caddymodule/server/handover"
)

// keptPrefix starts the names of the networks whose sockets outlive a configuration: `kept-tcp` and so on.
const keptPrefix = "kept-"

// keptNetworks maps each such network to the network of HTTP/3 on the same port.
var keptNetworks = map[string]string{"tcp": "udp", "tcp4": "udp4", "tcp6": "udp6"}

func init() {
	for network, packets := range keptNetworks {
		caddy.RegisterNetwork(keptPrefix+network, listenKept)
		caddyhttp.RegisterNetworkHTTP3(keptPrefix+network, packets)
	}
}

// keptAddress returns the address on the network whose sockets are kept, or address itself if there is none. Caddy
// opens a new socket for each configuration, and connections in the queue of the old one are reset (SO_REUSEPORT,
// Linux). It does not do so for unix sockets and file descriptors.
func keptAddress(address string) string {
	parsed, err := caddy.ParseNetworkAddress(address)
	if err != nil || parsed.StartPort == 0 { // the system chooses a port each time
		return address
	}
	if _, ok := keptNetworks[parsed.Network]; !ok {
		return address
	}
	return caddy.JoinNetworkAddress(keptPrefix+parsed.Network, parsed.Host, ports(parsed))
}

func ports(a caddy.NetworkAddress) string {
	if a.StartPort == a.EndPort {
		return strconv.FormatUint(uint64(a.StartPort), 10)
	}
	return fmt.Sprintf("%d-%d", a.StartPort, a.EndPort)
}

// sockets are the open sockets, by address. Each listener counts as one use.
var sockets = caddy.NewUsagePool()

// keptSocket is a socket in the pool.
type keptSocket struct{ *handover.Socket }

// Destruct implements caddy.Destructor.
func (s keptSocket) Destruct() error { return s.Close() }

// listenKept is a caddy.ListenerFunc. It opens a socket, or returns the one that another configuration has.
func listenKept(ctx context.Context, network, host, portRange string, offset uint, config net.ListenConfig) (any, error) {
	generation, err := generationOf(ctx)
	if err != nil {
		return nil, err
	}
	network = strings.TrimPrefix(network, keptPrefix)
	address, err := caddy.ParseNetworkAddress(caddy.JoinNetworkAddress(network, host, portRange))
	if err != nil {
		return nil, fmt.Errorf("address to listen on: %w", err)
	}
	address = address.At(offset)
	key := address.String()
	pooled, _, err := sockets.LoadOrNew(key, func() (caddy.Destructor, error) {
		opened, err := address.Listen(ctx, 0, config)
		if err != nil {
			return nil, err
		}
		base, ok := opened.(net.Listener)
		if !ok {
			return nil, fmt.Errorf("network %s opens a %T, which is not a listener", network, opened)
		}
		return keptSocket{handover.NewSocket(base, config.KeepAliveConfig)}, nil
	})
	if err != nil {
		return nil, err
	}
	socket, ok := pooled.(keptSocket)
	if !ok {
		return nil, fmt.Errorf("%s is stored as a %T", key, pooled)
	}
	return generation.Listen(socket.Socket, config.KeepAliveConfig, func() error {
		_, err := sockets.Delete(key)
		return err
	}), nil
}

// pendingApp is the app that tracks the connections of its configuration.
type pendingApp interface{ PendingConns() *PendingConns }

// generationOf returns the generation of a configuration's servers.
func generationOf(ctx context.Context) (*handover.Generation, error) {
	caddyCtx, ok := ctx.(caddy.Context)
	if !ok {
		return new(handover.Generation), nil // without a configuration, as in a test
	}
	mod, err := caddyCtx.AppIfConfigured("turnpike")
	if err != nil {
		return nil, fmt.Errorf("the networks %stcp, %[1]stcp4 and %[1]stcp6 need the global option `turnpike`: %w", keptPrefix, err)
	}
	app, ok := mod.(pendingApp)
	if !ok {
		return nil, fmt.Errorf("app turnpike has the unexpected type %T", mod)
	}
	return &app.PendingConns().generation, nil
}
