package chain_test

import (
	"encoding/json"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"

	"github.com/turnpike-edge/turnpike/dev/chain"
)

type call3 struct {
	Target       common.Address
	AllowFailure bool
	CallData     []byte
}

type callResult struct {
	Success    bool
	ReturnData []byte
}

func TestMulticall(t *testing.T) {
	t.Parallel()
	b := setup(t, chain.Config{})
	contract := loadContract(t, "DevMulticall")
	wallet := chain.AddressOf(b.Wallet())
	pack := func(method string, args ...any) []byte {
		data, err := contract.ABI.Pack(method, args...)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	failing := b.pack("transfer", b.payee, big.NewInt(1)) // fails, because Multicall has no tokens
	read := func(callData []byte) []byte {
		answer, err := b.call(wallet, chain.Multicall, callData)
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}

	answer := read(pack("aggregate3", []call3{
		{b.Token(), false, b.pack("balanceOf", wallet)},
		{b.Token(), true, failing},
		{chain.Multicall, false, pack("getChainId")},
	}))
	var results []callResult
	if err := contract.ABI.UnpackIntoInterface(&results, "aggregate3", answer); err != nil {
		t.Fatal(err)
	}
	if len(results) != 3 {
		t.Fatalf("got %d results, want 3", len(results))
	}
	if got, want := new(big.Int).SetBytes(results[0].ReturnData).Uint64(), b.balance(wallet); got != want {
		t.Errorf("balance: got %d, want %d", got, want)
	}
	reason, err := abi.UnpackRevert(results[1].ReturnData)
	if results[1].Success || err != nil || reason != "ERC20: transfer amount exceeds balance" {
		t.Errorf("failed call: got %v %q %v, want the token's reason", results[1].Success, reason, err)
	}
	if got, want := new(big.Int).SetBytes(results[2].ReturnData).Uint64(), b.ChainID(); got != want {
		t.Errorf("chain id: got %d, want %d", got, want)
	}

	_, err = b.call(wallet, chain.Multicall, pack("aggregate3", []call3{{b.Token(), false, failing}}))
	wantRefused(t, err, "Multicall3: call failed")

	type call struct {
		Target   common.Address
		CallData []byte
	}
	answer = read(pack("tryAggregate", false, []call{{b.Token(), failing}, {b.Token(), b.pack("version")}}))
	if err := contract.ABI.UnpackIntoInterface(&results, "tryAggregate", answer); err != nil {
		t.Fatal(err)
	}
	if len(results) != 2 || results[0].Success || !results[1].Success {
		t.Errorf("tryAggregate: got %v, want a failure and a success", results)
	}
	_, err = b.call(wallet, chain.Multicall, pack("tryAggregate", true, []call{{b.Token(), failing}}))
	wantRefused(t, err, "Multicall3: call failed")

	head, err := b.Client().HeaderByNumber(b.ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	wei, err := b.Client().BalanceAt(b.ctx, wallet, nil)
	if err != nil {
		t.Fatal(err)
	}
	for method, want := range map[string]struct {
		data []byte
		want *big.Int
	}{
		"getBlockNumber":           {pack("getBlockNumber"), head.Number},
		"getCurrentBlockTimestamp": {pack("getCurrentBlockTimestamp"), new(big.Int).SetUint64(head.Time)},
		"getEthBalance":            {pack("getEthBalance", wallet), wei},
	} {
		if got := new(big.Int).SetBytes(read(want.data)); got.Cmp(want.want) != 0 {
			t.Errorf("%s: got %s, want %s", method, got, want.want)
		}
	}
}

// TestArtifacts compares the committed artifacts' compiler with the pinned one. compile.mjs --check compares the artifacts
// with their sources.
func TestArtifacts(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("contracts/package.json")
	if err != nil {
		t.Fatal(err)
	}
	var pinned struct {
		DevDependencies map[string]string `json:"devDependencies"`
	}
	if err := json.Unmarshal(text, &pinned); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("contracts/artifacts/*.json")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 5 {
		t.Errorf("got %d artifacts, want 5", len(files))
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var artifact struct {
			Compiler struct {
				Version string `json:"version"`
			} `json:"compiler"`
		}
		if err := json.Unmarshal(text, &artifact); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		want := pinned.DevDependencies["solc"] + "+"
		if got := artifact.Compiler.Version; want == "+" || !strings.HasPrefix(got, want) {
			t.Errorf("%s: compiled by solc %s, want %s", file, got, want)
		}
		loadContract(t, strings.TrimSuffix(filepath.Base(file), ".json"))
	}
	if _, err := chain.LoadContract("Nonesuch"); err == nil {
		t.Error("loaded a contract that does not exist")
	}
}
