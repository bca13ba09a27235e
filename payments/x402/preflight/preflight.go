// Package preflight checks what payments on a network depend on before there is one: nodes, token, recipient and signers.
package preflight

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/rpc"

	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/evm"
	"github.com/turnpike-edge/turnpike/payments/x402/facilitator/local"
	"github.com/turnpike-edge/turnpike/payments/x402/facilitator/remote"
	"github.com/turnpike-edge/turnpike/payments/x402/signer"
)

// Finding is the result of one check of what payments need.
type Finding struct {
	Name string
	OK   bool
	// Text says what was found or, where it is not OK, what would be right.
	Text string
}

// Premises are what payments on one network depend on.
type Premises struct {
	// Node is a node of the network, or several as [Nodes]. Required.
	Node    evm.RPC
	Network x402.Network
	// PayTo is the recipient.
	PayTo common.Address
	// Signers settle payments and pay the gas for it; none where somebody else settles.
	Signers []common.Address
	// Rate says what the signers' gas costs in USD.
	Rate evm.Rate
	// BalanceMin is what each signer should have, in wei; nil for the default of [local.Config].
	BalanceMin *big.Int
}

// examineTimeout limits each check.
const examineTimeout = 10 * time.Second

// Examine checks what payments depend on before there is one: the node's chain, the token's domain, the recipient, and
// the signers. It only reads.
func Examine(ctx context.Context, p Premises) []Finding {
	e := examiner{Premises: p, chain: evm.NewWatcher(p.Node, p.Network)}
	if e.BalanceMin == nil {
		e.BalanceMin = local.BalanceMinDefault()
	}
	name, answers := "node", fmt.Sprintf("answers, and is on chain %d", p.Network.ChainID)
	if several, ok := p.Node.(*evm.Nodes); ok && several.Len() > 1 {
		name, answers = "nodes", fmt.Sprintf("all %d answer, and are on chain %d", several.Len(), p.Network.ChainID)
	}
	if !e.add(name, e.ask(ctx, e.chain.CheckChain), answers) {
		return e.found // its other answers would be about another chain
	}
	if e.add("token", e.ask(ctx, e.chain.CheckToken), fmt.Sprintf("%s, domain %q version %q", p.Network.Asset.Hex(), p.Network.TokenName, p.Network.TokenVersion)) {
		e.examinePayTo(ctx)
	}
	if len(p.Signers) > 0 {
		e.examineMulticall(ctx)
		e.examineRate(ctx)
	}
	for _, one := range p.Signers {
		e.examineSigner(ctx, one)
	}
	return e.found
}

// ExamineFacilitator asks a remote facilitator whether it settles on the network.
func ExamineFacilitator(ctx context.Context, f *remote.Facilitator, network x402.Network) Finding {
	e := examiner{Premises: Premises{Network: network}}
	e.add("facilitator", f.Check(ctx, network), "answers, and lists the network")
	return e.found[0]
}

// ExamineSigner asks a signing service whether it can sign for its account.
func ExamineSigner(ctx context.Context, one signer.Signer, network x402.Network) Finding {
	e := examiner{Premises: Premises{Network: network}}
	e.add("signer "+one.Address().Hex(), e.ask(ctx, one.Check), "its service answers, and has the account")
	return e.found[0]
}

type examiner struct {
	Premises

	chain *evm.Watcher
	found []Finding
}

// add records a finding, and reports whether it is OK.
func (e *examiner) add(what string, err error, text string) bool {
	if err != nil {
		text = strings.Join(strings.Fields(err.Error()), " ")
	}
	e.found = append(e.found, Finding{Name: fmt.Sprintf("x402 on %s: %s", label(e.Network), what), OK: err == nil, Text: text})
	return err == nil
}

// label is the name that people use for the network.
func label(n x402.Network) string {
	if n.Name != "" {
		return n.Name
	}
	return n.ID()
}

func (*examiner) ask(ctx context.Context, question func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, examineTimeout)
	defer cancel()
	return question(ctx)
}

// delegation is the prefix of the code of an account that still belongs to a key (EIP-7702).
var delegation = []byte{0xef, 0x01, 0x00}

// examinePayTo checks the recipient: money that goes to a wrong one cannot be recovered.
func (e *examiner) examinePayTo(ctx context.Context) {
	if err := e.checkPayTo(); err != nil {
		e.add("pay_to "+e.PayTo.Hex(), err, "")
		return
	}
	var code []byte
	err := e.ask(ctx, func(ctx context.Context) (err error) {
		code, err = e.chain.CheckTransfers(ctx, e.PayTo)
		return err
	})
	text := "can be paid"
	if len(code) > 0 && !bytes.HasPrefix(code, delegation) {
		text = "can be paid; it is a contract: make sure that it can transfer USDC, and that you deployed it on this chain. " +
			"`turnpike payments refunds pay` cannot sign for it"
	}
	e.add("pay_to "+e.PayTo.Hex(), err, text)
}

func (e *examiner) checkPayTo() error {
	switch e.PayTo {
	case common.Address{}:
		return errors.New("this is the zero address: want your own address")
	case e.Network.Asset:
		return errors.New("this is the token's contract, from which funds cannot be recovered: want your own address")
	case evm.Multicall3:
		return errors.New("this is Multicall3, from which anyone can take the funds: want your own address")
	}
	if slices.Contains(e.Signers, e.PayTo) {
		return errors.New("this is also a signer, whose key is on the edge: want an address whose key is stored elsewhere")
	}
	return nil
}

// examineMulticall looks for Multicall3. Without it each payment has its own transaction, which is no error.
func (e *examiner) examineMulticall(ctx context.Context) {
	var there bool
	err := e.ask(ctx, func(ctx context.Context) (err error) {
		there, err = e.chain.HasCode(ctx, evm.Multicall3)
		return err
	})
	text := "deployed: queued payments are settled together"
	if !there {
		text = "not on this chain: each payment is settled by its own transaction"
	}
	e.add("Multicall3", err, text)
}

// examineRate checks the exchange rate: no payment is accepted while the price of gas is unknown.
func (e *examiner) examineRate(ctx context.Context) {
	var usd money.MicroUSDC
	err := e.ask(ctx, func(ctx context.Context) (err error) {
		usd, err = e.Rate.Now(ctx, e.Node, time.Now())
		return err
	})
	e.add("eth_usd", err, "the coin in which gas is paid is worth "+usd.String()+" USD")
}

func (e *examiner) examineSigner(ctx context.Context, one common.Address) {
	var wei hexutil.Big
	err := e.ask(ctx, func(ctx context.Context) error {
		balance := []rpc.BatchElem{evm.Coins(one, &wei)}
		return errors.Join(e.Node.BatchCallContext(ctx, balance), balance[0].Error)
	})
	if err == nil && wei.ToInt().Cmp(e.BalanceMin) < 0 {
		err = fmt.Errorf("has %s ETH for gas: refill it to %s or more", formatEther(wei.ToInt()), formatEther(e.BalanceMin))
	}
	e.add("settler "+one.Hex(), err, "has "+formatEther(wei.ToInt())+" ETH for gas")
}

// etherDigits is how many decimals are shown; the rest is cut off.
const etherDigits = 6

func formatEther(wei *big.Int) string {
	whole, rest := new(big.Int).QuoRem(wei, big.NewInt(params.Ether), new(big.Int))
	decimals := fmt.Sprintf("%018d", rest)[:etherDigits]
	return strings.TrimSuffix(whole.String()+"."+strings.TrimRight(decimals, "0"), ".")
}
