package price

import (
	"errors"
	"fmt"
	"slices"

	"github.com/turnpike-edge/turnpike/payments/money"
)

// Pack is an amount of credits with its price.
type Pack struct {
	Credits money.Credits `json:"credits"`
	Price   money.Cents   `json:"price_cents"`
}

// Packs are the packs on offer, the smallest first. The edge charges by them and the backend shows them: both need the
// same list.
type Packs []Pack

// DefaultPacks are the packs of the service contract.
func DefaultPacks() Packs {
	return Packs{{10_000, 10_00}, {20_000, 19_00}, {80_000, 70_00}, {100_000, 80_00}}
}

// packCreditsMax and packCentsMax keep products of a pack's credits and cents (for a partial refund) within 64 bits.
// packCentsMax is also the most that Stripe accepts in one payment, 999,999.99.
const (
	packCreditsMax = 10_000_000_000
	packCentsMax   = 99_999_999
	packCentsMin   = 50 // Stripe's least charge in US dollars
)

// Find returns the pack with this number of credits.
func (p Packs) Find(credits money.Credits) (Pack, bool) {
	at := slices.IndexFunc(p, func(pack Pack) bool { return pack.Credits == credits })
	if at < 0 {
		return Pack{}, false
	}
	return p[at], true
}

// Validate reports all errors. A larger pack must be strictly cheaper per credit: otherwise buying it makes no sense,
// and the list probably has a typing error.
func (p Packs) Validate() error {
	if len(p) == 0 {
		return errors.New("packs: want at least one")
	}
	var errs []error
	for i, pack := range p {
		if pack.Credits < 1 || pack.Credits > packCreditsMax {
			errs = append(errs, fmt.Errorf("packs: credits %d: want 1 to %d", pack.Credits, int64(packCreditsMax)))
			continue
		}
		if pack.Price < packCentsMin || pack.Price > packCentsMax {
			errs = append(errs, fmt.Errorf("packs: price of %d credits: %d cents: want %d to %d", pack.Credits, pack.Price, packCentsMin, packCentsMax))
			continue
		}
		if i > 0 {
			errs = append(errs, p[i-1].precedes(pack))
		}
	}
	return errors.Join(errs...)
}

// precedes compares prices per credit by cross-multiplication: a/b > c/d as a·d > c·b.
func (p Pack) precedes(next Pack) error {
	switch {
	case next.Credits <= p.Credits:
		return fmt.Errorf("packs: %d credits after %d: want packs in ascending order, without duplicates", next.Credits, p.Credits)
	case int64(p.Price)*int64(next.Credits) <= int64(next.Price)*int64(p.Credits):
		return fmt.Errorf("packs: %d credits for %s USD: want a lower price per credit than %d for %s USD", next.Credits, next.Price, p.Credits, p.Price)
	}
	return nil
}
