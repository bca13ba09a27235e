package quarter

import (
	"time"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

type release struct {
	version string
	month   time.Month
	date    int
	list    []string
}

// changes is a changelog in the documentation of a tool.
func changes() *cs.Page {
	return &cs.Page{Path: "/reference/changelog", Type: "release notes", Render: func(n *cs.Run) string {
		patched := release{
			"3.8.2", time.March, 25, []string{
				"Fixed: a tunnel that was idle for nine minutes was closed without notice.",
				cs.Since(n, "Fixed: names with an umlaut were refused.", cs.At(24, "Fixed: names with an umlaut were refused (CVE-2026-55014).")),
			},
		}
		var list []release
		list = append(list, cs.Since(n, nil, cs.At(23, []release{patched}))...)
		list = append(list, cs.Since(n, nil, cs.At(13, []release{{"3.8.1", time.March, 15, []string{
			"Fixed: <code>ferry list</code> showed closed tunnels twice.", "Fixed: the manual page for <code>ferry keys</code> was empty.",
		}}}))...)
		list = append(list, cs.Since(n, nil, cs.At(1, []release{{"3.8.0", time.March, 3, []string{
			"New: <code>ferry watch</code> prints events as they happen, one a line.", "New: tunnels may have labels.",
			"Changed: the default for <code>--retries</code> is 5, was 3.",
			"Removed: support for configuration files of version 1. Run <code>ferry migrate</code> before you update.",
		}}}))...)
		list = append(list, release{"3.7.4", time.February, 11, []string{
			"Fixed: on Windows, paths with blanks were cut.", "Changed: error messages name the tunnel.",
			"Fixed: the completion for fish did not know <code>ferry keys</code>.", "Documentation: a page on proxies that ask for a password.",
		}},
			release{"3.7.3", time.January, 22, []string{
				"Fixed: memory grew with each new connection.",
				"New: <code>ferry status --json</code> for those who like to count.", "Fixed: <code>--quiet</code> was not quiet.",
				"Changed: packages for Debian are signed with a new key. The old one is valid until the end of the year.",
			}},
			release{"3.7.2", time.January, 8, []string{
				"New: a warning when the clocks of both ends are more than a minute apart.", "Fixed: tunnels over IPv6 took ten seconds to open.",
				"Fixed: the log named the wrong port when a port was taken.",
			}},
			release{"3.7.1", time.January, 5, []string{"Fixed: the archive for FreeBSD lacked the licence.", "Fixed: a crash when the home directory could not be written."}})
		return manual(n, p(`<div class="vp-doc _reference_changelog"><h1 id="changelog" tabindex="-1">Changelog <a class="header-anchor" href="#changelog">#</a></h1>
<p>What is new in Ferry. Versions follow the usual rule: the first number changes when your scripts may break.</p>
<div class="tip custom-block"><p class="custom-block-title">SUPPORT</p><p>Ferry 2 gets security fixes until %s. Ferry 1 gets none.</p></div>
<p>Packages are on the page of <a href="/guide/start">first steps</a>. To update, run <code>ferry update</code>, or use the package manager of your system; tunnels that
are open stay open.</p>
%s<h2 id="older">Older versions</h2><p>Notes on versions before 3.7 are in the <a href="/archive/">archive</a>.</p></div>
<div class="vote" data-vote="%s"><p>%s</p><button>👍 %d</button><button>👎 %d</button></div>`,
			cs.Since(n, "30 June 2026", cs.At(34, "30 September 2026")),
			cs.Each(list, func(r release) string {
				return p(`<h2 id="v%[1]s" tabindex="-1">%[1]s <a class="header-anchor" href="#v%[1]s" data-a="%[2]s">#</a></h2>
<p class="released">%[3]d %[4]s 2026, <time>%[5]d days ago</time> · downloaded %[6]d times</p><ul>%[7]s</ul>`+"\n",
					r.version, n.Hex(4), r.date, r.month, ago(n, 2026, r.month, r.date), 40*ago(n, 2026, r.month, r.date)+n.Calm.IntN(40)+n.IntN(3), items(r.list,
						"<li>%s</li>"))
			}), n.Hex(8), cs.Pick(n, "Was this of use to you?", "Did you find what you needed?", "Rate this page"), counted(n, 88, 2), counted(n, 7, 2)))
	}}
}

// manual is the frame of the documentation.
func manual(n *cs.Run, main string) string {
	build := n.Hex(8)
	return p(`<!DOCTYPE html>
<html lang="en-US" dir="ltr"><head><meta charset="utf-8"><title>Changelog | Ferry</title><meta name="generator" content="VitePress v1.6.3">
<link rel="preload stylesheet" href="/assets/style.%s.css" as="style"><script type="module" src="/assets/app.%s.js"></script>
<link rel="modulepreload" href="/assets/reference_changelog.md.%s.lean.js"></head>
<body><div id="app"><div class="Layout" data-v-%[4]s><a href="#VPContent" class="VPSkipLink visually-hidden">Skip to content</a>
<header class="VPNav" data-v-%[4]s><div class="VPNavBar"><a class="title" href="/">Ferry</a><button class="DocSearch">%[5]s</button><nav class="VPNavBarMenu">
<a href="/guide/">Guide</a><a href="/reference/">Reference</a><a href="/community/">Community</a></nav><a class="stars" href="https://code.example/ferry">★ %[6]d</a>
</div></header>
<aside class="VPSidebar" data-v-%[4]s><nav><section><h2>Guide</h2><a href="/guide/start">First steps</a><a href="/guide/tunnels">Tunnels</a><a href="/guide/keys">Keys</a>
</section><section><h2>Reference</h2><a href="/reference/commands">Commands</a><a href="/reference/config">Configuration</a><a href="/reference/errors">Errors</a>
<a href="/reference/changelog">Changelog</a></section></nav><div class="carbon"><a href="https://ads.example.net/x?z=%[7]s">%[8]s</a></div></aside>
<div class="VPContent has-sidebar" id="VPContent" data-v-%[4]s><div class="VPDoc"><div class="container"><main class="main">%[9]s</main>
<footer class="VPDocFooter"><div class="edit-info"><a href="https://code.example/ferry/edit/main/docs/changelog.md">Edit this page</a></div>
<div class="contributors">Thanks to %[10]s</div><nav class="prev-next"><a href="/reference/errors">Errors</a></nav></footer></div>
<div class="VPDocAside"><div class="sponsors"><p>Sponsored by</p>%[11]s</div><p class="chat">%[12]d people are in the chat right now</p></div></div></div>
<footer class="VPFooter"><p>Released under the MIT licence. Deployed %[13]d minutes ago, %[14]s</p></footer></div></div>
<script>window.__VP_HASH_MAP__=JSON.parse("{\"reference_changelog.md\":\"%[3]s\"}");</script></body></html>`,
		n.Hex(8), n.Hex(8), build, n.Hex(8), cs.Pick(n, "Search", "Search docs", "Find anything"), counted(n, 6410, 9), n.Hex(16),
		cs.Pick(n, "Logs that you can read: try Timberline", "Hosting in one command with Quay", "Hire a database doctor", "Learn sed in a weekend"), main,
		cs.Each(cs.Shuffled(n, "@anouk", "@bdiaz", "@kwame", "@ilse-v", "@toru"), func(s string) string { return s + " " }),
		items(cs.Some(n, 2, "Lantern Cloud", "Pebble Bank", "Oxbow Games", "Studio Nine", "Tarn Networks"), "<p>%s</p>"), 20+n.IntN(200), 1+n.IntN(59),
		now(n).Format("2006-01-02T15:04:05.000Z"))
}
