package x402

import (
	"fmt"
	"net/http"
)

// Receipt tells the client about its payment's settlement. It is the content of X-PAYMENT-RESPONSE (version 1) and
// PAYMENT-RESPONSE (version 2).
type Receipt struct {
	Success bool `json:"success"`
	// ErrorReason is the [Code] of a settlement that failed or whose outcome is not known yet.
	ErrorReason Code `json:"errorReason,omitempty"`
	// Transaction is the hash of the settlement's transaction, 0x and 64 digits, or empty if there is none.
	Transaction string `json:"transaction"`
	// Network is the version 1 name or the CAIP-2 identifier, as in the payment.
	Network string `json:"network"`
	Payer   string `json:"payer,omitempty"`
	// Amount is in the token's smallest unit; version 2 only.
	Amount string `json:"amount,omitempty"`

	Version int `json:"-"`
}

// Set writes the receipt into the header of the payment's protocol version.
func (r *Receipt) Set(h http.Header) error {
	value, err := EncodeHeader(r)
	if err != nil {
		return fmt.Errorf("encoding receipt: %w", err)
	}
	name := HeaderReceiptV2
	if r.Version == Version1 {
		name = HeaderReceiptV1
	}
	h.Set(name, value)
	return nil
}

// ReadReceipt returns the receipt of a response, or nil if there is none.
func ReadReceipt(h http.Header) (*Receipt, error) {
	for version, name := range map[int]string{Version1: HeaderReceiptV1, Version2: HeaderReceiptV2} {
		value := h.Get(name)
		if value == "" {
			continue
		}
		if len(value) > HeaderBytesMax {
			return nil, fmt.Errorf("receipt header %s is longer than %d bytes", name, HeaderBytesMax)
		}
		receipt := Receipt{Version: version}
		if err := DecodeHeader(value, &receipt); err != nil {
			return nil, fmt.Errorf("receipt header %s: %w", name, err)
		}
		return &receipt, nil
	}
	return nil, nil //nolint:nilnil // absent is no error: unpaid responses carry none
}
