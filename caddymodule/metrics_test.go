package caddymodule

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/turnpike-edge/turnpike/caddymodule/metrics/metricstest"
)

const metricsPage = "../docs/metrics.md"

// describedMetric is a metric as its collector describes it.
type describedMetric struct {
	help   string
	labels []string
}

var description = regexp.MustCompile(`^Desc\{fqName: "([^"]+)", help: "((?:[^"\\]|\\.)*)",(?: unit: "[^"]*",)? constLabels: \{\}, variableLabels: \{([^}]*)\}`)

// describedMetrics are all that the edge registers, by name.
func describedMetrics(t *testing.T) map[string]describedMetric {
	t.Helper()
	found := map[string]describedMetric{}
	for _, c := range collectors() {
		descs := make(chan *prometheus.Desc, 16)
		c.Describe(descs)
		close(descs)
		for desc := range descs {
			m := description.FindStringSubmatch(desc.String())
			if m == nil {
				t.Fatalf("cannot read %s", desc)
			}
			labels := strings.FieldsFunc(m[3], func(r rune) bool { return r == ',' || r == ' ' })
			found[m[1]] = describedMetric{help: m[2], labels: labels}
		}
	}
	return found
}

// The page lists every metric with its labels and meaning, and no other metric.
func TestPageListsMetrics(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(metricsPage)
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	described := describedMetrics(t)
	row := regexp.MustCompile("(?m)^\\| `(turnpike_[a-z0-9_]+)` \\| ([a-z]+) \\| (.*?) \\| (.*?) \\|$")
	for _, m := range row.FindAllStringSubmatch(string(page), -1) {
		name, labels, text := m[1], m[3], m[4]
		metric, ok := described[name]
		if !ok || listed[name] {
			t.Errorf("%s lists %s, which is not registered, or twice", metricsPage, name)
			continue
		}
		listed[name] = true
		want := "–"
		if len(metric.labels) > 0 {
			want = "`" + strings.Join(metric.labels, "`, `") + "`"
		}
		if labels != want {
			t.Errorf("%s: got labels %s of %s, want %s", metricsPage, labels, name, want)
		}
		if text != metric.help {
			t.Errorf("%s: got %q for %s, want its help %q", metricsPage, text, name, metric.help)
		}
	}
	for name := range described {
		if !listed[name] {
			t.Errorf("%s does not list %s", metricsPage, name)
		}
	}
}

// The dashboards query only metrics and labels that exist.
func TestDashboardsAskForMetricsThatThereAre(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../docs/grafana/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("got %d dashboards (%v), want some", len(files), err)
	}
	described := describedMetrics(t)
	name := regexp.MustCompile(`\b(turnpike_[a-z0-9_]+)(\{[^}]*\})?`)
	label := regexp.MustCompile(`(\w+)\s*[=!]~?`)
	by := regexp.MustCompile(`by\s*\(([^)]*)\)`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var dashboard struct {
			Title  string
			UID    string
			Panels []struct {
				Title   string
				Type    string
				Targets []struct{ Expr string }
			}
		}
		if err := json.Unmarshal(text, &dashboard); err != nil || dashboard.Title == "" || dashboard.UID == "" || len(dashboard.Panels) == 0 {
			t.Errorf("%s: got %q with %d panels (%v), want a dashboard", file, dashboard.Title, len(dashboard.Panels), err)
		}
		for _, panel := range dashboard.Panels {
			if panel.Type == "row" {
				continue
			}
			if len(panel.Targets) == 0 {
				t.Errorf("%s: panel %q asks for nothing", file, panel.Title)
			}
			for _, target := range panel.Targets {
				asked := name.FindAllStringSubmatch(target.Expr, -1)
				if len(asked) == 0 {
					t.Errorf("%s: panel %q: no metric of ours in %s", file, panel.Title, target.Expr)
				}
				labels := map[string]bool{"le": true, "instance": true, "job": true}
				for _, m := range asked {
					metric, ok := described[m[1]]
					for _, suffix := range []string{"_bucket", "_sum", "_count"} {
						if !ok { // a histogram's
							metric, ok = described[strings.TrimSuffix(m[1], suffix)]
						}
					}
					if !ok {
						t.Errorf("%s: panel %q asks for %s, which there is not", file, panel.Title, m[1])
					}
					for _, l := range metric.labels {
						labels[l] = true
					}
					for _, l := range label.FindAllStringSubmatch(m[2], -1) {
						if !labels[l[1]] {
							t.Errorf("%s: panel %q: %s has no label %s", file, panel.Title, m[1], l[1])
						}
					}
				}
				for _, m := range by.FindAllStringSubmatch(target.Expr, -1) {
					for l := range strings.SplitSeq(m[1], ",") {
						if l = strings.TrimSpace(l); !labels[l] {
							t.Errorf("%s: panel %q: no label %s in %s", file, panel.Title, l, target.Expr)
						}
					}
				}
			}
		}
	}
}

// TestPanelsHaveASeriesFromTheStart shows that no panel of the x402 dashboard is empty before the first event of its
// kind: otherwise the rate of that event would not be shown.
func TestPanelsHaveASeriesFromTheStart(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../docs/grafana/x402.json")
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{ // these are queried on each scrape
		"turnpike_x402_unknown_settlements": true, "turnpike_x402_refunds_due": true, "turnpike_x402_stranded_payments": true,
		"turnpike_x402_signer_balance_wei": true, "turnpike_x402_nodes_away": true,
	}
	for _, c := range collectors() {
		for series := range metricstest.Gather(t, c) {
			name, labels, _ := strings.Cut(series, ",")
			there[name] = true
			there[name+","+labels] = true
		}
	}
	asked := regexp.MustCompile(`\b(turnpike_x402_[a-z0-9_]+?)(?:_bucket|_count)?\b(?:\{outcome(!?)=\\"(\w+)\\"\})?[\[) ]`)
	found := asked.FindAllStringSubmatch(string(text), -1)
	if len(found) < 15 {
		t.Fatalf("got %d queries, want all of the dashboard", len(found))
	}
	for _, m := range found {
		series := m[1]
		if m[3] != "" && m[2] == "" {
			series += "," + m[3]
		}
		if !there[series] {
			t.Errorf("a panel asks for %s, of which there is no series before the first event", series)
		}
	}
}
