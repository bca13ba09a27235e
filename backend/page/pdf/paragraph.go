package pdf

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// piece is a block on its way: lines that belong together.
type piece struct {
	kind         Kind
	lines        []line
	page, region int
	apart        bool // the region does not go on from the one before
	level        int
	marker       string
	number       int
	rows         [][]string
}

func (p *piece) first() *line { return &p.lines[0] }

// bold reports whether all of it is.
func (p *piece) bold() bool {
	for i := range p.lines {
		if !p.lines[i].bold {
			return false
		}
	}
	return true
}

// size is that of its first line.
func (p *piece) size() float64 { return math.Round(float64(p.lines[0].size)*2) / 2 }

// piecesOf parts a region's lines into pieces.
func piecesOf(lines []line) []piece {
	leading := leadingOf(lines)
	var out []piece
	for start := 0; start < len(lines); {
		end := start + 1
		switch {
		case lines[start].cells != nil:
			for end < len(lines) && lines[end].cells != nil && len(lines[end].cells) == len(lines[start].cells) {
				end++
			}
			p := piece{kind: Table, lines: lines[start:end]}
			for _, ln := range p.lines {
				p.rows = append(p.rows, ln.cells)
			}
			out = append(out, p)
		case lines[start].mono:
			for end < len(lines) && lines[end].mono && gapOf(lines, end) < 3.2*lines[end].size {
				end++
			}
			out = append(out, piece{kind: Code, lines: lines[start:end]})
		default:
			for end < len(lines) && !breaks(lines, end, leading) {
				end++
			}
			out = append(out, paragraphs(lines[start:end])...)
		}
		start = end
	}
	return out
}

// gapOf is how far line i is below the one before.
func gapOf(lines []line, i int) float32 { return lines[i-1].v - lines[i].v }

// leadingOf is the usual distance of lines, in parts of their size.
func leadingOf(lines []line) float32 {
	var gaps []float32
	for i := 1; i < len(lines); i++ {
		gap := gapOf(lines, i) / max(lines[i].size, 0.01)
		if gap > 0.8 && gap < 2.2 && math.Abs(float64(lines[i].size-lines[i-1].size)) < 0.5 {
			gaps = append(gaps, gap)
		}
	}
	if len(gaps) == 0 {
		return 1.25
	}
	slices.Sort(gaps)
	return gaps[len(gaps)*2/5]
}

// breaks reports whether something else than running text begins at line i, or a paragraph that is set apart by its
// distance, its size, its weight or the mark of a list.
func breaks(lines []line, i int, leading float32) bool {
	a, b := &lines[i-1], &lines[i]
	if a.tag.block != 0 && b.tag.block != 0 && b.cells == nil && !b.mono {
		return a.tag.block != b.tag.block
	}
	gap := gapOf(lines, i)
	larger := max(a.size, b.size)
	switch {
	case b.cells != nil || b.mono,
		gap > (leading+0.32)*larger && gap > 1.2*leading*larger,
		gap < -0.2*larger,
		math.Abs(float64(a.size-b.size)) > 0.12*float64(larger),
		a.bold != b.bold && !runIn(a, b):
		return true
	}
	if _, _, ok := marker(b.text); ok {
		return true
	}
	// Two lines with wide gaps are rows of something that is no table, but no running text either.
	return a.gaps && b.gaps || leader(a.text) || leader(b.text)
}

// runIn reports whether bold words at the end of a line go on in the next, or begin a paragraph that goes on without.
func runIn(a, b *line) bool {
	return a.bold && !b.bold && b.u0 <= a.u0 && utf8.RuneCountInString(a.text) > 60
}

// leader reports whether a line is an entry of a table of contents.
func leader(t string) bool {
	return strings.Contains(t, ". . . .") || strings.Contains(t, ".....") || strings.Contains(t, "……")
}

// paragraphs parts lines that stand close by how they begin and end: the first line of a paragraph is indented, or all
// but it are, or the one before is shorter than it had to be.
func paragraphs(lines []line) []piece {
	if lines[0].tag.block != 0 {
		return []piece{{lines: lines}}
	}
	left, right := lines[0].u0, lines[0].u1
	for _, ln := range lines {
		left, right = min(left, ln.u0), max(right, ln.u1)
	}
	indented := 0
	for _, ln := range lines[1:] {
		if ln.u0 > left+0.6*ln.size {
			indented++
		}
	}
	_, _, isItem := marker(lines[0].text)
	hanging := indented*2 > len(lines)-1
	var out []piece
	start := 0
	for i := 1; i < len(lines); i++ {
		a, b := &lines[i-1], &lines[i]
		in, before := b.u0 > left+0.6*b.size, a.u0 > left+0.6*a.size
		begins := !isItem && in != before && in != hanging && !centred(a, b)
		short := right-a.u1 > b.first+1.2*b.size && !strings.HasSuffix(a.text, ",") && len(lines) > 2 && ended(a.text)
		if begins || short {
			out = append(out, piece{lines: lines[start:i]})
			start = i
		}
	}
	return append(out, piece{lines: lines[start:]})
}

// centred reports whether two lines have one middle and different ends.
func centred(a, b *line) bool {
	return math.Abs(float64(a.u0+a.u1-b.u0-b.u1)) < float64(a.size) && math.Abs(float64(a.u0-b.u0)) > float64(a.size)
}

// ended reports whether a text ends as sentences do.
func ended(t string) bool {
	r, _ := utf8.DecodeLastRuneInString(strings.TrimRight(t, "”’\"')]»"))
	return strings.ContainsRune(".!?:;。！？…", r)
}

// marker reads the mark of a list item at the beginning of a line: a bullet, or a number and what ends it.
func marker(t string) (mark, rest string, ok bool) {
	r, n := utf8.DecodeRuneInString(t)
	if strings.ContainsRune("•‣◦▪▫●○■□➢➤✓✔∙⁃◆◇►▶–—·*-", r) {
		rest = t[n:]
		if strings.HasPrefix(rest, " ") && strings.TrimSpace(rest) != "" || strings.ContainsRune("•‣▪●■➢➤", r) && rest != "" {
			return "", strings.TrimSpace(rest), true
		}
		return "", "", false
	}
	head, rest, found := strings.Cut(t, " ")
	if !found || len(head) < 2 || len(head) > 6 || strings.TrimSpace(rest) == "" {
		return "", "", false
	}
	inner := strings.TrimPrefix(head, "(")
	end := inner[len(inner)-1]
	if end != '.' && end != ')' || len(inner) != len(head) && end != ')' {
		return "", "", false
	}
	inner = inner[:len(inner)-1]
	digits := len(inner) > 0 && len(inner) <= 3
	for i := range len(inner) {
		digits = digits && unicode.IsDigit(rune(inner[i]))
	}
	if digits || end == ')' && len(inner) == 1 && unicode.IsLower(rune(inner[0])) {
		return head, strings.TrimSpace(rest), true
	}
	return "", "", false
}
