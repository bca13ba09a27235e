package keyless

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// leadSentences are the first ones of a page, which say what it is about where its headings do not.
	leadSentences = 4
)

// isCalled reports whether the task has the whole of one of a page's names: "Girl with a Heron", of which no grammar knows where
// it begins and ends. Names of one word are too little for that.
func (a *asked) isCalled(p *page) bool {
	task := addresses.ReplaceAllString(limit(a.task.Text, taskBytesMax), " ; ")
	return slices.ContainsFunc(p.calls(), func(name string) bool {
		n := 0
		for _, word := range plainWords(name) {
			if !little[word] && !generic[word] {
				n++
			}
		}
		return n > 1 && len(name) > 7 && (a.isHeadIn(p, plainWords(name)) || a.opensWith(name)) && hasName(task, name, true)
	})
}

// opensWith reports whether the task begins with a name, and says where that is later: "Night clerk job at the Tolland Inn".
func (a *asked) opensWith(name string) bool {
	called := plainWords(name)
	return len(a.list) > len(called) && slices.Equal(a.list[:len(called)], called)
}

// calls are a page's names, and those without what stands behind them in brackets or behind a colon.
func (p *page) calls() []string {
	out := slices.Clone(p.names)
	for _, name := range p.names {
		for _, mark := range []string{" (", ": "} {
			if before, _, ok := strings.Cut(name, mark); ok {
				out = append(out, before)
			}
		}
	}
	return out
}

// isHeadIn reports whether what the task is about first, and not only where that is, is within a name: of somebody at an institute
// the institute's page is not.
func (a *asked) isHeadIn(p *page, called []string) bool {
	if a.headless {
		return true
	}
	for _, subject := range a.subjects(p) {
		if slices.ContainsFunc(subject, func(word string) bool { return slices.Contains(p.hosts, word) && !slices.Contains(called, word) }) {
			continue // the site, with what it is
		}
		return !slices.ContainsFunc(subject, func(word string) bool { return !slices.Contains(called, word) && !a.isSide(word, called) })
	}
	return true
}

// isSide reports whether a word that was taken for a part of a name may be none: a year, or the word that the task begins with, right
// before the name.
func (a *asked) isSide(word string, called []string) bool {
	return isYear(word) || little[word] || linking[word] || len(a.list) > 0 && a.list[0] == word && runIn(a.list, called) <= 2
}

const taskBytesMax = 8000

// isTopic reports whether a page is about the subject although it is called otherwise: its headline names it among other words, or
// its first sentences and others do.
func (a *asked) isTopic(p *page, entities [][]string) bool {
	if len(entities) == 0 {
		return false
	}
	name := strings.Join(entities[0], " ")
	if len(name) < 3 || !strings.ContainsFunc(name, unicode.IsLetter) {
		return false
	}
	for _, called := range p.names {
		if hasName(called, name, false) {
			return true
		}
	}
	if hasName(p.source.Title, name, false) {
		return true
	}
	if len(p.names) == 0 || isEntity(p.names[0]) {
		return false // it is about something that it is called after
	}
	if p.isListing() {
		return false // what is named first is one of many
	}
	// What has a part of the subject's name is its namesake: the kettle, and the kettle of the next size. Not so where its first sentence
	// has all that the task names.
	for _, called := range p.names {
		if len(entities) > 1 && len(p.sentences) > 0 && !slices.ContainsFunc(entities, func(name []string) bool {
			return !slices.ContainsFunc(p.sentences[:min(len(p.sentences), leadSentences/2)], func(s sentence) bool { return hasName(s.text, strings.Join(name, " "), false) })
		}) {
			break
		}
		if slices.ContainsFunc(plainWords(called), func(word string) bool { return !little[word] && slices.Contains(entities[0], word) }) {
			return false
		}
	}
	first := 0
	for i, s := range p.sentences {
		if slices.ContainsFunc(p.names, func(called string) bool { return hasName(s.text, called, false) }) {
			return false // it is about what it is called
		}
		if !hasName(s.text, name, false) {
			continue
		}
		if i < leadSentences/2 {
			first++
		}
	}
	return first > 0
}

// factsOfText is how many labelled values a page of prose has at most, beside those of its head.
const factsOfText = 3

// isListing reports whether a page has records, tables or many labelled values, as directories do.
func (p *page) isListing() bool {
	labelled := 0
	for _, f := range p.facts {
		if f.trust > 0.85 && !f.question {
			labelled++
		}
	}
	return len(p.tables) > 0 || labelled > factsOfText || slices.ContainsFunc(p.facts, func(f fact) bool { return f.isRow })
}

// nameWord matches a word with what stands before it.
var nameWord = regexp.MustCompile(`[\pL\pN]+(?:['’][\pL\pN]+)?`)

// hasName reports whether a text has the words of a name one behind the other, and they are not part of a longer name: the word
// before and the one behind have no capital and no digit. Where the text is a task, words that begin questions have capitals too.
func hasName(text, name string, isTask bool) bool {
	wanted := plainWords(name)
	if len(wanted) == 0 {
		return false
	}
	at := nameWord.FindAllStringIndex(text, 2000)
	folded := make([]string, len(at))
	for i, span := range at {
		folded[i] = strings.Join(plainWords(text[span[0]:span[1]]), "")
	}
	for i := 0; i+len(wanted) <= len(folded); i++ {
		if !slices.Equal(folded[i:i+len(wanted)], wanted) {
			continue
		}
		end := i + len(wanted)
		before := i > 0 && joins(text[at[i-1][1]:at[i][0]]) && isPart(text[at[i-1][0]:at[i-1][1]], isTask || i == 1)
		after := end < len(at) && joins(text[at[end-1][1]:at[end][0]]) && isPart(text[at[end][0]:at[end][1]], isTask)
		if !before && !after {
			return true
		}
	}
	return false
}

// joins reports whether what stands between two words leaves them in one name.
func joins(between string) bool { return between == " " || between == "-" || between == "." }

// isPart reports whether a word beside a name may be part of it.
func isPart(word string, begins bool) bool {
	first, _ := utf8.DecodeRuneInString(word)
	lower := strings.ToLower(word)
	if begins && len(lower) > 1 && (starters[lower] || senses[singular(lower)] != nil || generic[lower]) {
		return false
	}
	if isYear(word) || titles[lower] || weak[lower] || starters[lower] {
		return false
	}
	return unicode.IsUpper(first) || unicode.IsDigit(first)
}

// titles stand before the names of people.
var titles = set("mr mrs ms dr prof professor sir lady dame captain councillor author director coach chef")

// beginsPlainly reports whether a text begins with a word and goes on with another that is no name, so that only its place gave
// the first its capital: "Match report of …".
func beginsPlainly(text, word string) bool {
	all := strings.Fields(limit(text, 200))
	if len(all) < 2 || strings.ToLower(all[0]) != word || strings.ToUpper(all[0]) == all[0] {
		return false
	}
	next, _ := utf8.DecodeRuneInString(all[1])
	return unicode.IsLower(next) && !little[all[1]] && !linking[all[1]]
}

// isEntity reports whether a headline is a name and nothing else: all of its words that say something have a capital or a digit.
func isEntity(headline string) bool {
	all := strings.Fields(headline)
	return len(all) < 7 && !slices.ContainsFunc(all, func(word string) bool {
		first, _ := utf8.DecodeRuneInString(word)
		return unicode.IsLower(first) && !linking[word] && !little[word]
	})
}
