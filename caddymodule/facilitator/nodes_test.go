package facilitator

import (
	"strings"
	"testing"
)

func TestNodeAddressesHaveNoKeys(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, value string
		isRefused   bool
	}{
		{"open", "https://mainnet.base.org", false},
		{"open with a slash", "http://127.0.0.1:8545/", false},
		{"rented", "https://base.example.com/v2/0123abcd", true},
		{"query", "https://base.example.com?key=0123abcd", true},
		{"user", "https://a:b@base.example.com", true},
		{"a key by placeholder", "https://base.example.com/{env.KEY}", false},
		{"several: open", "https://mainnet.base.org, http://127.0.0.1:8545 {env.OWN_NODE}", false},
		{"several: the second rented", "https://mainnet.base.org https://base.example.com/v2/0123abcd", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := checkNodes("it", tt.value)
			if (err != nil) != tt.isRefused {
				t.Errorf("got %v, want refused: %v", err, tt.isRefused)
			}
			if err != nil && (strings.Contains(err.Error(), "abc") || !strings.Contains(err.Error(), "{env.NAME}")) {
				t.Errorf("shows the secret, or does not say what would be right: %v", err)
			}
		})
	}
}
