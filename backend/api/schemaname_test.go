package api_test

import (
	"encoding/json"
	"regexp"
	"testing"
)

// Component names use only the characters that OpenAPI allows ("Components Object"), so that tools accept them.
func TestOpenAPINames(t *testing.T) {
	t.Parallel()
	var doc struct {
		Components map[string]map[string]any
	}
	must(t, json.Unmarshal(setup(t, options{features: allFeatures()}).api.OpenAPI(), &doc))
	valid, unnamed := regexp.MustCompile(`^[A-Z][A-Za-z0-9]*$`), regexp.MustCompile(`(In|Out)putBody$`)
	for kind, components := range doc.Components {
		for name := range components {
			if kind == "schemas" && (!valid.MatchString(name) || unnamed.MatchString(name)) {
				t.Errorf("got the schema %q, want the name of a type, of letters and digits", name)
			}
		}
	}
	for _, name := range []string{"MonitorPlanSpec", "MonitorRunStep", "ScrapeRequest", "Batch", "SearchRequest", "Error", "MonitorError", "ScheduleList"} {
		if doc.Components["schemas"][name] == nil {
			t.Errorf("there is no schema %s", name)
		}
	}
}
