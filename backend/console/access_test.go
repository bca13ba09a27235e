package console_test

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/backend/console"
)

func TestSignIn(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	b.get("/console").want(200, "API key", "Sign in").wantPath("/console/sign-in")
	b.get("/console/monitors?deleted=yes").want(200, `name="next" value="/console/monitors?deleted=yes"`)
	b.post("/console/sign-in", url.Values{"key": {otherKey}}).want(401, "This key was not accepted", "This API key is not known.").wantNot(otherKey)
	b.post("/console/sign-in", url.Values{"key": {"a key"}}).want(400, "That is not an API key")
	b.post("/console/sign-in", url.Values{"key": {" " + goodKey + "\n"}, "next": {"/console/keys"}}).want(200, "Active keys").wantPath("/console/keys")
	b.get("/console/sign-in").want(200, "Overview").wantPath("/console")
	b.post("/console/sign-out", nil).want(200, "You are signed out").wantPath("/console/sign-in?done=signedout")
	b.get("/console/keys").want(200, "API key")
	b.post("/console/sign-in", url.Values{"key": {goodKey}, "next": {"https://evil.example/console/x"}}).want(200, "Overview").wantPath("/console")
}

// A key with fewer scopes signs in; pages say what it may not do.
func TestScopes(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	b.post("/console/sign-in", url.Values{"key": {readKey}}).want(200, "123,456")
	b.get("/console/keys").want(403, "This key lacks permission", "This requires the scope “billing”", "Sign out")
}

func TestSessionsEnd(t *testing.T) {
	t.Parallel()
	b := setup(t, nil).signIn()
	b.clock.pass(console.SessionMax)
	b.get("/console/jobs").want(200, "Your session has expired", `name="next" value="/console/jobs"`)
	b.signIn()
	b.double.set(func() { b.double.revoked[goodKey] = true })
	b.get("/console").want(200, "The key that you signed in with is no longer valid")
	for _, cookie := range b.client.Jar.Cookies(must(url.Parse(b.url))) {
		t.Errorf("got a cookie %s", cookie.Name)
	}
	b.get("/console/jobs").want(200, "API key").wantNot("Your session has expired")
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func TestRevokesItsOwnKey(t *testing.T) {
	t.Parallel()
	b := setup(t, nil).signIn()
	b.post("/console/keys/"+keyID+"/revoke", nil).want(200, "is no longer valid").wantPath("/console/sign-in?next=%2Fconsole%2Fkeys%3Fdone%3Drevoked&why=refused")
}

func TestAttemptsAreLimited(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *console.Config) { c.Client = func(r *http.Request) string { return r.Header.Get("Stated") } })
	attempt := func(key, stated, forwarded string) *page {
		t.Helper()
		return b.do(http.MethodPost, "/console/sign-in", url.Values{"key": {key}}, map[string]string{"Stated": stated, "X-Forwarded-For": forwarded})
	}
	wrong := func(n int) string { return otherKey[:len(otherKey)-2] + strconv.Itoa(10+n) }
	for n := range 10 {
		attempt(wrong(n), "198.51.100.7", "192.0.2."+strconv.Itoa(n)).want(401)
	}
	attempt(goodKey, "198.51.100.7", "192.0.2.77").want(429, "Too many attempts from your address", "Wait 6 seconds")
	attempt(wrong(11), "198.51.100.8", "192.0.2.77").want(401)
	// Without a trusted header, the address is that of the connection. What the client claims is ignored.
	for n := range 10 {
		attempt(wrong(20+n), "", "192.0.2."+strconv.Itoa(n)).want(401)
	}
	attempt(wrong(30), "", "192.0.2.99").want(429, "from your address")
	// Attempts with one key are counted across addresses.
	for n := range 10 {
		attempt(otherKey, "203.0.113."+strconv.Itoa(n), "").want(401)
	}
	attempt(otherKey, "203.0.113.77", "").want(429, "Too many attempts with this key")
	b.clock.pass(6 * time.Second)
	b.signIn()
}

// Another site can neither read nor do anything.
func TestOtherSites(t *testing.T) {
	t.Parallel()
	b := setup(t, nil).signIn()
	for _, header := range []map[string]string{
		{"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}, {"Origin": "https://evil.example"}, {"Origin": "null"},
	} {
		p := b.do(http.MethodPost, "/console/keys", url.Values{"name": {"x"}, "once": {"console-0123456789abcdef"}}, header)
		p.want(403, "The form was sent from another site")
	}
	b.double.set(func() {
		if slices.Contains(b.double.asked, "POST /user/keys") {
			t.Error("a form of another site was sent on")
		}
	})
}

func TestHeaders(t *testing.T) {
	t.Parallel()
	b := setup(t, nil).signIn()
	for _, path := range []string{"/console", "/console/keys", "/console/nothing", "/console/scrapes/none"} {
		p := b.get(path)
		policy := p.header.Get("Content-Security-Policy")
		for _, part := range []string{"default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "form-action 'self'", "base-uri 'none'"} {
			if !strings.Contains(policy, part) {
				t.Errorf("%s: got policy %q, want %q in it", path, policy, part)
			}
		}
		if strings.Contains(policy, "unsafe") || p.header.Get("X-Content-Type-Options") != "nosniff" || p.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: got %v", path, p.header)
		}
		p.wantNot("<style", " style=", " onclick", "<script>")
	}
	for _, name := range []string{"style.css", "script.js"} {
		if p := b.get("/console/" + name); p.status != 200 || !strings.Contains(p.header.Get("Cache-Control"), "immutable") {
			t.Errorf("%s: got %d %v", name, p.status, p.header)
		}
	}
}

// The console calls the API with the host of its own public address, which the edge needs if it is reached by another address.
func TestReachesTheEdge(t *testing.T) {
	t.Parallel()
	b := setup(t, nil).signIn()
	want := strings.TrimPrefix(b.url, "http://")
	b.double.set(func() {
		for _, host := range b.double.hosts {
			if host != want {
				t.Errorf("got host %s, want %s", host, want)
			}
		}
	})
}

func TestSlowAndLargeForms(t *testing.T) {
	t.Parallel()
	b := setup(t, nil).signIn()
	b.post("/console/monitors", url.Values{"query": {strings.Repeat("x", 1<<17)}}).want(413, "The form is too large")
	b.post("/console/monitors", url.Values{"query": {"x"}, "once": {"mine"}}).want(400, "could not be read")
	b.post("/console/top-up", url.Values{"credits": {"many"}, "once": {"console-0123456789abcdef"}}).want(400, "could not be read")
}

func TestConfig(t *testing.T) {
	t.Parallel()
	_, err := console.New(console.Config{PublicURL: "api.example.com", APIURL: "ftp://x", Secret: []byte("short")})
	for _, want := range []string{"PublicURL", "APIURL", "secret", "Logger", "Now"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s in it", err, want)
		}
	}
}

// A bad reply of the API becomes a page that says so, never a broken page.
func TestBadAnswers(t *testing.T) {
	t.Parallel()
	b := setup(t, nil).signIn()
	answer := func(a answered) { b.double.set(func() { b.double.fail["GET /v1/monitors"] = a }) }
	retry := map[string]string{"Retry-After": "7"}
	for _, tt := range []struct {
		answer answered
		status int
		texts  []string
	}{
		{failure(402, "credits_exhausted", "This costs 5 credits, and 2 are there.", `{"credits_required":5}`), 402, []string{"Not enough credits", "This costs 5 credits", "Buy credits"}},
		{failure(403, "access_denied", "No.", `{"required_scope":"<b>"}`), 403, []string{"“&lt;b&gt;”"}},
		{failure(404, "not_found", "There is none.", `{}`), 404, []string{"Nothing found with this ID"}},
		{failure(409, "invalid_state", "It is provisioning.", `{}`), 409, []string{"This is not possible right now", "It is provisioning."}},
		{answered{429, failure(429, "rate_limit_exceeded", "Slow down.", `{}`).body, retry}, 429, []string{"Too many requests", "Wait 7 seconds"}},
		{answered{503, failure(503, "overloaded", "Busy.", `{}`).body, retry}, 503, []string{"Busy.", "Wait 7 seconds"}},
		{failure(400, "validation_error", "The request is not valid.", `{"errors":[{"loc":["body","frequency"],"msg":"is too often","type":"invalid"}]}`), 400, []string{"frequency is too often"}},
		{failure(500, "internal_server_error", hostile, `{}`), 500, []string{"&lt;script&gt;", "req_of_the_double"}},
		{answered{502, "<html>bad gateway</html>", nil}, 502, []string{"The service has a problem"}},
		{answered{302, "", map[string]string{"Location": "https://evil.example/"}}, 502, []string{"The service has a problem"}},
		{answered{200, "<html>", nil}, 502, []string{"returned an invalid response"}},
		{answered{200, `{"monitors":"none"}`, nil}, 502, []string{"returned an invalid response"}},
		{answered{200, `{"monitors":[],"x":"` + strings.Repeat("x", 9<<20) + `"}`, nil}, 502, []string{"too large for a page"}},
		{answered{400, `{"error":"No monitor may do that.","monitor_id":""}`, nil}, 400, []string{"No monitor may do that."}},
		{answered{404, `[]`, nil}, 404, []string{"Nothing found with this ID"}},
	} {
		answer(tt.answer)
		b.get("/console/monitors").want(tt.status, tt.texts...).wantNot("<script>alert", "<html>bad")
	}
	// If one part of a page fails, the others are still shown.
	b.double.set(func() {
		delete(b.double.fail, "GET /v1/monitors")
		b.double.fail["GET /user/usage"] = failure(500, "x", "Broken.", "{}")
	})
	b.get("/console").want(200, "123,456", "Broken.", "No monitors yet")
	b.double.Close()
	b.get("/console/monitors").want(502, "cannot be reached")
	b.get("/console").want(200, "cannot be reached", "Sign out")
}

// The console waits for a hanging API only until its timeout.
func TestSlowAnswer(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *console.Config) { c.Timeout = 2 * time.Second }).signIn()
	hang := make(chan struct{})
	defer close(hang)
	b.double.set(func() { b.double.hang = hang })
	b.get("/console/monitors").want(504, "slow to respond")
}

// Ids become paths of the API: only well-formed ids are used.
func TestIDs(t *testing.T) {
	t.Parallel()
	b := setup(t, nil).signIn()
	before := len(b.double.asked)
	for _, path := range []string{
		"/batches/x", "/batches/crawl_1", "/batches/batch_1%2F..%2Fkeys", "/batches/batch_1%3Fx=1", "/scrapes/batch_1", "/monitors/monitor_", "/monitors/monitor_1/events/x",
		"/nothing", "/monitors/x/runs/run_1",
	} {
		b.get("/console"+path).want(404, "Page not found")
	}
	b.double.set(func() {
		if got := b.double.asked[before:]; len(got) > 0 {
			t.Errorf("the API was asked %v", got)
		}
	})
	b.get("/console/find?id="+url.QueryEscape("<b>")).want(404, "That is not a valid ID", "&lt;b&gt;")
	b.get("/console/find?id="+batchID).want(200, "24 of 40").wantPath("/console/batches/" + batchID)
}

// The edge allows any origin to read, unless the response says otherwise.
func TestOtherOriginsReadNothing(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	for _, path := range []string{"/console/sign-in", "/console/style.css", "/console/nothing"} {
		if got := b.get(path).header.Get("Access-Control-Allow-Origin"); got != b.url {
			t.Errorf("%s: got %q may read, want %q", path, got, b.url)
		}
	}
}
