package x402

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
)

func TestStoredNetwork(t *testing.T) {
	t.Parallel()
	other := Network{ChainID: 137, Asset: common.HexToAddress("0x1"), TokenName: "Dollar", TokenVersion: "1"}
	accepted := (&Requirements{Network: other}).V2()
	payment, err := json.Marshal(PaymentV2{X402Version: 2, Accepted: &accepted})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, id, asset, payment string
		want                     Network
		err                      string
	}{
		{"built in", Base().ID(), Base().Asset.Hex(), "", Base(), ""},
		{"by what was accepted", "eip155:137", other.Asset.Hex(), string(payment), other, ""},
		{"no id", "base", other.Asset.Hex(), string(payment), Network{}, `stored network "base" is not an id`},
		{"half an id", "eip155:137x", other.Asset.Hex(), string(payment), Network{}, "is not an id"},
		{"no address", "eip155:137", "0x1", string(payment), Network{}, "is not an address"},
		{"no payment", "eip155:137", other.Asset.Hex(), "{", Network{}, "reading the stored payment"},
		{"no domain", "eip155:137", other.Asset.Hex(), "{}", Network{}, "token name and version"},
	} {
		got, err := StoredNetwork(tt.id, tt.asset, []byte(tt.payment))
		if got != tt.want || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%s: got %+v, %v, want %+v, %q", tt.name, got, err, tt.want, tt.err)
		}
	}
}
