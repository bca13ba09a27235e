package x402

import (
	"fmt"
	"net/http"
	"time"
)

// Code is a machine-readable reason. It is named by the x402 specification (section 9 of versions 1 and 2) or, where the
// specification has no name, by us.
type Code string

// Codes of the specification.
const (
	CodeInsufficientFunds   Code = "insufficient_funds"
	CodeValidAfter          Code = "invalid_exact_evm_payload_authorization_valid_after"
	CodeValidBefore         Code = "invalid_exact_evm_payload_authorization_valid_before"
	CodeValue               Code = "invalid_exact_evm_payload_authorization_value"          // version 1
	CodeValueMismatch       Code = "invalid_exact_evm_payload_authorization_value_mismatch" // version 2
	CodeSignature           Code = "invalid_exact_evm_payload_signature"
	CodeRecipient           Code = "invalid_exact_evm_payload_recipient_mismatch"
	CodeNetwork             Code = "invalid_network"
	CodePayload             Code = "invalid_payload"
	CodeRequirements        Code = "invalid_payment_requirements"
	CodeScheme              Code = "invalid_scheme"
	CodeUnsupportedScheme   Code = "unsupported_scheme"
	CodeVersion             Code = "invalid_x402_version"
	CodeTransactionState    Code = "invalid_transaction_state"
	CodeUnexpectedVerify    Code = "unexpected_verify_error"
	CodeUnexpectedSettle    Code = "unexpected_settle_error"
	CodeSettlementPending   Code = "settlement_pending"   // reference implementations since 2.27
	CodeDuplicateSettlement Code = "duplicate_settlement" // npm x402 1.2.0
	// CodeUndeployed: the payer's wallet is not deployed, and we may not deploy it.
	CodeUndeployed Code = "invalid_exact_evm_payload_undeployed_smart_wallet" // npm x402 1.2.0
)

// Codes of this gate.
const (
	// CodePaymentRequired: the request carried no payment.
	CodePaymentRequired Code = "payment_required"
	// CodeAlreadyUsed: the payment, or another with its nonce, was used for another request.
	CodeAlreadyUsed Code = "payment_already_used"
	// CodeIdentifierUsed: the payment's identifier belongs to another purchase.
	CodeIdentifierUsed Code = "payment_identifier_used"
	// CodeInProgress: the same request with the same payment is still running.
	CodeInProgress Code = "payment_in_progress"
	// CodeResponseNotKept: the request was paid and answered, and the response is not kept.
	CodeResponseNotKept Code = "response_not_kept"
	// CodeUpstreamFailed: the run that this duplicate waited for failed. Nothing was charged.
	CodeUpstreamFailed Code = "upstream_failed"
	// CodeAbandoned: the run was cut off. Nothing was or will be charged.
	CodeAbandoned Code = "payment_abandoned"
)

// Codes of sign-ins, as in the reference implementations (npm @x402/extensions 2.27.0), and one for a valid sign-in
// without a paid response.
const (
	CodeSignInPayload   Code = "invalid_siwx_payload" // ours: the reference implementations have none
	CodeSignInDomain    Code = "invalid_siwx_domain_mismatch"
	CodeSignInURI       Code = "invalid_siwx_uri_mismatch"
	CodeSignInChain     Code = "invalid_siwx_unsupported_chain"
	CodeSignInTooOld    Code = "invalid_siwx_issued_at_too_old"
	CodeSignInInFuture  Code = "invalid_siwx_issued_at_in_future"
	CodeSignInExpired   Code = "invalid_siwx_expired"
	CodeSignInNotYet    Code = "invalid_siwx_not_yet_valid"
	CodeSignInSignature Code = "invalid_siwx_signature"
	CodeSignInVerifier  Code = "invalid_siwx_verifier_error"
	CodeSignInNonce     Code = "invalid_siwx_nonce"
	// CodeSignInNothing: the wallet has signed in, but no response to this request that it has paid for is kept.
	CodeSignInNothing Code = "siwx_nothing_paid"
)

// Refusal is a payment that is not accepted, with the protocol's code and a sentence for its sender.
type Refusal struct {
	Code    Code
	Message string
	// oversized is set for a header over the cap: HTTP has its own status for it.
	oversized bool
	// Settled is set if a settlement failed: the status is then 402 whatever the code.
	Settled bool
	// RetryAfter is when to try again with the same payment; 0 for never.
	RetryAfter time.Duration
}

// Again says that the same payment may be accepted after a while.
func (r *Refusal) Again(after time.Duration) *Refusal {
	r.RetryAfter = after
	return r
}

func (r *Refusal) Error() string { return fmt.Sprintf("%s: %s", r.Code, r.Message) }

// Status returns the protocol's HTTP status: 400 for what cannot be read as a payment, 431 for a header over the cap,
// 402 for everything else.
func (r *Refusal) Status() int {
	switch {
	case r.oversized:
		return http.StatusRequestHeaderFieldsTooLarge
	case !r.Settled && (r.Code == CodePayload || r.Code == CodeVersion):
		return http.StatusBadRequest
	default:
		return http.StatusPaymentRequired
	}
}

// Refuse returns a refusal with a formatted message.
func Refuse(code Code, format string, args ...any) *Refusal {
	return &Refusal{Code: code, Message: fmt.Sprintf(format, args...)}
}
