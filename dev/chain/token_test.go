package chain_test

import (
	"crypto/ecdsa"
	"errors"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/turnpike-edge/turnpike/dev/chain"
)

// wantRefused checks that a call reverts with a reason.
func wantRefused(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil {
		t.Fatalf("got success, want a revert that says %q", want)
	}
	if !strings.Contains(err.Error(), want) {
		t.Errorf("got %q, want it to say %q", err, want)
	}
}

// simulate calls the token with an authorization at the newest block, as a facilitator does.
func (b *bench) simulate(a authorization, signature []byte) error {
	b.Helper()
	_, err := b.call(chain.AddressOf(b.Settler()), b.Token(), b.calldata(a, signature))
	return err
}

func (b *bench) signed(key *ecdsa.PrivateKey, a authorization) []byte {
	b.Helper()
	return sign(b.T, key, a.digest(b.ChainID(), transferType))
}

func TestDomain(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		chainID uint64
		address string
		name    string
	}{
		"base sepolia": {chain.BaseSepolia, "0x036CbD53842c5426634e7929541eC2318f3dCF7e", "USDC"},
		"base":         {chain.BaseMainnet, "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", "USD Coin"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, chain.Config{ChainID: tt.chainID})
			if got := b.Token().Hex(); got != tt.address {
				t.Errorf("token: got %s, want %s", got, tt.address)
			}
			want := map[string]any{
				"DOMAIN_SEPARATOR": [32]byte(separators[tt.chainID]),
				"name":             tt.name,
				"version":          "2",
				"symbol":           "USDC",
				"decimals":         uint8(6),
				"paused":           false,
			}
			for method, want := range want {
				answer, err := b.call(common.Address{}, b.Token(), b.pack(method))
				if err != nil {
					t.Fatalf("%s: %v", method, err)
				}
				values, err := b.token.ABI.Unpack(method, answer)
				if err != nil {
					t.Fatalf("%s: %v", method, err)
				}
				if values[0] != want {
					t.Errorf("%s: got %v, want %v", method, values[0], want)
				}
			}
		})
	}
}

// TestTransferWithAuthorization settles in both signature forms, and checks that each authorization works only once.
func TestTransferWithAuthorization(t *testing.T) {
	t.Parallel()
	forms := map[string]func(*bench, authorization, []byte) []byte{
		"bytes": func(b *bench, a authorization, signature []byte) []byte { return b.calldata(a, signature) },
		"v r s": func(b *bench, a authorization, signature []byte) []byte {
			return b.calldataVRS("transferWithAuthorization", a, signature)
		},
	}
	for name, calldata := range forms {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, chain.Config{})
			payer := chain.AddressOf(b.Wallet())
			before := b.balance(payer)
			a := b.authorization()
			signature := b.signed(b.Wallet(), a)
			token := b.Token()

			receipt := b.send(b.Settler(), &token, calldata(b, a, signature))
			if receipt.Status != types.ReceiptStatusSuccessful {
				t.Fatalf("status: got %d, want success", receipt.Status)
			}
			if got, want := b.balance(b.payee), a.value.Uint64(); got != want {
				t.Errorf("payee: got %d, want %d", got, want)
			}
			if got, want := b.balance(payer), before-a.value.Uint64(); got != want {
				t.Errorf("payer: got %d, want %d", got, want)
			}
			wantLogs(b, receipt, a)

			replay := b.send(b.Settler(), &token, calldata(b, a, signature))
			if replay.Status != types.ReceiptStatusFailed {
				t.Errorf("replay: got status %d, want failed", replay.Status)
			}
			_, err := b.call(chain.AddressOf(b.Settler()), token, calldata(b, a, signature))
			wantRefused(t, err, "authorization is used or canceled")
			if got, want := b.balance(b.payee), a.value.Uint64(); got != want {
				t.Errorf("payee after replay: got %d, want %d", got, want)
			}
		})
	}
}

func wantLogs(b *bench, receipt *types.Receipt, a authorization) {
	b.Helper()
	if len(receipt.Logs) != 2 {
		b.Fatalf("got %d logs, want 2", len(receipt.Logs))
	}
	used, transfer := receipt.Logs[0], receipt.Logs[1]
	from, to := common.BytesToHash(a.from.Bytes()), common.BytesToHash(a.to.Bytes())
	wantUsed := []common.Hash{crypto.Keccak256Hash([]byte("AuthorizationUsed(address,bytes32)")), from, a.nonce}
	wantTransfer := []common.Hash{crypto.Keccak256Hash([]byte("Transfer(address,address,uint256)")), from, to}
	for i, want := range wantUsed {
		if used.Topics[i] != want {
			b.Errorf("AuthorizationUsed topic %d: got %s, want %s", i, used.Topics[i], want)
		}
	}
	for i, want := range wantTransfer {
		if transfer.Topics[i] != want {
			b.Errorf("Transfer topic %d: got %s, want %s", i, transfer.Topics[i], want)
		}
	}
	if got := new(big.Int).SetBytes(transfer.Data); got.Cmp(a.value) != 0 {
		b.Errorf("Transfer value: got %s, want %s", got, a.value)
	}
}

// TestValidityIsStrict tests both ends of the validity window against the newest block's time.
func TestValidityIsStrict(t *testing.T) {
	t.Parallel()
	b := setup(t, chain.Config{})
	now := b.clock.Now().Unix()
	const early, late = "authorization is not yet valid", "authorization is expired"
	tests := map[string]struct {
		validAfter, validBefore int64
		want                    string
	}{
		"one second old":        {now - 1, now + 60, ""},
		"valid after now":       {now, now + 60, early},
		"valid later":           {now + 1, now + 60, early},
		"one second left":       {0, now + 1, ""},
		"valid before now":      {0, now, late},
		"expired":               {0, now - 1, late},
		"empty window":          {now, now, early},
		"reference v1 client":   {now - 600, now + 60, ""},
		"end before beginning":  {now - 1, now - 2, late},
		"narrowest good window": {now - 1, now + 1, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			a := b.authorization()
			a.validAfter, a.validBefore = big.NewInt(tt.validAfter), big.NewInt(tt.validBefore)
			err := b.simulate(a, b.signed(b.Wallet(), a))
			if tt.want != "" {
				wantRefused(t, err, tt.want)
			} else if err != nil {
				t.Errorf("got %v, want success", err)
			}
		})
	}
}

// TestAuthorizationLapses shows that an authorization expires when the chain's clock passes its end.
func TestAuthorizationLapses(t *testing.T) {
	t.Parallel()
	b := setup(t, chain.Config{})
	a := b.authorization()
	a.validBefore = big.NewInt(b.clock.Now().Unix() + 2)
	signature := b.signed(b.Wallet(), a)
	for _, want := range []string{"", "", "authorization is expired"} {
		if err := b.simulate(a, signature); want != "" {
			wantRefused(t, err, want)
		} else if err != nil {
			t.Errorf("before the end: %v", err)
		}
		b.clock.Advance(time.Second)
		if _, err := b.Seal(b.ctx); err != nil && !errors.Is(err, chain.ErrClockBehind) {
			t.Fatal(err)
		}
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	b := setup(t, chain.Config{})
	stranger := newKey(t)
	same := func(a *authorization) {}
	tests := map[string]struct {
		alter  func(*authorization)
		resign func(signature []byte) []byte
		want   string
	}{
		"another signer": {same, func([]byte) []byte {
			return b.signed(stranger, b.authorization())
		}, "invalid signature"},
		"high s":         {same, highS, "invalid signature 's' value"},
		"v of 0 or 1":    {same, func(s []byte) []byte { s[64] -= 27; return s }, "invalid signature 'v' value"},
		"64 bytes":       {same, func(s []byte) []byte { return s[:64] }, "invalid signature length"},
		"66 bytes":       {same, func(s []byte) []byte { return append(s, 0) }, "invalid signature length"},
		"no signature":   {same, func([]byte) []byte { return nil }, "invalid signature length"},
		"zero signature": {same, func([]byte) []byte { return append(make([]byte, 64), 27) }, "ECRecover: invalid signature"},
		"too much": {
			func(a *authorization) { a.value = new(big.Int).SetUint64(b.balance(a.from) + 1) }, nil,
			"ERC20: transfer amount exceeds balance",
		},
		"to nobody": {
			func(a *authorization) { a.to = common.Address{} }, nil, "ERC20: transfer to the zero address",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			a := b.authorization()
			tt.alter(&a)
			signature := b.signed(b.Wallet(), a)
			if tt.resign != nil {
				signature = tt.resign(signature)
			}
			wantRefused(t, b.simulate(a, signature), tt.want)
		})
	}
}

// highS is the other signature of the same digest: (r, n-s) with the other v.
func highS(signature []byte) []byte {
	s := new(big.Int).SetBytes(signature[32:64])
	s.Sub(crypto.S256().Params().N, s)
	s.FillBytes(signature[32:64])
	signature[64] = 27 + 28 - signature[64]
	return signature
}

// TestTampering shows that a change to any signed field invalidates the signature.
func TestTampering(t *testing.T) {
	t.Parallel()
	b := setup(t, chain.Config{})
	tests := map[string]func(*authorization){
		"to":           func(a *authorization) { a.to = chain.Multicall },
		"value":        func(a *authorization) { a.value = new(big.Int).Add(a.value, big.NewInt(1)) },
		"valid after":  func(a *authorization) { a.validAfter = big.NewInt(1) },
		"valid before": func(a *authorization) { a.validBefore = new(big.Int).Add(a.validBefore, big.NewInt(1)) },
		"nonce":        func(a *authorization) { a.nonce[31] ^= 1 },
		"from":         func(a *authorization) { a.from = b.payee },
	}
	for name, alter := range tests {
		t.Run(name, func(t *testing.T) {
			a := b.authorization()
			signature := b.signed(b.Wallet(), a)
			alter(&a)
			wantRefused(t, b.simulate(a, signature), "invalid signature")
		})
	}
}

func TestDenyList(t *testing.T) {
	t.Parallel()
	b := setup(t, chain.Config{})
	a := b.authorization()
	signature := b.signed(b.Wallet(), a)
	for name, account := range map[string]common.Address{"payer": a.from, "payee": a.to} {
		b.drive(func() error { return b.Deny(b.ctx, account) })
		err := b.simulate(a, signature)
		if err == nil || !strings.Contains(err.Error(), "Blacklistable: account is blacklisted") {
			t.Errorf("%s denied: got %v, want it refused", name, err)
		}
		b.drive(func() error { return b.Undeny(b.ctx, account) })
		if err := b.simulate(a, signature); err != nil {
			t.Errorf("%s allowed again: %v", name, err)
		}
	}

	b.drive(func() error { return b.Deny(b.ctx, a.from) })
	_, err := b.call(a.from, b.Token(), b.pack("transfer", a.to, a.value))
	wantRefused(t, err, "Blacklistable: account is blacklisted")
	_, err = b.call(a.from, b.Token(), b.pack("approve", a.to, a.value))
	wantRefused(t, err, "Blacklistable: account is blacklisted")
}

func TestPause(t *testing.T) {
	t.Parallel()
	b := setup(t, chain.Config{})
	a := b.authorization()
	signature := b.signed(b.Wallet(), a)
	b.drive(func() error { return b.Pause(b.ctx) })
	wantRefused(t, b.simulate(a, signature), "Pausable: paused")
	_, err := b.call(a.from, b.Token(), b.pack("transfer", a.to, a.value))
	wantRefused(t, err, "Pausable: paused")
	b.drive(func() error { return b.Unpause(b.ctx) })
	if err := b.simulate(a, signature); err != nil {
		t.Errorf("after unpause: %v", err)
	}
}

func TestOwnerOnly(t *testing.T) {
	t.Parallel()
	b := setup(t, chain.Config{})
	settler := chain.AddressOf(b.Settler())
	for name, data := range map[string][]byte{
		"mint":    b.pack("mint", settler, big.NewInt(1)),
		"pause":   b.pack("pause"),
		"unpause": b.pack("unpause"),
		"deny":    b.pack("deny", b.payee),
		"undeny":  b.pack("undeny", b.payee),
	} {
		if _, err := b.call(settler, b.Token(), data); err == nil || !strings.Contains(err.Error(), "caller is not the owner") {
			t.Errorf("%s: got %v, want it refused", name, err)
		}
	}
}

func TestReceiveWithAuthorization(t *testing.T) {
	t.Parallel()
	b := setup(t, chain.Config{})
	a := b.authorization()
	signature := sign(t, b.Wallet(), a.digest(b.ChainID(), receiveType))
	data := b.calldataVRS("receiveWithAuthorization", a, signature)
	if _, err := b.call(a.to, b.Token(), data); err != nil {
		t.Errorf("by the payee: %v", err)
	}
	_, err := b.call(chain.AddressOf(b.Settler()), b.Token(), data)
	wantRefused(t, err, "caller must be the payee")
	// The two types have different digests, so a signature for one is invalid for the other.
	wantRefused(t, b.simulate(a, signature), "invalid signature")
}

func TestCancelAuthorization(t *testing.T) {
	t.Parallel()
	b := setup(t, chain.Config{})
	a := b.authorization()
	structHash := crypto.Keccak256(crypto.Keccak256([]byte(cancelType)),
		common.LeftPadBytes(a.from.Bytes(), 32), a.nonce[:])
	digest := typedDigest(b.ChainID(), structHash)
	cancel := b.method("cancelAuthorization", 3)
	token := b.Token()

	_, err := b.call(a.from, token, b.pack(cancel, a.from, a.nonce, sign(t, newKey(t), digest)))
	wantRefused(t, err, "invalid signature")
	data := b.pack(cancel, a.from, a.nonce, sign(t, b.Wallet(), digest))
	if receipt := b.send(b.Settler(), &token, data); receipt.Status != types.ReceiptStatusSuccessful {
		t.Fatalf("cancel: got status %d, want success", receipt.Status)
	}
	state, err := b.call(a.from, token, b.pack("authorizationState", a.from, a.nonce))
	if err != nil {
		t.Fatal(err)
	}
	if got := new(big.Int).SetBytes(state).Int64(); got != 1 {
		t.Errorf("authorization state: got %d, want 1", got)
	}
	wantRefused(t, b.simulate(a, b.signed(b.Wallet(), a)), "authorization is used or canceled")
}

func TestERC20(t *testing.T) {
	t.Parallel()
	b := setup(t, chain.Config{})
	wallet, spender, token := chain.AddressOf(b.Wallet()), chain.AddressOf(b.Settler()), b.Token()
	for name, step := range map[string]struct {
		key  *ecdsa.PrivateKey
		data []byte
	}{
		"transfer": {b.Wallet(), b.pack("transfer", b.payee, big.NewInt(7))},
		"approve":  {b.Wallet(), b.pack("approve", spender, big.NewInt(5))},
	} {
		if receipt := b.send(step.key, &token, step.data); receipt.Status != types.ReceiptStatusSuccessful {
			t.Fatalf("%s: got status %d, want success", name, receipt.Status)
		}
	}
	_, err := b.call(spender, token, b.pack("transferFrom", wallet, b.payee, big.NewInt(6)))
	wantRefused(t, err, "ERC20: transfer amount exceeds allowance")
	data := b.pack("transferFrom", wallet, b.payee, big.NewInt(5))
	if receipt := b.send(b.Settler(), &token, data); receipt.Status != types.ReceiptStatusSuccessful {
		t.Fatalf("transferFrom: got status %d, want success", receipt.Status)
	}
	if got, want := b.balance(b.payee), uint64(12); got != want {
		t.Errorf("payee: got %d, want %d", got, want)
	}
	_, err = b.call(spender, token, b.pack("transferFrom", wallet, b.payee, big.NewInt(1)))
	wantRefused(t, err, "ERC20: transfer amount exceeds allowance")
}
