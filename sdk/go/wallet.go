package turnpike

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"
	"golang.org/x/crypto/sha3"
)

// USDC is an amount of USDC in its smallest unit, a millionth.
type USDC int64

const usdcUnit = 1_000_000

// ParseUSDC reads a decimal amount, such as 0.05.
func ParseUSDC(text string) (USDC, error) {
	whole, part, _ := strings.Cut(text, ".")
	if len(part) <= 6 && whole+part != "" && strings.Trim(whole+part, "0123456789") == "" {
		if n, err := strconv.ParseInt(whole+part+strings.Repeat("0", 6-len(part)), 10, 64); err == nil {
			return USDC(n), nil
		}
	}
	return 0, fmt.Errorf("amount %q: want a decimal number with at most six decimals, such as 0.05", text)
}

func (u USDC) String() string {
	text := fmt.Sprintf("%d.%06d", u/usdcUnit, u%usdcUnit)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// Dollars returns the amount as a number of USDC, for showing it.
func (u USDC) Dollars() float64 { return float64(u) / usdcUnit }

// WalletConfig is the configuration of a [Wallet].
type WalletConfig struct {
	// PrivateKey is the account's key, 64 hexadecimal digits with or without 0x. Required.
	PrivateKey string
	// MaxSpend is the most that the wallet ever spends. Required.
	MaxSpend USDC
	// MaxPerCall is the most for one call. Default: 1 USDC.
	MaxPerCall USDC
}

const maxPerCallDefault = 1 * usdcUnit

// Wallet pays in USDC on Base or its test network. It signs transfers (EIP-3009), which cost it no gas. Any number of
// goroutines and clients may use it: together they stay below its spending cap. Each signed payment counts, from the
// moment before it is signed: for ever if it was charged or if that is unknown, and until it expires if the service says
// that it was not.
type Wallet struct {
	key        *secp256k1.PrivateKey
	address    string
	maxSpend   USDC
	maxPerCall USDC
	now        func() time.Time

	mu     sync.Mutex
	spent  USDC
	unused map[*Payment]bool // released, but not expired yet; they are in spent
}

// NewWallet returns a wallet, or all errors in its configuration.
func NewWallet(cfg WalletConfig) (*Wallet, error) {
	w := &Wallet{maxSpend: cfg.MaxSpend, maxPerCall: cfg.MaxPerCall, now: time.Now, unused: map[*Payment]bool{}}
	var errs []error
	raw, err := hex.DecodeString(strings.TrimPrefix(strings.TrimSpace(cfg.PrivateKey), "0x"))
	var scalar secp256k1.ModNScalar
	if err != nil || len(raw) != 32 || scalar.SetByteSlice(raw) || scalar.IsZero() {
		errs = append(errs, errors.New("private key: want 64 hexadecimal digits")) // the digits themselves are secret
	} else {
		w.key = secp256k1.NewPrivateKey(&scalar)
		w.address = checksummed(keccak(w.key.PubKey().SerializeUncompressed()[1:])[12:])
	}
	if cfg.MaxSpend <= 0 {
		errs = append(errs, fmt.Errorf("max spend %s: want more than 0", cfg.MaxSpend))
	}
	if w.maxPerCall == 0 {
		w.maxPerCall = maxPerCallDefault
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("wallet: %w", err)
	}
	return w, nil
}

// Address returns the account's address.
func (w *Wallet) Address() string { return w.address }

// Spent returns what counts as spent now.
func (w *Wallet) Spent() USDC {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.expire()
	return w.spent
}

// expire gives back what was released and cannot be charged any more.
func (w *Wallet) expire() {
	for p := range w.unused {
		if w.now().After(p.expires) {
			w.spent -= p.Amount
			delete(w.unused, p)
		}
	}
}

// network is a chain with its USDC.
type network struct{ id, asset, name string }

var networks = []network{
	{"eip155:8453", "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", "USD Coin"},
	{"eip155:84532", "0x036CbD53842c5426634e7929541eC2318f3dCF7e", "USDC"},
}

const domainVersion = "2" // of USDC's EIP-712 domain

// offer is one way to pay that the wallet understands.
type offer struct {
	network network
	payTo   [20]byte
	to      string
	amount  USDC
	timeout time.Duration
	entry   json.RawMessage // as received, to be sent back
}

type challenge struct {
	Resource   json.RawMessage            `json:"resource"`
	Accepts    []json.RawMessage          `json:"accepts"`
	Extensions map[string]json.RawMessage `json:"extensions"`
}

// choose returns the first offer of a challenge that is on a known network in its USDC.
func (w *Wallet) choose(required []byte) (*offer, *challenge, error) {
	var c challenge
	if err := json.Unmarshal(required, &c); err != nil {
		return nil, nil, fmt.Errorf("%w: reading the challenge: %w", ErrPayment, err)
	}
	for _, entry := range c.Accepts {
		var wire struct {
			Scheme            string `json:"scheme"`
			Network           string `json:"network"`
			Amount            string `json:"amount"`
			Asset             string `json:"asset"`
			PayTo             string `json:"payTo"`
			MaxTimeoutSeconds int64  `json:"maxTimeoutSeconds"`
		}
		if json.Unmarshal(entry, &wire) != nil || wire.Scheme != "exact" {
			continue
		}
		amount, err := strconv.ParseInt(wire.Amount, 10, 64)
		to, ok := address(wire.PayTo)
		if err != nil || amount <= 0 || !ok {
			continue
		}
		for _, n := range networks {
			if n.id == wire.Network && strings.EqualFold(n.asset, wire.Asset) {
				return &offer{n, to, wire.PayTo, USDC(amount), time.Duration(min(wire.MaxTimeoutSeconds, timeoutMax)) * time.Second, entry}, &c, nil
			}
		}
	}
	return nil, nil, fmt.Errorf("%w: no offer is in USDC on Base or Base Sepolia", ErrPayment)
}

const (
	timeoutMax = 24 * 60 * 60
	clockSkew  = 10 * time.Minute // a payment is valid from so long ago
)

// Payment is a signed payment. Whoever has it can make the transfer until it expires.
type Payment struct {
	Amount USDC

	wallet  *Wallet
	expires time.Time
	json    json.RawMessage
}

// JSON returns the payment as x402's transport for MCP has it.
func (p *Payment) JSON() json.RawMessage { return p.json }

// Header returns the value of the HTTP header PAYMENT-SIGNATURE.
func (p *Payment) Header() string { return base64.StdEncoding.EncodeToString(p.json) }

// Release says that the service did not charge the payment. It counts as spent until it has expired.
func (p *Payment) Release() {
	p.wallet.mu.Lock()
	defer p.wallet.mu.Unlock()
	p.wallet.unused[p] = true
}

// Sign signs a payment for a challenge (the JSON of x402 version 2's PaymentRequired) if the limits allow it. If the
// service supports identifiers, payments with the same one (16 to 128 letters, digits, hyphens and underscores) are
// charged once.
func (w *Wallet) Sign(required []byte, identifier string) (*Payment, error) {
	o, c, err := w.choose(required)
	if err != nil {
		return nil, err
	}
	now := w.now()
	p := &Payment{Amount: o.amount, wallet: w, expires: now.Add(o.timeout)}
	if err := w.reserve(p); err != nil {
		return nil, err
	}
	var nonce [32]byte
	_, _ = rand.Read(nonce[:]) // never fails
	after, before := now.Add(-clockSkew).Unix(), p.expires.Unix()
	signature := w.sign(o, after, before, nonce)
	identify(c.Extensions, identifier)
	p.json, err = json.Marshal(map[string]any{
		"x402Version": 2, "resource": c.Resource, "accepted": o.entry, "extensions": c.Extensions,
		"payload": map[string]any{"signature": "0x" + hex.EncodeToString(signature), "authorization": map[string]string{
			"from": w.address, "to": o.to, "value": strconv.FormatInt(int64(o.amount), 10),
			"validAfter": strconv.FormatInt(after, 10), "validBefore": strconv.FormatInt(before, 10),
			"nonce": "0x" + hex.EncodeToString(nonce[:]),
		}},
	})
	return p, err
}

// reserve counts a payment as spent, in one step with the check of the limits.
func (w *Wallet) reserve(p *Payment) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.expire()
	switch left := w.maxSpend - w.spent; {
	case p.Amount > w.maxPerCall:
		return fmt.Errorf("%w: the price is %s USDC, and max per call is %s", ErrSpendingCap, p.Amount, w.maxPerCall)
	case p.Amount > left:
		return fmt.Errorf("%w: the price is %s USDC, and %s of %s are left", ErrSpendingCap, p.Amount, left, w.maxSpend)
	}
	w.spent += p.Amount
	return nil
}

// identify puts the identifier into the extension of the challenge, if it has it.
func identify(extensions map[string]json.RawMessage, identifier string) {
	var extension, info map[string]json.RawMessage
	if json.Unmarshal(extensions["payment-identifier"], &extension) != nil || json.Unmarshal(extension["info"], &info) != nil || info == nil {
		return
	}
	info["id"], _ = json.Marshal(identifier)
	extension["info"], _ = json.Marshal(info)
	extensions["payment-identifier"], _ = json.Marshal(extension)
}

var (
	domainType   = keccak([]byte("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"))
	transferType = keccak([]byte("TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"))
)

// sign signs the transfer as EIP-712 typed data, and returns r, s and v.
func (w *Wallet) sign(o *offer, after, before int64, nonce [32]byte) []byte {
	chain, _ := strconv.ParseInt(strings.TrimPrefix(o.network.id, "eip155:"), 10, 64)
	asset, _ := address(o.network.asset)
	from, _ := address(w.address)
	domain := keccak(domainType, keccak([]byte(o.network.name)), keccak([]byte(domainVersion)), word(chain), padded(asset))
	transfer := keccak(transferType, padded(from), padded(o.payTo), word(int64(o.amount)), word(after), word(before), nonce[:])
	compact := ecdsa.SignCompact(w.key, keccak([]byte("\x19\x01"), domain, transfer), false) // v, r, s
	return append(compact[1:], compact[0])
}

func keccak(parts ...[]byte) []byte {
	h := sha3.NewLegacyKeccak256()
	for _, part := range parts {
		h.Write(part)
	}
	return h.Sum(nil)
}

func word(n int64) []byte { return big.NewInt(n).FillBytes(make([]byte, 32)) }

func padded(account [20]byte) []byte { return append(make([]byte, 12), account[:]...) }

func address(text string) (account [20]byte, ok bool) {
	digits, prefixed := strings.CutPrefix(text, "0x")
	if !prefixed || len(digits) != 2*len(account) {
		return account, false
	}
	_, err := hex.Decode(account[:], []byte(digits))
	return account, err == nil
}

// checksummed writes an address as EIP-55 does: a letter is upper case where the hash has a high digit.
func checksummed(account []byte) string {
	text := []byte(hex.EncodeToString(account))
	hash := hex.EncodeToString(keccak(text))
	for i, c := range text {
		if c >= 'a' && hash[i] >= '8' {
			text[i] = c - 'a' + 'A'
		}
	}
	return "0x" + string(text)
}
