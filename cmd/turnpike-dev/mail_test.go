package main

import (
	"strings"
	"testing"
)

// Without --verbose, a development server still logs the recipient of a mail that it does not send. Otherwise nothing would
// show that there was a mail.
func TestMailLogOfDev(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	log := mailLog(&out)
	log.Info("mail is not sent", "to", "ann@example.com")
	if !strings.Contains(out.String(), "to=ann@example.com") {
		t.Errorf("got %q, want the address", out.String())
	}
}
