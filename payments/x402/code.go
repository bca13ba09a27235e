package x402

import (
	"fmt"
	"net/http"
	"time"
)

// Code is a machine-readable reason, as the x402 specification names it (section
// 9 of versions 1 and 2) or, for what the specification has no word for, ours.
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
	// CodeUndeployed: the payer's wallet is not deployed, and is not to be by us.
	CodeUndeployed Code = "invalid_exact_evm_payload_undeployed_smart_wallet" // npm x402 1.2.0
)

// Codes of this gate.
const (
	// CodePaymentRequired: the request carried no payment.
	CodePaymentRequired Code = "payment_required"
	// CodeAlreadyUsed: the payment, or another with its nonce, was taken for another request.
	CodeAlreadyUsed Code = "payment_already_used"
	// CodeIdentifierUsed: the payment's identifier is that of another purchase.
	CodeIdentifierUsed Code = "payment_identifier_used"
	// CodeInProgress: the same request with the same payment is still running.
	CodeInProgress Code = "payment_in_progress"
	// CodeResponseNotKept: the request was paid and answered, and the answer is not kept.
	CodeResponseNotKept Code = "response_not_kept"
	// CodeUpstreamFailed: the run that this copy waited for failed. Nothing was charged.
	CodeUpstreamFailed Code = "upstream_failed"
	// CodeAbandoned: the run was cut off. Nothing was or will be charged.
	CodeAbandoned Code = "payment_abandoned"
)

// Codes of sign-ins, as the reference implementations have them (npm
// @x402/extensions 2.27.0), and for a good one that opens nothing.
const (
	CodeSignInPayload   Code = "invalid_siwx_payload" // ours: theirs have no code for it
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
	// CodeSignInNothing: the wallet has signed in, and there is no answer that it has
	// paid for, to this request, and that is kept.
	CodeSignInNothing Code = "siwx_nothing_paid"
)

// Refusal is a payment that is not good, with the protocol's code and a sentence
// for the one who made it.
type Refusal struct {
	Code    Code
	Message string
	// oversized is set for a header over the cap: HTTP has its own status for it.
	oversized bool
	// settled is set where a settlement failed: that is 402 whatever the code.
	settled bool
	// retryAfter is when to try again with the same payment, if ever.
	retryAfter time.Duration
}

// again says that the same payment may be good after a while.
func (r *Refusal) again(after time.Duration) *Refusal {
	r.retryAfter = after
	return r
}

func (r *Refusal) Error() string { return fmt.Sprintf("%s: %s", r.Code, r.Message) }

// Status returns the protocol's HTTP status: 400 for what cannot be read as a
// payment, 431 for a header over the cap, 402 for all else.
func (r *Refusal) Status() int {
	switch {
	case r.oversized:
		return http.StatusRequestHeaderFieldsTooLarge
	case !r.settled && (r.Code == CodePayload || r.Code == CodeVersion):
		return http.StatusBadRequest
	default:
		return http.StatusPaymentRequired
	}
}

func refuse(code Code, format string, args ...any) *Refusal {
	return &Refusal{Code: code, Message: fmt.Sprintf(format, args...)}
}
