package wharf

import cs "github.com/turnpike-edge/turnpike/eval/changesite"

// firmware is the download of a router's firmware with its release notes, by a generator of documentation.
func firmware() *cs.Page {
	version := func(n *cs.Run) string { return cs.Since(n, "7.2.4", cs.At(4, "7.2.5"), cs.At(30, "7.3.0")) }
	size := func(n *cs.Run) string { return cs.Since(n, "18.4 MB", cs.At(30, "21.7 MB")) }
	minimum := func(n *cs.Run) string { return cs.Since(n, "6.0", cs.At(31, "6.8")) }
	const first = `<h3 class="anchor" id="724">7.2.4</h3><ul><li>Guest networks keep their name after a restart.</li><li>Shorter boot on boards with 64 MB of memory.</li></ul>`
	const second = `<h3 class="anchor" id="725">7.2.5</h3><ul><li>Security: closes a hole in the web login by which a stranger on the same network could read the password.</li></ul>` + first
	const third = `<h3 class="anchor" id="730">7.3.0</h3><ul><li>Adds WireGuard tunnels.</li><li>Removes PPTP.</li><li>The settings page can be used by keyboard alone.</li></ul>` + second
	return &cs.Page{
		Path: "/docs/firmware/lantern-ax", Type: "release notes",
		Schema: `{"type":"object","properties":{"version":{"type":"string"},"size":{"type":"string"},"upgrade_from":{"type":"string"}}}`,
		Data: func(n *cs.Run) map[string]any {
			return map[string]any{"version": version(n), "size": size(n), "upgrade_from": minimum(n)}
		},
		Render: func(n *cs.Run) string {
			return fill(`<!doctype html><html lang="en" dir="ltr" class="docs-wrapper plugin-docs" data-has-hydrated="false"><head><meta charset="UTF-8"><meta name="generator" content="Docuforge v3.4.0"><title>Firmware for Lantern AX | Lantern Docs</title><link rel="stylesheet" href="/assets/css/styles.{asset}.css"><script src="/assets/js/runtime~main.{chunk}.js" defer></script></head>
<body class="navigation-with-keyboard"><div id="__docuforge"><div role="region" aria-label="Skip to main content"><a class="skipToContent_{mod}" href="#__docuforge_skipToContent_fallback">Skip to main content</a></div>
<div class="theme-announcement-bar announcementBar_{mod}" role="banner"><div class="content_{mod}">{announce}</div></div>
<nav aria-label="Main" class="navbar navbar--fixed-top"><div class="navbar__inner"><div class="navbar__items"><a class="navbar__brand" href="/"><b class="navbar__title">Lantern</b></a><a class="navbar__item navbar__link" href="/docs">Docs</a><a class="navbar__item navbar__link" href="/community">Community</a></div><div class="navbar__items navbar__items--right"><a href="https://code.example/lantern" class="navbar__item navbar__link">Star us <span class="stars">{stars}</span></a></div></div></nav>
<div class="main-wrapper"><aside class="theme-doc-sidebar-container docSidebarContainer_{mod}"><nav aria-label="Docs sidebar" class="menu thin-scrollbar"><ul class="theme-doc-sidebar-menu menu__list"><li class="menu__list-item"><a class="menu__link" href="/docs/start">Getting started</a></li><li class="menu__list-item"><a class="menu__link" href="/docs/wifi">Wireless</a></li><li class="menu__list-item"><a class="menu__link" href="/docs/firewall">Firewall</a></li><li class="menu__list-item"><a class="menu__link menu__link--active" href="/docs/firmware/lantern-ax">Firmware: Lantern AX</a></li><li class="menu__list-item"><a class="menu__link" href="/docs/firmware/lantern-mini">Firmware: Lantern Mini</a></li></ul></nav></aside>
<main class="docMainContainer_{mod}"><div class="container padding-top--md"><article><nav class="theme-doc-breadcrumbs" aria-label="Breadcrumbs"><ul class="breadcrumbs"><li class="breadcrumbs__item"><span class="breadcrumbs__link">Firmware</span></li><li class="breadcrumbs__item breadcrumbs__item--active"><span class="breadcrumbs__link">Lantern AX</span></li></ul></nav>
<div class="theme-doc-markdown markdown"><header><h1>Firmware for Lantern AX</h1></header>
<div class="admonition_{mod} alert alert--info"><div class="admonitionContent_{mod}"><p>Keep the router on its mains plug while it writes. Do not press reset until the light is steady.</p></div></div>
<h2 class="anchor anchorWithStickyNavbar_{mod}" id="download">Download<a href="#download" class="hash-link" aria-label="Direct link to Download"></a></h2>
<table><thead><tr><th>Stable version</th><th>Size</th><th>Upgrade from</th><th>Boards</th></tr></thead><tbody><tr><td><a href="https://dl-{mirror}.lantern.example/ax/lantern-ax-{version}.bin?sig={sig}">{version}</a></td><td>{size}</td><td>{minimum} or later</td><td>AX-1, AX-2</td></tr></tbody></table>
<p>Older routers are upgraded in steps. {downgrade}</p>
<h2 class="anchor anchorWithStickyNavbar_{mod}" id="install">Install</h2><div class="codeBlockContainer_{mod} language-bash"><pre tabindex="0" class="prism-code"><code><span class="token-line">scp lantern-ax.bin root@192.168.7.1:/tmp</span>
<span class="token-line">ssh root@192.168.7.1 {command} /tmp/lantern-ax.bin</span></code></pre><button type="button" aria-label="Copy code to clipboard" class="clean-btn">Copy</button></div>
<h2 class="anchor anchorWithStickyNavbar_{mod}" id="notes">Release notes</h2>{notes}<p>Notes of older versions are in the archive.</p></div>
<footer class="theme-doc-footer docusaurus-mt-lg"><div class="col"><a href="https://code.example/lantern/docs/edit/main/firmware.md" class="theme-edit-this-page">Edit this page</a></div><div class="col"><span class="fetched">Fetched {ago} seconds ago from mirror {mirror}</span></div></footer></article>
<div class="feedbackWidget_{mod}"><p>{ask}</p><button>Yes ({yes})</button><button>No ({no})</button></div></div></main></div>
<footer class="footer footer--dark"><div class="container"><div class="footer__title">Lantern Networks</div><p>{chatting} people are in the chat. Copyright © 2026. Build {asset}.</p></div></footer></div></body></html>`,
				"asset", n.Hex(8), "chunk", n.Hex(8), "mod", n.Hex(4), "mirror", num(n, 1, 9), "sig", n.Hex(24), "stars", num(n, 4000, 4999),
				"announce", cs.Pick(n, "If you like Lantern, give it a star!", "Meet us in the chat", "Stickers are back in the shop"),
				"version", version(n), "size", size(n), "minimum", minimum(n),
				"downgrade", cs.Since(n, "You can go back to the version before at any time.", cs.At(32, "From this version there is no way back, as the partitions are laid out anew.")),
				"command", cs.Since(n, "sysupgrade", cs.At(16, "sysupgrade -v")),
				"notes", cs.Since(n, first, cs.At(4, second), cs.At(30, third)),
				"ago", num(n, 1, 60), "ask", cs.Pick(n, "Did this page help you?", "Was this page useful?"), "yes", num(n, 100, 400), "no", num(n, 5, 40), "chatting", num(n, 20, 300))
		},
	}
}
