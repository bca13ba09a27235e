package remote

import (
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/payments/x402"
)

// TestReasons tests every reason of both protocol versions.
func TestReasons(t *testing.T) {
	t.Parallel()
	const (
		decided  = "decided"
		open     = "open"     // money may have moved
		unjudged = "unjudged" // and a verification with it decides nothing
	)
	tests := []struct {
		word    x402.Code
		want    x402.Code
		settled string
	}{
		// The specification, section 9 of versions 1 and 2.
		{"insufficient_funds", x402.CodeInsufficientFunds, decided},
		{"invalid_exact_evm_payload_authorization_valid_after", x402.CodeValidAfter, decided},
		{"invalid_exact_evm_payload_authorization_valid_before", x402.CodeValidBefore, decided},
		{"invalid_exact_evm_payload_authorization_value", x402.CodeValue, decided},
		{"invalid_exact_evm_payload_authorization_value_mismatch", x402.CodeValueMismatch, decided},
		{"invalid_exact_evm_payload_signature", x402.CodeSignature, decided},
		{"invalid_exact_evm_payload_recipient_mismatch", x402.CodeRecipient, decided},
		{"invalid_network", x402.CodeNetwork, decided},
		{"invalid_payload", x402.CodePayload, decided},
		{"invalid_payment_requirements", x402.CodeRequirements, decided},
		{"invalid_scheme", x402.CodeScheme, decided},
		{"unsupported_scheme", x402.CodeUnsupportedScheme, decided},
		{"invalid_x402_version", x402.CodeVersion, decided},
		{"invalid_transaction_state", x402.CodeTransactionState, open},
		{"unexpected_verify_error", x402.CodeUnexpectedVerify, unjudged},
		{"unexpected_settle_error", x402.CodeUnexpectedSettle, unjudged},
		// npm x402 1.2.0.
		{"invalid_exact_evm_payload_undeployed_smart_wallet", x402.CodeUndeployed, decided},
		{"invalid_payment", x402.CodePayload, decided},
		{"payment_expired", x402.CodeValidBefore, decided},
		{"duplicate_settlement", x402.CodeDuplicateSettlement, open},
		{"settle_exact_svm_block_height_exceeded", x402.CodeTransactionState, open},
		{"settle_exact_svm_transaction_confirmation_timed_out", x402.CodeTransactionState, open},
		{"invalid_exact_svm_payload_transaction", x402.CodePayload, decided},
		{"invalid_exact_svm_payload_transaction_amount_mismatch", x402.CodePayload, decided},
		// The reference facilitators of version 2.
		{"invalid_exact_evm_scheme", x402.CodeUnsupportedScheme, decided},
		{"invalid_exact_evm_network_mismatch", x402.CodeNetwork, decided},
		{"invalid_exact_evm_missing_eip712_domain", x402.CodeRequirements, decided},
		{"invalid_exact_evm_recipient_mismatch", x402.CodeRecipient, decided},
		{"invalid_exact_evm_signature", x402.CodeSignature, decided},
		{"invalid_exact_evm_signature_format", x402.CodeSignature, decided},
		{"invalid_exact_evm_authorization_valid_before", x402.CodeValidBefore, decided},
		{"invalid_exact_evm_authorization_valid_after", x402.CodeValidAfter, decided},
		{"invalid_exact_evm_authorization_value_mismatch", x402.CodeValueMismatch, decided},
		{"invalid_exact_evm_insufficient_balance", x402.CodeInsufficientFunds, decided},
		{"invalid_exact_evm_nonce_already_used", x402.CodeTransactionState, open},
		{"invalid_exact_evm_token_name_mismatch", x402.CodeRequirements, decided},
		{"invalid_exact_evm_token_version_mismatch", x402.CodeRequirements, decided},
		{"invalid_exact_evm_eip3009_not_supported", x402.CodeRequirements, decided},
		{"invalid_exact_evm_transaction_simulation_failed", x402.CodeTransactionState, decided},
		{"invalid_exact_evm_failed_to_execute_transfer", x402.CodeTransactionState, open},
		{"invalid_exact_evm_transaction_failed", x402.CodeTransactionState, open},
		{"invalid_exact_evm_transfer_event_mismatch", x402.CodeTransactionState, open},
		{"invalid_exact_evm_failed_to_get_receipt", x402.CodeTransactionState, open},
		{"invalid_exact_evm_undeployed_smart_wallet", x402.CodeUndeployed, decided},
		{"smart_wallet_deployment_failed", x402.CodeSignature, decided},
		{"unsupported_payload_type", x402.CodePayload, decided},
		{"settlement_pending", x402.CodeSettlementPending, open},
		{"permit2_allowance_required", x402.CodePayload, decided},
		{"permit2_invalid_nonce", x402.CodePayload, decided},
		{"invalid_permit2_signature", x402.CodePayload, decided},
		{"erc20_approval_from_mismatch", x402.CodePayload, decided},
		{"invalid_erc20_approval_extension_format", x402.CodePayload, decided},
		// Unknown reasons, and an empty one.
		{"not_on_tuesdays", "not_on_tuesdays", open},
		{"", x402.CodeUnexpectedSettle, unjudged},
	}
	seen := map[x402.Code]bool{}
	for _, tt := range tests {
		got := readReason(tt.word)
		if got.code != tt.want || got.open != (tt.settled != decided) || got.unjudged != (tt.settled == unjudged) {
			t.Errorf("%q: got %+v, want %s, %s", tt.word, got, tt.want, tt.settled)
		}
		seen[tt.word] = true
	}
	for word := range reasons {
		if !seen[word] {
			t.Errorf("%q is not in this test", word)
		}
	}
	if got := readReason(x402.Code(strings.Repeat("x", 1000))); len(got.code) > 100 {
		t.Errorf("a long word: got %d bytes", len(got.code))
	}
}
