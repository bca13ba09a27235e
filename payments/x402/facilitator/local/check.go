package local

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/rpc"

	"github.com/turnpike-edge/turnpike/payments/price"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/calldata"
	"github.com/turnpike-edge/turnpike/payments/x402/evm"
)

// chainChecker checks payments, first locally, then against the chain.
type chainChecker struct {
	*evm.Watcher

	rpc     evm.RPC
	network x402.Network
	from    common.Address // the account that would send the settlement
	// factories are the contracts that may be called to deploy a payer's wallet.
	factories []common.Address
	now       func() time.Time
	gas       *gasTerms
}

// Verify implements [x402.Facilitator]. It makes one batch of calls, and before that one look-up of the payer's code if the
// signature is not by the payer's key. Only Verify limits what the settlement may cost: once a payment is claimed, it is
// not refused for its cost.
func (c *chainChecker) Verify(ctx context.Context, p *x402.Payment, req *x402.Requirements) (x402.Checked, error) {
	if refusal := c.checkLocally(p, req); refusal != nil {
		return x402.Checked{}, refusal
	}
	if !p.SignedByPayer(c.network) {
		contract, err := c.HasCode(ctx, p.Authorization.From)
		if err != nil {
			return x402.Checked{}, err
		}
		if !contract {
			if refusal := c.checkUndeployed(p); refusal != nil {
				return x402.Checked{}, refusal
			}
		}
	}
	var reading tariffReading
	var calls []rpc.BatchElem
	now := c.now()
	tariff := c.gas.known(now)
	if tariff == nil {
		calls = c.gas.calls(&reading)
	}
	seen, gas, err := c.checkOnChain(ctx, p, req, calls)
	if err != nil {
		return x402.Checked{}, err
	}
	if tariff == nil {
		if tariff, err = c.gas.read(&reading, calls, now); err != nil {
			c.gas.observeGas(err)
			return x402.Checked{}, err
		}
	}
	return c.reserve(seen, p, req, gas, tariff)
}

// checkUndeployed checks a payer that has no code and whose key has not signed.
func (c *chainChecker) checkUndeployed(p *x402.Payment) *x402.Refusal {
	switch {
	case p.Wallet == nil:
		return x402.RefuseSignature()
	case !c.deploys(p):
		return x402.Refuse(x402.CodeUndeployed, "the payer is not deployed, and %s is not an allowed factory to deploy it (ERC-6492)", p.Wallet.Factory.Hex())
	}
	return nil
}

// deploys reports whether the payer's wallet may be deployed along with the transfer. Only these factories are called,
// because the payment's author chooses the call and we pay for it.
func (c *chainChecker) deploys(p *x402.Payment) bool {
	return p.Wallet != nil && slices.Contains(c.factories, p.Wallet.Factory)
}

// settlementCall is the one call that settles a payment.
func (c *chainChecker) settlementCall(p *x402.Payment) evm.ContractCall {
	return evm.SettlementCall(c.network, p, c.deploys(p))
}

func (c *chainChecker) checkLocally(p *x402.Payment, req *x402.Requirements) *x402.Refusal {
	if req.Network != c.network {
		return x402.Refuse(x402.CodeNetwork, "network %s is not supported here: want %s", req.Network.ID(), c.network.ID())
	}
	if _, refusal := x402.MatchRequirements(p, []x402.Requirements{*req}); refusal != nil {
		return refusal
	}
	if refusal := x402.CheckMatch(p, req); refusal != nil {
		return refusal
	}
	// How long the resource takes is for the resource server to judge.
	return x402.CheckTimes(p, c.now(), price.SettleBefore, 0)
}

// checkOnChain makes all checks that need the chain, together with the calls in more, which may fail individually. It
// returns what it read and the gas that the transfer takes.
func (c *chainChecker) checkOnChain(ctx context.Context, p *x402.Payment, req *x402.Requirements, more []rpc.BatchElem) (x402.Checked, uint64, error) {
	var code, used hexutil.Bytes
	var gas hexutil.Uint64
	a := &p.Authorization
	settle := c.settlementCall(p)
	var had evm.BalanceReading
	batch := append(had.Calls(c.network.Asset, a.From),
		evm.Code(a.From, &code), evm.AuthorizationState(c.network.Asset, a.From, a.Nonce, &used), evm.EstimateGas(c.from, settle.Target, settle.Data, &gas))
	last := len(batch) - 1
	batch = append(batch, more...)
	if err := c.rpc.BatchCallContext(ctx, batch); err != nil {
		return x402.Checked{}, 0, fmt.Errorf("checking the payment on chain: %w", err)
	}
	copy(more, batch[last+1:])
	for _, elem := range batch[:last] {
		if elem.Error != nil {
			return x402.Checked{}, 0, fmt.Errorf("checking the payment on chain: %s: %w", elem.Method, elem.Error)
		}
	}
	if !calldata.IsZero(used) {
		return x402.Checked{}, 0, x402.Refuse(x402.CodeTransactionState, "the authorisation was used or cancelled")
	}
	if len(code) == 0 && !p.SignedByPayer(c.network) {
		if refusal := c.checkUndeployed(p); refusal != nil {
			return x402.Checked{}, 0, refusal
		}
	}
	seen := had.Checked()
	seen.Contract = len(code) > 0 || !p.SignedByPayer(c.network)
	switch err := batch[last].Error; {
	case seen.Balance < req.Amount:
		return x402.Checked{}, 0, x402.Refuse(x402.CodeInsufficientFunds, "the payer has %s USDC, but this costs %s", seen.Balance, req.Amount)
	case err == nil:
		return seen, uint64(gas), nil
	case !evm.IsRevert(err):
		return x402.Checked{}, 0, fmt.Errorf("simulating the settlement: %w", err)
	default:
		return x402.Checked{}, 0, c.explainRevert(ctx, p, seen.Contract, err)
	}
}

// explainRevert finds the error code for a simulation that reverted.
func (c *chainChecker) explainRevert(ctx context.Context, p *x402.Payment, contract bool, reverted error) error {
	if contract {
		ok, err := c.AcceptsSignature(ctx, p, c.deploys(p))
		if err != nil {
			return err
		}
		if !ok {
			return x402.Refuse(x402.CodeSignature, "the payer is a contract that does not accept the signature")
		}
	}
	return x402.Refuse(x402.CodeTransactionState, "the token would refuse the transfer: %s", x402.Clip(reverted.Error()))
}
