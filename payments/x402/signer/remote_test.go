package signer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math/big"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/params"

	"github.com/turnpike-edge/turnpike/dev/x402test"
	"github.com/turnpike-edge/turnpike/payments/x402"
)

func TestRemoteSignerOfAuthorizations(t *testing.T) {
	t.Parallel()
	key := x402test.NewKey(t)
	a := x402test.GoodAuthorization(x402test.AddressOf(key), &x402.Requirements{PayTo: x402test.PayTo, Amount: 7})
	sign := func(service *x402test.Scripted) error {
		_, err := NewRemote(service, x402test.AddressOf(key)).SignAuthorization(t.Context(), &a, x402.Base())
		return err
	}
	other, err := NewKey(x402test.NewKey(t)).SignAuthorization(t.Context(), &a, x402.Base())
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		service *x402test.Scripted
		asked   int
		want    string
	}{
		"another account's": {x402test.Says(`"`+hexutil.Encode(other)+`"`, nil), 1, "is not by " + x402test.AddressOf(key).Hex()},
		"too short":         {x402test.Says(`"0x12"`, nil), 1, "is not by"},
		"a refusal":         {x402test.Says("", x402test.NodeRefusal("account is locked")), 2, "account is locked"},
		"away":              {x402test.Says("", errors.New("connection refused")), 1, "connection refused"},
		"nonsense":          {x402test.Says(`{}`, nil), 1, "calling the signer"},
	} {
		if err := sign(tt.service); err == nil || !strings.Contains(err.Error(), tt.want) || tt.service.Asked() != tt.asked {
			t.Errorf("%s: got %v after %d calls, want %q after %d", name, err, tt.service.Asked(), tt.want, tt.asked)
		}
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	key := x402test.NewKey(t)
	account := x402test.AddressOf(key)
	digits := hexutil.Encode(crypto.FromECDSA(key))
	for _, text := range []string{digits, digits[2:], "http://127.0.0.1:1#" + account.Hex(), "https://a:b@signer.example/eth1?x=y#" + strings.ToLower(account.Hex())} {
		if signer, err := Parse(text); err != nil || signer.Address() != account {
			t.Errorf("%q: got %v, %v, want %s", text, signer, err, account)
		}
	}
	for text, want := range map[string]string{
		"":                                    "want a private key of 64 hexadecimal digits, or a signer's URL",
		"0xhunter2":                           "want a private key",
		"https://hunter2":                     "has no account",
		"https://hunter2#0x12":                "has no account",
		"https://#" + account.Hex():           "is not valid: want",
		"ftp://hunter2#" + account.Hex():      "is not valid: want",
		"http://hunter2\x7f#" + account.Hex(): "is not valid: want",
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
	_, address := x402test.NewSigningService(t, key)
	strangers := strings.Replace(address, account.Hex(), common.Address{2}.Hex(), 1)
	if err := parsedSigner(t, address).Check(t.Context()); err != nil {
		t.Error(err)
	}
	if err := parsedSigner(t, strangers).Check(t.Context()); err == nil || !strings.Contains(err.Error(), "the signer has no key for "+common.Address{2}.Hex()) {
		t.Errorf("another account: got %v", err)
	}
	err := parsedSigner(t, "http://127.0.0.1:1/hunter2#"+account.Hex()).Check(t.Context())
	if err == nil || !strings.Contains(err.Error(), "listing the signer's accounts: reaching the signer: ") || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("away: got %v", err)
	}
}

// FuzzSigned shows that only the requested transaction, signed by the account, is accepted, whatever a service answers.
func FuzzSigned(f *testing.F) {
	key, err := crypto.ToECDSA(bytes.Repeat([]byte{7}, 32))
	if err != nil {
		f.Fatal(err)
	}
	asked := &types.DynamicFeeTx{
		ChainID: big.NewInt(8453), Nonce: 5, GasTipCap: big.NewInt(1), GasFeeCap: big.NewInt(params.GWei), Gas: 90_000, To: &x402test.PayTo, Data: []byte{1, 2, 3},
	}
	signed, err := NewKey(key).SignTransaction(context.Background(), asked)
	if err != nil {
		f.Fatal(err)
	}
	raw, err := signed.MarshalBinary()
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []any{hexutil.Bytes(raw), map[string]any{"raw": hexutil.Bytes(raw), "tx": signed}, hexutil.Bytes(raw[:40]), nil, "0x", map[string]int{}} {
		text, err := json.Marshal(seed)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, answer []byte) {
		tx, err := readSigned(answer)
		if err != nil || checkSigned(asked, tx, x402test.AddressOf(key)) != nil {
			return
		}
		if tx.Nonce() != asked.Nonce || *tx.To() != *asked.To || tx.Gas() != asked.Gas || !bytes.Equal(tx.Data(), asked.Data) || tx.Value().Sign() != 0 {
			t.Errorf("%q: taken, and not what was asked for", answer)
		}
	})
}

func parsedSigner(t *testing.T, text string) Signer {
	t.Helper()
	signer, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return signer
}
