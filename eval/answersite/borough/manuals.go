package borough

import (
	"fmt"
	"strings"

	"github.com/turnpike-edge/turnpike/eval/answersite"
)

const docsHost = "docs.tidemark.example"

// option is a setting of a program.
type option struct{ name, kind, value, note string }

// manuals are the documentation of a program that there is none of.
func manuals(s *answersite.Set) {
	server := []option{
		{"listen_port", "integer", "7410", "Port on which the daemon accepts clients."},
		{"max_clients", "integer", "256", "Clients served at a time."},
		{"idle_timeout", "duration", "90s", "Silent connections are closed after this."},
		{"compress", "boolean", "false", "Compress what is sent."},
		{"log_format", "enum", "logfmt", "One of logfmt, json, plain."},
	}
	store := []option{
		{"cache_size_mb", "integer", "128", "Memory for pages."},
		{"fsync", "boolean", "true", "Flush each write."},
		{
			"segment_bytes", "integer", "16777216",
			"Length of a segment.",
		},
		{"retention_days", "integer", "30", "Days after which segments are removed."},
	}
	page := func(path, title, body string) string {
		html := `<!doctype html><html><head><title>` + title + ` — Tidemark 4.2 documentation</title></head><body class="wy-body-for-nav"><nav class="wy-nav-side"><ul><li><a href="/install">Installation</a></li>` +
			`<li><a href="/config/server">Server settings</a></li><li><a href="/config/store">Store settings</a></li></ul></nav><div role="main" class="document"><h1>` + title + `<a class="headerlink" href="#t">¶</a></h1>` +
			body + `</div><footer><a href="/prev">Previous</a> <a href="/next">Next</a></footer></body></html>`
		return s.Add(docsHost, path, "documentation", html).URL
	}
	var table, list strings.Builder
	table.WriteString(`<p>All settings of the section.</p><table class="docutils"><thead><tr><th>Option</th><th>Type</th><th>Default</th><th>Description</th></tr></thead><tbody>`)
	for _, o := range server {
		fmt.Fprintf(&table, "<tr><td><code>%s</code></td><td>%s</td><td><code>%s</code></td><td>%s</td></tr>\n", o.name, o.kind, o.value, o.note)
	}
	serverURL := page("/config/server", "Server settings", table.String()+"</tbody></table>")
	list.WriteString(`<dl class="py">`)
	for _, o := range store {
		fmt.Fprintf(&list, "<dt id=%q><code>%s</code></dt><dd><p>%s Type: %s. Default: <code>%s</code>.</p></dd>\n", o.name, o.name, o.note, o.kind, o.value)
	}
	storeURL := page("/config/store", "Store settings", list.String()+"</dl>")
	installURL := page("/install", "Installation", `<p>Tidemark runs on Linux and FreeBSD. It needs at least 512 MB of memory and Python 3.11 or later.</p><pre>$ curl -O https://get.tidemark.example/tidemark-4.2.1.tar.gz</pre>`+
		`<div class="admonition note"><p>The licence is MPL-2.0. Packages are signed.</p></div><h2>Upgrading</h2><p>From 4.1 no migration is needed.</p>`)
	cliURL := page("/cli", "Command line", `<h2>tidemark backup</h2><p>Writes a backup.</p><table><tr><th>Flag</th><th>Short</th><th>Meaning</th></tr><tr><td>--output</td><td>-o</td><td>File to write</td></tr>`+
		`<tr><td>--workers</td><td>-w</td><td>Threads, 4 unless set</td></tr></table>`)
	notesURL := page("/changes", "Release notes", `<h2>4.2.1 (14 February 2026)</h2><ul><li>Fixes a leak in the compactor.</li></ul><h2>4.2.0 (9 January 2026)</h2><ul><li>Adds snapshots.</li></ul>`+
		`<h2>4.1.0 (3 June 2025)</h2><ul><li>Adds streaming replicas.</li></ul>`)
	limitsURL := page("/limits", "Limits", `<table><caption>Limits by plan</caption><thead><tr><th></th><th>Free</th><th>Team</th><th>Enterprise</th></tr></thead><tbody><tr><th>Requests per minute</th><td>60</td><td>600</td><td>6,000</td></tr>`+
		`<tr><th>Storage</th><td>1 GB</td><td>50 GB</td><td>2 TB</td></tr><tr><th>Price per month</th><td>$0</td><td>$29</td><td>$480</td></tr></tbody></table>`)
	int0 := answersite.Int
	s.Pose("docs/0", answersite.Named, answersite.FormEmpty, "What are the defaults on "+serverURL+"?", field("listen_port", "", said(int0(7410), "7410", serverURL)),
		field("max_clients", "", said(int0(256), "256", serverURL)), field("idle_timeout", "", said(answersite.Str("90s"), "90s", serverURL)))
	s.Pose("docs/1", answersite.Searched, answersite.FormNone, "What is the default of max_clients in Tidemark?", field("x",
		"default of max_clients", said(int0(256), "256", serverURL)))
	s.Pose("docs/2", answersite.Searched, answersite.FormString, "tidemark log_format", field("x",
		"the default value of log_format", said(answersite.Str("logfmt"), "logfmt", serverURL)))
	s.Pose("docs/3", answersite.Searched, answersite.FormDescribed, "Tidemark store configuration", field("cache",
		"default of cache_size_mb, in MB", said(int0(128), "128", storeURL)),
		field("retention", "default of retention_days", said(int0(30), "30", storeURL)))
	s.Pose("docs/4", answersite.Searched, answersite.FormSchema, "Requirements for installing Tidemark", field("minMemoryMb",
		"memory needed in MB", said(int0(512).Or("512 MB"), "512 MB", installURL)),
		field("licence", "the licence", said(answersite.Str("MPL-2.0"), "MPL-2.0", installURL)), field("pythonVersion",
			"lowest version of Python", said(answersite.Str("3.11", "Python 3.11", "3.11 or later"), "3.11", installURL)))
	s.Pose("docs/5", answersite.Named, answersite.FormEmpty, "Release dates from "+notesURL, field("version_4_2_0_released",
		"", said(answersite.Day(answersite.On(2026, 1, 9)), "9 January 2026", notesURL)))
	s.Pose("docs/6", answersite.Searched, answersite.FormNone, "When was Tidemark 4.1.0 released?", field("x",
		"release date", said(answersite.Day(answersite.On(2025, 6, 3)), "3 June 2025", notesURL)))
	s.Pose("docs/7", answersite.Searched, answersite.FormEmpty, "limits of Tidemark's Team plan", field("requests_per_minute", "", said(int0(600), "600", limitsURL)),
		field("storage", "", said(answersite.Str("50 GB"), "50 GB", limitsURL)), field("price_per_month", "", said(answersite.Money(29, "USD"), "$29", limitsURL)))
	s.Pose("docs/8", answersite.Named, answersite.FormDescribed, "Plans: "+limitsURL, field("enterprise_requests",
		"requests per minute in the Enterprise plan", said(int0(6000).Or("6,000"), "6,000", limitsURL)),
		field("free_storage", "storage of the Free plan", said(answersite.Str("1 GB"), "1 GB", limitsURL)))
	s.Pose("docs/9", answersite.Searched, answersite.FormSchema, "tidemark backup --output short flag", field("shortFlag",
		"the short form of --output", said(answersite.Str("-o"), "-o", cliURL)))
	absent := answersite.Want{Value: answersite.Str("x"), Absent: answersite.NoField, URLs: []string{serverURL}, Clues: []string{"tls_cert"}}
	s.Pose("docs/10", answersite.Named, answersite.FormEmpty, "tls_cert default on "+serverURL, field("tls_cert_default", "", absent))
	absent.Absent, absent.URLs, absent.Clues, absent.Lures = answersite.OnlyOther, []string{notesURL}, []string{"5.0.0"}, []string{"3 June 2025"}
	absent.Value = answersite.Value{Type: answersite.Date}
	s.Pose("docs/11", answersite.Searched, answersite.FormEmpty, "When was Tidemark 5.0.0 released?", field("release_date", "", absent))
}
