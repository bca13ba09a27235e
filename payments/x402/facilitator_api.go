package x402

import (
	"encoding/json"

	"github.com/ethereum/go-ethereum/common"
)

// FacilitatorRequest is the body of a request to a facilitator.
type FacilitatorRequest struct {
	X402Version         int             `json:"x402Version"`
	PaymentPayload      json.RawMessage `json:"paymentPayload"`
	PaymentRequirements json.RawMessage `json:"paymentRequirements"`
}

// VerifyResponse is a facilitator's answer to POST /verify.
type VerifyResponse struct {
	IsValid        bool   `json:"isValid"`
	InvalidReason  Code   `json:"invalidReason,omitempty"`
	InvalidMessage string `json:"invalidMessage,omitempty"`
	Payer          string `json:"payer,omitempty"`
}

// SettleResponse is a facilitator's answer to POST /settle.
type SettleResponse struct {
	Success      bool   `json:"success"`
	ErrorReason  Code   `json:"errorReason,omitempty"`
	ErrorMessage string `json:"errorMessage,omitempty"`
	Payer        string `json:"payer,omitempty"`
	Transaction  string `json:"transaction"`
	Network      string `json:"network"`
	Amount       string `json:"amount,omitempty"`
}

// Pending reports whether the outcome is not known yet.
func (r *SettleResponse) Pending() bool {
	return !r.Success && r.ErrorReason == CodeSettlementPending
}

// ParseTransaction parses a transaction hash. It returns false for the zero hash.
func ParseTransaction(s string) (common.Hash, bool) {
	raw, ok := ParseHex(s)
	if !ok || len(raw) != common.HashLength {
		return common.Hash{}, false
	}
	hash := common.BytesToHash(raw)
	return hash, hash != common.Hash{}
}
