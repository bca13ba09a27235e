//go:build interop

package interop

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/crypto"

	"github.com/turnpike-edge/turnpike/dev/rig"
)

// testFacilitators shows that the edge settles through the protocol's own facilitators, and checks the settlement on the
// chain if it has an RPC address.
func (c *cell) testFacilitators(t *testing.T) {
	for _, tt := range []struct {
		program, of string
		account     int
		clients     []client
	}{
		{"facilitators/v2.mjs", "@x402/evm", accountFacilitatorV2, []client{fetchV2, fetchV1}},
		{"facilitators/v1.mjs", "x402", accountFacilitatorV1, []client{axiosV1, fetchV2V1}},
	} {
		address := c.serve(t, tt.program, map[string]any{
			"rpc": c.chain.RPCURL(), "key": hexKey(crypto.FromECDSA(c.settlers[tt.account])),
		})
		for _, rpc := range []bool{true, false} {
			edge := c.edgeWith(t, address, rpc)
			at := version(t, tt.of) + " settles, without rpc"
			if rpc {
				at = version(t, tt.of) + " settles, with rpc"
			}
			for i, client := range tt.clients {
				for _, buy := range purchases {
					t.Run(fmt.Sprintf("%s for %s settle %s", at, client.program, buy.settle), func(t *testing.T) {
						got := c.buy(t, order{
							client: client, what: at, settle: buy.settle, url: edge.URL(buy.path), method: buy.method, body: buy.body,
							price: priceUnits, upstream: c.up, callsOfTheUpstream: 1,
						})
						checkAnswer(t, got, buy.method, buy.path, buy.body)
					})
				}
				if i > 0 {
					continue
				}
				t.Run(at+", a poor wallet", func(t *testing.T) {
					c.buy(t, order{
						client: client, what: at, settle: "after", url: edge.URL("/paid/report"), key: poorKey(t),
						refusedByServer: "insufficient_funds", upstream: c.up,
					})
				})
			}
		}
	}
}

// edgeWith starts an edge that settles through another facilitator.
func (c *cell) edgeWith(t *testing.T, facilitator string, rpc bool) *rig.Edge {
	t.Helper()
	node := ""
	if rpc {
		node = "\n\t\t\t\trpc {env.BASE_RPC_URL}"
	}
	caddyfile := string(c.caddyfile(fmt.Sprintf("facilitator http %s {%s\n\t\t\t\ttimeout 20s\n\t\t\t}", facilitator, node)))
	return c.place.edge(t, accountEdge, c.up.address(), "", []byte(strings.TrimSpace(caddyfile)+"\n"))
}
