package paywall

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/turnpike-edge/turnpike/payments/money"
)

// challenge is the part of a PAYMENT-REQUIRED header that the page shows.
type challenge struct {
	Resource struct {
		URL         string `json:"url"`
		Description string `json:"description"`
	} `json:"resource"`
	Accepts []struct {
		Network string `json:"network"`
		Amount  string `json:"amount"`
		PayTo   string `json:"payTo"`
		Extra   struct {
			Name string `json:"name"`
		} `json:"extra"`
	} `json:"accepts"`
}

// network is what a browser's wallet needs to know about a chain.
type network struct {
	Name     string `json:"name"`
	RPC      string `json:"rpc,omitempty"`      // a public endpoint, for wallets that do not know the chain
	Explorer string `json:"explorer,omitempty"` // shows transactions
	Test     bool   `json:"test,omitempty"`     // a test network: its tokens are worth nothing
}

// networks lists the known networks by CAIP-2 identifier, with the values their operators publish.
var networks = map[string]network{
	"eip155:8453":  {Name: "Base", RPC: "https://mainnet.base.org", Explorer: "https://basescan.org"},
	"eip155:84532": {Name: "Base Sepolia", RPC: "https://sepolia.base.org", Explorer: "https://sepolia.basescan.org", Test: true},
}

// offer is one way to pay, as text.
type offer struct {
	Index   int
	Price   string // "0.25 USDC"
	Network string
	Test    bool
	PayTo   string
}

// view is the template's data.
type view struct {
	Host, Path  string
	Description string
	Price       string
	Dollars     bool // all offers are in real USDC
	Offers      []offer
	Page        pageData
	Style       any
	Script      any
}

// pageData is the script's data.
type pageData struct {
	Now       int64              `json:"now"` // Unix seconds on the server, because the browser's clock may be wrong
	Challenge json.RawMessage    `json:"challenge"`
	Networks  map[string]network `json:"networks"`
}

// read parses a PAYMENT-REQUIRED header into a view.
func read(header string) (*view, error) {
	raw, err := base64.StdEncoding.DecodeString(header)
	if err != nil {
		return nil, fmt.Errorf("challenge is not base64: %w", err)
	}
	var c challenge
	if err := json.Unmarshal(raw, &c); err != nil {
		return nil, fmt.Errorf("challenge: %w", err)
	}
	if len(c.Accepts) == 0 {
		return nil, errors.New("challenge has no offers")
	}
	at, err := url.Parse(c.Resource.URL)
	if err != nil {
		return nil, fmt.Errorf("challenge: resource: %w", err)
	}
	v := &view{
		Host: at.Host, Path: at.RequestURI(), Description: c.Resource.Description,
		Dollars: true,
		Page:    pageData{Challenge: raw, Networks: map[string]network{}},
	}
	for i, a := range c.Accepts {
		units, err := strconv.ParseInt(a.Amount, 10, 64)
		if err != nil || units < 0 {
			return nil, fmt.Errorf("challenge: amount %q is not a number of units", a.Amount)
		}
		known, ok := networks[a.Network]
		if !ok {
			known.Name = "chain " + strings.TrimPrefix(a.Network, "eip155:")
		}
		v.Page.Networks[a.Network] = known
		token := symbol(a.Extra.Name)
		v.Dollars = v.Dollars && token == usdc && !known.Test
		v.Offers = append(v.Offers, offer{
			Index: i, Price: money.MicroUSDC(units).String() + " " + token, Network: known.Name, Test: known.Test, PayTo: a.PayTo,
		})
	}
	v.Price = v.Offers[0].Price
	return v, nil
}

const usdc = "USDC"

// symbol returns the short name of the token. USDC's contract on Base calls itself "USD Coin".
func symbol(name string) string {
	if name == "" || name == "USD Coin" {
		return usdc
	}
	return name
}
