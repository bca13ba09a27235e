package response

import (
	"net/http"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/payments/apikey"
)

func TestExpiredKeySaysSo(t *testing.T) {
	t.Parallel()
	no := RefuseInvalidKey(&apikey.ExpiredError{At: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)})
	want := "The API key expired on 2026-03-01T12:00:00Z. Send Authorization: Bearer <key> with a valid key."
	if no.Status != http.StatusUnauthorized || no.Code != "invalid_api_key" || no.Detail != want {
		t.Errorf("got %d %s %q, want 401 invalid_api_key %q", no.Status, no.Code, no.Detail, want)
	}
}
