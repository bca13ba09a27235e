package local

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/rpc"

	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/x402"
	"github.com/turnpike-edge/turnpike/payments/x402/calldata"
	"github.com/turnpike-edge/turnpike/payments/x402/evm"
)

// gweiMost is more than the supply of any coin. Two of them can be added without overflow.
const gweiMost = math.MaxInt64 / 2

func newGwei(n *big.Int) x402.Gwei {
	if n.Cmp(big.NewInt(gweiMost)) > 0 {
		return gweiMost
	}
	return x402.Gwei(n.Int64())
}

// gweiOf rounds up.
func gweiOf(wei *big.Int) x402.Gwei {
	gwei := new(big.Int).Add(wei, big.NewInt(params.GWei-1))
	return newGwei(gwei.Div(gwei, big.NewInt(params.GWei)))
}

// gasShareDefault is in percent: the most that a payment's gas may cost is the payment's amount. The fee cap is twice
// the base fee, so about half of that is spent.
const gasShareDefault = 100

// gasBudgetDefault is 50 USD per network and day.
const gasBudgetDefault money.MicroUSDC = 50_000_000

// gasTerms are the limits on what settlements may cost, and the gas prices that were read last.
type gasTerms struct {
	gasMax   uint64   // of one payment
	feeMax   *big.Int // wei per unit of gas
	share    int      // percent of the amount
	budget   money.MicroUSDC
	rate     evm.Rate
	observer x402.Observer

	mu     sync.Mutex
	newest *tariff
}

// tariff is what gas costs on the network.
type tariff struct {
	readAt time.Time
	fees   fees
	usd    money.MicroUSDC // of one coin
	// l1 is the most that the rollup charges, in wei, for publishing l1Bytes.
	l1 *big.Int
}

// tariffKept is how long a tariff is used. It is read in the same batch as the checks of a payment, so it costs no
// request of its own.
const tariffKept = 5 * time.Second

// known returns the tariff, or nil if it must be read again.
func (g *gasTerms) known(now time.Time) *tariff {
	g.mu.Lock()
	defer g.mu.Unlock()
	if t := g.newest; t != nil && now.Sub(t.readAt).Abs() < tariffKept {
		return t
	}
	return nil
}

// gasPriceOracle is the contract of OP stack rollups, such as Base, that says what publishing a transaction costs.
// Other chains have no code at this address.
var gasPriceOracle = common.HexToAddress("0x420000000000000000000000000000000000000F")

// l1Bytes is the size that the oracle is asked about. Its fee grows a little more slowly than the size, so the
// proportional part for a smaller transaction is never too low.
const l1Bytes = 8192

var selL1FeeUpperBound = calldata.Selector("getL1FeeUpperBound(uint256)")

// tariffReading holds the results of the calls that read a tariff.
type tariffReading struct {
	newest *evm.Head
	tip    hexutil.Big
	l1     hexutil.Bytes
	rate   evm.RateReading
}

const tariffCalls = 3 // the calls of the rate follow them

func (g *gasTerms) calls(r *tariffReading) []rpc.BatchElem {
	return append([]rpc.BatchElem{
		evm.Newest(&r.newest),
		evm.Tip(&r.tip),
		evm.Call(gasPriceOracle, calldata.Pack(selL1FeeUpperBound, calldata.Word(big.NewInt(l1Bytes))), nil, &r.l1),
	}, g.rate.Calls(&r.rate)...)
}

// read evaluates the calls after they were made, keeps the tariff and returns it.
func (g *gasTerms) read(r *tariffReading, answered []rpc.BatchElem, now time.Time) (*tariff, error) {
	for _, elem := range answered[:tariffCalls] {
		if elem.Error != nil && !evm.IsRevert(elem.Error) {
			return nil, fmt.Errorf("reading the price of gas: %s: %w", elem.Method, elem.Error)
		}
	}
	price, err := quoteFees(r.newest, r.tip.ToInt(), g.feeMax)
	if err != nil {
		return nil, err
	}
	usd, err := g.rate.Read(&r.rate, answered[tariffCalls:], now)
	if err != nil {
		return nil, err
	}
	t := &tariff{readAt: now, fees: price, usd: usd, l1: new(big.Int)}
	if answered[tariffCalls-1].Error == nil {
		t.l1.SetBytes(r.l1)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.newest = t
	return t, nil
}

// most returns the highest possible cost, at current prices, of a transaction with this gas and size.
func (t *tariff) most(gas uint64, size int) x402.Gwei {
	wei := new(big.Int).Mul(t.fees.cap, new(big.Int).SetUint64(gas))
	l1 := new(big.Int).Mul(t.l1, big.NewInt(int64(size)))
	return gweiOf(wei.Add(wei, l1.Div(l1, big.NewInt(l1Bytes))))
}

// inUSD converts a cost to millionths of a USD, rounded up.
func (t *tariff) inUSD(cost x402.Gwei) *big.Int {
	usd := new(big.Int).Mul(big.NewInt(int64(cost)), big.NewInt(int64(t.usd)))
	usd.Add(usd, big.NewInt(params.GWei-1))
	return usd.Div(usd, big.NewInt(params.GWei)) // a coin is 10⁹ Gwei
}

// inCoin converts a budget to the network's coin, rounded down.
func (t *tariff) inCoin(usd money.MicroUSDC) x402.Gwei {
	gwei := new(big.Int).Mul(big.NewInt(int64(usd)), big.NewInt(params.GWei))
	return newGwei(gwei.Div(gwei, big.NewInt(int64(t.usd))))
}

// txBytes is the size of a transaction without its data.
const txBytes = 128

// reserve adds what the settlement may cost and the day's budget to seen. A payment whose gas costs more than the
// allowed share of its amount is refused.
func (c *chainChecker) reserve(seen x402.Checked, p *x402.Payment, req *x402.Requirements, gas uint64, t *tariff) (x402.Checked, error) {
	if most := c.gasMost(p); gas > most {
		return x402.Checked{}, refuseGas(gas, most)
	}
	seen.Gas = t.most(c.gasLimit(p, gas), len(c.settlementCall(p).Data)+txBytes)
	seen.GasBudget = t.inCoin(c.gas.budget)
	cost := t.inUSD(seen.Gas)
	const percent = 100
	most := new(big.Int).Mul(big.NewInt(int64(req.Amount)), big.NewInt(int64(c.gas.share)))
	if most.Div(most, big.NewInt(percent)); cost.Cmp(most) <= 0 {
		return seen, nil
	}
	c.gas.observer.GasRefused(x402.GasShare)
	return x402.Checked{}, x402.Refuse(x402.CodeTransactionState, "the gas of this payment costs up to %s USD at the moment, but the limit is %s USD, "+
		"%d%% of the amount: try again later, or buy more at once", formatMicros(cost), formatMicros(most), c.gas.share).Again(retryAfterGas)
}

// retryAfterGas is the Retry-After of such a refusal: gas may be cheaper by then.
const retryAfterGas = time.Minute

func refuseGas(gas, most uint64) *x402.Refusal {
	return x402.Refuse(x402.CodeTransactionState, "the transfer uses %d gas, but the limit is %d", gas, most)
}

func formatMicros(n *big.Int) string {
	if !n.IsInt64() {
		return "more than " + money.MicroUSDC(math.MaxInt64).String()
	}
	return money.MicroUSDC(n.Int64()).String()
}

// deployGasMax is the gas that a wallet's deployment may take beside the transfer. Only factories that the operator has
// chosen can deploy.
const deployGasMax = 1_500_000

func (c *chainChecker) gasMost(p *x402.Payment) uint64 {
	if c.deploys(p) {
		return c.gas.gasMax + deployGasMax
	}
	return c.gas.gasMax
}

// gasLimit returns the gas limit of a transaction for an estimate: a fifth more, up to the maximum.
func (c *chainChecker) gasLimit(p *x402.Payment, estimate uint64) uint64 {
	return min(estimate+estimate/5, c.gasMost(p))
}

// observeGas counts a payment that cannot be judged because of the price of gas.
func (g *gasTerms) observeGas(err error) {
	switch {
	case errors.Is(err, errFeesTooHigh):
		g.observer.GasRefused(x402.GasFee)
	case errors.Is(err, evm.ErrNoRate):
		g.observer.GasRefused(x402.GasRate)
	}
}
