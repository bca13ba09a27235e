package accounts

import (
	"errors"
	"fmt"
	"regexp"

	"github.com/ethereum/go-ethereum/common"

	"github.com/turnpike-edge/turnpike/payments/money"
)

// ErrInvalidWallet is returned for a wallet that cannot have paid.
var ErrInvalidWallet = errors.New("invalid wallet")

// eip155 is the CAIP-2 form of an EVM network: "eip155:8453".
var eip155 = regexp.MustCompile(`^eip155:[1-9][0-9]{0,31}$`)

// normalWallet returns the one spelling of a wallet: a CAIP-2 network and an address in the mixed case of EIP-55.
// Addresses in any case are accepted, because the case is a checksum and not part of the address.
func normalWallet(network, address string) (string, string, error) {
	if !eip155.MatchString(network) {
		return "", "", fmt.Errorf("%w: network %.50q, want CAIP-2 such as eip155:8453", ErrInvalidWallet, network)
	}
	if len(address) != 42 || !common.IsHexAddress(address) {
		return "", "", fmt.Errorf("%w: address %.50q, want 0x and 40 hexadecimal digits", ErrInvalidWallet, address)
	}
	return network, common.HexToAddress(address).Hex(), nil
}

// Info is the credits of a team.
type Info struct {
	Credits    money.Credits `json:"credits" doc:"The credits that can be spent now."`
	Held       money.Credits `json:"held" doc:"The credits held for work in progress. They are not included in credits."`
	Owed       money.Credits `json:"owed" doc:"The credits that a disputed payment took back beyond the balance. They are deducted from the next purchase."`
	Breakdown  []Purchase    `json:"breakdown" nullable:"false" doc:"The remaining credits of each purchase. The oldest purchase is spent first. The sum equals credits plus held."`
	AllowUsage bool          `json:"allow_usage" doc:"Whether there are credits to spend."`
}

// Purchase is credits that were added at once.
type Purchase struct {
	Kind      string        `json:"purchase_kind" enum:"grant,topup"`
	Allocated money.Credits `json:"allocated_units"`
	Remaining money.Credits `json:"remaining_units"`
	Expiry    *string       `json:"expiry_date" doc:"Always null, because credits do not expire."`
}
