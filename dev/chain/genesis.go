package chain

import (
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/params"
)

const blockGasMax = 30_000_000

// genesis is the first block, with contracts and funded accounts. Its extra data is the instance id, so that two
// instances differ from their first hash on.
func genesis(cfg Config, owner common.Address, instance []byte) (*core.Genesis, error) {
	alloc := core.SystemContractAllocs()
	wallet, settler := AddressOf(cfg.WalletKey), AddressOf(cfg.SettlerKey)
	funded := append([]Account{
		{Address: owner, Wei: ether(genesisEther)},
		{Address: settler, Wei: ether(genesisEther)},
		{Address: wallet, Wei: ether(1), MicroUSDC: cfg.WalletMicroUSDC},
	}, cfg.Accounts...)

	for address, name := range map[common.Address]string{
		Multicall:     "DevMulticall",
		WalletFactory: "DevWalletFactory",
		WalletCode:    "DevWallet",
	} {
		contract, err := LoadContract(name)
		if err != nil {
			return nil, err
		}
		alloc[address] = types.Account{Nonce: 1, Balance: new(big.Int), Code: contract.DeployedBytecode}
	}
	tokenAddress, err := token(cfg.ChainID)
	if err != nil {
		return nil, err
	}
	feed, err := LoadContract("DevFeed")
	if err != nil {
		return nil, err
	}
	alloc[Feed(cfg.ChainID)] = types.Account{Nonce: 1, Balance: new(big.Int), Code: feed.DeployedBytecode}
	if alloc[tokenAddress], err = tokenAccount(owner, funded); err != nil {
		return nil, fmt.Errorf("laying out the token: %w", err)
	}
	for _, account := range funded {
		entry, taken := alloc[account.Address]
		if taken && len(entry.Code) > 0 {
			return nil, fmt.Errorf("account %s is a contract of this chain and cannot be funded", account.Address)
		}
		if entry.Balance == nil {
			entry.Balance = new(big.Int)
		}
		if account.Wei != nil {
			entry.Balance = new(big.Int).Add(entry.Balance, account.Wei)
		}
		alloc[account.Address] = entry
	}
	return &core.Genesis{
		Config: forks(cfg.ChainID),
		// One second back, so that the first block can be sealed at once.
		Timestamp:  uint64(cfg.Now().Unix() - 1),
		ExtraData:  instance,
		GasLimit:   blockGasMax,
		Difficulty: new(big.Int),
		Alloc:      alloc,
	}, nil
}

// tokenAccount is the token's code with the storage that a constructor would have written.
func tokenAccount(owner common.Address, funded []Account) (types.Account, error) {
	contract, err := LoadContract("DevUSDC")
	if err != nil {
		return types.Account{}, err
	}
	storage := make(map[common.Hash]common.Hash)
	ownerSlot, err := contract.slotOf("owner")
	if err != nil {
		return types.Account{}, err
	}
	storage[ownerSlot] = common.BytesToHash(owner.Bytes())

	supply := new(big.Int)
	for _, account := range funded {
		if account.MicroUSDC == 0 {
			continue
		}
		slot, err := contract.slotOfEntry("balanceOf", account.Address)
		if err != nil {
			return types.Account{}, err
		}
		units := new(big.Int).SetUint64(account.MicroUSDC)
		storage[slot] = common.BigToHash(new(big.Int).Add(storage[slot].Big(), units))
		supply.Add(supply, units)
	}
	supplySlot, err := contract.slotOf("totalSupply")
	if err != nil {
		return types.Account{}, err
	}
	storage[supplySlot] = common.BigToHash(supply)
	return types.Account{Nonce: 1, Balance: new(big.Int), Code: contract.DeployedBytecode, Storage: storage}, nil
}

// forks enables every fork up to Prague from genesis on. This includes delegated accounts (EIP-7702), which Base has, and
// excludes forks that Base does not have yet.
func forks(chainID uint64) *params.ChainConfig {
	config := *params.AllDevChainProtocolChanges
	config.ChainID = new(big.Int).SetUint64(chainID)
	config.OsakaTime, config.BogotaTime = nil, nil
	return &config
}
