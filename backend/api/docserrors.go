package api

import (
	"html"
	"html/template"
	"regexp"
	"strconv"
	"strings"

	"github.com/turnpike-edge/turnpike/docs"
)

// docsError is a row of docs/errors.md: when the codes of a status occur, and how to fix the request.
type docsError struct {
	Status           int
	Codes, When, Fix template.HTML
}

var (
	errorRow     = regexp.MustCompile(`(?m)^\| (\d{3}) \| (.+) \| (.+) \| (.+) \|$`)
	markdownCode = regexp.MustCompile("`([^`]+)`")
	markdownLink = regexp.MustCompile(`\[([^\]]+)\]\([^)]+\)`)
)

func docsErrors() []docsError {
	var rows []docsError
	for _, m := range errorRow.FindAllStringSubmatch(docs.Errors, -1) {
		status, _ := strconv.Atoi(m[1])
		rows = append(rows, docsError{Status: status, Codes: inline(m[2]), When: inline(m[3]), Fix: inline(m[4])})
	}
	return rows
}

// inline converts a line of markdown to HTML. Links become plain text, because the linked pages are not served.
func inline(markdown string) template.HTML {
	text := html.EscapeString(markdownLink.ReplaceAllString(strings.TrimSpace(markdown), "$1"))
	return template.HTML(markdownCode.ReplaceAllString(text, "<code>$1</code>")) //nolint:gosec // escaped, from our own file
}
