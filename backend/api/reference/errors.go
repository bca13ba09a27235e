package reference

import (
	"html"
	"html/template"
	"regexp"
	"strconv"
	"strings"

	"github.com/turnpike-edge/turnpike/docs"
)

// errorText is a row of docs/errors.md: when the codes of a status occur, and how to fix the request.
type errorText struct {
	Status           int
	Codes, When, Fix template.HTML
}

var (
	errorRow     = regexp.MustCompile(`(?m)^\| (\d{3}) \| (.+) \| (.+) \| (.+) \|$`)
	markdownCode = regexp.MustCompile("`([^`]+)`")
	markdownLink = regexp.MustCompile(`\[([^\]]+)\]\([^)]+\)`)
)

func errorTexts() []errorText {
	var rows []errorText
	for _, m := range errorRow.FindAllStringSubmatch(docs.Errors, -1) {
		status, _ := strconv.Atoi(m[1])
		rows = append(rows, errorText{Status: status, Codes: inline(m[2]), When: inline(m[3]), Fix: inline(m[4])})
	}
	return rows
}

// inline converts a line of markdown to HTML. Links become plain text, because the linked pages are markdown.
func inline(markdown string) template.HTML {
	text := html.EscapeString(markdownLink.ReplaceAllString(strings.TrimSpace(markdown), "$1"))
	return template.HTML(markdownCode.ReplaceAllString(text, "<code>$1</code>")) //nolint:gosec // escaped, from our own file
}
