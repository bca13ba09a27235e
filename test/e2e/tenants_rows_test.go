package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/payments/token"
)

// thing identifies a team's resource by the ids that a route takes: values of parameters in the path or the query.
type thing map[string]string

// tenantRow is a route that takes ids.
type tenantRow struct {
	// make creates a resource of p's team for each way in which the route can name it.
	make func(t *testing.T, s *stack, p *purse) []thing
	// body is the request's body.
	body string
	// shared: the route serves only resources without an owner, so it does not find the thing for its team either.
	shared bool
}

// tenantRows has a row for each route with an id in its path, or a retrieve_id. TestTenants fails for a route without
// one; readRoute is excepted, because its page belongs to nobody.
var tenantRows = map[string]tenantRow{
	"GET /v1/scrapes/{scrape_id}": {make: scrapeBy("scrape_id")},
	"GET /v1/retrieve":            {make: scrapeBy("retrieve_id")},

	"GET /v1/parsers/{parser_id}":                          {make: parserOf},
	"GET /v1/parsers/{parser_id}/versions":                 {make: parserOf},
	"DELETE /v1/parsers/{parser_id}":                       {make: parserByName},
	"GET /v1/parsers/{scope}/{name}":                       {make: scopedParserOf, shared: true},
	"GET /v1/parsers/{scope}/{name}/versions":              {make: scopedParserOf, shared: true},
	"DELETE /v1/parsers/{scope}/{name}":                    {make: scopedParserOf, shared: true},
	"POST /v1/files/{file_id}/complete":                    {make: fileOf},
	"GET /v1/files/{file_id}":                              {make: fileOf},
	"GET /v1/files/{file_id}/content":                      {make: fileOf},
	"DELETE /v1/files/{file_id}":                           {make: fileOf},
	"GET /v1/batches/{batch_id}":                           {make: batchThing},
	"GET /v1/batches/{batch_id}/items":                     {make: batchThing},
	"PATCH /v1/batches/{batch_id}":                         {make: batchThing, body: `{"metadata": {"a": "b"}}`},
	"DELETE /v1/batches/{batch_id}":                        {make: batchThing},
	"POST /v1/batches/{batch_id}/retry":                    {make: batchThing},
	"GET /v1/maps/{map_id}":                                {make: mapThing},
	"GET /v1/searches/{search_id}":                         {make: searchThing},
	"GET /v1/answers/{answer_id}":                          {make: answerThing},
	"GET /v1/crawls/{crawl_id}":                            {make: crawlThing},
	"GET /v1/crawls/{crawl_id}/pages":                      {make: crawlThing},
	"GET /v1/crawls/{crawl_id}/warc":                       {make: recordedCrawlThing},
	"DELETE /v1/crawls/{crawl_id}":                         {make: crawlThing},
	"GET /v1/monitors/{monitor_id}":                        {make: monitorThing},
	"POST /v1/monitors/{monitor_id}":                       {make: monitorThing, body: `{"metadata": {"a": "b"}}`},
	"DELETE /v1/monitors/{monitor_id}":                     {make: monitorThing},
	"POST /v1/monitors/{monitor_id}/pause":                 {make: monitorThing},
	"POST /v1/monitors/{monitor_id}/resume":                {make: monitorThing},
	"POST /v1/monitors/{monitor_id}/run":                   {make: monitorThing},
	"GET /v1/monitors/{monitor_id}/planning":               {make: monitorThing},
	"GET /v1/monitors/{monitor_id}/stream":                 {make: monitorThing},
	"GET /v1/monitors/{monitor_id}/events":                 {make: monitorThing},
	"GET /v1/monitors/{monitor_id}/runs":                   {make: monitorThing},
	"GET /v1/monitors/{monitor_id}/runs/{run_id}":          {make: of(monitorEventThing, "monitor_id", "run_id")},
	"GET /v1/monitors/{monitor_id}/events/{event_id}/diff": {make: of(monitorEventThing, "monitor_id", "event_id")},
	"POST " + redeliverPath:                                {make: deliveryOf},
	"DELETE /user/keys/{key_id}":                           {make: keyOf},
	"POST /user/keys/{key_id}/rotate":                      {make: keyOf, body: `{"overlap_seconds": 60}`},
	"GET /v1/schedules/{schedule_id}":                      {make: scheduleThing},
	"DELETE /v1/schedules/{schedule_id}":                   {make: scheduleThing},
}

// unknown returns ids of the same form that do not exist.
func (x thing) unknown() thing {
	other := thing{}
	for name, id := range x {
		prefix, _, ok := strings.Cut(id, "_")
		switch {
		case name == "scope": // part of the name
			other[name] = id
		case ok:
			other[name] = token.New(prefix)
		case name == "retrieve_id":
			other[name] = token.Random()
		default: // a name chosen by a team
			other[name] = "no-such-" + id
		}
	}
	return other
}

// creates sends a request as p, and returns fields of the response.
func creates(t *testing.T, p *purse, path, body string, fields ...string) []string {
	t.Helper()
	got := call{url: p.s.edge + path, body: body}.with(p.bearer()...).do(t)
	got.wantStatus(t, http.StatusOK)
	var object map[string]any
	got.json(t, &object)
	values := make([]string, len(fields))
	for i, field := range fields {
		if values[i], _ = object[field].(string); values[i] == "" {
			t.Fatalf("got %s, want a %s in it", got.body, field)
		}
	}
	return values
}

func scrapeBy(parameter string) func(*testing.T, *stack, *purse) []thing {
	return func(t *testing.T, s *stack, p *purse) []thing {
		t.Helper()
		c := s.scrape(s.pages.fresh())
		field := "id"
		if parameter == "retrieve_id" {
			field = parameter
		}
		return []thing{{parameter: creates(t, p, "/v1/scrapes", c.body, field)[0]}}
	}
}

const parserName = "the-harbour"

const parserDefinition = `{"name": "` + parserName + `", "schema": {"type": "object", "properties": {"title": {"type": "string"}}}, "fields": {"title": {"css": "h1"}}}`

// parserOf returns a parser by id, by version and by name.
func parserOf(t *testing.T, _ *stack, p *purse) []thing {
	t.Helper()
	id := creates(t, p, "/v1/parsers", parserDefinition, "id")[0]
	return []thing{{"parser_id": id}, {"parser_id": parserName + "@1"}, {"parser_id": parserName}}
}

// parserByName returns only the name, because only a whole parser can be deleted.
func parserByName(t *testing.T, s *stack, p *purse) []thing {
	t.Helper()
	return parserOf(t, s, p)[2:]
}

// scopedParserOf names a team's parser with a scope, although only the service's parsers have one.
func scopedParserOf(t *testing.T, s *stack, p *purse) []thing {
	t.Helper()
	parserOf(t, s, p)
	return []thing{{"scope": "@harbour", "name": parserName}, {"scope": parserName, "name": parserName}}
}

func fileOf(t *testing.T, _ *stack, p *purse) []thing {
	t.Helper()
	return []thing{{"file_id": creates(t, p, "/v1/files", `{"filename": "a.json"}`, "id")[0]}}
}

func mapThing(t *testing.T, s *stack, p *purse) []thing {
	t.Helper()
	return []thing{{"map_id": creates(t, p, "/v1/maps", fmt.Sprintf(`{"url": %q}`, s.pages.fresh()), "id")[0]}}
}

func scheduleThing(t *testing.T, _ *stack, p *purse) []thing {
	t.Helper()
	got := call{url: p.s.edge + "/v1/schedules", body: `{"method": "GET", "endpoint": "v1/files", "text": "every day"}`}.with(p.bearer()...).do(t)
	got.wantStatus(t, http.StatusOK)
	var made struct {
		Schedule struct {
			ID string `json:"schedule_id"`
		} `json:"schedule"`
	}
	got.json(t, &made)
	return []thing{{"schedule_id": made.Schedule.ID}}
}

func searchThing(t *testing.T, _ *stack, p *purse) []thing {
	t.Helper()
	return []thing{{"search_id": creates(t, p, "/v1/searches", `{"query": "harbour"}`, "id")[0]}}
}

func answerThing(t *testing.T, s *stack, p *purse) []thing {
	t.Helper()
	return []thing{{"answer_id": creates(t, p, "/v1/answers", askAbout(s.pages.fresh()), "id")[0]}}
}

func keyOf(t *testing.T, _ *stack, p *purse) []thing {
	t.Helper()
	return []thing{{"key_id": creates(t, p, "/user/keys", `{"name": "another"}`, "id")[0]}}
}
