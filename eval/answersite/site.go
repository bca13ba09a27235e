package answersite

import (
	"net"
	"net/http"
	"strings"
)

// Site serves a set over HTTP. It is safe for concurrent use.
type Site struct{ Set *Set }

// ServeHTTP answers with the page of the request's host and path; the host is what the set's origin made of it.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	page := s.Set.Page("http://" + r.Host + r.URL.RequestURI())
	if page == nil {
		page = s.Set.Page("https://" + r.Host + r.URL.RequestURI())
	}
	if page == nil {
		http.NotFound(w, r)
		return
	}
	mediaType := page.MediaType
	if strings.HasPrefix(mediaType, "text/") {
		mediaType += "; charset=utf-8"
	}
	w.Header().Set("Content-Type", mediaType)
	if !page.Published.IsZero() {
		w.Header().Set("Last-Modified", page.Published.UTC().Format(http.TimeFormat))
	}
	_, _ = w.Write(page.Body)
}

// Loopback gives each host of a set an address of this machine, all with one port: 127.0.<network>.1 to the first that is
// asked for, and so on.
func Loopback(network, port string) *Addresses {
	return &Addresses{network: network, port: port, of: map[string]string{}}
}

// Addresses are those that hosts were given.
type Addresses struct {
	network, port string
	of            map[string]string
	// All are the addresses, without the port.
	All []string
}

// Origin is where a host is served.
func (a *Addresses) Origin(host string) string {
	if a.of[host] == "" {
		address := "127.0." + a.network + "." + itoa(len(a.of)+1)
		a.of[host] = "http://" + net.JoinHostPort(address, a.port)
		a.All = append(a.All, address)
	}
	return a.of[host]
}
