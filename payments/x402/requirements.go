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

// Offer is what one request costs, as the pricer says. The gate turns it into
// requirements, one per network that it accepts.
type Offer struct {
	Amount money.MicroUSDC
	// Resource is the absolute URL of what is sold, as the client sees it.
	Resource    string
	Description string
	MimeType    string
	// Operation names what is sold, for reports: "scrape".
	Operation string
	Settle    price.Settle
	// UpstreamTimeout is the upstream's own limit. Payments are asked to be good
	// for a minute longer.
	UpstreamTimeout time.Duration
	// IdentifierRequired refuses payments without an identifier of the purchase, and
	// with them all of version 1, which has none.
	IdentifierRequired bool
	// Extensions are what a version 2 challenge says beyond its terms, by name.
	Extensions map[string]json.RawMessage
	// Bazaar is the extension of that name in all its forms, the fullest first
	// ([Usage.Bazaar]): a challenge has the first that fits into its header.
	Bazaar []json.RawMessage
	// OutputSchema is the JSON object that version 1 offers describe the request and
	// its answer by, or nil.
	OutputSchema json.RawMessage
}

// Claim is the payment that a request runs under.
type Claim struct {
	// ID is fresh for every run: what the upstream knows the payment by.
	ID uuid.UUID
	// Payer is the wallet's EIP-55 address.
	Payer string
	// Network is the CAIP-2 identifier.
	Network string
	Amount  money.MicroUSDC
}

const (
	// offerSlack is what maxTimeoutSeconds exceeds the upstream's limit by: time to
	// sign and send the payment, and to settle it.
	offerSlack = 60 * time.Second
	// settleSlack must be left of a payment when the upstream is through.
	settleSlack = 30 * time.Second
	// lapseMargin is the least that a payment must still be good for, as in the
	// reference implementations: about three blocks of Base.
	lapseMargin = 6 * time.Second
)

func (o *Offer) validate() error {
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

// Requirements is one way to pay: what the challenge offers on one network, and
// what a payment is held against.
type Requirements struct {
	Network     Network
	PayTo       common.Address
	Amount      money.MicroUSDC
	MaxTimeout  time.Duration // whole seconds
	Resource    string
	Description string
	MimeType    string
}

func secondsDuration(n int64) time.Duration {
	const most = int64(24 * time.Hour / time.Second)
	return time.Duration(max(0, min(n, most))) * time.Second
}

func (r *Requirements) timeoutSeconds() int64 { return int64(r.MaxTimeout / time.Second) }

// requirementsV1 is an entry of accepts in version 1. An outputSchema that there
// is not is left out: stock clients refuse null there.
type requirementsV1 struct {
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

// requirementsV2 is an entry of accepts in version 2.
type requirementsV2 struct {
	Scheme            string          `json:"scheme"`
	Network           string          `json:"network"`
	Amount            string          `json:"amount"`
	Asset             string          `json:"asset"`
	PayTo             string          `json:"payTo"`
	MaxTimeoutSeconds int64           `json:"maxTimeoutSeconds"`
	Extra             json.RawMessage `json:"extra,omitempty"`
}

func (r *Requirements) v1() requirementsV1 {
	return requirementsV1{
		Scheme:            schemeExact,
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

func (r *Requirements) v2() requirementsV2 {
	return requirementsV2{
		Scheme:            schemeExact,
		Network:           r.Network.ID(),
		Amount:            r.Amount.Units(),
		Asset:             r.Network.Asset.Hex(),
		PayTo:             r.PayTo.Hex(),
		MaxTimeoutSeconds: r.timeoutSeconds(),
		Extra:             r.Network.extra(),
	}
}

// wire returns the requirements in the shape of the protocol version.
func (r *Requirements) wire(version int) any {
	if version == version1 {
		return r.v1()
	}
	return r.v2()
}
