package caddymodule

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/caddyserver/caddy/v2"

	"github.com/turnpike-edge/turnpike/payments/x402"
)

// A configuration is stored, printed, sent to the admin API and compared in reviews. So a secret may be in it only as a
// placeholder. `{$NAME}` is none, because Caddy writes its value into the configuration.
const howToGiveSecret = "use a placeholder such as {env.NAME} or {file./run/secrets/name} ({$NAME} would write the value into the configuration)"

var (
	placeholder  = regexp.MustCompile(`\{[A-Za-z][^{}]*\}`)
	passwordPair = regexp.MustCompile(`(?i)(?:^|[\s?&])(?:ssl)?password\s*=\s*[^\s&]`)
)

// checkSecret returns an error unless the value is one placeholder. The error does not show the value.
func checkSecret(name, value string) error {
	if value == "" || placeholder.FindString(value) == value {
		return nil
	}
	return fmt.Errorf("%s is a secret: %s", name, howToGiveSecret)
}

// checkNoPassword returns an error if the address, or the connection string of a database, contains a password as text.
func checkNoPassword(name, address string) error {
	rest := placeholder.ReplaceAllString(address, "")
	hasPassword := passwordPair.MatchString(rest)
	if _, after, isURL := strings.Cut(rest, "://"); isURL {
		if end := strings.LastIndexByte(after, '@'); end >= 0 {
			_, password, _ := strings.Cut(after[:end], ":")
			hasPassword = hasPassword || password != ""
		}
	}
	if hasPassword {
		return fmt.Errorf("%s contains a password: %s", name, howToGiveSecret)
	}
	return nil
}

// checkNodes returns an error if a node's address may contain a key as text: node providers put keys into the user, the
// path or the query.
func checkNodes(name, addresses string) error {
	for _, address := range x402.NodeAddresses(placeholder.ReplaceAllString(addresses, "")) {
		if !isHostAlone(address) {
			return fmt.Errorf("%s contains more than a host, which may be a key: %s", name, howToGiveSecret)
		}
	}
	return nil
}

func isHostAlone(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.User == nil && u.RawQuery == "" && strings.Trim(u.Path, "/") == ""
}

// checkSigner returns an error unless a signer is a placeholder, or a service whose address cannot contain a password.
func checkSigner(text string) error {
	if strings.Contains(text, "://") {
		if !isHostAlone(placeholder.ReplaceAllString(text, "")) {
			return fmt.Errorf("signer contains more than a host and an account, which may be a password: %s", howToGiveSecret)
		}
		return nil
	}
	return checkSecret("signer", text)
}

// resolveNodes returns the nodes' addresses with placeholders replaced. A placeholder may contain several addresses.
func resolveNodes(name, addresses string) ([]string, error) {
	if err := checkNodes(name, addresses); err != nil {
		return nil, err
	}
	text, err := resolve(name, addresses)
	return x402.NodeAddresses(text), err
}

// credentialHeader matches the names of header fields that carry credentials.
var credentialHeader = regexp.MustCompile(`(?i)^(?:proxy-)?authorization$|^cookie$|key|token|secret|password`)

func checkHeader(name, value string) error {
	if credentialHeader.MatchString(name) && !placeholder.MatchString(value) {
		return fmt.Errorf("header %s is a secret: %s", name, howToGiveSecret)
	}
	return nil
}

// resolve returns a configured value with its placeholders replaced. An empty result is an error: an unset variable
// must not turn a protection off.
func resolve(name, value string) (string, error) {
	if value == "" {
		return "", fmt.Errorf("%s: is not set", name)
	}
	resolved, err := caddy.NewReplacer().ReplaceOrErr(value, true, true)
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	if resolved = strings.TrimSpace(resolved); resolved == "" {
		return "", fmt.Errorf("%s: %s is empty", name, value)
	}
	return resolved, nil
}

// resolveSecret is resolve for a value that must be a placeholder.
func resolveSecret(name, value string) (string, error) {
	if err := checkSecret(name, value); err != nil {
		return "", err
	}
	return resolve(name, value)
}
