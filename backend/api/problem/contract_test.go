package problem

import "testing"

// The service contract's table of errors, as promised to clients.
func TestCodesAreTheContracts(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		status      int
		slug, title string
		codes       []string
	}{
		{400, "bad_request", "Bad Request", []string{"validation_error", "invalid_metadata", "invalid_json"}},
		{401, "unauthorized", "Unauthorized", []string{"invalid_api_key"}},
		{402, "payment_required", "Payment Required", []string{"credits_exhausted", "card_declined", "authentication_required", "no_payment_method"}},
		{403, "forbidden", "Forbidden", []string{"access_denied", "robots_disallowed", "blocked_address", "unsupported_file_type"}},
		{404, "not_found", "Not Found", []string{"not_found", "scrape_not_found", "crawl_not_found", "map_not_found", "search_not_found", "schedule_not_found", "batch_not_found", "answer_not_found", "parser_not_found"}},
		{405, "method_not_allowed", "Method Not Allowed", []string{"method_not_allowed"}},
		{409, "conflict", "Conflict", []string{"idempotency_key_in_progress", "topup_in_progress", "invalid_state"}},
		{413, "payload_too_large", "Payload Too Large", []string{"payload_too_large"}},
		{422, "unprocessable", "Unprocessable Entity", []string{"idempotency_key_reuse", "invalid_parser_input"}},
		{429, "too_many_requests", "Too Many Requests", []string{"rate_limit_exceeded"}},
		{500, "internal_error", "Internal Server Error", []string{"internal_server_error"}},
		{501, "not_implemented", "Not Implemented", []string{"provider_not_configured", "renderer_unavailable"}},
		{502, "bad_gateway", "Bad Gateway", []string{"fetch_failed", "search_failed"}},
		{503, "service_unavailable", "Service Unavailable", []string{"overloaded"}},
		{504, "timeout", "Gateway Timeout", []string{"request_timeout"}},
	} {
		for _, code := range tc.codes {
			if got, want := Code(code).Kind(), (Kind{Status: tc.status, Slug: tc.slug, Title: tc.title}); got != want {
				t.Errorf("%s: got %+v, want %+v", code, got, want)
			}
		}
	}
	if got := Code("something else").Kind().Status; got != 500 {
		t.Errorf("a code that is none: got status %d, want 500", got)
	}
}
