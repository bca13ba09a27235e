package llm

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"time"

	"github.com/turnpike-edge/turnpike/payments/money"
)

// MicroUSD is a millionth of a US dollar, for what the operator pays a model's provider. Clients' money is not counted in it.
type MicroUSD int64

// String is the amount in dollars.
func (m MicroUSD) String() string {
	return fmt.Sprintf("%d.%06d", m/1_000_000, m%1_000_000)
}

// Prices are what a million tokens cost.
type Prices struct{ Input, Output MicroUSD }

// Of returns what tokens cost, rounded up. A cost that overflows, which no true count causes, becomes the largest amount.
func (p Prices) Of(u Usage) MicroUSD {
	total := new(big.Int).Mul(big.NewInt(max(u.Input, 0)), big.NewInt(int64(max(p.Input, 0))))
	total.Add(total, new(big.Int).Mul(big.NewInt(max(u.Output, 0)), big.NewInt(int64(max(p.Output, 0)))))
	const million = 1_000_000
	total.Div(total.Add(total, big.NewInt(million-1)), big.NewInt(million))
	if !total.IsInt64() {
		return math.MaxInt64
	}
	return MicroUSD(total.Int64())
}

// pricesFromEnv reads amounts in dollars: "0.15".
func pricesFromEnv(getenv func(string) string) (Prices, error) {
	var prices Prices
	for name, price := range map[string]*MicroUSD{envPriceIn: &prices.Input, envPriceOut: &prices.Output} {
		text := strings.TrimSpace(getenv(name))
		if text == "" {
			continue
		}
		amount, err := money.ParseUSDC(text) // a decimal number with six digits, as here
		if err != nil || amount < 0 {
			return Prices{}, fmt.Errorf("%s: %.40q is not a price in dollars per million tokens, such as 0.15", name, text)
		}
		*price = MicroUSD(amount)
	}
	return prices, nil
}

// Record is what a client's request has used of a model, over all its steps.
type Record struct {
	// Model is the server's name of the model that answered last.
	Model string
	// Steps is how often the model was asked.
	Steps int
	Usage Usage
	// Estimated reports that some of Usage is estimated, because the server gave none.
	Estimated bool
	// Cost is what Usage costs.
	Cost MicroUSD
	// Took is the time since the first step.
	Took time.Duration
}
