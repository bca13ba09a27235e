package console

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// diffAnswer is the API's description of a change: as a list, and as text like that of diff -u.
type diffAnswer struct {
	Changes []change `json:"changes"`
	Unified string   `json:"unified"`
	Summary string   `json:"summary"`
	More    int      `json:"more"`
}

type change struct {
	Page   string   `json:"page"`
	Kind   string   `json:"kind"`
	Path   []string `json:"path"`
	Block  string   `json:"block"`
	Before string   `json:"before"`
	After  string   `json:"after"`
	Values []struct {
		Type    string   `json:"type"`
		Unit    string   `json:"unit"`
		Old     string   `json:"old"`
		New     string   `json:"new"`
		Delta   string   `json:"delta"`
		Percent *float64 `json:"percent"`
	} `json:"values"`
}

// Limits of what a page shows of a diff. The snapshots have the rest.
const (
	diffRowsMax   = 300
	diffRunesMax  = 4000 // of one side of a row
	diffWordsMax  = 400  // longer sides are not compared word by word
	unifiedMax    = 256 << 10
	diffLinesMax  = 2000
	changePathMax = 300
)

// sideBySide is a row of a diff: the text before and after.
type sideBySide struct {
	Kind          string // added, removed, changed, moved or same
	Where         string
	Page          string
	Before, After []span
	Notes         []string // "49.00 EUR to 39.00 EUR (−10.00, −20.4 %)"
}

// span is a part of a side; Marked if the other side lacks it.
type span struct {
	Text   string
	Marked bool
}

// rowsOf are the changes side by side, and the number that is not shown.
func rowsOf(d *diffAnswer) (rows []sideBySide, more int) {
	if len(d.Changes) == 0 {
		return unifiedRows(d.Unified)
	}
	for i := range d.Changes {
		if len(rows) == diffRowsMax {
			return rows, d.More + len(d.Changes) - i
		}
		c := &d.Changes[i]
		row := sideBySide{Kind: kindOf(c), Page: clipped(c.Page, changePathMax), Where: clipped(strings.Join(c.Path, " › "), changePathMax)}
		row.Before, row.After = compareWords(c.Before, c.After)
		for _, v := range c.Values {
			note := strings.TrimSpace(v.Old+" "+v.Unit) + " to " + strings.TrimSpace(v.New+" "+v.Unit)
			if v.Delta != "" {
				note += ", a difference of " + v.Delta
			}
			row.Notes = append(row.Notes, clipped(note, changePathMax))
		}
		if len(row.Notes) > 10 {
			row.Notes = row.Notes[:10]
		}
		rows = append(rows, row)
	}
	return rows, d.More
}

// kindOf is the kind of a change, limited to those that pages have words for.
func kindOf(c *change) string {
	switch c.Kind {
	case "added", "removed", "moved":
		return c.Kind
	default:
		return "changed"
	}
}

// unifiedRows parses the text of diff -u, and puts removed and added lines side by side. It accepts any text: a line that
// is not part of a diff counts as unchanged.
func unifiedRows(text string) (rows []sideBySide, more int) {
	text, cut := head(text, unifiedMax)
	if cut {
		more = 1
	}
	var removed, added []string
	where, lines := "", 0
	flush := func() {
		for i := range max(len(removed), len(added)) {
			row := sideBySide{Kind: "changed", Where: where}
			switch {
			case i >= len(added):
				row.Kind = "removed"
				row.Before, _ = compareWords(removed[i], "")
			case i >= len(removed):
				row.Kind = "added"
				_, row.After = compareWords("", added[i])
			default:
				row.Before, row.After = compareWords(removed[i], added[i])
			}
			rows = append(rows, row)
		}
		removed, added = nil, nil
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if lines++; lines > diffLinesMax {
			more++
			continue
		}
		switch {
		case strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "+++ "):
			flush()
			where = clipped(strings.TrimSpace(line[4:]), changePathMax)
		case strings.HasPrefix(line, "@@"), strings.HasPrefix(line, `\`):
			flush()
		case strings.HasPrefix(line, "-"):
			removed = append(removed, line[1:])
		case strings.HasPrefix(line, "+"):
			added = append(added, line[1:])
		case strings.TrimSpace(line) != "":
			flush()
			same := []span{{Text: clipped(strings.TrimPrefix(line, " "), diffRunesMax)}}
			rows = append(rows, sideBySide{Kind: "same", Where: where, Before: same, After: same})
		}
	}
	flush()
	if len(rows) > diffRowsMax {
		rows, more = rows[:diffRowsMax], more+len(rows)-diffRowsMax
	}
	return rows, more
}

// compareWords marks the words that the other side lacks. If one side is empty, all of the other is marked.
func compareWords(before, after string) (old, now []span) {
	before, after = clipped(before, diffRunesMax), clipped(after, diffRunesMax)
	if before == "" || after == "" {
		return whole(before), whole(after)
	}
	a, b := words(before), words(after)
	if len(a) > diffWordsMax || len(b) > diffWordsMax {
		return whole(before), whole(after)
	}
	return common(a, b)
}

func whole(text string) []span {
	if text == "" {
		return nil
	}
	return []span{{Text: text, Marked: true}}
}

// words splits text into words, runs of spaces, and single marks.
func words(text string) []string {
	class := func(r rune) int {
		switch {
		case unicode.IsSpace(r):
			return 1
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '.' || r == ',' || r == '_':
			return 2
		default:
			return 3
		}
	}
	var parts []string
	last := 0
	for i, r := range text {
		of := class(r)
		if i > 0 && of == last && of != 3 {
			parts[len(parts)-1] += string(r)
			continue
		}
		parts, last = append(parts, string(r)), of
	}
	return parts
}

// common marks what is not in the longest common subsequence.
func common(a, b []string) (old, now []span) {
	length := make([][]uint16, len(a)+1)
	for i := range length {
		length[i] = make([]uint16, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				length[i][j] = length[i+1][j+1] + 1
			} else {
				length[i][j] = max(length[i+1][j], length[i][j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			old, now = push(old, a[i], false), push(now, b[j], false)
			i, j = i+1, j+1
		case j == len(b) || (i < len(a) && length[i+1][j] >= length[i][j+1]):
			old = push(old, a[i], true)
			i++
		default:
			now = push(now, b[j], true)
			j++
		}
	}
	return old, now
}

func push(spans []span, text string, marked bool) []span {
	if n := len(spans); n > 0 && spans[n-1].Marked == marked {
		spans[n-1].Text += text
		return spans
	}
	return append(spans, span{Text: text, Marked: marked})
}

// head is the start of a text of at most bytesMax bytes, cut at a character boundary.
func head(text string, bytesMax int) (string, bool) {
	if len(text) <= bytesMax {
		return text, false
	}
	cut := bytesMax
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut], true
}
