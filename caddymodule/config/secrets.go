package config

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/ethereum/go-ethereum/common"
)

// HowToGiveSecret ends the error for a secret that is given as text.
//
// A configuration is stored, printed, sent to the admin API and compared in reviews. So a secret may be in it only as a
// placeholder. `{$NAME}` is none, because Caddy writes its value into the configuration.
const HowToGiveSecret = "use a placeholder such as {env.NAME} or {file./run/secrets/name} ({$NAME} would write the value into the configuration)"

var (
	// Placeholder matches one placeholder of Caddy, such as {env.NAME}.
	Placeholder  = regexp.MustCompile(`\{[A-Za-z][^{}]*\}`)
	passwordPair = regexp.MustCompile(`(?i)(?:^|[\s?&])(?:ssl)?password\s*=\s*[^\s&]`)
)

// CheckSecret returns an error unless the value is one placeholder. The error does not show the value.
func CheckSecret(name, value string) error {
	if value == "" || Placeholder.FindString(value) == value {
		return nil
	}
	return fmt.Errorf("%s is a secret: %s", name, HowToGiveSecret)
}

// CheckNoPassword returns an error if the address, or the connection string of a database, contains a password as text.
func CheckNoPassword(name, address string) error {
	rest := Placeholder.ReplaceAllString(address, "")
	hasPassword := passwordPair.MatchString(rest)
	if _, after, isURL := strings.Cut(rest, "://"); isURL {
		if end := strings.LastIndexByte(after, '@'); end >= 0 {
			_, password, _ := strings.Cut(after[:end], ":")
			hasPassword = hasPassword || password != ""
		}
	}
	if hasPassword {
		return fmt.Errorf("%s contains a password: %s", name, HowToGiveSecret)
	}
	return nil
}

// credentialHeader matches the names of header fields that carry credentials.
var credentialHeader = regexp.MustCompile(`(?i)^(?:proxy-)?authorization$|^cookie$|key|token|secret|password`)

// CheckHeader returns an error if a header that carries a credential has no placeholder in its value.
func CheckHeader(name, value string) error {
	if credentialHeader.MatchString(name) && !Placeholder.MatchString(value) {
		return fmt.Errorf("header %s is a secret: %s", name, HowToGiveSecret)
	}
	return nil
}

// Resolve returns a configured value with its placeholders replaced. An empty result is an error: an unset variable
// must not turn a protection off.
func Resolve(name, value string) (string, error) {
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

// ResolveAddress is Resolve for an address on a chain.
func ResolveAddress(name, value string) (common.Address, error) {
	text, err := Resolve(name, value)
	if err == nil && !common.IsHexAddress(text) {
		err = fmt.Errorf("%s: %q is not an address, want 0x and 40 hexadecimal digits", name, text)
	}
	return common.HexToAddress(text), err
}

// ResolveSecret is Resolve for a value that must be a placeholder.
func ResolveSecret(name, value string) (string, error) {
	if err := CheckSecret(name, value); err != nil {
		return "", err
	}
	return Resolve(name, value)
}
