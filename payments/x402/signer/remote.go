package signer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/url"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rpc"

	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/evm"
)

// Parse reads a private key of 64 hexadecimal digits, or the URL of a signing service with the account's address
// behind a #, such as https://signer.example:9000#0x2096…. Errors do not contain the text.
func Parse(text string) (Signer, error) {
	if strings.Contains(text, "://") {
		return parseRemote(text)
	}
	key, err := crypto.HexToECDSA(strings.TrimPrefix(text, "0x"))
	if err != nil {
		return nil, errors.New("want a private key of 64 hexadecimal digits, or a signer's URL with the account's address after a #")
	}
	return NewKey(key), nil
}

// Remote uses a signing service with the JSON-RPC API of Consensys' Web3Signer (eth_accounts,
// eth_signTransaction, eth_signTypedData).
type Remote struct {
	service evm.RPC
	address common.Address
}

var _ Signer = (*Remote)(nil)

// NewRemote returns a signer for an account whose key a service holds. It does not contact the service: see
// [Remote.Check].
func NewRemote(service evm.RPC, account common.Address) *Remote {
	return &Remote{service, account}
}

func parseRemote(text string) (*Remote, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, errors.New("the signer's URL is not valid: want https://host:port#0x…")
	}
	address, ok := x402.ParseAddress(u.Fragment)
	if !ok {
		return nil, errors.New("the signer's URL has no account: want its address after a #, 0x and 40 hexadecimal digits")
	}
	u.Fragment = ""
	node, err := evm.DialNode(context.Background(), u.String()) // over HTTP, this sends no request yet
	if err != nil {
		return nil, err
	}
	return NewRemote(node.Named("the signer"), address), nil
}

// Address implements [Signer].
func (s *Remote) Address() common.Address { return s.address }

// Check checks that the service has the account's key.
func (s *Remote) Check(ctx context.Context) error {
	var accounts []common.Address
	if err := s.service.CallContext(ctx, &accounts, "eth_accounts"); err != nil {
		return fmt.Errorf("listing the signer's accounts: %w", err)
	}
	if !slices.Contains(accounts, s.address) {
		return fmt.Errorf("the signer has no key for %s: it has keys for %d other accounts", s.address.Hex(), len(accounts))
	}
	return nil
}

// signArgs is the argument of eth_signTransaction.
type signArgs struct {
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

// SignTransaction implements [Signer].
func (s *Remote) SignTransaction(ctx context.Context, tx *types.DynamicFeeTx) (*types.Transaction, error) {
	var answer json.RawMessage
	err := s.service.CallContext(ctx, &answer, "eth_signTransaction", signArgs{
		From: s.address, To: *tx.To, Gas: hexutil.Uint64(tx.Gas), MaxFeePerGas: (*hexutil.Big)(tx.GasFeeCap),
		MaxPriorityFeePerGas: (*hexutil.Big)(tx.GasTipCap), Nonce: hexutil.Uint64(tx.Nonce), Value: (*hexutil.Big)(new(big.Int)),
		Data: tx.Data, ChainID: (*hexutil.Big)(tx.ChainID),
	})
	if err != nil {
		return nil, fmt.Errorf("calling the signer: %w", err)
	}
	return readSigned(answer)
}

// signedBytesMax is far more than any transaction of a facilitator needs.
const signedBytesMax = 1 << 20

// readSigned decodes a signer's answer: the transaction's bytes, as most signers return it, or an object with the bytes
// in raw.
func readSigned(answer []byte) (*types.Transaction, error) {
	if len(answer) > signedBytesMax {
		return nil, fmt.Errorf("the signer's response has %d bytes: want %d or fewer", len(answer), signedBytesMax)
	}
	var signed struct {
		Raw hexutil.Bytes `json:"raw"`
	}
	into := any(&signed.Raw)
	if bytes.HasPrefix(answer, []byte("{")) {
		into = &signed
	}
	if err := json.Unmarshal(answer, into); err != nil {
		return nil, fmt.Errorf("the signer's response is not a transaction: %w", x402.DescribeJSON(err))
	}
	var tx types.Transaction
	if err := tx.UnmarshalBinary(signed.Raw); err != nil {
		return nil, fmt.Errorf("the signer's response is not a transaction: %w", err)
	}
	return &tx, nil
}

// typedData is an authorisation in the format of eth_signTypedData (EIP-712).
type typedData struct {
	Types       map[string][]typedField `json:"types"`
	PrimaryType string                  `json:"primaryType"`
	Domain      typedDomain             `json:"domain"`
	Message     *x402.WireAuthorization `json:"message"`
}

type typedField struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

type typedDomain struct {
	Name              string         `json:"name"`
	Version           string         `json:"version"`
	ChainID           uint64         `json:"chainId"`
	VerifyingContract common.Address `json:"verifyingContract"`
}

// typed returns the authorisation as typed data, with the field names that are hashed.
func typed(a *x402.Authorization, n x402.Network) ([]byte, error) {
	return json.Marshal(typedData{
		Types: map[string][]typedField{
			"EIP712Domain": {{"name", "string"}, {"version", "string"}, {"chainId", "uint256"}, {"verifyingContract", "address"}},
			"TransferWithAuthorization": {
				{"from", "address"}, {"to", "address"}, {"value", "uint256"}, {"validAfter", "uint256"}, {"validBefore", "uint256"}, {"nonce", "bytes32"},
			},
		},
		PrimaryType: "TransferWithAuthorization",
		Domain:      typedDomain{n.TokenName, n.TokenVersion, n.ChainID, n.Asset},
		Message:     a.Wire(),
	})
}

// SignAuthorization implements [Signer].
func (s *Remote) SignAuthorization(ctx context.Context, a *x402.Authorization, n x402.Network) ([]byte, error) {
	text, err := typed(a, n)
	if err != nil {
		return nil, err
	}
	var sig hexutil.Bytes
	// Web3Signer's method name first, then the one that most others use.
	for _, method := range []string{"eth_signTypedData", "eth_signTypedData_v4"} {
		err = s.service.CallContext(ctx, &sig, method, s.address, string(text))
		if !errors.As(err, new(rpc.Error)) {
			break
		}
	}
	if err != nil {
		return nil, fmt.Errorf("calling the signer: %w", err)
	}
	if sig = x402.NormalizeV(sig); !x402.SignedBy(s.address, a.Digest(n), sig) {
		return nil, fmt.Errorf("the signer's signature is not by %s for this authorisation", s.address.Hex())
	}
	return sig, nil
}
