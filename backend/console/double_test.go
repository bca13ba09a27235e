package console_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// The double is the part of the API that the console uses, answering as the service contract says.
const (
	goodKey  = "tp_good0000000000000000000000000000000000000000000000"
	readKey  = "tp_read0000000000000000000000000000000000000000000000"
	otherKey = "tp_other000000000000000000000000000000000000000000000"

	batchID    = "batch_5s3cqknmzq4xhgwh2v3n7o2a7u"
	crawlID    = "crawl_5s3cqknmzq4xhgwh2v3n7o2a7u"
	scrapeID   = "scrape_5s3cqknmzq4xhgwh2v3n7o2a7u"
	searchID   = "search_5s3cqknmzq4xhgwh2v3n7o2a7u"
	answerID   = "answer_5s3cqknmzq4xhgwh2v3n7o2a7u"
	mapID      = "map_5s3cqknmzq4xhgwh2v3n7o2a7u"
	monitorID  = "monitor_5s3cqknmzq4xhgwh2v3n7o2a7u"
	eventID    = "event_5s3cqknmzq4xhgwh2v3n7o2a7u"
	runID      = "run_5s3cqknmzq4xhgwh2v3n7o2a7u"
	keyID      = "key_5s3cqknmzq4xhgwh2v3n7o2a7u"
	hostile    = `<script>alert(1)</script>"'><img src=x onerror=alert(1)>`
	theDiagram = "flowchart TD\n  n0[/\"Search the web for the price\"/]\n  n1[\"Read example.com/pricing and the pages found\"]\n" +
		"  n2[\"Take prices and plans\"]\n  n3{\"Compare with the last run\"}\n  n4[\"Say what changed\"]\n  n5([\"Tell you#64;example.com\"])\n" +
		"  n0 --> n1\n  n1 --> n2\n  n2 --> n3\n  n3 --> n4\n  n3 --> n5\n  n4 --> n5\n"
)

type double struct {
	*httptest.Server

	mu       sync.Mutex
	asked    []string // method and path, with the query
	hosts    []string
	revoked  map[string]bool
	once     map[string]string // responses by Idempotency-Key
	charges  int
	fail     map[string]answered // by method and path
	hang     chan struct{}       // if not nil: no response until it is closed
	monitors []map[string]any
	events   []map[string]any
	bodies   []string
	diff     any
	diagram  string
	runs     int
}

type answered struct {
	status int
	body   string
	header map[string]string
}

func newDouble(t *testing.T) *double {
	t.Helper()
	d := &double{revoked: map[string]bool{}, once: map[string]string{}, fail: map[string]answered{}, diagram: theDiagram}
	d.Server = httptest.NewServer(http.HandlerFunc(d.serve))
	t.Cleanup(d.Close)
	return d
}

func failure(status int, code, detail, metadata string) answered {
	return answered{status: status, body: fmt.Sprintf(
		`{"id":"error_1","object":"error","code":%q,"type":"https://docs.example.test/x","status":%d,"title":"x","detail":%q,"created":1,"metadata":%s}`,
		code, status, detail, metadata)}
}

func (d *double) set(f func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f()
}

func (d *double) serve(w http.ResponseWriter, r *http.Request) {
	d.mu.Lock()
	hang := d.hang
	d.mu.Unlock()
	if hang != nil {
		select {
		case <-hang:
		case <-r.Context().Done():
			return
		}
	}
	var body strings.Builder
	_, _ = fmt.Fprint(&body, readAll(r))
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asked = append(d.asked, r.Method+" "+r.URL.RequestURI())
	d.hosts = append(d.hosts, r.Host)
	if body.Len() > 0 {
		d.bodies = append(d.bodies, body.String())
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Request-Id", "req_of_the_double")
	put := func(a answered) {
		for name, value := range a.header {
			w.Header().Set(name, value)
		}
		w.WriteHeader(a.status)
		_, _ = w.Write([]byte(a.body))
	}
	if r.URL.Path == "/pricing" {
		put(answered{status: 200, body: `{"packs":[{"credits":10000,"price_usd":"10.00"},{"credits":20000,"price_usd":"19.00"},{"credits":80000,"price_usd":"70.00"},{"credits":100000,"price_usd":"80.00"}]}`})
		return
	}
	key := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	if (key != goodKey && key != readKey) || d.revoked[key] {
		put(failure(401, "invalid_api_key", "This API key is not known.", "{}"))
		return
	}
	if a, ok := d.fail[r.Method+" "+r.URL.Path]; ok {
		put(a)
		return
	}
	billing := r.URL.Path == "/user/purchase-topup" || r.URL.Path == "/user/payment-method" || strings.HasPrefix(r.URL.Path, "/user/keys")
	if key == readKey && (billing || r.Method != http.MethodGet) {
		put(failure(403, "access_denied", "This key has not the scope that this needs.", `{"required_scope":"billing"}`))
		return
	}
	once := r.Header.Get("Idempotency-Key")
	if kept, ok := d.once[once]; ok && once != "" {
		put(answered{status: 200, body: kept, header: map[string]string{"Idempotent-Replayed": "true"}})
		return
	}
	a := d.answer(r, body.String())
	if once != "" && a.status < 300 {
		d.once[once] = strings.ReplaceAll(a.body, `"key":"tp_new`, `"key":null,"was":"tp_new`)
	}
	put(a)
}

func (d *double) answer(r *http.Request, body string) answered {
	ok := func(text string) answered { return answered{status: 200, body: text} }
	switch path := r.URL.Path; r.Method + " " + path {
	case "GET /user/credits/info":
		return ok(`{"credits":123456,"held":40,"owed":0,"breakdown":[{"purchase_kind":"topup","allocated_units":100000,"remaining_units":98765,"expiry_date":null},{"purchase_kind":"grant","allocated_units":1000,"remaining_units":12,"expiry_date":"2027-01-01T00:00:00Z"}],"allow_usage":true}`)
	case "GET /user/usage":
		return ok(usageOf(r.URL.Query().Get("group_by")))
	case "POST /user/purchase-topup":
		d.charges++
		var wanted struct{ Credits int64 }
		_ = json.Unmarshal([]byte(body), &wanted)
		return ok(fmt.Sprintf(`{"success":true,"payment_intent_id":"pi_1","credits":%d}`, wanted.Credits))
	case "POST /user/payment-method":
		return ok(`{"url":"https://pay.example.test/setup"}`)
	case "GET /user/keys":
		return ok(`{"keys":[{"id":"` + keyID + `","object":"key","name":"first","key":null,"prefix":"tp_good","scopes":["read","write","billing"],"created_at":"2026-01-01T00:00:00Z","expires_at":null,"last_used_at":"2026-11-22T10:00:00Z","revoked_at":null,"current":true},` +
			`{"id":"key_old","object":"key","name":"old","key":null,"prefix":"tp_oldo","scopes":["read"],"created_at":"2025-01-01T00:00:00Z","expires_at":null,"last_used_at":null,"revoked_at":"2026-02-01T00:00:00Z","current":false}]}`)
	case "POST /user/keys":
		return ok(`{"id":"key_new","object":"key","name":"deploy","key":"tp_new00000000000000000000000000000000000000000000000","prefix":"tp_new0","scopes":["read","write"],"created_at":"2026-11-22T12:00:00Z"}`)
	case "DELETE /user/keys/" + keyID:
		d.revoked[goodKey] = true
		return ok(`{"id":"` + keyID + `"}`)
	case "GET /v1/batches":
		return ok(`{"object":"list","data":[` + theBatch + `],"cursor":"abc"}`)
	case "GET /v1/batches/" + batchID, "DELETE /v1/batches/" + batchID:
		return ok(theBatch)
	case "GET /v1/batches/" + batchID + "/items":
		return ok(`{"items":[{"custom_id":` + quoted(hostile) + `,"retrieve_id":"r","url":"javascript:alert(1)","status":"failed","error":{"code":"fetch_failed","detail":"The host is not known."}},{"custom_id":"2","retrieve_id":"r","url":"https://example.com/","status":"completed"}],"items_count":2,"cursor":2}`)
	case "GET /v1/crawls":
		list := strings.NewReplacer(`"status":"completed","outcome":"succeeded"`, `"status":"in_progress","outcome":null`).Replace(theCrawl)
		if r.URL.Query().Get("status") == "" {
			list += "," + theCrawl
		}
		return ok(`{"object":"list","data":[` + list + `]}`)
	case "GET /v1/crawls/" + crawlID:
		return ok(theCrawl)
	case "GET /v1/crawls/" + crawlID + "/pages":
		return ok(`{"pages":[{"url":"https://example.com/a","title":` + quoted(hostile) + `,"depth":1,"status_code":200}],"metadata":{"failed_urls":[{"url":"https://example.com/b","reason":"timeout"}]}}`)
	case "GET /v1/scrapes/" + scrapeID:
		return ok(`{"id":"` + scrapeID + `","object":"scrape","created":1790000000,"metadata":{},"url":"https://example.com/","credits_consumed":1,"result":{"markdown_content":` + quoted("# Hello\n\n"+hostile) + `,"markdown_hosted_url":"https://files.example.test/x","page_metadata":{"status_code":200,"title":` + quoted(hostile) + `,"rendered":false}}}`)
	case "GET /v1/searches/" + searchID:
		return ok(`{"id":"` + searchID + `","object":"search","created":1790000000,"query":` + quoted(hostile) + `,"credits_consumed":5,"result":{"json_content":"[]","links":[{"url":"https://example.com/","title":` + quoted(hostile) + `,"description":"d"}]}}`)
	case "GET /v1/answers/" + answerID:
		return ok(`{"id":"` + answerID + `","object":"answer","created":1790000000,"task":"How high?","credits_consumed":20,"result":{"json_content":"{\"height\":330}","sources":["https://example.com/"],"citations":[{"field":"/height","url":"https://example.com/","quote":"It is 330 m high."}]}}`)
	case "GET /v1/maps/" + mapID:
		return ok(`{"id":"` + mapID + `","object":"map","created":1790000000,"url":"https://example.com/","urls_count":2,"urls":["https://example.com/","https://example.com/a"],"cursor":null,"credits_consumed":1}`)
	case "GET /v1/schedules":
		return ok(`{"schedules":[{"team_id":"team_1","schedule_id":"schedule_1","type":"recurring","endpoint":"v1/monitors/` + monitorID + `/run","payload":{},"cron_expression":"0 * * * *","execute_at":null,"expression_timezone":"UTC","text":"every hour","created_at":"2026-11-22T10:00:00Z","state":"ENABLED","method":"POST","next_run_at":"2026-11-22T13:27:00Z","last_run":null},{"team_id":"team_1","schedule_id":"schedule_2","type":"recurring","endpoint":"v1/scrapes","payload":{"url_to_scrape":"https://example.com/"},"cron_expression":"* * * * *","execute_at":null,"expression_timezone":"UTC","text":"* * * * *","created_at":"2026-11-22T10:00:00Z","state":"ENABLED","method":"POST","next_run_at":"2026-11-22T12:28:00Z","last_run":{"id":"run_1","status":"failed","due_at":"2026-11-22T12:27:00Z","error":"No connection could be made. <b>"}}],"count":2}`)
	default:
		return d.monitorAnswer(r, body)
	}
}

func (d *double) monitorAnswer(r *http.Request, body string) answered {
	ok := func(value any) answered {
		text, err := json.Marshal(value)
		if err != nil {
			return answered{status: 500}
		}
		return answered{status: 200, body: string(text)}
	}
	path := r.URL.Path
	if path == "/v1/monitors" && r.Method == http.MethodGet {
		return ok(map[string]any{"monitors": d.monitors, "count": len(d.monitors)})
	}
	if path == "/v1/monitors" {
		var m map[string]any
		_ = json.Unmarshal([]byte(body), &m)
		if frequency, _ := m["frequency"].(string); strings.Contains(frequency, "second") {
			return answered{status: 400, body: `{"error":"The request is not valid: body.frequency: every 5 seconds is more often than every 10 minutes: try \"every hour\".","monitor_id":""}`}
		}
		d.monitors = append(d.monitors, d.monitor(m))
		a := ok(d.monitors[len(d.monitors)-1])
		a.status = 202
		return a
	}
	if len(d.monitors) == 0 || !strings.HasPrefix(path, "/v1/monitors/"+monitorID) {
		return answered{status: 404, body: `{"error":"There is no monitor with this id.","monitor_id":"` + monitorID + `"}`}
	}
	m := d.monitors[0]
	rest := strings.TrimPrefix(path, "/v1/monitors/"+monitorID)
	switch r.Method + " " + rest {
	case "GET ":
		if m["status"] == "provisioning" {
			d.runs++
		}
		if m["status"] == "provisioning" && d.runs == 2 { // the plan is made by the second look
			m["status"] = "active"
			m["last_run"] = map[string]any{"id": runID, "status": "completed", "change_detected": false, "ran_at": "2026-11-22T12:00:00Z"}
			d.events = append(d.events, map[string]any{"id": "event_baseline0000", "run_id": runID, "created": 1795348800, "changed": false, "summary": "The first run: later ones are compared with it.", "snapshot_url": "https://files.example.test/1"})
		}
		if m["status"] != "provisioning" && r.URL.Query().Get("include-diagram") == "true" {
			m["mermaid_diagram"] = d.diagram
		}
		return ok(m)
	case "DELETE ":
		m["status"] = "deleted"
		return ok(m)
	case "POST /pause":
		m["status"] = "paused"
		return ok(m)
	case "POST /resume":
		m["status"] = "active"
		return ok(m)
	case "POST /run":
		d.events = append([]map[string]any{{"id": eventID, "run_id": runID, "created": 1795352400, "changed": true, "summary": "The price of Pro went from 49.00 to 39.00 EUR.", "snapshot_url": "https://files.example.test/2"}}, d.events...)
		return ok(map[string]any{"id": runID})
	case "GET /planning":
		return ok(map[string]any{
			"spec": map[string]any{"goal": "Notice when the price of the Pro plan changes.", "reasoning": "The query names a page and a price.", "assumptions": "Prices are in euros."},
			"dag":  map[string]any{"graph": map[string]any{"nodes": []any{map[string]any{"id": "a", "type": "fetch", "label": "Read the page"}, map[string]any{"id": "b", "type": "compare", "label": ""}}, "edges": []any{map[string]any{"from": "a", "to": "b"}}}},
		})
	case "GET /events":
		return ok(map[string]any{"data": d.events, "has_more": false, "total_count": len(d.events)})
	case "GET /runs":
		return ok(map[string]any{"data": []any{map[string]any{"id": runID, "status": "completed", "started_at": "2026-11-22T12:00:00Z", "ended_at": "2026-11-22T12:00:04Z", "changed": false, "baseline": true, "credits_consumed": 6}}})
	case "GET /runs/" + runID:
		return ok(map[string]any{"id": runID, "status": "completed", "started_at": "2026-11-22T12:00:00Z", "ended_at": "2026-11-22T12:00:04Z", "credits_consumed": 6, "changed": true, "diff": theChange, "steps": []any{
			map[string]any{"id": "search", "type": "search", "status": "succeeded", "started_at": "2026-11-22T12:00:00Z", "ended_at": "2026-11-22T12:00:01.5Z", "credits": 5, "detail": "3 links found"},
			map[string]any{"id": "fetch_1", "type": "fetch", "status": "partial", "started_at": "2026-11-22T12:00:01.5Z", "ended_at": "2026-11-22T12:00:04Z", "credits": 1, "detail": "1 page read", "errors": []string{"https://example.com/b: " + hostile}},
		}})
	case "GET /events/" + eventID + "/diff":
		return ok(d.diff)
	default:
		return answered{status: 404, body: `{"error":"There is nothing here.","monitor_id":"` + monitorID + `"}`}
	}
}

func (d *double) monitor(body map[string]any) map[string]any {
	query, _ := body["query"].(string)
	frequency, _ := body["frequency"].(string)
	if frequency == "" {
		frequency = "every hour"
	}
	return map[string]any{
		"id": monitorID, "object": "monitor", "query": query, "status": "provisioning", "created": 1795348700, "total_count": 0,
		"schedule":     map[string]any{"frequency": frequency, "cron": "0 * * * *", "timezone": "UTC", "next_run_at": "2026-11-22T13:00:00Z"},
		"tracked":      map[string]any{"type": "urls", "urls": []string{"https://example.com/pricing"}, "web_query": ""},
		"mail_consent": []map[string]any{{"address": "you@example.com", "status": "pending"}},
		"notification": body["notification"], "output_schema": body["output_schema"], "error_message": nil, "webhook": nil,
		"estimated_credits_per_month": 4380,
	}
}

// theChange is a diff as change detection reports it.
var theChange = map[string]any{
	"changed": true,
	"summary": "The price of Pro went from 49.00 to 39.00 EUR, and a plan was added.",
	"changes": []any{
		map[string]any{"page": "https://example.com/pricing", "kind": "changed", "path": []string{"Plans", "Pro"}, "block": "paragraph", "before": "Pro costs 49.00 EUR a month, paid yearly.", "after": "Pro costs 39.00 EUR a month, paid yearly.", "values": []any{map[string]any{"type": "money", "unit": "EUR", "old": "49.00", "new": "39.00", "delta": "-10.00"}}},
		map[string]any{"page": "https://example.com/pricing", "kind": "added", "path": []string{"Plans"}, "block": "heading", "after": "Team: for five people and more"},
		map[string]any{"page": "https://example.com/pricing", "kind": "removed", "path": []string{"Questions"}, "block": "item", "before": "Is there a free plan? " + hostile},
	},
	"unified": "--- before\n+++ after\n@@ -1 +1 @@\n-Pro costs 49.00 EUR a month\n+Pro costs 39.00 EUR a month\n",
}

const theBatch = `{"id":"` + batchID + `","object":"batch","status":"in_progress","outcome":null,"created":1790000000,"completed_at":null,"total_urls":40,"completed_urls":21,"failed_urls":3,"parser":"none","metadata":{"for":"the <b>report</b>"},"credits_consumed":null}`

const theCrawl = `{"id":"` + crawlID + `","object":"crawl","status":"completed","outcome":"succeeded","created":1790000000,"completed_at":"2026-09-21T13:00:00Z","start_url":"https://example.com/","max_pages":100,"pages_count":73,"failed":1,"current_depth":4,"metadata":{},"credits_consumed":73}`

func usageOf(by string) string {
	const head = `{"from":"2026-10-24T00:00:00Z","to":"2026-11-22T12:00:00Z","group_by":"x","credits":1234,"requests":120,"usage":[`
	switch by {
	case "day":
		var rows []string
		for day, credits := range map[string]int{"2026-10-25": 12, "2026-10-30": 340, "2026-11-03": 80, "2026-11-12": 410, "2026-11-19": 5, "2026-11-22": 387} {
			rows = append(rows, fmt.Sprintf(`{"day":%q,"endpoint":null,"key_id":null,"key_name":null,"credits":%d,"requests":20}`, day, credits))
		}
		return head + strings.Join(rows, ",") + "]}"
	case "endpoint":
		return head + `{"day":null,"endpoint":"scrape","credits":1200,"requests":115},{"day":null,"endpoint":"search","credits":34,"requests":5}]}`
	default:
		return head + `{"key_id":"` + keyID + `","key_name":"first","credits":1200,"requests":100},{"key_id":null,"key_name":null,"credits":34,"requests":20}]}`
	}
}

func quoted(s string) string {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(text)
}
