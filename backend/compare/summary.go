package compare

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// summary says in words what changed.
func (c *comparison) summary(d *Diff, ignored int) string {
	var parts []string
	switch {
	case len(c.before.Pages) == 0:
		read := 0
		for i := range c.after.Pages {
			if c.after.Pages[i].Error == "" {
				read++
			}
		}
		parts = append(parts, fmt.Sprintf("First run: %s read as the baseline", plural(read, "page")))
	case d.Changed:
		if parts = sentences(d.Changes); d.More > 0 || len(d.Changes) > len(parts) && len(parts) == summaryItems {
			parts = append(parts, "and more")
		}
	case ignored > 0:
		parts = append(parts, "No change in what is watched")
	case len(c.anew) == 0:
		parts = append(parts, "No change")
	}
	if len(c.anew) > 0 {
		parts = append(parts, plural(len(c.anew), "page")+" read as the baseline anew")
	}
	if len(d.Failed) > 0 {
		parts = append(parts, plural(len(d.Failed), "page")+" could not be read ("+d.Failed[0].Reason+")")
	}
	text := strings.Join(parts, "; ")
	if ignored > 0 {
		end := "; " + plural(ignored, "difference") + " ignored"
		return cutText(text, summaryBytesMax-1-len(end)) + end + "."
	}
	return cutText(text, summaryBytesMax-1) + "."
}

// sentences says the first changes one by one, what was added and removed together.
func sentences(changes []Change) []string {
	var out []string
	var added, removed []*Change
	seen := map[string]bool{}
	for i := range changes {
		ch := &changes[i]
		switch ch.Kind {
		case Added:
			added = append(added, ch)
		case Removed:
			removed = append(removed, ch)
		case Changed:
			// The title of a page and its heading say the same.
			if text := sentence(ch); !seen[ch.Before+"\x00"+ch.After] && len(out) < summaryItems {
				seen[ch.Before+"\x00"+ch.After] = true
				out = append(out, text)
			}
		}
	}
	for _, group := range []struct {
		list []*Change
		verb string
	}{{added, "added"}, {removed, "removed"}} {
		if len(group.list) > 0 && len(out) < summaryItems {
			out = append(out, listed(group.list, group.verb))
		}
	}
	return out
}

// listed names the first of what was added or removed.
func listed(changes []*Change, verb string) string {
	noun := nounOf(changes[0])
	for _, ch := range changes {
		if nounOf(ch) != noun {
			noun = "part"
		}
	}
	var names []string
	for _, ch := range changes[:min(3, len(changes))] {
		names = append(names, quoted(cmp.Or(ch.After, ch.Before)))
	}
	text := plural(len(changes), noun) + " " + verb + ": " + strings.Join(names, ", ")
	if len(changes) > 3 {
		text += ", …"
	}
	return text
}

func nounOf(ch *Change) string {
	switch ch.Block {
	case "page", "field", "link", string(KindItem), string(KindRow), string(KindHeading), string(KindParagraph), string(KindButton):
		return ch.Block
	case string(KindCode):
		return "line"
	}
	return "part"
}

func quoted(text string) string {
	return "“" + cutText(strings.ReplaceAll(text, "\n", " "), 80) + "”"
}

// sentence says one change.
func sentence(ch *Change) string {
	subject := subjectOf(ch)
	if len(ch.Values) == 1 {
		v := &ch.Values[0]
		unit := ""
		if v.Unit != "" {
			unit = " " + v.Unit
		}
		switch v.Type {
		case "date":
			return fmt.Sprintf("%s moved from %s to %s", cmp.Or(subject, "A date"), v.Old, v.New)
		case "percent":
			return fmt.Sprintf("%s changed from %s to %s %%", cmp.Or(subject, "A value"), v.Old, v.New)
		case "money":
			verb, sign := "rose", "+"
			if strings.HasPrefix(v.Delta, "-") {
				verb, sign = "fell", ""
			}
			percent := ""
			if v.Percent != nil {
				percent = " (" + sign + strconv.FormatFloat(*v.Percent, 'f', -1, 64) + " %)"
			}
			return fmt.Sprintf("%s %s from %s to %s%s%s", cmp.Or(subject, "A price"), verb, v.Old, v.New, unit, percent)
		}
	}
	if ch.Block == "link" {
		return fmt.Sprintf("%s now leads to %s", cmp.Or(subject, "A link"), cutText(ch.After, 120))
	}
	before, after := around(ch.Before, ch.After)
	return fmt.Sprintf("%s changed from %s to %s", cmp.Or(subject, "A "+nounOf(ch)), quoted(before), quoted(after))
}

// around cuts what two long texts have in common at their beginning, but for some words.
func around(before, after string) (string, string) {
	const context = 24
	same := 0
	for same < len(before) && same < len(after) && before[same] == after[same] {
		same++
	}
	if same <= context || len(before) <= 80 && len(after) <= 80 {
		return before, after
	}
	from := strings.LastIndexByte(before[:same-context], ' ') + 1
	if from == 0 {
		return before, after
	}
	return "…" + before[from:], "…" + after[from:]
}

// subjectOf names what a change is of: by its label, or by the heading above it.
func subjectOf(ch *Change) string {
	if label, _, ok := strings.Cut(ch.After, ": "); ok && len(label) <= 40 && strings.HasPrefix(ch.Before, label+": ") {
		if len(ch.Path) > 0 {
			return cutText(label, 60) + " of " + cutText(ch.Path[len(ch.Path)-1], 60)
		}
		return cutText(label, 60)
	}
	var text string
	switch len(ch.Path) {
	case 0:
		return ""
	case 1:
		text = cutText(ch.Path[0], 80)
	default:
		last := len(ch.Path) - 1
		text = cutText(ch.Path[last], 60) + " of " + cutText(ch.Path[last-1], 60)
	}
	if 'a' <= text[0] && text[0] <= 'z' {
		text = string(text[0]-'a'+'A') + text[1:]
	}
	return text
}
