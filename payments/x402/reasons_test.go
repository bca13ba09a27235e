package x402

import (
	"strings"
	"testing"
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
		word    Code
		want    Code
		settled string
	}{
		// The specification, section 9 of versions 1 and 2.
		{"insufficient_funds", CodeInsufficientFunds, decided},
		{"invalid_exact_evm_payload_authorization_valid_after", CodeValidAfter, decided},
		{"invalid_exact_evm_payload_authorization_valid_before", CodeValidBefore, decided},
		{"invalid_exact_evm_payload_authorization_value", CodeValue, decided},
		{"invalid_exact_evm_payload_authorization_value_mismatch", CodeValueMismatch, decided},
		{"invalid_exact_evm_payload_signature", CodeSignature, decided},
		{"invalid_exact_evm_payload_recipient_mismatch", CodeRecipient, decided},
		{"invalid_network", CodeNetwork, decided},
		{"invalid_payload", CodePayload, decided},
		{"invalid_payment_requirements", CodeRequirements, decided},
		{"invalid_scheme", CodeScheme, decided},
		{"unsupported_scheme", CodeUnsupportedScheme, decided},
		{"invalid_x402_version", CodeVersion, decided},
		{"invalid_transaction_state", CodeTransactionState, open},
		{"unexpected_verify_error", CodeUnexpectedVerify, unjudged},
		{"unexpected_settle_error", CodeUnexpectedSettle, unjudged},
		// npm x402 1.2.0.
		{"invalid_exact_evm_payload_undeployed_smart_wallet", CodeUndeployed, decided},
		{"invalid_payment", CodePayload, decided},
		{"payment_expired", CodeValidBefore, decided},
		{"duplicate_settlement", CodeDuplicateSettlement, open},
		{"settle_exact_svm_block_height_exceeded", CodeTransactionState, open},
		{"settle_exact_svm_transaction_confirmation_timed_out", CodeTransactionState, open},
		{"invalid_exact_svm_payload_transaction", CodePayload, decided},
		{"invalid_exact_svm_payload_transaction_amount_mismatch", CodePayload, decided},
		// The reference facilitators of version 2.
		{"invalid_exact_evm_scheme", CodeUnsupportedScheme, decided},
		{"invalid_exact_evm_network_mismatch", CodeNetwork, decided},
		{"invalid_exact_evm_missing_eip712_domain", CodeRequirements, decided},
		{"invalid_exact_evm_recipient_mismatch", CodeRecipient, decided},
		{"invalid_exact_evm_signature", CodeSignature, decided},
		{"invalid_exact_evm_signature_format", CodeSignature, decided},
		{"invalid_exact_evm_authorization_valid_before", CodeValidBefore, decided},
		{"invalid_exact_evm_authorization_valid_after", CodeValidAfter, decided},
		{"invalid_exact_evm_authorization_value_mismatch", CodeValueMismatch, decided},
		{"invalid_exact_evm_insufficient_balance", CodeInsufficientFunds, decided},
		{"invalid_exact_evm_nonce_already_used", CodeTransactionState, open},
		{"invalid_exact_evm_token_name_mismatch", CodeRequirements, decided},
		{"invalid_exact_evm_token_version_mismatch", CodeRequirements, decided},
		{"invalid_exact_evm_eip3009_not_supported", CodeRequirements, decided},
		{"invalid_exact_evm_transaction_simulation_failed", CodeTransactionState, decided},
		{"invalid_exact_evm_failed_to_execute_transfer", CodeTransactionState, open},
		{"invalid_exact_evm_transaction_failed", CodeTransactionState, open},
		{"invalid_exact_evm_transfer_event_mismatch", CodeTransactionState, open},
		{"invalid_exact_evm_failed_to_get_receipt", CodeTransactionState, open},
		{"invalid_exact_evm_undeployed_smart_wallet", CodeUndeployed, decided},
		{"smart_wallet_deployment_failed", CodeSignature, decided},
		{"unsupported_payload_type", CodePayload, decided},
		{"settlement_pending", CodeSettlementPending, open},
		{"permit2_allowance_required", CodePayload, decided},
		{"permit2_invalid_nonce", CodePayload, decided},
		{"invalid_permit2_signature", CodePayload, decided},
		{"erc20_approval_from_mismatch", CodePayload, decided},
		{"invalid_erc20_approval_extension_format", CodePayload, decided},
		// Unknown reasons, and an empty one.
		{"not_on_tuesdays", "not_on_tuesdays", open},
		{"", CodeUnexpectedSettle, unjudged},
	}
	seen := map[Code]bool{}
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
	if got := readReason(Code(strings.Repeat("x", 1000))); len(got.code) > 100 {
		t.Errorf("a long word: got %d bytes", len(got.code))
	}
}
