package llm

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Page is the text of a web page. All of it is written by strangers.
type Page struct {
	URL, Title string
	// Markdown is the page's content.
	Markdown string
	// Structured is the page's structured data as JSON; it may be empty.
	Structured json.RawMessage
}

// EstimateTokens estimates the tokens of a text, usually slightly too high: four ASCII characters per token, and one
// token for each other character. No two models count alike.
func EstimateTokens(text string) int {
	ascii, other := 0, 0
	for _, r := range text {
		if r < utf8.RuneSelf {
			ascii++
		} else {
			other++
		}
	}
	return (ascii+3)/4 + other
}

// leftOut replaces omitted text.
const leftOut = "[…]"

// Read is how much of a page was sent to a model, in tokens by [EstimateTokens].
type Read struct {
	// Page is the size of the page: its content and its structured data.
	Page int
	// ContentLeftOut and StructuredLeftOut are what was omitted of each.
	ContentLeftOut, StructuredLeftOut int
}

// within returns the page as text of at most budget tokens: structured data first, at most half of them, then the content. From
// content that is too long it keeps the beginning, and the sections with the most words in common with the task, in the page's order.
func (p Page) within(budget int, task string) (string, Read) {
	var read Read
	var out strings.Builder
	out.WriteString("URL: " + clipTokens(oneLine(p.URL), 500) + "\nTitle: " + clipTokens(oneLine(p.Title), 200) + "\n")
	budget -= EstimateTokens(out.String())
	if structured := strings.TrimSpace(string(p.Structured)); structured != "" && structured != "null" {
		whole := EstimateTokens(structured)
		structured = clipTokens(structured, budget/2)
		sent := EstimateTokens(structured)
		budget -= sent
		read.Page, read.StructuredLeftOut = whole, max(whole-sent, 0)
		out.WriteString("\nStructured data of the page (JSON):\n" + structured + "\n")
	}
	content, whole := selectSections(p.Markdown, budget, task), EstimateTokens(p.Markdown)
	read.Page += whole
	if len(content) != len(p.Markdown) {
		read.ContentLeftOut = max(whole-EstimateTokens(content), 1)
	}
	out.WriteString("\nContent of the page (Markdown):\n" + content + "\n")
	return out.String(), read
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// clipTokens cuts text to at most the given tokens, at a character boundary.
func clipTokens(text string, tokens int) string {
	if tokens <= 0 {
		return ""
	}
	if EstimateTokens(text) <= tokens {
		return text
	}
	used := 0 // in quarters of a token
	for i, r := range text {
		if used++; r >= utf8.RuneSelf {
			used += 3
		}
		if used > 4*(tokens-1) {
			return text[:i] + leftOut
		}
	}
	return text
}

type section struct {
	text   string
	tokens int
	score  float64
}

// heading matches the start of a section.
var heading = regexp.MustCompile(`(?m)^#{1,6} `)

// sectionTokensMax is where a section without headings is split, so that a long one need not be kept whole.
const sectionTokensMax = 1000

func selectSections(markdown string, budget int, task string) string {
	if EstimateTokens(markdown) <= budget {
		return markdown
	}
	sections := split(markdown)
	wanted := words(task)
	for i := range sections {
		s := &sections[i]
		s.tokens = EstimateTokens(s.text) + 2
		for word := range words(s.text) {
			if wanted[word] {
				s.score++
			}
		}
	}
	order := make([]int, len(sections))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(sections[b].score, sections[a].score) })
	keep := make([]bool, len(sections))
	used := 0
	take := func(i, limit int) {
		if !keep[i] && used+sections[i].tokens <= limit {
			keep[i] = true
			used += sections[i].tokens
		}
	}
	// The beginning says what the page is about.
	for i := range sections {
		if used+sections[i].tokens > budget/3 {
			break
		}
		take(i, budget/3)
	}
	for _, i := range order {
		take(i, budget)
	}
	if used == 0 {
		return clipTokens(markdown, budget)
	}
	return join(sections, keep)
}

func join(sections []section, keep []bool) string {
	var out strings.Builder
	gap := false
	for i, s := range sections {
		if !keep[i] {
			gap = true
			continue
		}
		if gap {
			out.WriteString(leftOut + "\n\n")
			gap = false
		}
		out.WriteString(s.text)
	}
	if gap {
		out.WriteString("\n" + leftOut)
	}
	return out.String()
}

// split cuts markdown at its headings, and long sections at empty lines.
func split(markdown string) []section {
	var sections []section
	add := func(text string) {
		if strings.TrimSpace(text) != "" {
			sections = append(sections, section{text: text})
		}
	}
	starts := heading.FindAllStringIndex(markdown, -1)
	begin := 0
	for _, at := range append(starts, []int{len(markdown), 0}) {
		part := markdown[begin:at[0]]
		begin = at[0]
		piece := 0
		for piece < len(part) && len(part)-piece > 4*sectionTokensMax {
			cut := strings.Index(part[piece+3*sectionTokensMax:], "\n\n")
			if cut < 0 {
				break
			}
			end := piece + 3*sectionTokensMax + cut + 2
			add(part[piece:end])
			piece = end
		}
		add(part[piece:])
	}
	return sections
}

// words are a text's words of three or more letters, in lower case.
func words(text string) map[string]bool {
	found := map[string]bool{}
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if utf8.RuneCountInString(word) > 2 {
			found[word] = true
		}
	}
	return found
}
