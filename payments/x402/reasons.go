package x402

import "strings"

// reason is our interpretation of a remote facilitator's reason code.
type reason struct {
	// code is the specification's code, which the payer gets.
	code Code
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
var reasons = map[Code]reason{
	// The specification.
	CodeInsufficientFunds: {code: CodeInsufficientFunds},
	CodeValidAfter:        {code: CodeValidAfter},
	CodeValidBefore:       {code: CodeValidBefore},
	CodeValue:             {code: CodeValue},
	CodeValueMismatch:     {code: CodeValueMismatch},
	CodeSignature:         {code: CodeSignature},
	CodeRecipient:         {code: CodeRecipient},
	CodeNetwork:           {code: CodeNetwork},
	CodePayload:           {code: CodePayload},
	CodeRequirements:      {code: CodeRequirements},
	CodeScheme:            {code: CodeScheme},
	CodeUnsupportedScheme: {code: CodeUnsupportedScheme},
	CodeVersion:           {code: CodeVersion},
	CodeTransactionState:  {code: CodeTransactionState, open: true},
	CodeUnexpectedVerify:  {code: CodeUnexpectedVerify, open: true, unjudged: true},
	CodeUnexpectedSettle:  {code: CodeUnexpectedSettle, open: true, unjudged: true},

	// npm x402 1.2.0.
	CodeUndeployed:          {code: CodeUndeployed},
	"invalid_payment":       {code: CodePayload},
	"payment_expired":       {code: CodeValidBefore},
	CodeDuplicateSettlement: {code: CodeDuplicateSettlement, open: true},

	// The reference facilitators of version 2, before a broadcast.
	"invalid_exact_evm_scheme":                        {code: CodeUnsupportedScheme},
	"invalid_exact_evm_network_mismatch":              {code: CodeNetwork},
	"invalid_exact_evm_missing_eip712_domain":         {code: CodeRequirements},
	"invalid_exact_evm_recipient_mismatch":            {code: CodeRecipient},
	"invalid_exact_evm_signature":                     {code: CodeSignature},
	"invalid_exact_evm_signature_format":              {code: CodeSignature},
	"invalid_exact_evm_insufficient_balance":          {code: CodeInsufficientFunds},
	"invalid_exact_evm_token_name_mismatch":           {code: CodeRequirements},
	"invalid_exact_evm_token_version_mismatch":        {code: CodeRequirements},
	"invalid_exact_evm_eip3009_not_supported":         {code: CodeRequirements},
	"invalid_exact_evm_transaction_simulation_failed": {code: CodeTransactionState},
	"smart_wallet_deployment_failed":                  {code: CodeSignature},
	"unsupported_payload_type":                        {code: CodePayload},
	"invalid_exact_evm_nonce_already_used":            {code: CodeTransactionState, open: true},

	// The same, after a possible broadcast.
	"invalid_exact_evm_failed_to_execute_transfer": {code: CodeTransactionState, open: true},
	"invalid_exact_evm_transaction_failed":         {code: CodeTransactionState, open: true},
	"invalid_exact_evm_transfer_event_mismatch":    {code: CodeTransactionState, open: true},
	"invalid_exact_evm_failed_to_get_receipt":      {code: CodeTransactionState, open: true},
	CodeSettlementPending:                          {code: CodeSettlementPending, open: true},
}

// reasonFamilies are prefixes of codes for other payment methods. Our payments get one only if the facilitator mistakes
// their kind.
//
//nolint:gochecknoglobals // a table, never changed
var reasonFamilies = []struct {
	prefix string
	reason reason
}{
	{"invalid_exact_svm_", reason{code: CodePayload}},
	{"settle_exact_svm_", reason{code: CodeTransactionState, open: true}},
	{"permit2_", reason{code: CodePayload}},
	{"invalid_permit2_", reason{code: CodePayload}},
	{"erc20_approval_", reason{code: CodePayload}},
	{"invalid_erc20_approval_", reason{code: CodePayload}},
}

// readReason interprets a facilitator's code. An unknown code is passed on, and leaves open whether money has moved.
func readReason(word Code) reason {
	// Some codes are spelled both ways.
	const short, long = "invalid_exact_evm_", "invalid_exact_evm_payload_"
	text := string(word)
	for _, spelling := range []string{text, strings.Replace(text, short, long, 1), strings.Replace(text, long, short, 1)} {
		if r, known := reasons[Code(spelling)]; known {
			return r
		}
	}
	for _, family := range reasonFamilies {
		if strings.HasPrefix(text, family.prefix) {
			return family.reason
		}
	}
	if word == "" {
		return reason{code: CodeUnexpectedSettle, open: true, unjudged: true}
	}
	return reason{code: Code(clip(text)), open: true}
}
