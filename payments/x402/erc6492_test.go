package x402

import (
	"bytes"
	"testing"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"

	"github.com/turnpike-edge/turnpike/dev/chain"
)

func abiArguments(types ...string) (arguments abi.Arguments) {
	for _, name := range types {
		typ, err := abi.NewType(name, "", nil)
		if err != nil {
			panic(err)
		}
		arguments = append(arguments, abi.Argument{Type: typ})
	}
	return arguments
}

var wrapperArguments = abiArguments("address", "bytes", "bytes")

// wrap6492 encodes an ERC-6492 signature with go-ethereum's encoder.
func wrap6492(factory common.Address, deploy, inner []byte) []byte {
	packed, err := wrapperArguments.Pack(factory, deploy, inner)
	if err != nil {
		panic(err)
	}
	return append(packed, erc6492Suffix...)
}

func TestReadUndeployed(t *testing.T) {
	t.Parallel()
	factory := common.Address{7}
	good := wrap6492(factory, []byte("deploy it"), []byte("inner"))
	got, ok := ReadUndeployed(good)
	if !ok || got == nil || got.Factory != factory || string(got.Deploy) != "deploy it" || string(got.Inner) != "inner" {
		t.Fatalf("got %+v, %t", got, ok)
	}
	for _, sig := range [][]byte{nil, make([]byte, 65), erc6492Suffix[1:]} {
		if got, ok := ReadUndeployed(sig); got != nil || !ok {
			t.Errorf("%x: got %+v, %t, want another kind of signature", sig, got, ok)
		}
	}
	edit := func(at int, b byte) []byte {
		bad := bytes.Clone(good)
		bad[at] = b
		return bad
	}
	for name, bad := range map[string][]byte{
		"suffix only":              erc6492Suffix,
		"no offsets":               append(make([]byte, 64), erc6492Suffix...),
		"more than an address":     edit(11, 1),
		"offset past the end":      edit(63, 0xff),
		"offset of 2^248":          edit(32, 1),
		"length past the end":      edit(127, 0xff),
		"length of 2^64":           edit(3*32+23, 1),
		"empty signature":          wrap6492(factory, nil, nil),
		"offset at the last bytes": edit(95, byte(len(good)-len(erc6492Suffix)-1)),
	} {
		if got, ok := ReadUndeployed(bad); ok {
			t.Errorf("%s: got %+v, want a refusal", name, got)
		}
	}
}

// FuzzReadUndeployed compares our decoder with go-ethereum's.
func FuzzReadUndeployed(f *testing.F) {
	f.Add(wrap6492(chain.WalletFactory, []byte("deploy"), make([]byte, 65)))
	f.Add(wrap6492(common.Address{}, nil, []byte{1}))
	f.Add(append(make([]byte, 96), erc6492Suffix...))
	f.Fuzz(func(t *testing.T, sig []byte) {
		got, ok := ReadUndeployed(sig)
		if got == nil {
			if want := !bytes.HasSuffix(sig, erc6492Suffix); ok != want {
				t.Fatalf("got %t, want %t", ok, want)
			}
			return
		}
		again, ok := ReadUndeployed(wrap6492(got.Factory, got.Deploy, got.Inner))
		if !ok || again.Factory != got.Factory || !bytes.Equal(again.Deploy, got.Deploy) || !bytes.Equal(again.Inner, got.Inner) {
			t.Errorf("written again: got %+v, want %+v", again, got)
		}
		want, err := wrapperArguments.Unpack(bytes.TrimSuffix(sig, erc6492Suffix))
		if err != nil {
			return // go-ethereum also requires the padding
		}
		if want[0] != got.Factory || !bytes.Equal(want[1].([]byte), got.Deploy) || !bytes.Equal(want[2].([]byte), got.Inner) {
			t.Errorf("got %+v, want %v", got, want)
		}
	})
}
