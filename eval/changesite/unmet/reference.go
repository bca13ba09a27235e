package unmet

import cs "github.com/turnpike-edge/turnpike/eval/changesite"

// reference is a page of an API's documentation, as a generator of such pages writes it, with a test key of the visitor's own.
func reference() *cs.Page {
	return &cs.Page{Path: "/reference/uploads", Type: "docs", Render: func(n *cs.Run) string {
		at := now(n)
		liked := creeping(n, 410, 2)
		return p(`<!DOCTYPE html>
<html class="writer-html5" lang="en"><head><title>Uploads — Stowage API</title><link rel="stylesheet" href="../_static/css/theme.css?digest=%s">
<script src="../_static/documentation_options.js?v=%s"></script></head><body class="wy-body-for-nav"><div class="wy-grid-for-nav">
<nav class="wy-nav-side"><div class="wy-side-nav-search"><a href="/">Stowage API</a><div class="version">%s</div><form action="/search">
<input type="hidden" name="token" value="%s"></form></div>
<div class="wy-menu"><p class="caption">Resources</p><ul><li class="toctree-l1"><a href="/reference/buckets">Buckets</a></li>
<li class="toctree-l1 current"><a href="#">Uploads</a></li>
<li class="toctree-l1"><a href="/reference/links">Links</a></li></ul></div><div class="ethical-ad">
<a href="https://ads.example.com/view/%s">%s</a> <small>Ad by EthicalReach</small></div></nav>`,
			n.Hex(40), n.Hex(8), cs.Since(n, "v3.8", cs.At(23, "v3.9")), n.Hex(32), n.Hex(12),
			cs.Pick(n, "Ship logs without losing sleep", "Postgres hosting by people who care", "The conference for API makers", "Feature flags for small teams")) +
			uploads(n) +
			p(`<footer><hr><p>Was this page helpful? %s readers said yes.</p><p>%s</p>
<p>Built with revision <code>%s</code> · rendered %s UTC by docs-%d</p></footer></div></div></body></html>`,
				liked, cs.Pick(n, "Stuck? Ask us in the chat", "Questions? Talk to an engineer", "Need a hand? Open a ticket"), n.Hex(7),
				at.Format("2006-01-02 ")+clock(n, at), 1+n.IntN(6))
	}}
}

func uploads(n *cs.Run) string {
	type parameter struct{ name, kind, fallback, text string }
	parameters := []parameter{
		{"bucket", "string", "", "Where the object is put. It has to exist."},
		{"name", "string", "", "The object's name, up to 255 bytes of UTF-8."},
		{"timeout", "integer", cs.Since(n, "30", cs.At(6, "60")), "Seconds until an upload that stalls is given up."},
		{"checksum", "string", "sha256", "The algorithm to check the body with."},
	}
	parameters = append(parameters, cs.Since(n, []parameter{}, cs.At(15, []parameter{{"retain", "integer", "0", "Days in which the object cannot be deleted."}}))...)
	return p(`<section class="wy-nav-content"><div role="main" class="document" itemscope>
<section id="uploads"><h1>Uploads<a class="headerlink" href="#uploads">¶</a></h1>
<p>An upload puts one object in a bucket. Objects of more than 5 GB have to be sent in parts.</p>%s
<section id="create"><h2>Create an upload<a class="headerlink" href="#create">¶</a></h2>
<table class="docutils" %s><thead><tr><th>Parameter</th><th>Type</th><th>Default</th><th>Meaning</th></tr></thead><tbody>%s</tbody></table>
<div class="highlight-bash notranslate" id="id%d"><pre>curl https://api.stowage.example%s \
  -H "Authorization: Bearer sk_test_%s" \
  -F bucket=invoices -F file=@march.pdf</pre></div></section>
<section id="errors"><h2>Errors<a class="headerlink" href="#errors">¶</a></h2><dl><dt><code>409</code></dt><dd>An object of this name exists.</dd>
<dt><code>413</code></dt><dd>The body is larger than the bucket allows.</dd></dl></section></section></div>`,
		cs.Since(n, "", cs.At(22, `<div class="admonition warning"><p class="admonition-title">Deprecated</p>
<p>Uploads by form are switched off on 1 October 2026. Use signed links in their place.</p></div>`)),
		cs.Pick(n, `border="1" width="100%"`, `width="100%" border="1"`),
		cs.Each(parameters, func(q parameter) string {
			return p("<tr class=\"row-%s\"><td><code>%s</code></td><td>%s</td><td>%s</td>%s<td>%s</td></tr>",
				cs.Pick(n, "odd", "even"), q.name, q.kind, q.fallback, cs.Pick(n, "", "\n   "), q.text)
		}), n.IntN(60), cs.Since(n, "/v3/uploads", cs.At(37, "/v3/objects")), n.Hex(24))
}
