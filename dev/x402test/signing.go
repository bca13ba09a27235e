package x402test

import (
	"context"
	"crypto/ecdsa"
	"encoding/json"
	"errors"
	"math/big"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rpc"
	"github.com/ethereum/go-ethereum/signer/core/apitypes"
)

// SigningService is a service that signs with a key, and gives false results when the test wants.
type SigningService struct {
	key *ecdsa.PrivateKey
	// alter changes what is signed; answer changes the result.
	alter  func(tx *types.DynamicFeeTx) types.TxData
	answer func(ctx context.Context, signed *types.Transaction) (any, error)
	// NoTyped: only eth_signTypedData_v4 is supported.
	NoTyped bool

	mu    sync.Mutex
	asked []string
}

func (s *SigningService) note(method string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, method)
}

// Lie changes what is signed and what is answered from now on; nil changes nothing.
func (s *SigningService) Lie(alter func(tx *types.DynamicFeeTx) types.TxData, answer func(context.Context, *types.Transaction) (any, error)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.alter, s.answer = alter, answer
}

// SigningArgs is the argument of eth_signTransaction.
type SigningArgs struct {
	From                 common.Address `json:"from"`
	To                   common.Address `json:"to"`
	Gas                  hexutil.Uint64 `json:"gas"`
	MaxFeePerGas         *hexutil.Big   `json:"maxFeePerGas"`
	MaxPriorityFeePerGas *hexutil.Big   `json:"maxPriorityFeePerGas"`
	Nonce                hexutil.Uint64 `json:"nonce"`
	Value                *hexutil.Big   `json:"value"`
	Data                 hexutil.Bytes  `json:"data"`
	ChainID              *hexutil.Big   `json:"chainId"`
}

// signingAPI has the service's JSON-RPC methods, which go-ethereum's server exposes.
type signingAPI struct{ *SigningService }

// Accounts is eth_accounts.
func (s signingAPI) Accounts() []common.Address {
	s.note("accounts")
	return []common.Address{{1}, AddressOf(s.key)}
}

// SignTransaction is eth_signTransaction.
func (s signingAPI) SignTransaction(ctx context.Context, args SigningArgs) (any, error) {
	s.note("signTransaction")
	if args.From != AddressOf(s.key) {
		return nil, errors.New("no such account")
	}
	tx := &types.DynamicFeeTx{
		ChainID: (*big.Int)(args.ChainID), Nonce: uint64(args.Nonce), GasTipCap: (*big.Int)(args.MaxPriorityFeePerGas),
		GasFeeCap: (*big.Int)(args.MaxFeePerGas), Gas: uint64(args.Gas), To: &args.To, Value: (*big.Int)(args.Value), Data: args.Data,
	}
	var data types.TxData = tx
	s.mu.Lock()
	alter, answer := s.alter, s.answer
	s.mu.Unlock()
	if alter != nil {
		data = alter(tx)
	}
	id := tx.ChainID
	if legacy, ok := data.(*types.DynamicFeeTx); ok {
		id = legacy.ChainID
	}
	signed, err := types.SignNewTx(s.key, types.LatestSignerForChainID(id), data)
	if err != nil {
		return nil, err
	}
	if answer != nil {
		return answer(ctx, signed)
	}
	raw, err := signed.MarshalBinary()
	return hexutil.Bytes(raw), err
}

// SignTypedData is eth_signTypedData.
func (s signingAPI) SignTypedData(account common.Address, text string) (hexutil.Bytes, error) {
	s.note("signTypedData")
	if s.NoTyped {
		return nil, errors.New("the method eth_signTypedData does not exist")
	}
	return s.SignTypedData_v4(account, text)
}

// SignTypedData_v4 is eth_signTypedData_v4.
func (s signingAPI) SignTypedData_v4(_ common.Address, text string) (hexutil.Bytes, error) {
	s.note("signTypedData_v4")
	var typed apitypes.TypedData
	if err := json.Unmarshal([]byte(text), &typed); err != nil {
		return nil, err
	}
	digest, _, err := apitypes.TypedDataAndHash(typed)
	if err != nil {
		return nil, err
	}
	return crypto.Sign(digest, s.key)
}

// NewSigningService starts one and returns its address in the form that configurations use.
func NewSigningService(t testing.TB, key *ecdsa.PrivateKey) (*SigningService, string) {
	t.Helper()
	s := &SigningService{key: key}
	server := rpc.NewServer()
	if err := server.RegisterName("eth", signingAPI{s}); err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(server)
	t.Cleanup(func() { web.CloseClientConnections(); web.Close(); server.Stop() })
	return s, web.URL + "#" + AddressOf(key).Hex()
}
