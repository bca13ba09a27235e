package evm

import (
	"bytes"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"github.com/turnpike-edge/turnpike/dev/chain"
)

// TestAggregate3Call compares the packing with the contract's ABI.
func TestAggregate3Call(t *testing.T) {
	t.Parallel()
	contract, err := chain.LoadContract("DevMulticall")
	if err != nil {
		t.Fatal(err)
	}
	type call struct {
		Target       common.Address
		AllowFailure bool
		CallData     []byte
	}
	calls := []call{{common.Address{1}, true, []byte("five.")}, {common.Address{2}, false, nil}, {common.Address{3}, true, make([]byte, 64)}}
	var ours []ContractCall
	for n := range len(calls) + 1 {
		want, err := contract.ABI.Pack("aggregate3", calls[:n])
		if err != nil {
			t.Fatal(err)
		}
		if got := Aggregate(ours...); !bytes.Equal(got, want) {
			t.Errorf("%d calls: got %x, want %x", n, got, want)
		}
		if n < len(calls) {
			ours = append(ours, ContractCall{Target: calls[n].Target, MayFail: calls[n].AllowFailure, Data: calls[n].CallData})
		}
	}
	if Multicall3 != chain.Multicall {
		t.Errorf("address: got %s, want %s", Multicall3, chain.Multicall)
	}
}

func TestAggregate3Result(t *testing.T) {
	t.Parallel()
	contract, err := chain.LoadContract("DevMulticall")
	if err != nil {
		t.Fatal(err)
	}
	results := []multicallResult{{true, []byte("first")}, {false, []byte("reverted")}, {true, make([]byte, 40)}, {true, nil}}
	answer, err := contract.ABI.Methods["aggregate3"].Outputs.Pack(results)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range results {
		want := r.ReturnData
		if !r.Success {
			want = nil
		}
		if got, err := aggregate3Result(answer, i); err != nil || !bytes.Equal(got, want) {
			t.Errorf("result %d: got %x, %v, want %x", i, got, err, want)
		}
	}
	for name, bad := range map[string][]byte{
		"nothing": nil, "cut": answer[:len(answer)-33], "a word": make([]byte, 32), "far away": bytes.Repeat([]byte{0xff}, 256),
	} {
		if got, err := aggregate3Result(bad, 3); err == nil {
			t.Errorf("%s: got %x, want an error", name, got)
		}
	}
	if got, err := aggregate3Result(answer, 4); err == nil {
		t.Errorf("one more: got %x, want an error", got)
	}
}

func FuzzAggregate3Result(f *testing.F) {
	contract, err := chain.LoadContract("DevMulticall")
	if err != nil {
		f.Fatal(err)
	}
	outputs := contract.ABI.Methods["aggregate3"].Outputs
	answer, err := outputs.Pack([]multicallResult{{true, []byte("first")}, {true, make([]byte, 32)}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(answer, 1)
	f.Add([]byte{}, 0)
	f.Fuzz(func(t *testing.T, answer []byte, index int) {
		if index < 0 {
			return
		}
		got, err := aggregate3Result(answer, index)
		if len(got) > len(answer) || err != nil && got != nil {
			t.Errorf("got %x, %v", got, err)
		}
	})
}

type multicallResult struct {
	Success    bool
	ReturnData []byte
}
