package remote

import (
	"strings"

	"github.com/turnpike-edge/turnpike/payments/x402"
)

// reason is our interpretation of a remote facilitator's reason code.
type reason struct {
	// code is the specification's code, which the payer gets.
	code x402.Code
	// open: after a settlement, money may have moved or may still move. The chain decides, or the facilitator when it
	// is asked again.
	open bool
	// unjudged: after a verification, nothing is known about the payment.
	unjudged bool
}

// reasons are the codes of the specification (section 9 of both versions, and npm x402 1.2.0's enumeration), and those
// that the reference facilitators of version 2 actually send.
//
//nolint:gochecknoglobals // a table, never changed
var reasons = map[x402.Code]reason{
	// The specification.
	x402.CodeInsufficientFunds: {code: x402.CodeInsufficientFunds},
	x402.CodeValidAfter:        {code: x402.CodeValidAfter},
	x402.CodeValidBefore:       {code: x402.CodeValidBefore},
	x402.CodeValue:             {code: x402.CodeValue},
	x402.CodeValueMismatch:     {code: x402.CodeValueMismatch},
	x402.CodeSignature:         {code: x402.CodeSignature},
	x402.CodeRecipient:         {code: x402.CodeRecipient},
	x402.CodeNetwork:           {code: x402.CodeNetwork},
	x402.CodePayload:           {code: x402.CodePayload},
	x402.CodeRequirements:      {code: x402.CodeRequirements},
	x402.CodeScheme:            {code: x402.CodeScheme},
	x402.CodeUnsupportedScheme: {code: x402.CodeUnsupportedScheme},
	x402.CodeVersion:           {code: x402.CodeVersion},
	x402.CodeTransactionState:  {code: x402.CodeTransactionState, open: true},
	x402.CodeUnexpectedVerify:  {code: x402.CodeUnexpectedVerify, open: true, unjudged: true},
	x402.CodeUnexpectedSettle:  {code: x402.CodeUnexpectedSettle, open: true, unjudged: true},

	// npm x402 1.2.0.
	x402.CodeUndeployed:          {code: x402.CodeUndeployed},
	"invalid_payment":            {code: x402.CodePayload},
	"payment_expired":            {code: x402.CodeValidBefore},
	x402.CodeDuplicateSettlement: {code: x402.CodeDuplicateSettlement, open: true},

	// The reference facilitators of version 2, before a broadcast.
	"invalid_exact_evm_scheme":                        {code: x402.CodeUnsupportedScheme},
	"invalid_exact_evm_network_mismatch":              {code: x402.CodeNetwork},
	"invalid_exact_evm_missing_eip712_domain":         {code: x402.CodeRequirements},
	"invalid_exact_evm_recipient_mismatch":            {code: x402.CodeRecipient},
	"invalid_exact_evm_signature":                     {code: x402.CodeSignature},
	"invalid_exact_evm_signature_format":              {code: x402.CodeSignature},
	"invalid_exact_evm_insufficient_balance":          {code: x402.CodeInsufficientFunds},
	"invalid_exact_evm_token_name_mismatch":           {code: x402.CodeRequirements},
	"invalid_exact_evm_token_version_mismatch":        {code: x402.CodeRequirements},
	"invalid_exact_evm_eip3009_not_supported":         {code: x402.CodeRequirements},
	"invalid_exact_evm_transaction_simulation_failed": {code: x402.CodeTransactionState},
	"smart_wallet_deployment_failed":                  {code: x402.CodeSignature},
	"unsupported_payload_type":                        {code: x402.CodePayload},
	"invalid_exact_evm_nonce_already_used":            {code: x402.CodeTransactionState, open: true},

	// The same, after a possible broadcast.
	"invalid_exact_evm_failed_to_execute_transfer": {code: x402.CodeTransactionState, open: true},
	"invalid_exact_evm_transaction_failed":         {code: x402.CodeTransactionState, open: true},
	"invalid_exact_evm_transfer_event_mismatch":    {code: x402.CodeTransactionState, open: true},
	"invalid_exact_evm_failed_to_get_receipt":      {code: x402.CodeTransactionState, open: true},
	x402.CodeSettlementPending:                     {code: x402.CodeSettlementPending, open: true},
}

// reasonFamilies are prefixes of codes for other payment methods. Our payments get one only if the facilitator mistakes
// their kind.
//
//nolint:gochecknoglobals // a table, never changed
var reasonFamilies = []struct {
	prefix string
	reason reason
}{
	{"invalid_exact_svm_", reason{code: x402.CodePayload}},
	{"settle_exact_svm_", reason{code: x402.CodeTransactionState, open: true}},
	{"permit2_", reason{code: x402.CodePayload}},
	{"invalid_permit2_", reason{code: x402.CodePayload}},
	{"erc20_approval_", reason{code: x402.CodePayload}},
	{"invalid_erc20_approval_", reason{code: x402.CodePayload}},
}

// readReason interprets a facilitator's code. An unknown code is passed on, and leaves open whether money has moved.
func readReason(word x402.Code) reason {
	// Some codes are spelled both ways.
	const short, long = "invalid_exact_evm_", "invalid_exact_evm_payload_"
	text := string(word)
	for _, spelling := range []string{text, strings.Replace(text, short, long, 1), strings.Replace(text, long, short, 1)} {
		if r, known := reasons[x402.Code(spelling)]; known {
			return r
		}
	}
	for _, family := range reasonFamilies {
		if strings.HasPrefix(text, family.prefix) {
			return family.reason
		}
	}
	if word == "" {
		return reason{code: x402.CodeUnexpectedSettle, open: true, unjudged: true}
	}
	return reason{code: x402.Code(x402.Clip(text)), open: true}
}
