package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

const (
	// changesMax bounds the changes of a Diff.
	changesMax      = 200
	lineBytesMax    = 400
	valueBytesMax   = 2_000
	unifiedBytesMax = 64 << 10
	summaryBytesMax = 500
	summaryItems    = 4
)

// Diff is what changed between two snapshots.
type Diff struct {
	// Changed reports whether anything did that counts.
	Changed bool `json:"changed"`
	// Changes are what counts, Other all else that differs, each with the reason why it is ignored.
	Changes []Change `json:"changes"`
	Other   []Change `json:"other,omitempty"`
	// Failed are the pages that could not be compared in this run.
	Failed []Failure `json:"failed,omitempty"`
	// Unified is the same as text, in the form of diff -u, a line for each block.
	Unified string `json:"unified"`
	// Summary says it in words, in at most 500 bytes.
	Summary string `json:"summary"`
	// Unsettled are the URLs of pages of which some looks were as in the last run and some were not: they are to be compared
	// with the last run once more (Keep).
	Unsettled []string `json:"unsettled,omitempty"`
	// More is how many changes were left out.
	More int `json:"more,omitempty"`
	// Findings are the differences as the model sees them; see Options.Study.
	Findings []Finding `json:"-"`
}

// Finding is a difference as the model sees it.
type Finding struct {
	Change

	// Was and Now are the words that differ.
	Was, Now string
	Figures  []float32
	// Settled reports that all looks show it.
	Settled bool
}

// ChangeKind is what happened.
type ChangeKind string

// The kinds of changes.
const (
	Added   ChangeKind = "added"
	Removed ChangeKind = "removed"
	Changed ChangeKind = "changed"
)

// Change is one thing that changed.
type Change struct {
	// Page is the page's URL.
	Page string     `json:"page"`
	Kind ChangeKind `json:"kind"`
	// Path leads to it: the headings that it stands under and its label; for a field of the data its names.
	Path []string `json:"path,omitempty"`
	// Block is what kind of block it is; "page" for a page, "field" for a field of the data, "link" for where a link leads.
	Block  string `json:"block"`
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
	// Values are the numbers, amounts and dates that differ.
	Values []ValueChange `json:"values,omitempty"`
	// Reason is why it is ignored; "" where it is not.
	Reason string `json:"reason,omitempty"`
}

// ValueChange is a value that differs in a changed block.
type ValueChange struct {
	// Type is number, money, percent, date or version.
	Type string `json:"type"`
	// Unit is the currency (ISO 4217), where there is one.
	Unit string `json:"unit,omitempty"`
	// Old and New are in canonical form: decimal, or ISO 8601.
	Old string `json:"old"`
	New string `json:"new"`
	// Delta is New less Old, in decimal, where both are numbers; for dates it is in days.
	Delta string `json:"delta,omitempty"`
	// Percent is Delta in percent of Old, where Old is not 0.
	Percent *float64 `json:"percent,omitempty"`
}

// Failure is a page that could not be compared, and why.
type Failure struct {
	Page   string `json:"page"`
	Reason string `json:"reason"`
}

// Keep is the snapshot to keep after a run, for the next to be compared with: Snapshot.Keep, but for the pages that are unsettled,
// which are as they were in before.
func (d *Diff) Keep(before, after Snapshot) Snapshot {
	kept := after.Keep(before)
	for i := range kept.Pages {
		if old := before.page(kept.Pages[i].URL); old != nil && slices.Contains(d.Unsettled, old.URL) {
			kept.Pages[i] = *old
		}
	}
	return kept
}

// diff puts together what was found.
func (c *comparison) diff() Diff {
	out := Diff{Changes: []Change{}, Failed: c.failed, Unsettled: c.unsettled}
	var ignored []*difference
	for _, p := range c.pages {
		slices.SortStableFunc(p.found, func(a, b *difference) int { return cmp.Or(cmp.Compare(a.order, b.order), cmp.Compare(a.Kind, b.Kind)) })
		var last *difference
		for _, d := range p.found {
			d.Page = p.url
			d.show(p)
			if c.options.Study && d.figures != nil {
				out.Findings = append(out.Findings, Finding{d.Change, d.was, d.now, slices.Clone(d.figures), !d.unstable && !p.unsettled})
			}
			if d.reason = c.reason(p, d); d.reason != "" {
				ignored = append(ignored, d)
				continue
			}
			if last != nil && last.Kind == Changed && d.Kind == Changed && len(d.b) > 0 && len(last.b) > 0 && d.b[0] == last.b[0] {
				change := &out.Changes[len(out.Changes)-1]
				change.Values = append(change.Values, d.Values...)[:min(len(change.Values)+len(d.Values), valuesMax)]
				change.Before, change.After = joinExcerpts(change.Before, d.Before), joinExcerpts(change.After, d.After)
				continue
			}
			last = d
			if len(out.Changes) == changesMax {
				out.More++
				continue
			}
			out.Changes = append(out.Changes, d.Change)
		}
	}
	out.Changed = len(out.Changes) > 0
	slices.SortStableFunc(ignored, func(a, b *difference) int { return cmp.Compare(b.trust, a.trust) })
	for _, d := range ignored[:min(len(ignored), changesMax)] {
		d.Reason = d.reason
		out.Other = append(out.Other, d.Change)
	}
	out.Unified = unified(out.Changes)
	out.Summary = c.summary(&out, len(ignored))
	return out
}

// joinExcerpts puts two excerpts of a text together.
func joinExcerpts(a, b string) string {
	if a == b || b == "" || strings.Contains(a, b) {
		return a
	}
	return cutText(a+" "+b, valueBytesMax)
}

// reason says why a difference is ignored, "" where it is not.
func (c *comparison) reason(p *compared, d *difference) string {
	switch {
	case p.unsettled && d.Block != "page":
		return "left to the next run: another fetch showed the page as it was in the last run"
	case d.cosmetic:
		return "only punctuation or capital letters differ"
	case d.unstable:
		return "it differs between fetches of the same page"
	case d.isTold:
		return ""
	}
	known := c.noise.past(d)
	shape := shapeOf(d.wasValue) | shapeOf(d.nowValue)
	switch {
	case known.varied > 0:
		return "this place differs between fetches of the same page"
	case known.runs > 1 && known.rate > 0.5:
		return "this place is another in most runs"
	case shape&shapeAgo != 0 || isOfTime(d.now, c.after.At):
		return "it goes with the time of the fetch"
	case !d.isAsked:
		return "it does not seem to be what the query asks for"
	}
	return "it looks like something that is another by itself, such as an advert, a teaser or a counter"
}

// excerptBytes is how much of a long text is shown on each side of what differs.
const excerptBytes = 160

// show sets what is said of a difference.
func (d *difference) show(p *compared) {
	if d.Block == "page" {
		return
	}
	if d.Values = nil; d.Kind == Changed && d.Block != "link" {
		d.Values = valuesOf(d.wasValue, d.nowValue)
	}
	if d.Block == "field" {
		return
	}
	d.Before, d.After = cutText(d.was, valueBytesMax), cutText(d.now, valueBytesMax)
	on := p.b
	if len(d.b) == 0 {
		on = p.a
	}
	if n := d.node(); d.Kind == Changed && d.Block != "link" {
		d.Before = excerpt(d.a[0].Text, d.a[0].read(), d.hunk.a0, d.hunk.a1)
		d.After = excerpt(n.Text, n.read(), d.hunk.b0, d.hunk.b1)
	}
	d.Path = on.pathOf(d.node())
}

// excerpt is a text around some of its words, whole where it is short.
func excerpt(text string, words []word, from, to int) string {
	if len(text) <= 4*excerptBytes || len(words) == 0 {
		return text
	}
	begin, end := words[min(from, len(words)-1)].from, len(text)
	if to > 0 {
		end = words[to-1].to
	}
	first, last := max(0, begin-excerptBytes), min(len(text), max(begin, end)+excerptBytes)
	for first > 0 && text[first] != ' ' {
		first--
	}
	for last < len(text) && text[last] != ' ' {
		last++
	}
	out := cutText(text[first:last], valueBytesMax)
	if first > 0 {
		out = "…" + out
	}
	if last < len(text) {
		out += " …"
	}
	return out
}

// pathOf are the headings that a block stands under, the header of its row, and its label.
func (s *side) pathOf(n *node) []string {
	var path []string
	for at := n.Under; at > 0 && at <= len(s.nodes) && len(path) < 6; {
		head := &s.nodes[at-1]
		path = append(path, cutText(head.Text, labelBytesMax))
		if head.Under >= at {
			break
		}
		at = head.Under
	}
	slices.Reverse(path)
	if n.Label != "" && n.Label != n.Text {
		path = append(path, n.Label)
	}
	return path
}

// unified writes changes like diff -u does.
func unified(changes []Change) string {
	var out strings.Builder
	page, path := "", ""
	for i := range changes {
		ch := &changes[i]
		if out.Len() > unifiedBytesMax-4*lineBytesMax {
			_, _ = fmt.Fprintf(&out, "… and %d more\n", len(changes)-i)
			break
		}
		if ch.Page != page {
			page, path = ch.Page, ""
			_, _ = fmt.Fprintf(&out, "--- %s\n+++ %s\n", cutText(page, lineBytesMax), cutText(page, lineBytesMax))
		}
		if at := strings.Join(ch.Path, " › "); at != path {
			path = at
			_, _ = fmt.Fprintf(&out, "@@ %s @@\n", cutText(cmp.Or(at, ch.Block), lineBytesMax))
		}
		for _, line := range []struct{ sign, text string }{{"-", ch.Before}, {"+", ch.After}} {
			if line.text != "" {
				_, _ = out.WriteString(line.sign + strings.ReplaceAll(cutText(line.text, lineBytesMax), "\n", " ") + "\n")
			}
		}
	}
	return out.String()
}

func plural(count int, noun string) string {
	if count == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(count) + " " + noun + "s"
}
