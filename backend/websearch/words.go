package websearch

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// room is the maximum length of a query with a service.
type room struct{ chars, words int }

// operand matches hosts that can be used in an operator.
var operand = regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$`)

// phrase builds the query for a service: the words, and the query's domains as operators. Operators take at most half of
// the room. Those that do not fit are left out, because the results are filtered by domain anyway; words that do not fit
// are cut off at the end.
func phrase(text string, q Query, r room) string {
	half := room{r.chars / 2, r.words / 2}
	var operators []string
	add := func(parts ...string) bool {
		n := room{-1, 0}
		for _, part := range append(operators, parts...) {
			n.chars += utf8.RuneCountInString(part) + 1
			n.words++
		}
		if n.chars > half.chars || n.words > half.words {
			return false
		}
		operators = append(operators, parts...)
		return true
	}
	for _, host := range hosts(q.Include) {
		parts := []string{"site:" + host}
		if len(operators) > 0 {
			parts = []string{"OR", parts[0]}
		}
		if operand.MatchString(host) && !add(parts...) {
			break
		}
	}
	for _, host := range hosts(q.Exclude) {
		if operand.MatchString(host) && !add("-site:"+host) {
			break
		}
	}
	tail := strings.Join(operators, " ")
	words := strings.Fields(text)
	words = words[:min(len(words), r.words-len(operators))]
	head := strings.Join(words, " ")
	left := r.chars - utf8.RuneCountInString(tail) - 1
	for utf8.RuneCountInString(head) > left {
		at := strings.LastIndexByte(head, ' ')
		if at < 0 { // one word that is longer than all the room
			head = string([]rune(head)[:left])
			break
		}
		head = head[:at]
	}
	return strings.TrimSpace(head + " " + tail)
}
