package run_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/monitors/plan"
)

func lampPage(price, says string) string {
	return page("Lamp", "Price: "+price, "The parrot in the window says "+says+" to all who pass by.")
}

// TestLooks: parts of a page that differ on every fetch are ignored, an edit is reported, and the price is that of one page.
func TestLooks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	words := strings.Fields("ahoy bonjour ciao dag elo failte goddag hola iska jambo kia merhaba namaste ola privet salut tere ukan vanakkam wai xin yassas zdravo")
	says := 0
	next := func(price string, looks int) {
		w.answers[lampURL] = nil
		for range looks {
			w.answers[lampURL] = append(w.answers[lampURL], lampPage(price, words[says%len(words)]+fmt.Sprint(says/len(words))))
			says++
		}
	}
	m := watch(t, w, lamp)
	w.pages[lampURL] = lampPage("€49.00", "nothing")
	next("€49.00", 5)
	if o := m.baseline(); o.Credits != 1 || o.Pages != 1 || len(w.again) != 4 {
		t.Errorf("got %d credits for %d pages, and %d further looks", o.Credits, o.Pages, len(w.again))
	}
	for range 6 {
		next("€49.00", 5)
		if o := m.unchanged(); o.Credits != 1 || len(w.again) > 1 {
			t.Errorf("got %d credits, and %d further looks", o.Credits, len(w.again))
		}
	}
	next("€39.00", 5)
	if o := m.changed("39"); o.Credits != 1 || o.Pages != 1 || strings.Contains(o.Unified, "parrot") {
		t.Errorf("got %d credits: %s", o.Credits, o.Unified)
	}
}

// TestLooksThatFail: further fetches that fail do not affect the change that was seen.
func TestLooksThatFail(t *testing.T) {
	t.Parallel()
	const captcha = `<html><head><title>Just a moment...</title></head><body><h1>Checking your browser</h1><p>Verify you are human.</p></body></html>`
	for name, answer := range map[string]string{"error": "!the host cannot be reached", "captcha": captcha} {
		w := newWorld(t)
		w.pages[lampURL] = page("Lamp", "Price: €49.00")
		m := watch(t, w, lamp)
		m.baseline()
		w.answers[lampURL] = []string{page("Lamp", "Price: €39.00"), answer, answer, answer, answer}
		if o := m.changed("39"); o.Credits != 1 || o.Failed != 0 || len(w.again) == 0 {
			t.Errorf("%s: got %+v", name, o)
		}
	}
	w := newWorld(t)
	w.pages[lampURL], w.pages["https://evil.example/"] = page("Lamp", "Price: €49.00"), page("Lamp", "Price: €49.00")
	m := watch(t, w, plan.Request{Query: lamp.Query, SourcePolicy: plan.SourcePolicy{IncludeDomains: []string{"shop.example"}}})
	m.baseline()
	w.pages[lampURL] = page("Lamp", "Price: €39.00")
	w.leadsAway = lampURL
	m.changed("39")
}

// TestLooksAtFields: a field that differs between fetches of a run is no change until its value stays.
func TestLooksAtFields(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := lamp
	r.OutputSchema = json.RawMessage(`{"type":"object","properties":{"price":{"type":"number"},"watching":{"type":"integer"}}}`)
	body := func(price string, watching int) string {
		return page("Lamp", "<b>Price</b>: "+price, fmt.Sprintf("<b>Watching</b>: %d", watching))
	}
	m := watch(t, w, r)
	w.pages[lampURL] = body("€49.00", 5)
	m.baseline()
	w.answers[lampURL] = []string{body("€49.00", 7), body("€49.00", 9)}
	m.unchanged()
	w.answers[lampURL] = []string{body("€39.00", 11), body("€39.00", 13)}
	o := m.changed("price", "39")
	if strings.Contains(o.Unified, "watching") || !strings.Contains(o.Summary, "1 difference ignored") || o.Credits != 20 {
		t.Errorf("got %s for %d credits", o.Diff, o.Credits)
	}
	w.pages[lampURL] = body("€39.00", 17)
	m.changed("watching", "17")
}

// TestLooksAreBounded: with many pages, each is fetched again less often.
func TestLooksAreBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for n := range 39 {
		at := fmt.Sprintf("https://docs.example.com/%d", n)
		w.site = append(w.site, at)
		w.pages[at] = page(fmt.Sprint("Page ", n))
	}
	w.pages["https://docs.example.com/"] = page("Start") // is read too, and with it there are as many pages as the run may read
	m := watch(t, w, plan.Request{Query: "any page of docs.example.com"})
	m.limits.Pages, m.limits.Credits = 40, 80
	m.plan.DAG.Graph.Nodes = slices.Clone(m.plan.DAG.Graph.Nodes)
	for i := range m.plan.DAG.Graph.Nodes {
		if n := &m.plan.DAG.Graph.Nodes[i]; n.Type == plan.NodeFetch {
			n.Params.Limit = 40
		}
	}
	if m.baseline(); len(w.fetched) != 40 || len(w.again) != 100 {
		t.Errorf("looked again at %d of %d", len(w.again), len(w.fetched))
	}
	for range 3 {
		m.unchanged()
	}
	if len(w.again) > 0 {
		t.Errorf("looked again at %d, though nothing changed", len(w.again))
	}
}
