package x402

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/google/uuid"

	"github.com/turnpike-edge/turnpike/payments/money"
	"github.com/turnpike-edge/turnpike/payments/price"
)

// Offer is the price and the terms of one request, from the pricer. The gate turns it into requirements, one per
// accepted network.
type Offer struct {
	Amount money.MicroUSDC
	// Resource is the absolute URL of what is sold, as the client sees it.
	Resource    string
	Description string
	MimeType    string
	// Operation names what is sold, for reports: "scrape".
	Operation string
	Settle    price.Settle
	// UpstreamTimeout is the upstream's own limit. Payments must be valid for a minute longer.
	UpstreamTimeout time.Duration
	// IdentifierRequired refuses payments without an identifier of the purchase, and so all of version 1, which has
	// none.
	IdentifierRequired bool
	// Extensions are the extensions of a version 2 challenge, by name.
	Extensions map[string]json.RawMessage
	// Bazaar is the bazaar extension in all its forms, the fullest first ([Usage.Bazaar]). A challenge uses the first
	// one that fits into its header.
	Bazaar []json.RawMessage
	// OutputSchema is the JSON object that describes the request and its response in version 1 offers, or nil.
	OutputSchema json.RawMessage
}

// Claim is the payment that a request runs under.
type Claim struct {
	// ID is new for every run. The upstream knows the payment by it.
	ID uuid.UUID
	// Payer is the wallet's EIP-55 address.
	Payer string
	// Network is the CAIP-2 identifier.
	Network string
	Amount  money.MicroUSDC
}

const (
	// OfferSlack is how much maxTimeoutSeconds exceeds the upstream's limit: time to sign, send and settle the payment.
	OfferSlack = 60 * time.Second
	// settleSlack is the validity that a payment must still have when the upstream is done.
	settleSlack = 30 * time.Second
	// LapseMargin is the least remaining validity of a payment, as in the reference implementations: about three blocks
	// of Base.
	LapseMargin = 6 * time.Second
)

// Validate returns all faults of the offer.
func (o *Offer) Validate() error {
	var errs []error
	if o.Amount <= 0 {
		errs = append(errs, fmt.Errorf("offer amount %s: want more than 0", o.Amount))
	}
	if u, err := url.Parse(o.Resource); err != nil || !u.IsAbs() || u.Host == "" {
		errs = append(errs, fmt.Errorf("offer resource %q: want an absolute URL", o.Resource))
	}
	if o.Settle != price.SettleAfter && o.Settle != price.SettleBefore {
		errs = append(errs, fmt.Errorf("offer settle %q: want %q or %q", o.Settle, price.SettleAfter, price.SettleBefore))
	}
	if o.UpstreamTimeout <= 0 {
		errs = append(errs, fmt.Errorf("offer upstream timeout %s: want more than 0", o.UpstreamTimeout))
	}
	return errors.Join(errs...)
}

// Requirements is one way to pay: a challenge's offer on one network, which payments are compared with.
type Requirements struct {
	Network     Network
	PayTo       common.Address
	Amount      money.MicroUSDC
	MaxTimeout  time.Duration // whole seconds
	Resource    string
	Description string
	MimeType    string
}

// SecondsDuration returns n seconds, limited to between 0 and a day.
func SecondsDuration(n int64) time.Duration {
	const most = int64(24 * time.Hour / time.Second)
	return time.Duration(max(0, min(n, most))) * time.Second
}

func (r *Requirements) timeoutSeconds() int64 { return int64(r.MaxTimeout / time.Second) }

// RequirementsV1 is an entry of accepts in version 1. An absent outputSchema is omitted, since stock clients reject
// null.
type RequirementsV1 struct {
	Scheme            string          `json:"scheme"`
	Network           string          `json:"network"`
	MaxAmountRequired string          `json:"maxAmountRequired"`
	Resource          string          `json:"resource"`
	Description       string          `json:"description"`
	MimeType          string          `json:"mimeType"`
	PayTo             string          `json:"payTo"`
	MaxTimeoutSeconds int64           `json:"maxTimeoutSeconds"`
	Asset             string          `json:"asset"`
	OutputSchema      json.RawMessage `json:"outputSchema,omitempty"`
	Extra             json.RawMessage `json:"extra,omitempty"`
}

// RequirementsV2 is an entry of accepts in version 2.
type RequirementsV2 struct {
	Scheme            string          `json:"scheme"`
	Network           string          `json:"network"`
	Amount            string          `json:"amount"`
	Asset             string          `json:"asset"`
	PayTo             string          `json:"payTo"`
	MaxTimeoutSeconds int64           `json:"maxTimeoutSeconds"`
	Extra             json.RawMessage `json:"extra,omitempty"`
}

// V1 returns the requirements in the JSON shape of version 1.
func (r *Requirements) V1() RequirementsV1 {
	return RequirementsV1{
		Scheme:            SchemeExact,
		Network:           r.Network.Name,
		MaxAmountRequired: r.Amount.Units(),
		Resource:          r.Resource,
		Description:       r.Description,
		MimeType:          r.MimeType,
		PayTo:             r.PayTo.Hex(),
		MaxTimeoutSeconds: r.timeoutSeconds(),
		Asset:             r.Network.Asset.Hex(),
		Extra:             r.Network.extra(),
	}
}

// V2 returns the requirements in the JSON shape of version 2.
func (r *Requirements) V2() RequirementsV2 {
	return RequirementsV2{
		Scheme:            SchemeExact,
		Network:           r.Network.ID(),
		Amount:            r.Amount.Units(),
		Asset:             r.Network.Asset.Hex(),
		PayTo:             r.PayTo.Hex(),
		MaxTimeoutSeconds: r.timeoutSeconds(),
		Extra:             r.Network.extra(),
	}
}

// Wire returns the requirements in the JSON shape of the protocol version.
func (r *Requirements) Wire(version int) any {
	if version == Version1 {
		return r.V1()
	}
	return r.V2()
}
