package facilitator

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/turnpike-edge/turnpike/caddymodule/config"
	"github.com/turnpike-edge/turnpike/payments/x402/evm"
)

// checkNodes returns an error if a node's address may contain a key as text: node providers put keys into the user, the
// path or the query.
func checkNodes(name, addresses string) error {
	for _, address := range evm.NodeAddresses(config.Placeholder.ReplaceAllString(addresses, "")) {
		if !isHostAlone(address) {
			return fmt.Errorf("%s contains more than a host, which may be a key: %s", name, config.HowToGiveSecret)
		}
	}
	return nil
}

func isHostAlone(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.User == nil && u.RawQuery == "" && strings.Trim(u.Path, "/") == ""
}

// checkSigner returns an error unless a signer is a placeholder, or a service whose address cannot contain a password.
func checkSigner(name, text string) error {
	if strings.Contains(text, "://") {
		if !isHostAlone(config.Placeholder.ReplaceAllString(text, "")) {
			return fmt.Errorf("%s contains more than a host and an account, which may be a password: %s", name, config.HowToGiveSecret)
		}
		return nil
	}
	return config.CheckSecret(name, text)
}

// resolveNodes returns the nodes' addresses with placeholders replaced. A placeholder may contain several addresses.
func resolveNodes(name, addresses string) ([]string, error) {
	if err := checkNodes(name, addresses); err != nil {
		return nil, err
	}
	text, err := config.Resolve(name, addresses)
	return evm.NodeAddresses(text), err
}
