package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

const (
	lineBytesMax    = 400
	unifiedBytesMax = 64 << 10
	summaryBytesMax = 500
	summaryItems    = 4
)

// diff puts together what was found.
func (c *comparison) diff() Diff {
	d := Diff{Changes: []Change{}, Failed: c.failed, Unsettled: c.unsettled}
	slices.SortStableFunc(c.found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.page, b.page), cmp.Compare(a.order, b.order), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Before, b.Before))
	})
	narrow := c.isNarrow()
	count := 0
	told := map[*node]bool{}
	for i := range c.found {
		found := &c.found[i]
		if found.quiet || found.Block == "link" && told[found.b] {
			continue
		}
		told[found.b] = true
		for j := range found.spots {
			if !found.spots[j].quiet {
				found.Values = append(found.Values, found.spots[j].values...)
			}
		}
		found.Before, found.After = cutText(found.Before, valueBytesMax), cutText(found.After, valueBytesMax)
		found.Values = found.Values[:min(len(found.Values), valuesMax)]
		counts := found.watched || !narrow
		d.Changed = d.Changed || counts
		switch {
		case count == changesMax:
			d.More++
			continue
		case counts:
			d.Changes = append(d.Changes, found.Change)
		default:
			d.Other = append(d.Other, found.Change)
		}
		count++
	}
	d.Unified = unified(d.Changes)
	d.Summary = c.summary(&d)
	return d
}

// isNarrow reports whether only what has to do with the focus counts.
func (c *comparison) isNarrow() bool { return c.relevant && !c.focus.isEmpty() }

// unified writes changes as diff -u does, a hunk for each place.
func unified(changes []Change) string {
	var out strings.Builder
	page, path := "", ""
	for i := range changes {
		ch := &changes[i]
		if out.Len() > unifiedBytesMax-4*lineBytesMax {
			_, _ = out.WriteString("@@ … @@\n")
			break
		}
		if ch.Page != page || i == 0 {
			page, path = ch.Page, "\x00"
			_, _ = fmt.Fprintf(&out, "--- %s\n+++ %s\n", cutText(page, lineBytesMax), cutText(page, lineBytesMax))
		}
		if at := strings.Join(ch.Path, " › "); at != path {
			path = at
			_, _ = fmt.Fprintf(&out, "@@ %s @@\n", cutText(cmp.Or(at, ch.Block), lineBytesMax))
		}
		writeLine(&out, '-', ch, ch.Before)
		writeLine(&out, '+', ch, ch.After)
	}
	return out.String()
}

func writeLine(out *strings.Builder, sign byte, ch *Change, text string) {
	if text == "" {
		return
	}
	if ch.Kind == Moved {
		if sign == '-' {
			return
		}
		text = "(moved) " + text
	}
	_ = out.WriteByte(sign)
	_, _ = out.WriteString(strings.ReplaceAll(cutText(text, lineBytesMax), "\n", " "))
	_ = out.WriteByte('\n')
}

// summary says in words what changed.
func (c *comparison) summary(d *Diff) string {
	var parts []string
	switch {
	case len(c.before.Pages) == 0:
		parts = append(parts, fmt.Sprintf("First run: %s read as the baseline", plural(len(c.after.Pages)-countFailed(c.after), "page")))
	case !d.Changed && len(d.Other) > 0:
		parts = append(parts, "No change in what is watched; "+plural(len(d.Other), "change")+" elsewhere")
	case !d.Changed:
		parts = append(parts, "No change")
	default:
		parts = sentences(d.Changes)
		if more := len(d.Changes) + d.More - len(parts); more > 0 && len(parts) == summaryItems {
			// What is listed by kind is in one sentence each.
			parts = append(parts, "and more")
		}
	}
	if len(d.Failed) > 0 {
		parts = append(parts, plural(len(d.Failed), "page")+" could not be read ("+d.Failed[0].Reason+")")
	}
	text := strings.Join(parts, "; ")
	return cutText(text, summaryBytesMax-1) + "."
}

func countFailed(s Snapshot) int {
	count := 0
	for i := range s.Pages {
		if s.Pages[i].Error != "" {
			count++
		}
	}
	return count
}

func plural(count int, noun string) string {
	if count == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(count) + " " + noun + "s"
}

// sentences says the first changes one by one, what was added and removed together.
func sentences(changes []Change) []string {
	var out []string
	var added, removed, moved []*Change
	seen := map[string]bool{}
	for i := range changes {
		ch := &changes[i]
		switch ch.Kind {
		case Added:
			added = append(added, ch)
			continue
		case Removed:
			removed = append(removed, ch)
			continue
		case Moved:
			moved = append(moved, ch)
			continue
		case Changed:
		}
		// The title of a page and its heading say the same.
		if text := sentence(ch); !seen[text] && len(out) < summaryItems && !seen[ch.Before+"\x00"+ch.After] {
			seen[text], seen[ch.Before+"\x00"+ch.After] = true, true
			out = append(out, text)
		}
	}
	for _, group := range []struct {
		list []*Change
		verb string
	}{{added, "added"}, {removed, "removed"}, {moved, "moved"}} {
		if len(group.list) > 0 && len(out) < summaryItems {
			out = append(out, listed(group.list, group.verb))
		}
	}
	return out
}

// listed names the first of what was added, removed or moved.
func listed(changes []*Change, verb string) string {
	noun := nounOf(changes[0])
	for _, ch := range changes {
		if nounOf(ch) != noun {
			noun = "part"
		}
	}
	var names []string
	for _, ch := range changes[:min(3, len(changes))] {
		text := cmp.Or(ch.After, ch.Before)
		names = append(names, quoted(text))
	}
	text := plural(len(changes), noun) + " " + verb + ": " + strings.Join(names, ", ")
	if len(changes) > 3 {
		text += ", …"
	}
	return text
}

func nounOf(ch *Change) string {
	switch ch.Block {
	case "page", "field", "link":
		return ch.Block
	case string(KindItem), string(KindRow), string(KindHeading), string(KindParagraph), string(KindButton):
		return ch.Block
	case string(KindCode):
		return "line"
	}
	return "part"
}

func quoted(text string) string { return "“" + cutText(text, 80) + "”" }

// sentence says one change.
func sentence(ch *Change) string {
	subject := subjectOf(ch)
	if len(ch.Values) == 1 {
		v := &ch.Values[0]
		unit := ""
		if v.Unit != "" && v.Unit != "th" {
			unit = " " + v.Unit
		}
		switch {
		case v.Type == "date" && v.Delta != "":
			return fmt.Sprintf("%s moved from %s to %s", cmp.Or(subject, "A date"), v.Old, v.New)
		case v.Percent != nil && v.Type != "version":
			verb := "rose"
			if strings.HasPrefix(v.Delta, "-") {
				verb = "fell"
			}
			sign := ""
			if v.Type == "percent" {
				unit = " %"
				return fmt.Sprintf("%s %s from %s to %s%s", cmp.Or(subject, "A value"), verb, v.Old, v.New, unit)
			}
			if *v.Percent > 0 {
				sign = "+"
			}
			return fmt.Sprintf("%s %s from %s to %s%s (%s%s %%)", cmp.Or(subject, "A value"), verb, v.Old, v.New, unit, sign, strconv.FormatFloat(*v.Percent, 'f', -1, 64))
		}
		return fmt.Sprintf("%s changed from %s to %s", cmp.Or(subject, "A "+v.Type), v.Old, v.New)
	}
	if ch.Block == "link" {
		return fmt.Sprintf("%s now leads to %s", cmp.Or(subject, "A link"), cutText(ch.After, 120))
	}
	return fmt.Sprintf("%s changed from %s to %s", cmp.Or(subject, "A "+nounOf(ch)), quoted(ch.Before), quoted(ch.After))
}

// subjectOf names what a change is of: by its label, by what its text begins with, or by the heading above it.
func subjectOf(ch *Change) string {
	if label, _, ok := strings.Cut(ch.After, ": "); ok && len(label) <= 40 && strings.HasPrefix(ch.Before, label+": ") {
		if len(ch.Path) > 0 {
			return cutText(label, 60) + " of " + cutText(ch.Path[len(ch.Path)-1], 60)
		}
		return cutText(label, 60)
	}
	switch len(ch.Path) {
	case 0:
		return ""
	case 1:
		return capital(cutText(ch.Path[0], 80))
	}
	last := len(ch.Path) - 1
	return capital(cutText(ch.Path[last], 60) + " of " + cutText(ch.Path[last-1], 60))
}

func capital(text string) string {
	if text != "" && 'a' <= text[0] && text[0] <= 'z' {
		return string(text[0]-'a'+'A') + text[1:]
	}
	return text
}
