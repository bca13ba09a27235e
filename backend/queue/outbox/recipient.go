package outbox

import "github.com/turnpike-edge/turnpike/backend/api/problem"

// Checker knows which addresses can receive events: a *webhooks.Service.
type Checker interface {
	// Check says what is wrong with an address, in words for the client: "must be …".
	Check(rawURL string) error
}

// Recipient returns the address that a request names for events about its result, or "": the field webhook, or its
// other name webhook_url. A nil checker means that no webhooks are delivered. The error is a problem.
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
		return "", fault("differs from webhook_url, which is another name for webhook: give only one")
	case checker == nil:
		return "", problem.New(problem.ProviderNotConfigured, "This installation does not deliver webhooks: omit webhook.")
	}
	if err := checker.Check(address); err != nil {
		return "", fault(err.Error())
	}
	return address, nil
}
