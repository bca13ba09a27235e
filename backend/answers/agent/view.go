package agent

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/turnpike-edge/turnpike/backend/answers/ask"
	"github.com/turnpike-edge/turnpike/backend/llm"
	"github.com/turnpike-edge/turnpike/backend/page/extract"
	"github.com/turnpike-edge/turnpike/backend/websearch"
)

const (
	linksShown   = 30
	snippetChars = 400
	titleChars   = 200
	addressChars = 2000
)

// fence is the code in the marker lines around data. It is random for each task, and removed from all data.
type fence string

func newFence() fence {
	var code [16]byte
	_, _ = rand.Read(code[:]) // it never fails
	return fence(hex.EncodeToString(code[:]))
}

// around puts strangers' text between marker lines that it cannot forge.
func (f fence) around(what, text string) string {
	text = strings.ReplaceAll(text, string(f), "")
	return "=== begin of " + what + " " + string(f) + "\n" + text + "\n=== end of " + what + " " + string(f) + "\n"
}

// partsOf splits a source's text into parts of at most tokensMax tokens: its structured data, its content, its links.
func partsOf(source *ask.Source, task string, tokensMax int) []string {
	var statements []string
	for _, statement := range ask.Statements(source) {
		if !strings.HasPrefix(statement, "link: ") && (len(source.JSON) == 0 || len(statement) > 0) {
			statements = append(statements, statement)
		}
	}
	var text strings.Builder
	if len(source.JSON) > 0 {
		text.WriteString("Content (JSON):\n" + string(source.JSON) + "\n")
	} else {
		d := source.Document
		content := cmp.Or(d.Markdown, d.Text)
		if len(statements) > 0 {
			// At most a third of the first part, so that it also shows content.
			text.WriteString("What the page labels:\n" + within(strings.Join(statements, "\n"), tokensMax/3) + "\n\n")
		}
		text.WriteString("Content:\n" + content + "\n")
		if links := linksOf(d.Links, content, task); links != "" {
			text.WriteString("\nOther links of the page:\n" + links)
		}
	}
	return split(text.String(), tokensMax)
}

// within cuts text at a line end to at most tokensMax tokens.
func within(text string, tokensMax int) string {
	if llm.EstimateTokens(text) <= tokensMax {
		return text
	}
	return split(text, tokensMax)[0]
}

// split cuts text into parts of at most tokensMax tokens: at line ends, or within lines that are longer.
func split(text string, tokensMax int) []string {
	var parts []string
	var part strings.Builder
	used := 0
	end := func() {
		if part.Len() > 0 {
			parts = append(parts, part.String())
		}
		part.Reset()
		used = 0
	}
	for line := range strings.SplitAfterSeq(text, "\n") {
		for line != "" {
			piece := line
			if len(piece) > tokensMax { // it may be too long, counting up to one token per byte
				piece = strings.ToValidUTF8(piece[:tokensMax], "")
				if piece == "" || llm.EstimateTokens(line) <= tokensMax {
					piece = line
				} else if space := strings.LastIndexByte(piece, ' '); space > len(piece)/2 {
					piece = piece[:space+1]
				}
			}
			line = line[len(piece):]
			tokens := llm.EstimateTokens(piece)
			if used+tokens > tokensMax {
				end()
			}
			part.WriteString(piece)
			used += tokens
		}
	}
	end()
	if len(parts) == 0 {
		return []string{""}
	}
	return parts
}

// linksOf are links that the content does not show, those with most words in common with the task first.
func linksOf(links []extract.Link, content, task string) string {
	wanted := wordsOf(task)
	type scored struct {
		link  extract.Link
		score int
	}
	var found []scored
	for _, link := range links {
		if link.Text == "" || len(link.URL) > addressChars || strings.Contains(content, link.URL) {
			continue
		}
		s := scored{link: link}
		for word := range wordsOf(link.Text + " " + link.URL) {
			if wanted[word] {
				s.score++
			}
		}
		found = append(found, s)
	}
	slices.SortStableFunc(found, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	var out strings.Builder
	for _, s := range found[:min(len(found), linksShown)] {
		out.WriteString(clip(oneLine(s.link.Text), titleChars) + ": " + s.link.URL + "\n")
	}
	return out.String()
}

func wordsOf(text string) map[string]bool {
	found := map[string]bool{}
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if len(word) > 2 {
			found[word] = true
		}
	}
	return found
}

// bestParts are the parts with most words in common with the task, except for the shown one.
func bestParts(parts []string, task string, shown int) []int {
	wanted := wordsOf(task)
	scores := make([]int, len(parts))
	var order []int
	for i, part := range parts {
		for word := range wordsOf(part) {
			if wanted[word] {
				scores[i]++
			}
		}
		if i != shown && scores[i] > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	return order[:min(len(order), 3)]
}

// resultsText formats search results.
func resultsText(results []websearch.Result) string {
	var out strings.Builder
	for i, result := range results {
		fmt.Fprintf(&out, "%d. %s\n   %s\n", i+1, clip(oneLine(short(result.Title)), titleChars), result.URL)
		if snippet := clip(oneLine(short(result.Snippet)), snippetChars); snippet != "" {
			out.WriteString("   " + snippet + "\n")
		}
	}
	return out.String()
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func clip(s string, bytesMax int) string {
	if len(s) <= bytesMax {
		return s
	}
	return strings.ToValidUTF8(s[:bytesMax], "") + "[…]"
}
