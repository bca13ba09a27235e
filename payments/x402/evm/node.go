package evm

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"

	"github.com/ethereum/go-ethereum/rpc"
)

// Node is a connection to a node. Its errors do not contain the node's address: addresses of rented nodes contain keys,
// and errors are logged.
type Node struct {
	client *rpc.Client
	what   string // its name in errors
}

// DialNode connects to the node at an https, http, wss or ws address, or at the path of a socket. Over HTTP, it sends
// no request yet.
func DialNode(ctx context.Context, address string) (*Node, error) {
	u, err := url.Parse(address)
	if err != nil || (u.Host == "" || !slices.Contains([]string{"https", "http", "wss", "ws"}, u.Scheme)) && !filepath.IsAbs(address) {
		return nil, errors.New("its URL is not valid for a node: want https://…, http://… or wss://…")
	}
	client, err := rpc.DialContext(ctx, address)
	if err != nil {
		return nil, withoutAddress("the node", err)
	}
	return &Node{client, "the node"}, nil
}

// Named sets the node's name in errors. Default: the node.
func (n *Node) Named(what string) *Node { return &Node{n.client, what} }

// CallContext implements [RPC].
func (n *Node) CallContext(ctx context.Context, result any, method string, args ...any) error {
	return withoutAddress(n.what, n.client.CallContext(ctx, result, method, args...))
}

// BatchCallContext implements [RPC].
func (n *Node) BatchCallContext(ctx context.Context, batch []rpc.BatchElem) error {
	return withoutAddress(n.what, n.client.BatchCallContext(ctx, batch))
}

// Close closes the connection.
func (n *Node) Close() { n.client.Close() }

// withoutAddress removes the request's address from an error.
func withoutAddress(what string, err error) error {
	if failed, ok := errors.AsType[*url.Error](err); ok {
		return fmt.Errorf("reaching %s: %w", what, failed.Err)
	}
	return err
}
