package gate

import (
	"bytes"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
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
	return append(packed, bytes.Repeat([]byte{0x64, 0x92}, 16)...)
}
