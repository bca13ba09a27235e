package unmet

import cs "github.com/turnpike-edge/turnpike/eval/changesite"

type release struct {
	version, date, notes string
	assets               []string
}

func releasesIn(n *cs.Run) []release {
	first := release{"1.13.2", "17 February 2026", "Fixes a hang when the far end closes early.", []string{"halyard-1.13.2-linux.tar.gz", "halyard-1.13.2-macos.zip"}}
	second := release{
		"1.14.0", "4 March 2026", "Knows SOCKS proxies. The configuration file may be YAML.",
		cs.Since(n, []string{"halyard-1.14.0-linux.tar.gz", "halyard-1.14.0-macos.zip"},
			cs.At(11, []string{"halyard-1.14.0-linux.tar.gz", "halyard-1.14.0-macos.zip", "halyard-1.14.0-manual.pdf"})),
	}
	third := release{
		"1.14.1", "15 March 2026",
		cs.Since(n, "Fixes a leak of file handles.", cs.At(25, "Fixes a leak of file handles, which was a security issue (CVE-2026-10412).")),
		[]string{"halyard-1.14.1-linux.tar.gz", "halyard-1.14.1-macos.zip"},
	}
	return cs.Since(n, []release{first}, cs.At(3, []release{second, first}), cs.At(24, []release{third, second, first}))
}

// releases is the page of a project's releases on a forge.
func releases() *cs.Page {
	return &cs.Page{
		Path: "/halyard/halyard/releases", Type: "changelog",
		Schema: `{"type":"object","properties":{"latest":{"type":"string"},"date":{"type":"string"},"notes":{"type":"string"},
			"downloads":{"type":"array","items":{"type":"string"}}}}`,
		Data: func(n *cs.Run) map[string]any {
			all := releasesIn(n)
			var downloads []any
			for _, r := range all {
				for _, asset := range r.assets {
					downloads = append(downloads, asset)
				}
			}
			return map[string]any{"latest": all[0].version, "date": all[0].date, "notes": all[0].notes, "downloads": downloads}
		},
		Render: func(n *cs.Run) string {
			at := now(n)
			stars, forks := creeping(n, 4210, 4), creeping(n, 310, 2)
			sponsor := cs.Pick(n.Calmly(), "Tidewater Systems", "Brine Labs", "Kedge Hosting", "Lee Shore Ltd")
			return p(`<!DOCTYPE html><html lang="en" data-color-mode="auto"><head><title>Releases · halyard/halyard</title><meta name="request-id" content="%s:%s">
<meta name="csrf-token" content="%s"></head><body class="logged-%s"><header class="AppHeader"><a href="/">Moorings</a>
<form action="/search" data-turbo="false"><input type="hidden" name="authenticity_token" value="%s"></form>%s</header>
<div class="pagehead"><strong><a href="/halyard/halyard">halyard</a></strong><ul class="pagehead-actions"><li>Star <span class="Counter">%s</span></li>
<li>Fork <span class="Counter">%s</span></li></ul></div>`,
				n.Hex(4), n.Hex(8), n.Hex(64), cs.Pick(n, "in", "out"), n.Hex(44), cs.Pick(n, `<a href="/login?return_to=releases">Sign in</a>`,
					`<a href="/join">Sign up</a>`), stars, forks) +
				p(`<turbo-frame id="repo-content-%s"><h1>Releases</h1>%s</turbo-frame>`, n.Hex(6), releaseBoxes(n)) +
				p(`<aside class="Layout-sidebar"><h2>Sponsor of the day</h2><p>%s</p><h2>Contributors</h2><ul>%s</ul><h2>Trending near you</h2><ul>%s</ul></aside>
<footer>© 2026 Moorings · It is %s UTC · %s took %d ms</footer></body></html>`,
					sponsor, cs.Each(cs.Shuffled(n, "annekes", "b-rahl", "tomtit", "ulla-w", "xav"), func(who string) string {
						return p(`<li><a href="/%s"><img src="https://avatars.example.net/u/%s?v=4&amp;s=%d" alt="@%s"></a></li>`, who, who, 32+n.IntN(32), who)
					}),
					cs.Each(cs.Some(n, 3, "pelican/ssg", "mica/terminal", "oda/editor", "fen/mail", "plum/orm", "quay/proxy"), func(name string) string {
						return p(`<li><a href="/%s?trending=%d">%s</a> ★ %d</li>`, name, n.IntN(99), name, 100+n.IntN(900))
					}), clock(n, at), cs.Pick(n, "fe-3", "fe-7", "fe-12"), 20+n.IntN(300))
		},
	}
}

// releaseBoxes are the releases with what was downloaded of them, which the forge counts by the hour.
func releaseBoxes(n *cs.Run) string {
	return cs.Each(releasesIn(n), func(r release) string {
		return p(`<section class="Box" aria-labelledby="hd-%s"><h2 class="Box-title" id="hd-%s"><a href="/halyard/halyard/releases/tag/v%s">%s</a></h2>
<div class="Box-sub">%s</div><div class="markdown-body"><p>%s</p></div><details open><summary>Assets</summary><ul>%s</ul></details>
<div class="reactions">👍 %d 🎉 %d</div></section>`,
			n.Hex(8), n.Hex(8), r.version, r.version, r.date, r.notes, cs.Each(r.assets, func(asset string) string {
				return p(`<li><a href="/halyard/halyard/releases/download/v%s/%s">%s</a> <span class="text-muted">%s downloads</span></li>`,
					r.version, asset, asset, creeping(n, 800, 40))
			}), 10+n.IntN(60), n.IntN(20))
	})
}
