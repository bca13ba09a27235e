package money

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Credits are what a team prepays and spends. One credit is the smallest amount: credits have no fractions.
type Credits int64

// MicroUSDC is an amount of USDC in its smallest unit, 10⁻⁶ USDC. The token has six decimals on every network that the
// gate supports.
type MicroUSDC int64

// CreditPrice is what a credit is worth unless a pack sells it for less: 0.001 USD (service contract, "Prices").
const CreditPrice MicroUSDC = 1000

// Cents are US cents, the unit in which cards are charged.
type Cents int64

// ErrOverflow is returned when a sum or product leaves the range of int64.
var ErrOverflow = errors.New("amount overflows")

// usdcDecimals is the number of decimals of USDC (its contract's decimals()).
const usdcDecimals = 6

const centDecimals = 2

// Add returns c + d, or ErrOverflow.
func (c Credits) Add(d Credits) (Credits, error) { return add(c, d) }

// Mul returns c × n, or ErrOverflow.
func (c Credits) Mul(n int64) (Credits, error) { return mul(c, n) }

// String returns the number alone: credits have no decimals and no currency sign.
func (c Credits) String() string { return strconv.FormatInt(int64(c), 10) }

// Add returns m + d, or ErrOverflow.
func (m MicroUSDC) Add(d MicroUSDC) (MicroUSDC, error) { return add(m, d) }

// Mul returns m × n, or ErrOverflow.
func (m MicroUSDC) Mul(n int64) (MicroUSDC, error) { return mul(m, n) }

// Units returns the amount as the integer string that x402 and the token use.
func (m MicroUSDC) Units() string { return strconv.FormatInt(int64(m), 10) }

// String returns the amount as decimal USDC without trailing zeros: "0.01".
func (m MicroUSDC) String() string { return formatDecimal(int64(m), usdcDecimals) }

// Add returns c + d, or ErrOverflow.
func (c Cents) Add(d Cents) (Cents, error) { return add(c, d) }

// String returns the amount as dollars with two decimals: "19.00".
func (c Cents) String() string {
	sign, u := "", uint64(c) //nolint:gosec // two's complement: negated below, right for the smallest value too
	if c < 0 {
		sign, u = "-", -u
	}
	return fmt.Sprintf("%s%d.%02d", sign, u/100, u%100)
}

// ParseCents reads a decimal amount of US dollars such as "19" or "0.50", by the rules of [ParseUSDC] with at most two
// decimals.
func ParseCents(s string) (Cents, error) {
	n, err := parseDecimal(s, centDecimals, "USD")
	return Cents(n), err
}

// ParseUSDC reads a decimal amount of USDC such as "0.25" or "3". It refuses a sign, an exponent, more than six
// decimals, and anything but ASCII digits and one point, so that no amount is ever rounded.
func ParseUSDC(s string) (MicroUSDC, error) {
	n, err := parseDecimal(s, usdcDecimals, "USDC")
	return MicroUSDC(n), err
}

func parseDecimal(s string, decimals int, currency string) (int64, error) {
	whole, frac, pointed := strings.Cut(s, ".")
	if whole == "" || (pointed && frac == "") {
		return 0, fmt.Errorf("amount %q: want a decimal number of %s such as 0.25", s, currency)
	}
	if len(frac) > decimals {
		return 0, fmt.Errorf("amount %q: %s has at most %d decimals", s, currency, decimals)
	}
	units, err := parseDigits(whole + frac + strings.Repeat("0", decimals-len(frac)))
	if err != nil {
		return 0, fmt.Errorf("amount %q: %w", s, err)
	}
	return units, nil
}

// ParseUnits reads an amount in the token's smallest unit, in the form of x402 messages: ASCII digits only, no sign.
func ParseUnits(s string) (MicroUSDC, error) {
	units, err := parseDigits(s)
	if err != nil {
		return 0, fmt.Errorf("amount %q: %w", s, err)
	}
	return MicroUSDC(units), nil
}

func parseDigits(s string) (int64, error) {
	if s == "" {
		return 0, errors.New("want a decimal integer, got nothing")
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, errors.New("want digits only")
		}
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return 0, ErrOverflow
	}
	return n, nil
}

func formatDecimal(n int64, decimals int) string {
	sign, u := "", uint64(n)
	if n < 0 {
		sign, u = "-", -u
	}
	digits := fmt.Sprintf("%0*d", decimals+1, u)
	point := len(digits) - decimals
	frac := strings.TrimRight(digits[point:], "0")
	if frac == "" {
		return sign + digits[:point]
	}
	return sign + digits[:point] + "." + frac
}

func add[T ~int64](a, b T) (T, error) {
	if (b > 0 && a > math.MaxInt64-b) || (b < 0 && a < math.MinInt64-b) {
		return 0, ErrOverflow
	}
	return a + b, nil
}

func mul[T ~int64](a T, n int64) (T, error) {
	if a == 0 || n == 0 {
		return 0, nil
	}
	p := a * T(n)
	if p/T(n) != a || (n == -1 && a == math.MinInt64) {
		return 0, ErrOverflow
	}
	return p, nil
}
