package orchard

import cs "github.com/turnpike-edge/turnpike/eval/changesite"

// limits is a page of an interface's documentation, of a static generator.
func limits() *cs.Page {
	perMinute := func(n *cs.Run) int { return cs.Since(n, 120, cs.At(10, 100), cs.At(30, 90)) }
	size := func(n *cs.Run) string { return cs.Since(n, "10 MB", cs.At(22, "25 MB")) }
	return &cs.Page{
		Path: "/docs/api/limits", Type: "docs",
		Schema: `{"type":"object","properties":{"requests_per_minute":{"type":"integer"},"upload_size":{"type":"string"}}}`,
		Data: func(n *cs.Run) map[string]any {
			return map[string]any{"requests_per_minute": perMinute(n), "upload_size": size(n)}
		},
		Render: func(n *cs.Run) string {
			head := func(id, title string) string {
				return `<h2 class="anchor anchorWithStickyNavbar_` + n.Hex(4) + `" id="` + id + `">` + title + `<a href="#` + id + `" class="hash-link" aria-label="Direct link"></a></h2>` + "\n"
			}
			return `<!doctype html><html lang="en" dir="ltr" class="docs-wrapper" data-has-hydrated="false"><head><meta charset="UTF-8"><title>Rate limits | Mapleseed API</title><link rel="stylesheet" href="/assets/css/styles.` + n.Hex(8) + `.css"><script src="/assets/js/main.` + n.Hex(8) + `.js" defer></script></head>
<body class="navigation-with-keyboard"><div role="region" aria-label="Skip to main content"><a class="skipToContent_` + n.Hex(4) + `" href="#main">Skip to main content</a></div>
<nav aria-label="Main" class="navbar navbar--fixed-top"><div class="navbar__inner"><a class="navbar__brand" href="/"><b class="navbar__title">Mapleseed</b></a><a class="navbar__item navbar__link" href="/docs">Docs</a><a class="navbar__item" href="/blog">Blog</a><a class="navbar__item" href="https://code.example/mapleseed">Source <span class="stars">` + p("%d", 4000+n.Calm.IntN(90)) + ` ★</span></a></div></nav>
<div id="__docs_skipToContent_fallback" class="main-wrapper"><div class="docsWrapper_` + n.Hex(4) + `"><aside class="theme-doc-sidebar-container"><nav class="menu thin-scrollbar"><ul class="theme-doc-sidebar-menu menu__list"><li class="menu__list-item"><a class="menu__link" href="/docs/intro">Introduction</a></li><li class="menu__list-item"><a class="menu__link" href="/docs/api/auth">Authentication</a></li><li class="menu__list-item"><a class="menu__link menu__link--active" href="/docs/api/limits">Rate limits</a></li><li class="menu__list-item"><a class="menu__link" href="/docs/api/errors">Errors</a></li><li class="menu__list-item"><a class="menu__link" href="/docs/api/webhooks">Webhooks</a></li></ul></nav></aside>
<main class="docMainContainer_` + n.Hex(4) + `" id="main"><div class="container padding-top--md"><article><nav class="theme-doc-breadcrumbs" aria-label="Breadcrumbs"><ul class="breadcrumbs"><li><a href="/">Home</a></li><li>API</li><li>Rate limits</li></ul></nav>
<div class="theme-doc-markdown markdown"><header><h1>Rate limits</h1></header><p>Each project has limits, so that one project cannot slow down the others. They are counted by key, and a limit that is reached answers with <code>429 Too Many Requests</code>.</p>
` + head("limits", "Limits of each plan") + `<table><thead><tr><th>Limit</th><th>Free</th><th>Team</th></tr></thead><tbody>
<tr><td>Requests per minute</td><td>` + p("%d", perMinute(n)) + `</td><td>1200</td></tr><tr><td>Upload size</td><td>` + size(n) + `</td><td>200 MB</td></tr><tr><td>Open connections</td><td>5</td><td>100</td></tr><tr><td>Webhooks</td><td>2</td><td>50</td></tr></tbody></table>
` + head("headers", "Headers") + `<p>Each answer has the headers below. Read them instead of counting on your own.</p><ul><li><code>RateLimit-Limit</code>: how many requests you have in a window</li><li><code>RateLimit-Remaining</code>: how many are left</li><li><code>RateLimit-Reset</code>: seconds until the window ends</li></ul>
` + head("retry", "Retrying") + `<p>Wait as long as <code>Retry-After</code> says, then try again with a random delay. ` + cs.Since(n, "After five failures in a row, stop and tell somebody.", cs.At(23, "Clients that ignore the header for an hour are blocked for a day.")) + `</p>
<div class="language-bash codeBlockContainer_` + n.Hex(4) + `"><pre tabindex="0" class="prism-code language-bash"><code>curl -i https://api.mapleseed.example/v2/trees \
  -H "Authorization: Bearer $MAPLESEED_KEY"
</code></pre><button type="button" aria-label="Copy code">Copy</button></div>
` + head("more", "Higher limits") + `<p>Write to support with the name of your project and what you need. We answer within two working days.</p></div>
<footer class="theme-doc-footer"><a href="https://code.example/mapleseed/edit/limits.md">Edit this page</a></footer></article>
<nav class="pagination-nav" aria-label="Docs pages"><a class="pagination-nav__link" href="/docs/api/auth">Previous: Authentication</a><a class="pagination-nav__link" href="/docs/api/errors">Next: Errors</a></nav>
<p class="helpful">` + p("%d readers found this helpful", 200+n.IntN(80)) + `</p></div></main></div></div>
<footer class="footer footer--dark"><div class="container"><p>Copyright © 2026 Mapleseed. Build ` + n.Hex(7) + `.</p></div></footer></body></html>`
		},
	}
}
