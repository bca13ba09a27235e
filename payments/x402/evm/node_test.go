package evm

import (
	"context"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/rpc"

	"github.com/turnpike-edge/turnpike/dev/x402test"
)

// TestNodeKeepsItsAddress shows that no error contains the key in a node's address.
func TestNodeKeepsItsAddress(t *testing.T) {
	t.Parallel()
	away := httptest.NewServer(x402test.Saying(200, ""))
	address := away.URL
	away.Close()
	refuses := httptest.NewServer(x402test.Saying(403, "no"))
	t.Cleanup(refuses.Close)
	for name, tt := range map[string]struct{ address, want string }{
		"away":          {address + "/v2/hunter2", "refused"},
		"refuses":       {refuses.URL + "/v2/hunter2", "403"},
		"no such name":  {"https://hunter2.invalid/hunter2", "hunter2.invalid"}, // a host name is not secret
		"no scheme":     {"hunter2:8545/hunter2", "want https://…"},
		"not a URL":     {"http://hunter2\x7f", "want https://…"},
		"no host":       {"https:///hunter2", "want https://…"},
		"another one's": {"ftp://x/hunter2", "want https://…"},
		"away, ws":      {"ws" + strings.TrimPrefix(address, "http") + "/v2/hunter2", "refused"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			node, err := DialNode(t.Context(), tt.address)
			if err == nil {
				t.Cleanup(node.Close)
				var id hexutil.Big
				err = node.CallContext(t.Context(), &id, "eth_chainId")
				batch := node.BatchCallContext(t.Context(), []rpc.BatchElem{{Method: "eth_chainId", Result: &id}})
				err = errors.Join(err, batch)
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "/hunter2") || strings.Contains(err.Error(), "v2") {
				t.Errorf("got %v, want %q and no address", err, tt.want)
			}
		})
	}
	node, err := DialNode(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := node.CallContext(ctx, nil, "eth_chainId"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want what it was to be told from", err)
	}
}
