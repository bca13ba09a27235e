package console_test

import (
	"net/url"
	"testing"
)

func TestPages(t *testing.T) {
	t.Parallel()
	b := setup(t, nil).signIn()
	b.double.set(func() {
		b.double.monitors, b.double.diff = []map[string]any{b.double.monitor(map[string]any{"query": "q"})}, theChange
	})
	b.post("/console/monitors/"+monitorID+"/run", url.Values{})
	for path, texts := range map[string][]string{
		"":                                   {"123,456", "<svg", "410", "24 October 2026 to 22 November 2026", batchID[:10]},
		"/credits":                           {"98,765", "80.00 USD", "scrape", "No key (scheduled work)", "1 Jan 2027"},
		"/keys":                              {"first", "tp_good", "revoked"},
		"/jobs":                              {"24 of 40", "73 of 100", "<td>73</td>", "Older batches"},
		"/batches/" + batchID:                {"Cancel batch", "The host is not known.", "?cursor=2"},
		"/crawls/" + crawlID:                 {"73 credits", "timeout"},
		"/scrapes/" + scrapeID:               {"# Hello", "1 credit"},
		"/searches/" + searchID:              {"5 credits"},
		"/answers/" + answerID:               {"It is 330 m high.", "&#34;height&#34;: 330"},
		"/maps/" + mapID:                     {"https://example.com/a"},
		"/monitors":                          {"every hour"},
		"/monitors/new":                      {"What to watch"},
		"/monitors/" + monitorID:             {"The price of Pro went"},
		"/monitors/" + monitorID + "/delete": {"Delete monitor"},
		"/monitors/" + monitorID + "/events/" + eventID: {"<del>49.00</del>", "<ins>39.00</ins>", "49.00 EUR to 39.00 EUR", "Plans › Pro"},
		"/monitors/" + monitorID + "/runs/" + runID:     {"3 links found", "1.5 s"},
		"/schedules":                 {"every hour", "View monitor", "enabled"},
		"/top-up?credits=20000":      {"Buy 20,000 credits for 19.00 USD"},
		"/keys/" + keyID + "/revoke": {"You are signed in with this key"},
		"/find?id=" + scrapeID:       {"# Hello"},
	} {
		t.Run(path, func(t *testing.T) {
			p := b.get("/console"+path).want(200, texts...)
			p.wantNot("<script>alert", "<img", goodKey, `href="javascript`)
			if p.header.Get("Cache-Control") != "no-store" {
				t.Errorf("got Cache-Control %q", p.header.Get("Cache-Control"))
			}
		})
	}
}
