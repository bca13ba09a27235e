package rules

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode"
)

func parseArticle(r *run) (map[string]any, string, error) {
	d, m := r.document, r.document.Metadata
	words := countWords(d.Text)
	if words == 0 {
		return nil, "the page has no text", nil
	}
	return map[string]any{
		"url": r.source.URL, "title": textOrNil(m.Title), "byline": textOrNil(m.Author), "authors": listOf(m.Authors),
		"published_at": textOrNil(m.PublishedAt), "modified_at": textOrNil(m.ModifiedAt), "language": textOrNil(m.Language),
		"site_name": textOrNil(m.SiteName), "description": textOrNil(m.Description), "image": textOrNil(m.Image),
		"word_count": json.Number(strconv.Itoa(words)), "text": d.Text, "markdown": d.Markdown, "sections": sectionsOf(d.Markdown),
	}, "", nil
}

// countWords counts runs of letters and digits, and each character in scripts without spaces between words.
func countWords(text string) int {
	words, within := 0, false
	for _, c := range text {
		switch {
		case unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai):
			words++
			within = false
		case unicode.IsLetter(c) || unicode.IsDigit(c):
			if !within {
				words++
			}
			within = true
		case c == '\'' || c == '’' || c == '-' || unicode.IsMark(c): // within a word
		default:
			within = false
		}
	}
	return words
}

// sectionsOf splits markdown at its headings. A # within a code block is not a heading.
func sectionsOf(markdown string) []any {
	sections := []any{}
	var heading any
	level, fence := 0, ""
	var body strings.Builder
	end := func() {
		if text := strings.TrimSpace(body.String()); text != "" || heading != nil {
			sections = append(sections, map[string]any{
				"heading": heading, "level": json.Number(strconv.Itoa(level)), "markdown": text,
			})
		}
		body.Reset()
	}
	for line := range strings.SplitSeq(markdown, "\n") {
		trimmed := strings.TrimSpace(line)
		if fence != "" {
			if strings.HasPrefix(trimmed, fence) && strings.Trim(trimmed, fence[:1]) == "" {
				fence = ""
			}
		} else if mark := fenceOf(trimmed); mark != "" {
			fence = mark
		} else if n, text := headingOf(line); n > 0 {
			end()
			level, heading = n, textOrNil(text)
			continue
		}
		body.WriteString(line + "\n")
	}
	end()
	return sections
}

// fenceOf is the fence with which a line starts a code block (CommonMark 4.5).
func fenceOf(line string) string {
	for _, mark := range []string{"`", "~"} {
		rest := strings.TrimLeft(line, mark)
		if n := len(line) - len(rest); n >= 3 && (mark == "~" || !strings.Contains(rest, "`")) {
			return line[:n]
		}
	}
	return ""
}

// headingOf parses an ATX heading (CommonMark 4.2).
func headingOf(line string) (int, string) {
	rest := strings.TrimLeft(line, "#")
	n := len(line) - len(rest)
	if n < 1 || n > 6 || (rest != "" && rest[0] != ' ') {
		return 0, ""
	}
	return n, strings.TrimSpace(strings.TrimRight(strings.TrimSpace(rest), "#"))
}
