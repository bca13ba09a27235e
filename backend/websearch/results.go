package websearch

import (
	"slices"
	"strings"

	whatwg "github.com/nlnwa/whatwg-url/url"
)

// urlBytesMax is the maximum length of a URL, the same as for fetched URLs.
const urlBytesMax = 8192

// keep filters results by the query: URLs that can be fetched, each once, from the requested hosts, up to the limit. No
// provider does all of this itself.
func keep(q Query, provider string, found []Result) []Result {
	domains := newDomains(q)
	var kept []Result
	seen := map[string]bool{}
	for _, r := range found {
		address, host := normalise(r.URL)
		if address == "" || seen[address] || !domains.want(host) {
			continue
		}
		seen[address] = true
		r.URL = address
		if r.Provider == "" {
			r.Provider = provider
		}
		if kept = append(kept, r); len(kept) >= q.Limit {
			break
		}
	}
	return kept
}

// normalise returns a URL as the URL standard serialises it, without its fragment, and its host; "" if it cannot be
// fetched, that is, unless it is absolute, http or https, with a host and without credentials.
func normalise(address string) (normalised, host string) {
	if len(address) > urlBytesMax {
		return "", ""
	}
	u, err := whatwg.Parse(address)
	if err != nil || u.Scheme() != "http" && u.Scheme() != "https" || u.Hostname() == "" || u.Username() != "" || u.Password() != "" {
		return "", ""
	}
	if normalised = u.Href(true); len(normalised) > urlBytesMax {
		return "", ""
	}
	return normalised, strings.TrimSuffix(u.Hostname(), ".")
}

// domains decides which hosts a query accepts.
type domains struct{ include, exclude []string }

func newDomains(q Query) domains {
	return domains{include: hosts(q.Include), exclude: hosts(q.Exclude)}
}

// hosts converts names to the form of hosts in URLs. Invalid names stay: an invalid include must match nothing rather than
// everything.
func hosts(names []string) []string {
	ascii := make([]string, 0, len(names))
	for _, name := range names {
		name = strings.Trim(strings.ToLower(strings.TrimSpace(name)), ".")
		if _, host := normalise("http://" + name + "/"); host != "" && !strings.ContainsAny(name, `/\?#@: `) {
			name = host
		}
		ascii = append(ascii, name)
	}
	return ascii
}

func (d domains) want(host string) bool {
	under := func(domain string) bool { return host == domain || domain != "" && strings.HasSuffix(host, "."+domain) }
	if slices.ContainsFunc(d.exclude, under) {
		return false
	}
	return len(d.include) == 0 || slices.ContainsFunc(d.include, under)
}
