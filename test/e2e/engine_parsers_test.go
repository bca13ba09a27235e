//go:build linux

package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/turnpike-edge/turnpike/dev/rig"
)

// definitionOf returns a parser with one field.
func definitionOf(name, field string) map[string]any {
	return map[string]any{"name": name, "schema": map[string]any{"type": "object"}, "fields": map[string]any{"v": json.RawMessage(field)}}
}

// parserWorkers returns the processes in which the backend runs parsers.
func (e *engine) parserWorkers() []int {
	return slices.DeleteFunc(rig.Children(e.worker.PID()), func(pid int) bool { return !slices.Contains(arguments(pid), "parser-worker") })
}

// TestEngineParserBombs shows that a definition made to crash the service fails only its own run and costs nothing, that
// eight at once keep the backend within its limits, and that other parsers still work.
func TestEngineParserBombs(t *testing.T) {
	t.Parallel()
	e := newEngine(t, nil, "TURNPIKE_HOST_RATE=off", "TURNPIKE_BROWSER=off")
	replace := `'aaaaaaaaaaaaaaaaaaaa'`
	for range 5 {
		replace = "replace(" + replace + `,'.','` + strings.Repeat("$0", 60) + `')`
	}
	many := strings.Repeat("<p>x", 60_000)
	bombs := map[string]struct {
		field, html string
		status      int
	}{
		"nested replace": {`{"xpath":"` + replace + `"}`, "<p>x", http.StatusBadRequest},
		"string-join":    {`{"xpath":"string-join(//p, string(//b))"}`, many, http.StatusBadRequest},
		"defaults":       {`{"css":"p","all":true,"fields":{"a":{"css":"b","default":"` + strings.Repeat("y", 50_000) + `"}}}`, many, http.StatusUnprocessableEntity},
		"nodes of nodes": {`{"xpath":"//*[//*[//*[not(.)]]]"}`, many, http.StatusUnprocessableEntity},
		"concat":         {`{"xpath":"string-length(concat(//p` + strings.Repeat(",//p", 150) + `))"}`, "<p>" + strings.Repeat("abcdefghij", 90_000), http.StatusUnprocessableEntity},
	}
	resetPeak(t, e.worker.PID())
	var asking sync.WaitGroup
	for name, bomb := range bombs {
		for range 2 {
			asking.Go(func() {
				got, err := e.scrape(t.Context(), "/v1/parsers/test", map[string]any{"parser": definitionOf("bomb", bomb.field), "html": bomb.html})
				if err != nil || got.Status != bomb.status || got.Detail == "" {
					t.Errorf("%s: got %s, %v, want %d", name, got, err, bomb.status)
				}
			})
		}
	}
	asking.Wait()
	resident, peak := memory(t, e.worker.PID())
	t.Logf("the backend had %d MiB at most, %d after", peak/mebibyte, resident/mebibyte)
	if peak > workerBytesMax/2 {
		t.Errorf("the backend took %d MiB", peak/mebibyte)
	}

	// A killed parser worker is replaced. When the backend ends, its parser workers end too.
	mild := definitionOf("mild", `{"css":"h1"}`)
	if got, err := e.scrape(t.Context(), "/v1/parsers", mild); err != nil || got.Status >= 300 {
		t.Fatalf("storing a parser: got %s, %v", got, err)
	}
	for range 3 {
		workers := e.parserWorkers()
		if len(workers) == 0 {
			t.Fatal("no parser ran in a process of its own")
		}
		for _, pid := range workers {
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
				t.Error(err)
			}
		}
		got := e.page(t, e.site.url+"/article/parsed", map[string]any{"formats": []string{"json"}, "parser": "mild"})
		if !strings.Contains(string(got.body), `Tides at /article/parsed`) || !strings.Contains(string(got.body), `json_content`) {
			t.Errorf("got %s, want what the parser finds", got.body)
		}
	}
	workers := e.parserWorkers()
	if err := e.worker.Kill(); err != nil {
		t.Fatal(err)
	}
	for _, pid := range workers {
		awaitEnd(t, pid)
	}
}

// awaitEnd waits until a process has ended.
func awaitEnd(t *testing.T, pid int) {
	t.Helper()
	tick := newTicks()
	defer tick.Stop()
	for range 20 {
		if len(groupOf(pid)) == 0 {
			return
		}
		<-tick.C
	}
	t.Errorf("the process %d (%s) is left", pid, fmt.Sprint(arguments(pid)))
}
