package e2e

import (
	"bytes"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/payments/x402"
)

// usedPayments replays valid payments. A copied payment gets the response only for exactly the same request, and for any
// other request nothing of it. It returns the statuses and codes that occurred.
func (c *stripeFake) usedPayments(t *testing.T, tried *int) []string {
	t.Helper()
	for _, version := range []int{1, 2} {
		for _, route := range both {
			t.Run(fmt.Sprintf("used, by version %d%s", version, strings.ReplaceAll(route, "/", " ")), func(t *testing.T) {
				p := c.account(t)
				made := p.payment(t, version)
				bought := call{url: c.edge + route + "?n=1", headers: made.headers(t), body: `{"report": "mine"}`}
				first := bought.do(t)
				c.wantServed(t, first)
				before := c.books(t, p.address)

				for name, c := range c.copies(bought, made.renewed(t)) {
					*tried++
					got := c.do(t)
					got.wantStatus(t, http.StatusConflict)
					got.wantPlainHeaders(t)
					got.wantNoReceipt(t)
					var notice struct{ Error, Message string }
					if c.method != http.MethodHead {
						got.json(t, &notice)
					} else {
						notice.Error = string(x402.CodeAlreadyUsed)
					}
					if notice.Error != string(x402.CodeAlreadyUsed) || got.tells(first) {
						t.Errorf("%s: got %s with %v, want payment_already_used and nothing of the first answer", name, got.body, got.header)
					}
				}
				again := bought
				again.headers = append([]string{"User-Agent", "another", "Accept", "text/plain"}, again.headers...)
				got := again.from(t, "127.0.0.2")
				if got.status != first.status || !bytes.Equal(got.body, first.body) || got.header.Get("Etag") != first.header.Get("Etag") {
					t.Errorf("the same request from another address: got %d %s, want the same answer", got.status, got.body)
				}
				c.wantServed(t, got)
				if after := c.books(t, p.address); after != before {
					t.Errorf("books: got %+v, want them as before: %+v", after, before)
				}
			})
		}
	}
	return []string{fmt.Sprint(http.StatusConflict, " ", x402.CodeAlreadyUsed)}
}

// copies returns requests that differ from the paid one, with its payment or with another payment of the same nonce.
func (c *stripeFake) copies(bought call, renewed []string) map[string]call {
	other := func(change func(*call)) call {
		next := bought.with()
		change(&next)
		return next
	}
	return map[string]call{
		"another body":            other(func(c *call) { c.body = `{"report": "another's"}` }),
		"a body in other spacing": other(func(c *call) { c.body = `{"report":"mine"}` }),
		"no body":                 other(func(c *call) { c.body = "" }),
		"another path":            other(func(c *call) { c.url = strings.Replace(c.url, "/report", "/reports", 1) }),
		"the path in an encoding": other(func(c *call) { c.url = strings.Replace(c.url, "/report", "/%72eport", 1) }),
		"another query":           other(func(c *call) { c.url = strings.Replace(c.url, "n=1", "n=2", 1) }),
		"a longer query":          other(func(c *call) { c.url += "&m=1" }),
		"no query":                other(func(c *call) { c.url = strings.TrimSuffix(c.url, "?n=1") }),
		"PUT":                     other(func(c *call) { c.method = http.MethodPut }),
		"GET":                     other(func(c *call) { c.method = http.MethodGet }),
		"HEAD":                    other(func(c *call) { c.method = http.MethodHead }),
		"the nonce signed anew":   other(func(c *call) { c.headers = renewed }),
	}
}

// renewed returns another payment with the nonce of p.
func (p *payment) renewed(t *testing.T) []string {
	t.Helper()
	next := *p
	next.auth.ValidBefore = new(big.Int).Add(p.auth.ValidBefore, big.NewInt(1))
	return next.headers(t)
}

// tells reports whether a response contains anything of the first one.
func (a answer) tells(first answer) bool {
	text := fmt.Sprint(a.header, string(a.body))
	for _, secret := range []string{reportSecret, first.header.Get("Payment-Response"), first.header.Get("X-Payment-Response")} {
		if secret != "" && strings.Contains(text, secret) {
			return true
		}
	}
	return a.header.Get("X-Report") != "" || a.header.Get("Etag") != ""
}

// from sends the request from another local address, if the system has more than one by default (Linux).
func (c call) from(t *testing.T, address string) answer {
	t.Helper()
	l, err := net.Listen("tcp", address+":0")
	if err != nil {
		return c.do(t)
	}
	l.Close()
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	elsewhere := &http.Client{Transport: &http.Transport{DisableCompression: true, DialContext: dialer.DialContext}, Timeout: time.Minute}
	defer elsewhere.CloseIdleConnections()
	got, err := c.tryBy(t.Context(), elsewhere)
	if err != nil {
		t.Fatal(err)
	}
	return got
}
