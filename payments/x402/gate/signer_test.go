package gate

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"encoding/json"
	"errors"
	"log/slog"
	"math/big"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/rpc"
	"github.com/ethereum/go-ethereum/signer/core/apitypes"

	"github.com/turnpike-edge/turnpike/dev/x402test"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/outbox"
	"github.com/turnpike-edge/turnpike/payments/x402/signer"
)

// signingService is a service that signs with a key, and gives false results when the test wants.
type signingService struct {
	key *ecdsa.PrivateKey
	// alter changes what is signed; answer changes the result.
	alter  func(tx *types.DynamicFeeTx) types.TxData
	answer func(ctx context.Context, signed *types.Transaction) (any, error)
	// noTyped: only eth_signTypedData_v4 is supported.
	noTyped bool

	mu    sync.Mutex
	asked []string
}

func (s *signingService) note(method string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, method)
}

func (s *signingService) lie(alter func(tx *types.DynamicFeeTx) types.TxData, answer func(context.Context, *types.Transaction) (any, error)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.alter, s.answer = alter, answer
}

// signingAPI has the service's JSON-RPC methods, which go-ethereum's server exposes.
type signingAPI struct{ *signingService }

// Accounts is eth_accounts.
func (s signingAPI) Accounts() []common.Address {
	s.note("accounts")
	return []common.Address{{1}, x402test.AddressOf(s.key)}
}

// SignTransaction is eth_signTransaction.
func (s signingAPI) SignTransaction(ctx context.Context, args signArgs) (any, error) {
	s.note("signTransaction")
	if args.From != x402test.AddressOf(s.key) {
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
	if s.noTyped {
		return nil, errors.New("not implemented")
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

// newSigningService starts one and returns its address in the form that configurations use.
func newSigningService(t *testing.T, key *ecdsa.PrivateKey) (*signingService, string) {
	t.Helper()
	s := &signingService{key: key}
	server := rpc.NewServer()
	if err := server.RegisterName("eth", signingAPI{s}); err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(server)
	t.Cleanup(func() { web.CloseClientConnections(); web.Close(); server.Stop() })
	return s, web.URL + "#" + x402test.AddressOf(key).Hex()
}

func parsedSigner(t *testing.T, text string) signer.Signer {
	t.Helper()
	signer, err := ParseSigner(text)
	if err != nil {
		t.Fatal(err)
	}
	return signer
}

// TestRemoteSignerSettles shows that a service signs settlements, replacements and refunds.
func TestRemoteSignerSettles(t *testing.T) {
	t.Parallel()
	s := newTill(t)
	_, settler := newSigningService(t, s.Chain.Settler())
	f, err := NewLocalFacilitator(LocalConfig{
		RPC: s.Node, Network: x402.BaseSepolia(), Signers: []signer.Signer{parsedSigner(t, settler)}, PollInterval: 10 * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close(context.Background()) })
	if err := f.Check(t.Context()); err != nil {
		t.Error(err)
	}
	s.local.halt()
	s.local = f
	for _, noTyped := range []bool{false, true} {
		service, treasury := newSigningService(t, s.treasury)
		service.noTyped = noTyped
		rec := s.paid(true)
		before := s.Balance(s.payer)
		from := s.from(s.treasury)
		from.Signer = parsedSigner(t, treasury)
		paid, err := s.refunds.Pay(t.Context(), rec.ID, from)
		if err != nil {
			t.Fatal(err)
		}
		s.wantRefunded(rec, paid.Transaction, before+uint64(rec.Amount))
	}
	s.wantBooks()
}

// TestRemoteSignerThatLies shows that a signature on anything but the requested transaction is not sent and leaves no
// trace in the outbox, and that the operator is told what is wrong.
func TestRemoteSignerThatLies(t *testing.T) {
	t.Parallel()
	dynamic := func(change func(tx *types.DynamicFeeTx)) func(tx *types.DynamicFeeTx) types.TxData {
		return func(tx *types.DynamicFeeTx) types.TxData { change(tx); return tx }
	}
	says := func(answer any, err error) func(context.Context, *types.Transaction) (any, error) {
		return func(context.Context, *types.Transaction) (any, error) { return answer, err }
	}
	stranger := x402test.NewKey(t)
	for name, tt := range map[string]struct {
		alter  func(tx *types.DynamicFeeTx) types.TxData
		answer func(ctx context.Context, signed *types.Transaction) (any, error)
		want   string
	}{
		"another nonce":     {dynamic(func(tx *types.DynamicFeeTx) { tx.Nonce++ }), nil, "nonce differ"},
		"a higher fee":      {dynamic(func(tx *types.DynamicFeeTx) { tx.GasFeeCap = new(big.Int).Add(tx.GasFeeCap, big.NewInt(1)) }), nil, "fees differ"},
		"another tip":       {dynamic(func(tx *types.DynamicFeeTx) { tx.GasTipCap = new(big.Int) }), nil, "fees differ"},
		"more gas":          {dynamic(func(tx *types.DynamicFeeTx) { tx.Gas++ }), nil, "gas differ"},
		"another recipient": {dynamic(func(tx *types.DynamicFeeTx) { tx.To = &common.Address{1} }), nil, "to differ"},
		"a new contract":    {dynamic(func(tx *types.DynamicFeeTx) { tx.To = nil }), nil, "to differ"},
		"a value":           {dynamic(func(tx *types.DynamicFeeTx) { tx.Value = big.NewInt(1) }), nil, "value differ"},
		"other data":        {dynamic(func(tx *types.DynamicFeeTx) { tx.Data = append(bytes.Clone(tx.Data), 0) }), nil, "data differ"},
		"another chain":     {dynamic(func(tx *types.DynamicFeeTx) { tx.ChainID = big.NewInt(8453) }), nil, "chain id differ"},
		"an access list":    {dynamic(func(tx *types.DynamicFeeTx) { tx.AccessList = types.AccessList{{Address: common.Address{1}}} }), nil, "access list differ"},
		"an old transaction": {func(tx *types.DynamicFeeTx) types.TxData {
			return &types.LegacyTx{Nonce: tx.Nonce, GasPrice: tx.GasFeeCap, Gas: tx.Gas, To: tx.To, Data: tx.Data, Value: tx.Value}
		}, nil, "type"},
		"another account": {nil, func(_ context.Context, signed *types.Transaction) (any, error) {
			forged, err := types.SignNewTx(stranger, types.LatestSignerForChainID(signed.ChainId()), &types.DynamicFeeTx{
				ChainID: signed.ChainId(), Nonce: signed.Nonce(), GasTipCap: signed.GasTipCap(), GasFeeCap: signed.GasFeeCap(), Gas: signed.Gas(),
				To: signed.To(), Value: signed.Value(), Data: signed.Data(),
			})
			if err != nil {
				return nil, err
			}
			raw, err := forged.MarshalBinary()
			return hexutil.Bytes(raw), err
		}, "signed for a different account"},
		"half a transaction": {nil, func(_ context.Context, signed *types.Transaction) (any, error) {
			raw, err := signed.MarshalBinary()
			return hexutil.Bytes(raw[:len(raw)/2]), err
		}, "is not a transaction"},
		"nothing":      {nil, says(nil, nil), "is not a transaction"},
		"nonsense":     {nil, says("0xnonsense", nil), "is not a transaction"},
		"a refusal":    {nil, says(nil, x402test.NodeRefusal("account is locked")), "calling the signer: account is locked"},
		"no answer":    {nil, func(ctx context.Context, _ *types.Transaction) (any, error) { <-ctx.Done(); return nil, ctx.Err() }, "deadline exceeded"},
		"far too much": {nil, says(hexutil.Bytes(make([]byte, signedBytesMax)), nil), "bytes: want"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, 1)
			service, address := newSigningService(t, d.signers[0])
			service.lie(tt.alter, tt.answer)
			node := &x402test.Line{Node: d.Node}
			sent := sendsOf(node)
			box := outbox.NewMemory(time.Now)
			var log syncBuffer
			f := d.facilitator(t, func(c *LocalConfig) {
				c.RPC, c.Outbox, c.Signers, c.RPCTimeout = node, box, []signer.Signer{parsedSigner(t, address)}, time.Minute
				if name == "no answer" {
					c.RPCTimeout = time.Second
				}
				c.Logger = slog.New(slog.NewTextHandler(&log, nil))
			})
			p := d.Payment(2, nil)
			if _, err := f.Settle(t.Context(), p, d.Req); !errors.Is(err, x402.ErrUnavailable) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("settle: got %v, want that nothing was sent, and %q", err, tt.want)
			}
			if text := log.String(); !strings.Contains(text, "settlement not sent: signing failed") || !strings.Contains(text, tt.want) {
				t.Errorf("log: got\n%s\nwant %q", text, tt.want)
			}
			chain, err := f.chainKey(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if next, err := box.Next(t.Context(), chain, x402test.AddressOf(d.signers[0])); err != nil || next != 0 {
				t.Errorf("outbox: got %d numbers, %v, want none", next, err)
			}
			select {
			case <-sent:
				t.Error("a transaction was sent")
			default:
			}
			// When the service works correctly again, the same payment is settled.
			service.lie(nil, nil)
			if _, err := f.Settle(t.Context(), p, d.Req); err != nil {
				t.Errorf("settle by an honest signer: %v", err)
			}
			d.wantPaid(1)
		})
	}
}

// A stuck transaction is not replaced by one that a service has changed.
func TestRemoteSignerThatLiesOfAReplacement(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 1)
	service, address := newSigningService(t, d.signers[0])
	node := &x402test.Line{Node: d.Node}
	sent := sendsOf(node)
	var log syncBuffer
	f := d.facilitator(t, func(c *LocalConfig) {
		c.RPC, c.Signers, c.StuckAfter = node, []signer.Signer{parsedSigner(t, address)}, 100*time.Millisecond
		c.Logger = slog.New(slog.NewTextHandler(&log, nil))
	})
	goOn := d.stopBlocks()
	asked := make(chan struct{}, 100)
	settled := d.settleSoon(f, d.Payment(2, nil))
	first := <-sent
	service.lie(func(tx *types.DynamicFeeTx) types.TxData {
		select {
		case asked <- struct{}{}:
		default:
		}
		tx.GasFeeCap = new(big.Int).Mul(tx.GasFeeCap, big.NewInt(2))
		return tx
	}, nil)
	<-asked
	<-asked
	if text := log.String(); !strings.Contains(text, "is stuck and was not replaced") || !strings.Contains(text, "fees differ") {
		t.Errorf("log: got\n%s", text)
	}
	goOn()
	if got := d.wantSettled(settled).Transaction; got != first.Hash().Hex() {
		t.Errorf("settled by %s, want the first, %s", got, first.Hash().Hex())
	}
	d.wantPaid(1)
}

func TestRemoteSignerOfAuthorizations(t *testing.T) {
	t.Parallel()
	key := x402test.NewKey(t)
	a := x402test.GoodAuthorization(x402test.AddressOf(key), &x402.Requirements{PayTo: x402test.PayTo, Amount: 7})
	sign := func(service *x402test.Scripted) error {
		_, err := NewRemoteSigner(service, x402test.AddressOf(key)).SignAuthorization(t.Context(), &a, x402.Base())
		return err
	}
	other, err := signer.NewKey(x402test.NewKey(t)).SignAuthorization(t.Context(), &a, x402.Base())
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

func TestParseSigner(t *testing.T) {
	t.Parallel()
	key := x402test.NewKey(t)
	account := x402test.AddressOf(key)
	digits := hexutil.Encode(crypto.FromECDSA(key))
	for _, text := range []string{digits, digits[2:], "http://127.0.0.1:1#" + account.Hex(), "https://a:b@signer.example/eth1?x=y#" + strings.ToLower(account.Hex())} {
		if signer, err := ParseSigner(text); err != nil || signer.Address() != account {
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
		if _, err := ParseSigner(text); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
	_, address := newSigningService(t, key)
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
	signed, err := signer.NewKey(key).SignTransaction(context.Background(), asked)
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

// syncBuffer is a log for several goroutines.
type syncBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}
