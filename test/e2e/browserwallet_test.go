package e2e

import (
	"crypto/ecdsa"
	_ "embed"
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"sync"
	"testing"

	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/signer/core/apitypes"

	"github.com/turnpike-edge/turnpike/dev/chain"
)

//go:embed testdata/wallet.js
var walletScript string

// browserWallet implements the page's wallet: an account on the selected network.
type browserWallet struct {
	t     *testing.T
	key   *ecdsa.PrivateKey
	chain *chain.Chain

	mu      sync.Mutex
	chainID uint64
	known   map[uint64]bool
	// refuses holds the methods that the user rejects; asked lists all calls.
	refuses map[string]bool
	asked   []string
	// A stubborn wallet never changes its network.
	stubborn bool
}

type walletError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// inject gives the page a wallet from its next load on.
func (w *browserWallet) inject(p *tab) {
	p.t.Helper()
	p.called = func(_, text string) {
		var call struct {
			ID     int               `json:"id"`
			Method string            `json:"method"`
			Params []json.RawMessage `json:"params"`
		}
		if err := json.Unmarshal([]byte(text), &call); err != nil {
			p.t.Errorf("the page asked its wallet for %s: %v", text, err)
			return
		}
		result, failed := w.answer(call.Method, call.Params)
		answer, err := json.Marshal([]any{call.ID, result, failed})
		if err != nil {
			p.t.Error(err)
			return
		}
		_, err = p.send(p.ctx, p.session, "Runtime.evaluate", map[string]any{"expression": fmt.Sprintf("walletAnswers(...%s)", answer)})
		if err != nil && p.ctx.Err() == nil {
			p.t.Error(err)
		}
	}
	p.do("Runtime.addBinding", map[string]any{"name": "walletAsked"})
	p.do("Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": walletScript})
}

func (w *browserWallet) answer(method string, params []json.RawMessage) (any, *walletError) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked = append(w.asked, method)
	if w.refuses[method] {
		return nil, &walletError{4001, "User rejected the request."}
	}
	switch method {
	case "eth_requestAccounts":
		return []string{strings.ToLower(chain.AddressOf(w.key).Hex())}, nil
	case "eth_chainId":
		return hexutil.EncodeUint64(w.chainID), nil
	case "wallet_switchEthereumChain", "wallet_addEthereumChain":
		var to struct{ ChainID hexutil.Uint64 }
		if err := json.Unmarshal(params[0], &to); err != nil {
			return nil, &walletError{-32602, err.Error()}
		}
		if method == "wallet_addEthereumChain" {
			w.known[uint64(to.ChainID)] = true
			return nil, nil // some wallets also switch to it, others wait for the request
		}
		if !w.known[uint64(to.ChainID)] {
			return nil, &walletError{4902, "Unrecognized chain ID."}
		}
		if !w.stubborn {
			w.chainID = uint64(to.ChainID)
		}
		return nil, nil
	case "eth_call":
		var result hexutil.Bytes
		args := make([]any, len(params))
		for i := range params {
			args[i] = params[i]
		}
		if err := w.chain.Client().Client().Call(&result, method, args...); err != nil {
			return nil, &walletError{-32000, err.Error()}
		}
		return result, nil
	case "eth_signTypedData_v4":
		signature, err := w.sign(params)
		if err != nil {
			w.t.Errorf("the page asked to sign what cannot be signed: %v", err)
			return nil, &walletError{-32602, err.Error()}
		}
		return signature, nil
	}
	return nil, &walletError{4200, "The wallet does not know " + method + "."}
}

// sign signs as wallets do: the given data, for the selected network only.
func (w *browserWallet) sign(params []json.RawMessage) (hexutil.Bytes, error) {
	var text string
	if err := json.Unmarshal(params[1], &text); err != nil {
		return nil, err
	}
	var data apitypes.TypedData
	if err := json.Unmarshal([]byte(text), &data); err != nil {
		return nil, err
	}
	if id := (*big.Int)(data.Domain.ChainId); id == nil || !id.IsUint64() || id.Uint64() != w.chainID {
		return nil, fmt.Errorf("chain %v is not the wallet's, which is %d", id, w.chainID)
	}
	digest, _, err := apitypes.TypedDataAndHash(data)
	if err != nil {
		return nil, err
	}
	signature, err := crypto.Sign(digest, w.key)
	if err != nil {
		return nil, err
	}
	signature[crypto.RecoveryIDOffset] += 27
	return signature, nil
}
