package batches_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/api/apitest"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/batches"
	"github.com/turnpike-edge/turnpike/dev/workshop"
)

const someItems = `"items":[{"url":"https://example.com/1"}]`

// keys makes n metadata keys.
func keys(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf(`"k%d":"v"`, i)
	}
	return strings.Join(list, ",")
}

func TestMetadataRules(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	b := apitest.Decode[batches.Batch](t, a.pay("/v1/batches", `{`+someItems+`}`))
	tests := []struct {
		name, metadata string
		fault          string // "": none
		want           map[string]string
	}{
		{"none", `{}`, "", map[string]string{}},
		{"50 keys", `{` + keys(50) + `}`, "", nil},
		{"51 keys", `{` + keys(51) + `}`, "51 keys", nil},
		{"a key of 40 characters", `{"` + strings.Repeat("é", 40) + `":"v"}`, "", map[string]string{strings.Repeat("é", 40): "v"}},
		{"a key of 41 characters", `{"` + strings.Repeat("é", 41) + `":"v"}`, "at most 40 characters", nil},
		{"an opening bracket", `{"a[":"v"}`, "square brackets", nil},
		{"a closing bracket", `{"]a":"v"}`, "square brackets", nil},
		{"an empty key", `{"":"v"}`, "must not be empty", nil},
		{"a value of 500 characters", `{"a":"` + strings.Repeat("日", 500) + `"}`, "", map[string]string{"a": strings.Repeat("日", 500)}},
		{"a value of 501 characters", `{"a":"` + strings.Repeat("日", 501) + `"}`, "at most 500 characters", nil},
		{"numbers and booleans", `{"a":1.50,"b":true,"c":-3e2}`, "", map[string]string{"a": "1.50", "b": "true", "c": "-3e2"}},
		{"an object", `{"a":{"b":"c"}}`, "not an array or object", nil},
		{"an array", `{"a":["b"]}`, "not an array or object", nil},
		{"a NUL character", `{"a":"\u0000"}`, "NUL", nil},
		{"null and nothing", `{"a":null,"b":"","c":"v"}`, "", map[string]string{"c": "v"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			created := a.pay("/v1/batches", `{`+someItems+`,"metadata":`+tt.metadata+`}`)
			ofItem := a.pay("/v1/batches", `{"items":[{"url":"https://example.com/1"},{"url":"https://example.com/2","metadata":`+tt.metadata+`}]}`)
			if tt.fault != "" {
				apitest.WantRefused(t, created, problem.InvalidMetadata, tt.fault, "body.metadata")
				apitest.WantRefused(t, ofItem, problem.InvalidMetadata, tt.fault, "body.items.1.metadata")
				apitest.WantRefused(t, a.free(http.MethodPatch, "/v1/batches/"+b.ID, `{"metadata":`+tt.metadata+`}`), problem.InvalidMetadata, tt.fault, "body.metadata")
				return
			}
			got := apitest.Decode[batches.Batch](t, created)
			apitest.Decode[batches.Batch](t, ofItem)
			if tt.want != nil && fmt.Sprint(got.Metadata) != fmt.Sprint(tt.want) {
				t.Errorf("got %v, want %v", got.Metadata, tt.want)
			}
		})
	}
}

func TestMetadataIsChanged(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	b := apitest.Decode[batches.Batch](t, a.pay("/v1/batches", `{`+someItems+`,"metadata":{"a":"1","b":"2","c":"3"}}`))
	at := "/v1/batches/" + b.ID
	changed := apitest.Decode[batches.Batch](t, a.free(http.MethodPatch, at, `{"metadata":{"a":"","b":null,"c":4,"d":true}}`))
	if want := "map[c:4 d:true]"; fmt.Sprint(changed.Metadata) != want {
		t.Errorf("got %v, want %s", changed.Metadata, want)
	}
	if again := apitest.Decode[batches.Batch](t, a.free(http.MethodGet, at, "")); fmt.Sprint(again.Metadata) != fmt.Sprint(changed.Metadata) {
		t.Errorf("read again: got %v, want %v", again.Metadata, changed.Metadata)
	}
	// The limit counts existing and added keys together.
	apitest.Decode[batches.Batch](t, a.free(http.MethodPatch, at, `{"metadata":{`+keys(48)+`}}`))
	apitest.WantRefused(t, a.free(http.MethodPatch, at, `{"metadata":{"one":"1","more":"2"}}`), problem.InvalidMetadata, "52 keys")
	for name, body := range map[string]string{
		"nothing": ``, "an empty object": `{}`, "null": `{"metadata":null}`, "another field": `{"metadata":{},"webhook":"https://example.com"}`,
		"a list": `{"metadata":[]}`, "no object": `[]`,
	} {
		if w := a.free(http.MethodPatch, at, body); w.Code != http.StatusBadRequest {
			t.Errorf("%s: got %d %s, want 400", name, w.Code, w.Body)
		}
	}
	other := a.subscriber(a.NewTeam(0))
	apitest.WantRefused(t, a.Send(http.MethodPatch, at, `{"metadata":{"a":"1"}}`, other), problem.BatchNotFound)
}

// list makes a JSON list of n items.
func list(n int, item func(i int) string) string {
	items := make([]string, n)
	for i := range items {
		items[i] = item(i)
	}
	return `{"items":[` + strings.Join(items, ",") + `]}`
}

func TestItemsThatAreRefused(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	plain := func(i int) string { return fmt.Sprintf(`{"url":"https://example.com/%d"}`, i) }
	tests := []struct {
		name, body string
		code       problem.Code
		parts      []string
	}{
		{"none", `{"items":[]}`, problem.ValidationError, []string{"body.items", "1 to 10000"}},
		{"10,001", list(10_001, plain), problem.ValidationError, []string{"body.items", "more than 10000 items"}},
		{"neither items nor a file", `{}`, problem.ValidationError, []string{"body.items", "is required", "file_id"}},
		{"null", `{"items":null}`, problem.ValidationError, []string{"body.items: is required"}},
		{"items and a file", `{"file_id":"[]",` + someItems + `}`, problem.ValidationError, []string{"body.file_id: cannot be combined with items"}},
		{"no list", `{"items":{"url":"https://example.com"}}`, problem.ValidationError, []string{"body.items: must be a list"}},
		{"text", `{"items":["https://example.com"]}`, problem.ValidationError, []string{"body.items.0: must be an object"}},
		{"null in the list", `{"items":[null]}`, problem.ValidationError, []string{"body.items.0: must be an object"}},
		{"no URL", `{"items":[{"custom_id":"a"}]}`, problem.ValidationError, []string{"body.items.0.url: is required"}},
		{"an empty URL", `{"items":[{"url":""}]}`, problem.ValidationError, []string{"body.items.0.url"}},
		{"a long URL", `{"items":[{"url":"https://example.com/` + strings.Repeat("a", 8192) + `"}]}`, problem.ValidationError, []string{"body.items.0.url"}},
		{"no URL of the web", `{"items":[{"url":"https://example.com/"},{"url":"ftp://example.com"}]}`, problem.ValidationError, []string{"body.items.1.url: must be an absolute"}},
		{"a number for a URL", `{"items":[{"url":7}]}`, problem.ValidationError, []string{"body.items.0.url: must be a string"}},
		{"an unknown field", `{"items":[{"url":"https://example.com/","color":"red"}]}`, problem.ValidationError, []string{"body.items.0.color: is not a field"}},
		{"a number for a custom_id", `{"items":[{"url":"https://example.com/","custom_id":7}]}`, problem.ValidationError, []string{"body.items.0.custom_id: must be a string"}},
		{"an empty custom_id", `{"items":[{"url":"https://example.com/","custom_id":""}]}`, problem.ValidationError, []string{"body.items.0.custom_id: must not be empty"}},
		{"a long custom_id", `{"items":[{"url":"https://example.com/","custom_id":"` + strings.Repeat("é", 256) + `"}]}`, problem.ValidationError, []string{"256 characters, at most 255"}},
		{"NUL in a custom_id", `{"items":[{"url":"https://example.com/","custom_id":"a\u0000"}]}`, problem.ValidationError, []string{"NUL"}},
		{"a custom_id twice", `{"items":[{"url":"https://a.example/","custom_id":"a"},{"url":"https://b.example/"},{"url":"https://c.example/","custom_id":"a"}]}`, problem.ValidationError, []string{"body.items.2.custom_id: is also the custom_id of item 0"}},
		{"the number of one that has none", `{"items":[{"url":"https://a.example/","custom_id":"2"},{"url":"https://b.example/"}]}`, problem.ValidationError, []string{"body.items.0.custom_id: is the number of item 1"}},
		{"metadata that is text", `{"items":[{"url":"https://example.com/","metadata":"a"}]}`, problem.InvalidMetadata, []string{"body.items.0.metadata: must be an object"}},
		{"faults of several kinds", `{"items":[{"url":"https://example.com/","metadata":{"a[":1}},{"custom_id":"b"}]}`, problem.ValidationError, []string{"body.items.0.metadata.a[", "body.items.1.url"}},
		{"an unknown field of the batch", `{` + someItems + `,"color":"red"}`, problem.ValidationError, []string{"body.color"}},
		{"a field of scrapes", `{` + someItems + `,"llm_extract":{"prompt":"x"}}`, problem.ValidationError, []string{"body.llm_extract"}},
		{"a country that is none", `{` + someItems + `,"country":"XX"}`, problem.ValidationError, []string{"body.country"}},
		{"a format that is none", `{` + someItems + `,"formats":["docx"]}`, problem.ValidationError, []string{"body.formats"}},
		{"a private webhook", `{` + someItems + `,"webhook":"http://localhost/"}`, problem.ValidationError, []string{"body.webhook: must be publicly reachable"}},
		{"a private webhook_url", `{` + someItems + `,"webhook_url":"http://localhost/"}`, problem.ValidationError, []string{"body.webhook_url: must be publicly reachable"}},
		{"two webhooks", `{` + someItems + `,"webhook":"https://a.example/","webhook_url":"https://b.example/"}`, problem.ValidationError, []string{"body.webhook: differs"}},
		{"no such file", `{"file_id":"file_none"}`, problem.FileNotFound, nil},
		{"a file with a bad item", `{"file_id":"[{\"url\":\"https://example.com\"},{\"url\":1}]"}`, problem.ValidationError, []string{"file.1.url: must be a string"}},
		{"a file with equal keys", `{"file_id":"[{\"url\":\"https://example.com\",\"URL\":\"https://b.example\"}]"}`, problem.ValidationError, []string{"file.0: at byte"}},
		{"no body", ``, problem.ValidationError, []string{"body: is empty: send a JSON object"}},
		{"a list for a body", `[]`, problem.ValidationError, []string{"body"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			// The edge passes on the refusal of the quote. A request that gets past it is refused by the operation.
			apitest.WantRefused(t, a.pay("/v1/batches", tt.body), tt.code, tt.parts...)
			id := a.subscriber(a.team)
			id.Max = 100_000
			apitest.WantRefused(t, a.Send(http.MethodPost, "/v1/batches", tt.body, id), tt.code, tt.parts...)
		})
	}
	t.Run("named up to twenty", func(t *testing.T) {
		t.Parallel()
		for _, item := range []string{`{"url":"ftp://x"}`, `{}`} {
			w := a.pay("/v1/batches", list(1000, func(int) string { return item }))
			apitest.WantRefused(t, w, problem.ValidationError)
			var e struct {
				Metadata struct{ Errors []problem.Fault }
			}
			workshop.Must(t, json.Unmarshal(w.Body.Bytes(), &e))
			if n := len(e.Metadata.Errors); n != 20 {
				t.Errorf("%s: got %d faults, want 20", item, n)
			}
		}
	})
	if n := a.Count(`select count(*) from batch`); n != 0 {
		t.Errorf("got %d batches, want none", n)
	}
}

func TestQueriesThatAreRefused(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	b := apitest.Decode[batches.Batch](t, a.pay("/v1/batches", `{`+someItems+`}`))
	items := "/v1/batches/" + b.ID + "/items"
	for _, tt := range []struct {
		query string
		ok    bool
	}{
		{"", true},
		{"?cursor=0", true},
		{"?cursor=007", true},
		{"?cursor=2147483647", true},
		{"?limit=1", true},
		{"?limit=50", true},
		{"?status=completed", true},
		{"?status=failed&limit=10&cursor=3", true},
		{"?color=red", true},
		{"?cursor=-1", false},
		{"?cursor=1.5", false},
		{"?cursor=1e3", false},
		{"?cursor=9999999999999999999", false},
		{"?cursor=2147483648", false},
		{"?cursor=", false},
		{"?cursor=1&cursor=2", false},
		{"?cursor=1&cursor=1", false},
		{"?cursor=%2B1", false},
		{"?cursor=+1", false},
		{"?cursor=0x10", false},
		{"?cursor=1_0", false},
		{"?cursor=%D9%A1", false},
		{"?cursor=abc", false},
		{"?cursor=null", false},
		{"?limit=0", false},
		{"?limit=51", false},
		{"?limit=x", false},
		{"?limit=-1", false},
		{"?limit=1.5", false},
		{"?limit=", false},
		{"?limit=5&limit=5", false},
		{"?limit=99999999999999999999", false},
		{"?limit=1e1", false},
		{"?status=", false},
		{"?status=canceled", false},
		{"?status=COMPLETED", false},
		{"?status=completed&status=failed", false},
		{"?status=in_progress", false},
	} {
		w := a.free(http.MethodGet, items+tt.query, "")
		if tt.ok {
			apitest.Decode[itemList](t, w)
			continue
		}
		name, _, _ := strings.Cut(tt.query[1:], "=")
		apitest.WantRefused(t, w, problem.ValidationError, "query."+name)
	}
	for _, tt := range []struct {
		query string
		ok    bool
	}{
		{"", true},
		{"?limit=100", true},
		{"?status=in_progress", true},
		{"?status=completed", true},
		{"?limit=0", false},
		{"?limit=101", false},
		{"?limit=x", false},
		{"?limit=", false},
		{"?limit=1&limit=1", false},
		{"?cursor=", false},
		{"?cursor=7", false},
		{"?cursor=!!", false},
		{"?cursor=MS5iYXRjaF94", false},
		{"?cursor=a&cursor=b", false},
		{"?status=failed", false},
		{"?status=", false},
	} {
		w := a.free(http.MethodGet, "/v1/batches"+tt.query, "")
		if tt.ok {
			apitest.Decode[map[string]any](t, w)
			continue
		}
		apitest.WantRefused(t, w, problem.ValidationError, "query.")
	}
}
