package outbox

import "github.com/turnpike-edge/turnpike/backend/problem"

// Checker knows which addresses can be told of events: a *webhooks.Service.
type Checker interface {
	// Check says what is wrong with an address, in words for the caller: "must be …".
	Check(rawURL string) error
}

// Recipient is the address that a request asks to be told of what comes of it, "" for none: its field webhook, or
// webhook_url, which is another name for it. A nil checker delivers nothing. The error is a problem.
func Recipient(webhook, webhookURL string, checker Checker) (string, error) {
	address, name := webhook, "webhook"
	if address == "" {
		address, name = webhookURL, "webhook_url"
	}
	fault := func(msg string) error { return problem.Validation(problem.BodyFault(name, msg)) }
	switch {
	case address == "":
		return "", nil
	case webhookURL != "" && webhookURL != address:
		return "", fault("differs from webhook_url, which is another name for it: give either")
	case checker == nil:
		return "", problem.New(problem.ProviderNotConfigured, "This installation delivers no webhooks: leave webhook out.")
	}
	if err := checker.Check(address); err != nil {
		return "", fault(err.Error())
	}
	return address, nil
}
