package parish

import (
	"fmt"
	"time"

	cs "github.com/turnpike-edge/turnpike/eval/changesite"
)

// tender is a notice of a council's procurement portal, of the kind that keeps its state in the page.
func tender() *cs.Page {
	deadline := func(n *cs.Run) time.Time {
		return cs.Since(n, time.Date(2026, 10, 9, 12, 0, 0, 0, time.UTC), cs.At(11, time.Date(2026, 10, 16, 12, 0, 0, 0, time.UTC)))
	}
	value := func(n *cs.Run) int { return cs.Since(n, 1_240_000, cs.At(23, 1_420_000)) }
	status := func(n *cs.Run) string { return cs.Since(n, "Open", cs.At(40, "Under evaluation")) }
	documents := func(n *cs.Run) []string {
		return cs.Since(n, []string{"Instructions to tenderers", "Specification", "Annex A: vehicle list", "Annex C: price schedule"},
			cs.At(12, []string{"Instructions to tenderers", "Specification", "Annex A: vehicle list", "Annex C: price schedule, revision 2", "Annex D: depot drawings"}))
	}
	return &cs.Page{
		Path: "/portal/notice/2026-04417", Type: "tender",
		Schema: `{"type":"object","properties":{"reference":{"type":"string"},"title":{"type":"string"},"status":{"type":"string"},
			"deadline":{"type":"string","format":"date-time"},"estimated_value":{"type":"number"},"documents":{"type":"array","items":{"type":"string"}}}}`,
		Data: func(n *cs.Run) map[string]any {
			var files []any
			for _, d := range documents(n) {
				files = append(files, d)
			}
			return map[string]any{
				"reference": "2026-04417", "title": "Maintenance of refuse collection vehicles", "status": status(n), "deadline": deadline(n).Format("2006-01-02T15:04"),
				"estimated_value": value(n), "documents": files,
			}
		},
		Render: func(n *cs.Run) string {
			left := "ended"
			if wait := deadline(n).Sub(moment(n)); wait > 0 {
				left = fmt.Sprintf("%d d %d h %d min", int(wait.Hours())/24, int(wait.Hours())%24, int(wait.Minutes())%60)
			}
			session := n.Hex(28)
			downloads := map[string]int{"Instructions to tenderers": 61, "Specification": 58, "Annex D: depot drawings": -34}
			return fill(tenderHTML, "session", session, "state", n.Hex(320), "validation", n.Hex(64), "gen", n.Hex(8), "h", n.Calm.IntN(90),
				"clock", moment(n).Format("02/01/2006 15:04:05"),
				"status", status(n), "deadline", deadline(n).Format("2 January 2006, 15:04"), "left", left, "value", "£"+grouped(value(n)),
				"watching", 11+n.Number/3+n.Calm.IntN(4), "views", counted(n, 640, 22),
				"documents", cs.Each(documents(n), func(s string) string {
					return fill(`<tr class="rich-table-row"><td class="rich-table-cell">
<a id="frm:j_id{id}" href="/portal/download;jsessionid={session}?n=2026-04417">{title}</a></td><td class="rich-table-cell num">{times} downloads</td></tr>
`, "id", n.IntN(900), "session", session, "title", s, "times", counted(n, downloads[s], 3))
				}),
				"answer", cs.Since(n, "", cs.At(3, `<dt>Must spare parts be carried in stock at the depot?</dt>
<dd>Only those listed in section 5.2 of the specification. All others may be ordered as needed.</dd>`)),
				"corrigendum", cs.Since(n, "<p>None so far.</p>", cs.At(11, corrections(1)), cs.At(12, corrections(2)), cs.At(23, corrections(3))),
				"others", cs.Each(cs.Some(n, 3, "School milk, northern schools", "Gritting salt", "Roof repairs at Ashby Hall", "Translation services",
					"Street lamp columns", "Playground inspection", "Legal case software"), func(s string) string {
					return fill(`<li><a href="/portal/notice/2026-0{id};jsessionid={session}">{title}</a></li>`, "id", 1000+n.IntN(3000), "session", session, "title", s)
				}),
				"hint", cs.Pick(n, "Tip: save a search to be told of new notices.", "Tip: keep your company profile up to date.", "Tip: use a current browser for uploads."))
		},
	}
}

// corrections are the first so many corrections of the notice.
func corrections(count int) string {
	all := []string{
		"17 September 2026: the time limit for tenders has been extended by one week.",
		"18 September 2026: the price schedule has been replaced and drawings of both depots added.",
		"29 September 2026: the estimated value has been corrected.",
	}
	return "<ol>" + cs.Each(all[:count], func(s string) string { return "<li>" + s + "</li>" }) + "</ol>"
}

const tenderHTML = `<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">
<html xmlns="http://www.w3.org/1999/xhtml" lang="en"><head><meta charset="utf-8" /><title>Notice 2026-04417 - Hartmoor eProcurement</title>
<link rel="stylesheet" type="text/css" href="/portal/resources/css/portal.css;jsessionid={session}?build={gen}" /></head>
<body class="rich-portal"><form id="frm" method="post" action="/portal/notice/2026-04417;jsessionid={session}"><div class="hidden">
<input type="hidden" name="__VIEWSTATE" value="{state}" /><input type="hidden" name="__VIEWSTATEGENERATOR" value="{gen}" />
<input type="hidden" name="__EVENTVALIDATION" value="{validation}" /></div>
<div id="frm:top" class="portalTop"><div class="portalLogo">Hartmoor County Council</div><div class="portalSub">Electronic procurement portal</div>
<div class="portalClock">Server time <span id="frm:clock{gen}">{clock}</span> (UTC)</div></div>
<div class="rich-toolbar"><a href="/portal/home;jsessionid={session}">Home</a> <a href="/portal/notices;jsessionid={session}">Notices</a>
<a href="/portal/contracts;jsessionid={session}">Contract register</a> <a href="/portal/register;jsessionid={session}">Register</a> <a href="/portal/help">Help</a></div>
<div class="rich-layout"><div class="rich-layout-left"><div class="rich-panel" id="frm:p{h}"><div class="rich-panel-header">Log in</div><div class="rich-panel-body">
<label>User <input type="text" name="u{gen}" /></label><label>Password <input type="password" name="p{gen}" /></label><input type="submit" value="Log in" /></div></div>
<div class="rich-panel"><div class="rich-panel-header">Other notices</div><div class="rich-panel-body"><ul>{others}</ul></div></div><div class="rich-panel">
<div class="rich-panel-body hint">{hint}</div></div></div>
<div class="rich-layout-center" id="frm:content"><div class="crumb">Notices &#187; Services &#187; 2026-04417</div><h1>Maintenance of refuse collection vehicles</h1>
<div class="noticeStats">{views} views &#183; {watching} companies watching this notice</div>
<fieldset class="rich-fieldset"><legend>Summary</legend><table class="propTable" cellspacing="0"><tbody>
<tr><td class="propName">Reference</td><td class="propValue">2026-04417</td></tr><tr><td class="propName">Status</td><td class="propValue">{status}</td></tr><tr>
<td class="propName">Procedure</td><td class="propValue">Open</td></tr><tr><td class="propName">Published</td><td class="propValue">1 September 2026</td></tr>
<tr><td class="propName">Time limit for tenders</td><td class="propValue">{deadline}</td></tr><tr><td class="propName">Time left</td>
<td class="propValue">{left}</td></tr><tr><td class="propName">Estimated value, without VAT</td><td class="propValue">{value}</td></tr><tr>
<td class="propName">Duration</td><td class="propValue">48 months, may be renewed once for 12</td></tr><tr><td class="propName">Place of performance</td>
<td class="propValue">Depots at Cold Ash and Millgate</td></tr></tbody></table></fieldset>
<fieldset class="rich-fieldset"><legend>Description</legend>
<p>The Council runs forty-six refuse collection vehicles from two depots. It seeks one contractor to inspect, maintain and repair them, to prepare them for the yearly
test and to recover those that break down on their rounds.</p>
<p>Work at night and on Saturdays must be possible. The contractor takes over two fitters whose terms are protected.</p></fieldset>
<fieldset class="rich-fieldset"><legend>Award criteria</legend><ul><li>Price, 55 per cent</li><li>Quality of the maintenance plan, 30 per cent</li>
<li>Social value, 15 per cent</li></ul></fieldset>
<fieldset class="rich-fieldset"><legend>Documents</legend><table class="rich-table" id="frm:docs"><tbody>
{documents}</tbody></table></fieldset>
<fieldset class="rich-fieldset"><legend>Questions and answers</legend><dl class="qa"><dt>May the depots be visited?</dt>
<dd>Yes, on 17 September between 9:00 and 15:00. Register with the contact below.</dd>{answer}</dl></fieldset>
<fieldset class="rich-fieldset"><legend>Corrections</legend>{corrigendum}</fieldset>
<fieldset class="rich-fieldset"><legend>Contact</legend><p>Fleet and Transport, Wendy Achterberg, fleet.tenders@hartmoor.example</p></fieldset></div></div>
<div class="portalFoot">Hartmoor County Council &#183; <a href="/portal/terms">Terms of use</a> &#183; <a href="/portal/cookies">Cookies: this portal sets a session
cookie</a> &#183; Session <span>{gen}</span></div></form></body></html>`
