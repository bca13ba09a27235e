package console_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"
)

// However often a purchase is sent, it is charged once.
func TestTopUpIsChargedOnce(t *testing.T) {
	t.Parallel()
	b := setup(t, nil).signIn()
	b.get("/console/top-up?credits=5").want(200, "Buy credits").wantPath("/console/credits")
	p := b.get("/console/top-up?credits=20000").want(200, "19.00 USD")
	form := url.Values{"credits": {"20000"}, "once": {p.once()}}
	done := make(chan *page, 5)
	for range 5 {
		go func() { done <- b.post("/console/top-up", form) }()
	}
	for range 5 {
		(<-done).want(200, "Purchase complete", "20,000 credits")
	}
	if b.double.charges != 1 {
		t.Errorf("got %d charges, want 1", b.double.charges)
	}
	if again := b.get("/console/top-up?credits=20000").once(); again == form.Get("once") {
		t.Error("another purchase has the same key")
	}
}

func TestTopUpsThatFail(t *testing.T) {
	t.Parallel()
	b := setup(t, nil).signIn()
	const path = "POST /user/purchase-topup"
	for _, tt := range []struct {
		answer answered
		status int
		texts  []string
		not    string
	}{
		{failure(402, "no_payment_method", "No card.", `{"setup_url":"https://pay.example.test/setup"}`), 402, []string{"No card is saved", `href="https://pay.example.test/setup"`}, "Retry purchase"},
		{failure(402, "no_payment_method", "No card.", `{"setup_url":"javascript:alert(1)"}`), 402, []string{"No card is saved", `action="/console/card"`}, "javascript:"},
		{failure(402, "card_declined", "The card was declined: no money. Nothing was charged.", `{}`), 402, []string{"The card was declined", "no money"}, "Retry purchase"},
		{failure(402, "authentication_required", "Confirm.", `{"action_url":"https://pay.example.test/3ds"}`), 402, []string{`href="https://pay.example.test/3ds"`}, "Retry purchase"},
		{failure(409, "topup_in_progress", "Another is under way.", `{}`), 409, []string{"still in progress", "Retry purchase"}, ""},
		{answered{429, failure(429, "rate_limit_exceeded", "Too soon.", `{}`).body, map[string]string{"Retry-After": "42"}}, 429, []string{"Wait 42 seconds", "Retry purchase"}, ""},
		{failure(403, "access_denied", "No.", `{"required_scope":"billing"}`), 403, []string{"billing"}, "Retry purchase"},
		{failure(501, "provider_not_configured", "Credit purchases are not configured on this service, and nothing was charged.", `{}`), 501, []string{"Credits cannot be bought here", "are not configured on this service, and nothing was charged"}, "Retry purchase"},
		{failure(500, "internal_server_error", "Something went wrong.", `{}`), 500, []string{"The outcome of the purchase is not known", "Retry purchase"}, "Purchase complete"},
		{answered{504, "", nil}, 504, []string{"not known", "Retry purchase"}, "Purchase complete"},
		{answered{202, `{"success":false,"credits":0,"status":"pending"}`, nil}, 200, []string{"Purchase in progress"}, "Purchase complete"},
	} {
		b.double.set(func() { b.double.fail[path] = tt.answer })
		once := b.get("/console/top-up?credits=10000").once()
		p := b.post("/console/top-up", url.Values{"credits": {"10000"}, "once": {once}}).want(tt.status, tt.texts...)
		if tt.not != "" {
			p.wantNot(tt.not)
		}
		if strings.Contains(p.body, "Retry purchase") && p.once() != once {
			t.Error("asking again would be another purchase")
		}
	}
	b.post("/console/card", nil).want(200, `href="https://pay.example.test/setup"`)
	b.double.set(func() {
		b.double.fail["POST /user/payment-method"] = failure(501, "provider_not_configured", "Credit purchases are not configured on this service.", `{}`)
	})
	b.post("/console/card", nil).want(501, "This service is not configured for that", "is not configured")
}

func TestKeysAreShownOnce(t *testing.T) {
	t.Parallel()
	b := setup(t, nil).signIn()
	const made = "tp_new00000000000000000000000000000000000000000000000"
	form := url.Values{"name": {"deploy"}, "scope": {"read", "write"}, "days": {"30"}, "once": {b.get("/console/keys").once()}}
	b.post("/console/keys", form).want(200, made, "This key is shown only once")
	b.post("/console/keys", form).want(200, "the key was shown then").wantNot(made)
	b.get("/console/keys").want(200).wantNot(made)
	b.double.set(func() {
		if want := `{"expires_in":2592000,"name":"deploy","scopes":["read","write"]}`; b.double.bodies[0] != want {
			t.Errorf("got %s, want %s", b.double.bodies[0], want)
		}
		b.double.fail["POST /user/keys"] = failure(400, "validation_error", "Not valid.", `{"errors":[{"loc":["body","name"],"msg":"is empty","type":"invalid"}]}`)
	})
	p := b.post("/console/keys", url.Values{"name": {hostile}, "scope": {"billing"}, "once": {"console-0123456789abcdef"}})
	p.want(400, "name is empty", `value="billing" checked`).wantNot("<script>alert")
}

// A key gets the ticked scopes and the stated expiry, or is not made.
func TestKeysMayDoWhatWasTicked(t *testing.T) {
	t.Parallel()
	b := setup(t, nil).signIn()
	once := "console-0123456789abcdef"
	b.post("/console/keys", url.Values{"name": {"deploy"}, "once": {once}}).want(400, "Select at least one scope", "deploy")
	for _, days := range []string{"soon", "0", "-1", "1e3", "99999999999999999999"} {
		b.post("/console/keys", url.Values{"name": {"deploy"}, "scope": {"read"}, "days": {days}, "once": {once}}).want(400, "could not be read")
	}
	b.double.set(func() {
		if len(b.double.bodies) > 0 {
			t.Errorf("the API was sent %v", b.double.bodies)
		}
	})
}

func TestMonitorLife(t *testing.T) {
	t.Parallel()
	b := setup(t, nil).signIn()
	b.double.set(func() { b.double.diff = theChange })
	b.get("/console/monitors").want(200, "Create your first monitor")
	once := b.get("/console/monitors/new").once()
	bad := url.Values{"query": {hostile}, "frequency": {"every 5 seconds"}, "once": {once}}
	b.post("/console/monitors", bad).want(400, "How often: every 5 seconds is more often than every 10 minutes", "&lt;script&gt;", `value="every 5 seconds"`, `aria-describedby="frequencyhint" aria-invalid="true"`).wantNot("<script>alert")
	b.post("/console/monitors", url.Values{"query": {"x"}, "schema": {"[1]"}, "once": {once}}).want(400, "are not a JSON Schema", "[1]")
	b.post("/console/monitors", url.Values{"query": {" "}, "once": {once}}).want(400, "Enter what to watch")
	b.double.set(func() { b.double.bodies = nil })
	p := b.post("/console/monitors", url.Values{
		"query": {"the price of " + hostile}, "frequency": {"every day at 9:00"}, "email": {"you@example.com"}, "event": {"changed", "failed"},
		"webhook": {"https://example.com/hook"}, "domains": {"example.com, example.org\r\n"}, "schema": {`{"type":"object"}`}, "once": {once},
	}).want(200, "The monitor has been created", "is being created", "&lt;script&gt;", "data-refresh").wantNot("<script>alert")
	want := `{"query":` + quoted("the price of "+hostile) + `,"frequency":"every day at 9:00","source_policy":{"include_domains":["example.com","example.org"]},` +
		`"notification":{"events":["changed","failed"],"channels":[{"target":"you@example.com","events":["changed","failed"]}]},` +
		`"webhook":{"url":"https://example.com/hook"},"output_schema":{"type":"object"}}`
	if got := b.double.bodies[0]; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	p.wantPath("/console/monitors/" + monitorID + "?done=created")
	b.get("/console/monitors/"+monitorID).want(200, "active", `<svg class="dag"`, "Search the web for the", "Tell you@example.com", "(has not confirmed and receives no emails yet)", "after steps", "4,380 credits").
		wantNot("data-refresh", "Resume")
	b.post("/console/monitors/"+monitorID+"/pause", nil).want(200, "The monitor is paused", "Resume").wantNot("Run now")
	b.post("/console/monitors/"+monitorID+"/resume", nil).want(200, "active again", "Pause")
	run := url.Values{"once": {b.get("/console/monitors/" + monitorID).once()}}
	b.post("/console/monitors/"+monitorID+"/run", run).want(200, "The run has started", "View changes")
	b.post("/console/monitors/"+monitorID+"/run", run).want(200)
	if len(b.double.events) != 2 {
		t.Errorf("got %d events, want 2: a run that is asked for twice by one form is one", len(b.double.events))
	}
	b.double.set(func() { b.double.diagram = "flowchart TD\na --> <script>alert(1)</script>" })
	b.get("/console/monitors/"+monitorID).want(200, `<svg class="dag"`, "Read the page").wantNot("<script>alert") // from the graph
	b.post("/console/monitors/"+monitorID+"/delete", nil).want(200, "has been deleted").wantPath("/console/monitors?done=deleted")
	b.double.set(func() {
		if !slices.Contains(b.double.asked, "DELETE /v1/monitors/"+monitorID) {
			t.Error("nothing was deleted")
		}
	})
	b.double.set(func() {
		b.double.fail["POST /v1/monitors/"+monitorID+"/pause"] = answered{409, `{"error":"It is provisioning.","monitor_id":"x"}`, nil}
	})
	b.post("/console/monitors/"+monitorID+"/pause", nil).want(409, "This is not possible right now", "It is provisioning.")
}

func TestCancels(t *testing.T) {
	t.Parallel()
	b := setup(t, nil).signIn()
	b.post("/console/batches/"+batchID+"/cancel", nil).want(200, "The job has been canceled")
	b.double.set(func() {
		if !slices.Contains(b.double.asked, "DELETE /v1/batches/"+batchID) {
			t.Error("nothing was cancelled")
		}
	})
}

// A run may end between two requests to the API. The page asks for the runs first, so that a page without a running
// run, which does not reload itself, has the event of each run it shows.
func TestRunEndsWhilePageIsRead(t *testing.T) {
	t.Parallel()
	b := setup(t, nil).signIn()
	b.post("/console/monitors", url.Values{"query": {"the price of Pro"}, "once": {"console-0123456789abcdef"}}).want(200, "The monitor has been created")
	b.double.set(func() {
		at := func(call string) int {
			return slices.IndexFunc(b.double.asked, func(asked string) bool { return strings.HasPrefix(asked, "GET /v1/monitors/"+monitorID+call) })
		}
		if runs, events := at("/runs"), at("/events"); runs < 0 || events < runs {
			t.Errorf("got %v, want the runs to be asked for before the events", b.double.asked)
		}
	})
}
