package console

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/turnpike-edge/turnpike/payments/ratelimit"
)

// signInPage is the form, and why it is shown.
type signInPage struct {
	Problem string // what was wrong with the submitted form
	Why     string // why the session ended
	Next    string
}

var whys = map[string]string{
	"over":    "Your session has expired after 12 hours. Sign in again.",
	"refused": "The key that you signed in with is no longer valid: it was revoked or has expired. Sign in with another key.",
}

func (c *Console) showSignIn(v *visit) error {
	query := v.r.URL.Query()
	if s, err := c.vault.of(v.r); err == nil && query.Get("why") == "" {
		v.session = s
		return v.to(Path)
	}
	return v.show("signin", "Sign in", &signInPage{Why: whys[query.Get("why")], Next: ownPage(query.Get("next"))})
}

// signIn checks the key with the API, and stores it in the session.
func (c *Console) signIn(v *visit) error {
	form, err := v.form()
	if err != nil {
		return err
	}
	page := &signInPage{Next: ownPage(form.Get("next"))}
	again := func(status int, problem string) {
		page.Problem = problem
		v.showStatus(status, "signin", "Sign in", page)
	}
	limited := func(who, whose string) bool {
		attempt := c.attempts.Take(who, c.attempt)
		defer attempt.Release()
		if attempt.Outcome != ratelimit.Allowed {
			again(http.StatusTooManyRequests, "Too many attempts "+whose+". Wait "+waitWords(attempt.RetryAfter())+", then try again.")
			return true
		}
		return false
	}
	if limited(c.addressOf(v.r), "from your address") {
		return nil
	}
	key, ok := cleanKey(form.Get("key"))
	if !ok {
		again(http.StatusBadRequest, "That is not an API key. Keys start with tp_ and contain no spaces.")
		return nil
	}
	if sum := sha256.Sum256([]byte(key)); limited("key "+hex.EncodeToString(sum[:]), "with this key") {
		return nil
	}
	_, err = v.callAs(key, c.config.Timeout, call{method: http.MethodGet, path: "/user/credits/info"}, nil)
	if no, refused := errors.AsType[*Refusal](err); refused {
		switch no.Status {
		case http.StatusUnauthorized:
			problem := "This key was not accepted. Check that you copied all of it, and that it was not revoked."
			if no.Detail != "" {
				problem += " The API reported: " + no.Detail
			}
			again(http.StatusUnauthorized, problem)
			return nil
		case http.StatusForbidden: // a key with fewer scopes may sign in; pages say what it may not do
			err = nil
		}
	}
	if err != nil {
		return err
	}
	c.vault.begin(v.w, key)
	if page.Next != "" {
		return v.to(page.Next)
	}
	return v.to(Path)
}

func (c *Console) signOut(v *visit) error {
	c.vault.end(v.w)
	return v.to(Path + "/sign-in?done=signedout")
}

// ownPage is the page to open after signing in, if it is a page of the console, else "".
func ownPage(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || u.Fragment != "" || len(address) > 2000 ||
		strings.ContainsAny(address, "\\\r\n\t") || strings.Contains(u.Path, "..") || !strings.HasPrefix(address, Path+"/") {
		return ""
	}
	return address
}

// addressOf is the address whose attempts are counted: as stated by the edge, or that of the connection. Forwarding
// headers are not trusted here, because anyone can set them. For IPv6 the first 64 bits count.
func (c *Console) addressOf(r *http.Request) string {
	address := ""
	if c.config.Client != nil {
		address = c.config.Client(r)
	}
	if address == "" {
		address = r.RemoteAddr
		if host, _, err := net.SplitHostPort(address); err == nil {
			address = host
		}
	}
	ip := net.ParseIP(address)
	if ip == nil {
		return clipped(address, 64)
	}
	if ip.To4() == nil {
		ip = ip.Mask(net.CIDRMask(64, 128))
	}
	return ip.String()
}
