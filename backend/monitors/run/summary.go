package run

import (
	"context"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// summaryCharsMax is the maximum length of a model's summary.
const summaryCharsMax = 500

// summarize has a model, if there is one, describe the change. Its text is used only if everything it names is in the
// difference or the query; otherwise the summary of the comparison is kept.
func (e *execution) summarize(ctx context.Context, step *Step) {
	step.Detail = "by rules"
	if !e.outcome.Changed {
		step.Status, step.Detail = StepSkipped, "nothing changed"
		return
	}
	text, ok := e.world.Summarize(ctx, Summary{Query: e.plan.Spec.Input.Query, Diff: e.diff.Unified})
	if !ok {
		return
	}
	text = strings.Join(strings.Fields(text), " ")
	if !isSupported(text, e.diff.Summary+"\n"+e.diff.Unified, e.plan.Spec.Input.Query) {
		step.Detail = "by rules: the language model's summary is not fully supported by the diff"
		return
	}
	e.outcome.Summary, step.Detail = text, "by the language model"
}

var (
	token = regexp.MustCompile(`[\p{L}\p{N}][\p{L}\p{N}\p{M}.,:/'’_%-]*`)
	// spelled are numbers in words. A model that counts may miscount.
	spelled = setOf("two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty " +
		"thirty forty fifty sixty seventy eighty ninety hundred thousand million billion dozen half double doubled triple tripled twice thrice quarter third")
	// openers are words that start sentences and are not names.
	openers = setOf("a an the this that these those it its there here now no not new one on in at by from to of for with without after before since both all each " +
		"some other another also however previously currently today was were is are has have had and but or as while when where which who what they their " +
		"added removed changed updated moved replaced increased decreased raised lowered dropped fell rose price page pages title text content section list item " +
		"items entry entries value field fields change changes nothing only still i we you")
)

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}

// isSupported reports whether each number and name of a text is in the difference or the query, and so is every address.
func isSupported(text, diff, query string) bool {
	if text == "" || utf8.RuneCountInString(text) > summaryCharsMax || !utf8.ValidString(text) || strings.ContainsAny(text, "<>`[]{}|\\") ||
		strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) || unicode.In(r, unicode.Cf) }) {
		return false
	}
	known := map[string]bool{}
	for _, word := range token.FindAllString(diff, -1) {
		known[plainToken(word)] = true
	}
	asked := map[string]bool{}
	for _, word := range token.FindAllString(query, -1) {
		asked[plainToken(word)] = true
	}
	begins := true
	for _, at := range token.FindAllStringIndex(text, -1) {
		raw := text[at[0]:at[1]]
		word := plainToken(raw)
		first, _ := utf8.DecodeRuneInString(raw)
		named := unicode.IsUpper(first) && (!begins || !openers[word]) || strings.ContainsAny(word, "/_") || strings.Contains(strings.Trim(word, "."), ".")
		switch {
		case strings.ContainsFunc(word, unicode.IsNumber):
			if !known[word] { // a number of the query is what the user asked for, not what happened
				return false
			}
		case spelled[word]:
			if !known[word] {
				return false
			}
		case named && word != "i":
			if !known[word] && !asked[word] {
				return false
			}
		}
		after, _ := utf8.DecodeRuneInString(strings.TrimLeft(text[at[1]:], `"”’)`))
		begins = strings.HasSuffix(raw, ".") || strings.ContainsRune(".!?", after)
	}
	return true
}

// plainToken is a word in lower case without its ending.
func plainToken(word string) string {
	word = strings.TrimRight(word, ".,:/'’_%-")
	for _, ending := range []string{"'s", "’s"} {
		word = strings.TrimSuffix(word, ending)
	}
	return strings.ToLower(word)
}
