package webhooks_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/webhooks"
	"github.com/turnpike-edge/turnpike/payments/token"
)

// call sends a request of a team and decodes the response into out, unless that is nil.
func (p *place) call(teamID, method, path string, wantStatus int, out any) string {
	p.T.Helper()
	mux := http.NewServeMux()
	p.service.Register(humago.New(mux, huma.DefaultConfig("test", "1")))
	request := httptest.NewRequestWithContext(p.T.Context(), method, path, http.NoBody)
	request = request.WithContext(principal.With(request.Context(), subscriber(teamID)))
	response := httptest.NewRecorder()
	mux.ServeHTTP(response, request)
	body := response.Body.String()
	if response.Code != wantStatus {
		p.T.Fatalf("%s %s: got %d %s, want %d", method, path, response.Code, body, wantStatus)
	}
	if out != nil {
		must(p.T, json.NewDecoder(bytes.NewReader([]byte(body))).Decode(out))
	}
	if strings.HasSuffix(path, "/secret") && response.Header().Get("Cache-Control") != "no-store" {
		p.T.Errorf("%s %s: got Cache-Control %q, want no-store", method, path, response.Header().Get("Cache-Control"))
	}
	return body
}

func (p *place) get(teamID, path string, wantStatus int, out any) {
	p.T.Helper()
	p.call(teamID, http.MethodGet, path, wantStatus, out)
}

type page struct {
	Object string               `json:"object"`
	Data   []*webhooks.Delivery `json:"data"`
	Cursor string               `json:"cursor"`
}

func TestListDeliveries(t *testing.T) {
	t.Parallel()
	p := setup(t, options{})
	good, bad := newReceiver(t, status(200)), newReceiver(t, status(410))
	for i := range 5 {
		p.tell(team, good.URL, i)
	}
	p.tell(team, bad.URL, 5)
	p.tell("team_b", good.URL, 6)
	p.ended()

	var subjects []string
	cursor := ""
	for range 4 {
		var got page
		p.get(team, "/v1/webhooks/deliveries?limit=2"+cursor, http.StatusOK, &got)
		for _, d := range got.Data {
			subjects = append(subjects, d.Subject)
		}
		if cursor = "&cursor=" + got.Cursor; got.Cursor == "" {
			break
		}
	}
	seen := map[string]bool{}
	for _, s := range subjects {
		seen[s] = true
	}
	if len(subjects) != 6 || len(seen) != 6 || seen["batch_6"] {
		t.Errorf("got %v by pages of two, want the team's six, each once", subjects)
	}
	for status, want := range map[string]int{"delivered": 5, "failed": 1, "pending": 0} {
		var got page
		if p.get(team, "/v1/webhooks/deliveries?status="+status, http.StatusOK, &got); len(got.Data) != want || got.Object != "list" {
			t.Errorf("%s: got %d, want %d", status, len(got.Data), want)
		}
	}
	for _, query := range []string{
		"status=sent", "limit=0", "limit=101", "limit=x", "cursor=x", "cursor=MQ", "cursor=LTEuZGVsaXZlcnlfMQ", "cursor=%00",
	} {
		if body := p.call(team, http.MethodGet, "/v1/webhooks/deliveries?"+query, wantOf(query), nil); body == "" {
			t.Errorf("%s: got no answer", query)
		}
	}
}

// wantOf is the status for a bad query. Where huma checks it, it is huma's own, since the server is not ours.
func wantOf(query string) int {
	if strings.HasPrefix(query, "cursor=") {
		return http.StatusBadRequest
	}
	return http.StatusUnprocessableEntity
}

// To another team, a delivery looks like one that does not exist.
func TestDeliveriesAreTheTeams(t *testing.T) {
	t.Parallel()
	p := setup(t, options{})
	r := newReceiver(t, status(200))
	p.tell(team, r.URL, 1)
	p.ended()
	redeliver := func(id string) string {
		return p.call("team_b", http.MethodPost, "/v1/webhooks/deliveries/"+id+"/redeliver", http.StatusNotFound, nil)
	}
	theirs := redeliver(p.only(team).ID)
	for name, id := range map[string]string{"an unknown id": token.New("delivery"), "no id": "delivery_x"} {
		if got := redeliver(id); got != theirs || !strings.Contains(got, "delivery_not_found") {
			t.Errorf("%s: got %s, want what another team's id gives, %s", name, got, theirs)
		}
	}
	if got := len(p.list("team_b")); got != 0 || len(r.got()) != 1 {
		t.Errorf("got %d deliveries of the other team, and %d posts, want none and one", got, len(r.got()))
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	p := setup(t, options{idle: true, fetch: publicOnly})
	for url, want := range map[string]string{
		"https://hooks.example.com/a?b=c": "", "http://hooks.example.com": "", "https://hooks.example.com:443/": "",
		"":                           "is empty",
		"hooks.example.com":          "must start with http:// or https://",
		"ftp://hooks.example.com/":   "only http and https",
		"https://u:p@example.com/":   "must not contain credentials",
		"http://localhost/":          "publicly reachable",
		"http://x.localhost./":       "publicly reachable",
		"http://127.0.0.1/":          "publicly reachable",
		"http://2130706433/":         "publicly reachable",
		"http://[::1]/":              "publicly reachable",
		"http://10.1.2.3/":           "publicly reachable",
		"http://192.168.0.1/":        "publicly reachable",
		"http://169.254.169.254/":    "publicly reachable",
		"http://[fd00::1]/":          "publicly reachable",
		"http://example.com:8080/":   "use 80 or 443",
		"https://example.com:22/":    "use 80 or 443",
		"https:///nohost":            "", // by the standard, the host is "nohost"
		"http://exa mple.com/":       "is not valid",
		strings.Repeat("x", 9000):    "longer than",
		"javascript:alert(document)": "only http and https",
		"https://example.com/\x00":   "control characters",
		"https://example.com/\r\nx":  "control characters",
	} {
		err := p.service.Check(url)
		if got := fmt.Sprint(err); (err == nil) != (want == "") || !strings.Contains(got, want) && want != "" {
			t.Errorf("%.40q: got %v, want %q", url, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "u:p") {
			t.Errorf("%q: got its password in %v", url, err)
		}
	}
}
