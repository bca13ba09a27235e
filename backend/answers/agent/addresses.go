package agent

import (
	"regexp"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/page/fetch"
)

// linksMax is how many links of one page are recorded.
const linksMax = 5000

// addresses are the URLs that may be opened, in the form of the URL standard, without fragment. The agent opens the
// recorded URL, never the model's spelling of it.
type addresses map[string]string

func keyOf(address string) (string, bool) {
	u, err := fetch.ParseURL(strings.TrimSpace(address))
	if err != nil || u.Scheme() != "http" && u.Scheme() != "https" {
		return "", false
	}
	return u.WithoutFragment(), true
}

// allow records a URL.
func (a addresses) allow(address string) {
	if key, ok := keyOf(address); ok && a[key] == "" {
		a[key] = key
	}
}

// find returns the recorded URL that equals address.
func (a addresses) find(address string) (string, bool) {
	key, ok := keyOf(address)
	if !ok {
		return "", false
	}
	known := a[key]
	return known, known != ""
}

var inText = regexp.MustCompile(`https?://[^\s<>"'` + "`" + `]+`)

// namedIn are the URLs that a task names, with and without the punctuation after them.
func namedIn(text string) []string {
	var out []string
	for _, found := range inText.FindAllString(text, -1) {
		out = append(out, strings.TrimRight(found, ".,;:!?)]}"), found)
	}
	return out
}
