package reference

import "net/http"

// Prices are what the page of prices shows.
type Prices struct {
	// CreditUSD is the value of a credit in US dollars.
	CreditUSD string
	Packs     []Pack
	Rows      []PriceRow
}

// Pack is an amount of credits that can be bought.
type Pack struct{ Credits, PriceUSD string }

// PriceRow is an operation with its prices.
type PriceRow struct {
	Name, Method, Path string
	// Key is the price in credits, or how it is computed. Wallet is the one in USDC. "" if the operation is not paid that way.
	Key, Wallet string
}

// ServePrices writes the prices for people.
func (p *Page) ServePrices(w http.ResponseWriter, prices *Prices) error {
	shown := p.data
	shown.Prices = prices
	return p.render(w, shown)
}
