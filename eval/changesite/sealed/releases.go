package sealed

import (
	"fmt"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

// release is a version with its notes and what there is to download.
type release struct {
	version, date string
	notes, assets []string
}

// releases are those of a project on a forge.
func (h hours) releases() *cs.Page {
	all := func(n *cs.Run) []release {
		stable := release{
			"v3.8.1", "2 March 2026",
			[]string{"Snapshots no longer hold a lock while they are listed", cs.Since(n, "Mounting works again on kernels before 6.1", cs.At(39, "Mounting works again on kernels before 6.6"))},
			append([]string{"quillfs-3.8.1.tar.gz", "quillfs_3.8.1_amd64.deb"}, cs.Since(n, nil, cs.At(21, []string{"quillfs_3.8.1_arm64.deb"}))...),
		}
		candidate := release{
			"v3.9.0-rc.1", "3 March 2026",
			[]string{"Blocks are compressed with zstd from the start", "The tool quill-fsck repairs as well as reports"},
			[]string{"quillfs-3.9.0-rc.1.tar.gz"},
		}
		return append(cs.Since(n, nil, cs.At(4, []release{stable}), cs.At(30, []release{candidate, stable})),
			release{"v3.8.0", "19 January 2026", []string{"Quotas for directories", "Less memory while scrubbing: 40 MB in place of 210 MB"}, []string{"quillfs-3.8.0.tar.gz", "quillfs_3.8.0_amd64.deb"}},
			release{"v3.7.4", "2 December 2025", []string{"Security: a crafted image could crash the mount helper"}, []string{"quillfs-3.7.4.tar.gz"}})
	}
	return &cs.Page{
		Path: "/quill/quillfs/releases", Type: "releases",
		Schema: `{"type":"object","properties":{"project":{"type":"string"},"latest":{"type":"string"},"latest_date":{"type":"string"},
			"downloads":{"type":"array","items":{"type":"string"}},"notes":{"type":"array","items":{"type":"string"}}}}`,
		Data: func(n *cs.Run) map[string]any {
			downloads, notes := []string{}, []string{}
			for _, r := range all(n) {
				downloads, notes = append(downloads, r.assets...), append(notes, r.notes...)
			}
			return map[string]any{"project": "quillfs", "latest": all(n)[0].version, "latest_date": all(n)[0].date, "downloads": downloads, "notes": notes}
		},
		Render: func(n *cs.Run) string {
			c := n.Calmly()
			return fill(`<!DOCTYPE html>
<html lang="en-US" data-theme="forge-auto">
<head><meta charset="utf-8"><title>Releases · quill/quillfs - Copperforge</title>
<meta name="_csrf" content="{{csrf}}">
<link rel="stylesheet" href="/assets/css/index.css?v=1.24.{{asset}}">
<script>window.config={csrfToken:'{{csrf}}',runModeIsProd:true,pageData:{},sessionHint:'{{hint}}'};</script></head>
<body hx-headers='{"x-csrf-token":"{{csrf}}"}'>
<div class="full height">
<nav id="navbar"><a href="/">Copperforge</a> <a href="/explore/repos?q=&amp;sid={{hint}}">Explore</a> {{login}}</nav>
{{notice}}<div class="page-content repository releases">
<div class="repo-header"><div class="repo-title"><a href="/quill">quill</a> / <a href="/quill/quillfs">quillfs</a></div>
<div class="repo-buttons"><form action="/quill/quillfs/action/watch"><input type="hidden" name="_csrf" value="{{csrf}}"></form><span {{watch}}>Watch {{watchers}}</span> <span class="ui label">Star {{stars}}</span> <span class="ui label">Fork {{forks}}</span></div></div>
<h1 class="ui header">Releases</h1>
<ul id="release-list">
{{releases}}</ul>
<div class="side">
<h4>Mirrors</h4><ul class="mirrors">{{mirrors}}</ul>
<h4>People behind it</h4><div class="avatars">{{people}}</div>
<h4>Others look at</h4><ul>{{trending}}</ul>
<div class="sponsor" data-campaign="{{campaign}}"><small>Sponsor of the forge</small> <a href="https://sponsors.example.org/{{campaign}}">{{sponsor}}</a></div>
<div class="activity">{{somebody}} starred this {{minutes}} minutes ago</div>
</div>
</div></div>
<footer class="page-footer"><div>Page: {{page}}ms Template: {{template}}ms · {{clock}} UTC · node {{node}}</div>
<div>{{sessions}} people signed in · {{clones}} clones today · load {{load}} · tip: {{tip}}</div>
<div>Lists refreshed {{push}} minutes ago · {{date}}</div></footer>
</body></html>`,
				"csrf", n.Hex(32), "asset", n.Hex(7), "hint", n.Hex(12),
				"login", cs.Pick(n, `<a href="/user/login">Sign in</a> <a href="/user/sign_up">Register</a>`, `<a href="/user/login?redirect=`+n.Hex(6)+`">Log in to join</a>`),
				"notice", cs.Pick(n, "", "", `<div class="ui info message flash">This forge is run by volunteers. A coin for the disks is welcome.</div>
`),
				"watch", attributes(n, `class="ui label"`, `data-tooltip="`+n.Hex(4)+`"`, `tabindex="0"`), "watchers", h.count(c, 118, 2), "stars", h.count(c, 3_907, 3), "forks", h.count(c, 204, 2),
				"releases", cs.Each(all(n), func(r release) string {
					return fill(`<li class="ui grid" id="rel-{{id}}"><h4 class="release-list-title"><a href="/quill/quillfs/releases/tag/{{version}}">{{version}}</a></h4>
<p class="text grey">released on {{date}} by <a href="/tuuli">tuuli</a></p>
<div class="markup desc"><ul>{{notes}}</ul></div>
<details open><summary>Downloads</summary><ul class="list">{{assets}}</ul></details></li>
`, "id", n.Hex(5), "version", r.version, "date", r.date, "notes", cs.Each(r.notes, tag("li")), "assets", cs.Each(r.assets, func(asset string) string {
						return fmt.Sprintf(`<li><a href="/attachments/%s/%s">%s</a> <span class="tw-ml-auto">%s downloads</span></li>`, n.Hex(8), asset, asset, h.count(n, 40*len(asset), 12))
					}))
				}),
				"mirrors", cs.Each(cs.Shuffled(n, "Tampere", "Dresden", "Montréal", "Kyoto", "Recife"), tag("li")),
				"people", cs.Each(cs.Shuffled(n, "tuuli", "b-okoro", "mverhoeven", "sanna", "kit", "ragnar"), func(name string) string {
					return `<a href="/` + name + `"><img src="/avatars/` + n.Hex(10) + `" alt="">` + name + "</a> "
				}),
				"trending", cs.Each(cs.Some(n, 3, "fennel/parser", "oss-tide/tables", "lumo/lumo-ui", "rnd/dice", "hedge/hedgerow", "mo/keys", "kilo/litre", "arbor/leaf"), tag("li")),
				"campaign", n.Hex(8), "sponsor", cs.Pick(n, "Rackwise: servers by the hour", "Typeface Tuomi, free for open source", "Build faster with Cachet", "Bug bounties by Locksmiths", "Hire people who read manuals", "Coffee for maintainers, by post"),
				"somebody", cs.Pick(n, "ilse", "jp-marin", "zofia", "wei", "nkechi", "hakon", "pedro"), "minutes", between(n, 1, 55),
				"page", between(n, 38, 310), "template", between(n, 6, 60), "clock", h.now(n).Format("15:04:05"), "node", cs.Pick(n, "cf-a", "cf-b", "cf-c", "cf-d")+between(n, 1, 9),
				"sessions", between(n, 150, 640), "clones", h.count(c, 220, 30), "load", decimal(n, 2, 21, 390),
				"tip", cs.Pick(n, "press T to find a file", "close issues with a word", "you can sign tags", "dark is a setting", "labels may have scopes"),
				"push", between(c, 1, 59), "date", h.now(c).Format("Mon, 02 Jan 2006"))
		},
	}
}
