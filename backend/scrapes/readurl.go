package scrapes

import (
	"errors"
	"net/url"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/page"
)

// targetOf parses the target URL in the path of a GET of /v1/read/…: text is everything after the prefix, as it was
// sent, with the query. A URL may be written
//
//   - as it is, with its query: https://example.com/a?b=c. Its percent-encodings are its own;
//   - with one slash after the scheme, because proxies and clients may collapse two: https:/example.com/a;
//   - percent-encoded as a whole: https%3A%2F%2Fexample.com%2Fa%3Fb%3Dc;
//   - in each of these forms without a scheme, which is https then.
//
// The errors say what is wrong with the form; fetch.ParseURL checks the resulting URL.
func targetOf(text string) (string, error) {
	path, query, hasQuery := strings.Cut(text, "?")
	if isEncodedWhole(path) {
		decoded, err := url.PathUnescape(path)
		if err != nil {
			return "", errors.New("is percent-encoded as a whole, but not validly")
		}
		if hasQuery && strings.Contains(decoded, "?") {
			return "", errors.New("has both a percent-encoded and a plain query: encode the whole URL or none of it")
		}
		path = decoded
	}
	target := path
	if hasQuery {
		target += "?" + query
	}
	switch {
	case len(target) > page.URLCharsMax:
		return "", errors.New("is longer than 8192 characters")
	case strings.Contains(target, "#"):
		return "", errors.New("has a fragment, which is never sent to a server: omit it, or write %23 for a literal #")
	}
	return withScheme(target)
}

// isEncodedWhole reports whether a colon or a slash is percent-encoded before the first plain slash. In a URL that is
// written as it is, that part is the scheme or the host, which contain neither.
func isEncodedWhole(path string) bool {
	head, _, _ := strings.Cut(path, "/")
	head = strings.ToLower(head)
	return strings.Contains(head, "%3a") || strings.Contains(head, "%2f")
}

var errScheme = errors.New("has an unsupported scheme: must be http or https")

// withScheme returns a URL with its scheme and two slashes.
func withScheme(target string) (string, error) {
	head, _, _ := strings.Cut(target, "/")
	head, _, _ = strings.Cut(head, "?")
	scheme, behind, hasColon := strings.Cut(head, ":")
	switch {
	case head == "":
		return "", errors.New("is missing: write it after /v1/read/, as in /v1/read/https://example.com/")
	case !hasColon:
		return "https://" + target, nil
	case behind == "" && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https")):
		rest := strings.TrimLeft(target[len(head):], "/")
		if rest == "" || len(target) == len(head) {
			return "", errors.New("has no host")
		}
		return strings.ToLower(scheme) + "://" + rest, nil
	case strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"):
		return "", errors.New("has no slashes after its scheme: write http:// or https://")
	case strings.Trim(behind, "0123456789") != "" && !strings.HasPrefix(head, "["):
		return "", errScheme
	case behind == "" && len(target) > len(head) && !strings.Contains(scheme, "."):
		return "", errScheme // "ftp:/…", and no port
	}
	return "https://" + target, nil
}
