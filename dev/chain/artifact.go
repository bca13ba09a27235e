package chain

import (
	"embed"
	"encoding/json"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"
)

//go:embed contracts/artifacts/*.json
var artifactFiles embed.FS

// Contract is a compiled contract of this package.
type Contract struct {
	ABI abi.ABI
	// Bytecode deploys the contract; DeployedBytecode is the code that then runs.
	Bytecode         []byte
	DeployedBytecode []byte
	storage          map[string]storageSlot
}

// storageSlot is the place of a variable: offset counts bytes from the low end of the slot, which small variables share.
type storageSlot struct {
	slot   *big.Int
	offset uint
}

// LoadContract returns one of DevUSDC, DevWallet, DevWalletFactory, DevMulticall and DevFeed.
func LoadContract(name string) (*Contract, error) {
	text, err := artifactFiles.ReadFile("contracts/artifacts/" + name + ".json")
	if err != nil {
		return nil, fmt.Errorf("contract %s: %w", name, err)
	}
	var artifact struct {
		ABI              abi.ABI       `json:"abi"`
		Bytecode         hexutil.Bytes `json:"bytecode"`
		DeployedBytecode hexutil.Bytes `json:"deployedBytecode"`
		StorageLayout    []struct {
			Label  string `json:"label"`
			Slot   string `json:"slot"`
			Offset uint   `json:"offset"`
		} `json:"storageLayout"`
	}
	if err := json.Unmarshal(text, &artifact); err != nil {
		return nil, fmt.Errorf("contract %s: %w", name, err)
	}
	contract := &Contract{
		ABI:              artifact.ABI,
		Bytecode:         artifact.Bytecode,
		DeployedBytecode: artifact.DeployedBytecode,
		storage:          make(map[string]storageSlot, len(artifact.StorageLayout)),
	}
	for _, variable := range artifact.StorageLayout {
		slot, ok := new(big.Int).SetString(variable.Slot, 10)
		if !ok {
			return nil, fmt.Errorf("contract %s: storage slot %q of %s is not a number", name, variable.Slot, variable.Label)
		}
		contract.storage[variable.Label] = storageSlot{slot: slot, offset: variable.Offset}
	}
	return contract, nil
}

// slotOf returns the storage key of a variable that has its own slot or is at its low end.
func (c *Contract) slotOf(variable string) (common.Hash, error) {
	place, ok := c.storage[variable]
	if !ok {
		return common.Hash{}, fmt.Errorf("no storage variable %s", variable)
	}
	if place.offset != 0 {
		return common.Hash{}, fmt.Errorf("storage variable %s starts inside its slot, at byte %d", variable, place.offset)
	}
	return common.BigToHash(place.slot), nil
}

// slotOfEntry returns the storage key of a mapping's entry. Solidity stores it at the hash of the entry's key and the
// mapping's slot.
func (c *Contract) slotOfEntry(mapping string, key common.Address) (common.Hash, error) {
	slot, err := c.slotOf(mapping)
	if err != nil {
		return common.Hash{}, err
	}
	return crypto.Keccak256Hash(common.LeftPadBytes(key.Bytes(), 32), slot.Bytes()), nil
}
