package keyless

import (
	"regexp"
	"slices"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/answers/ask"
)

// rename takes the name of a page that the task has whole for the subject, in the place of the parts of it that were read as names.
func (a *asked) rename(p *page) {
	task := addresses.ReplaceAllString(limit(a.task.Text, taskBytesMax), " ; ")
	for _, name := range p.calls() {
		called := plainWords(name)
		if len(called) < 2 || len(name) <= 7 || !a.isHeadIn(p, called) || !hasName(task, name, true) {
			continue
		}
		inside := func(entity []string) bool {
			return !slices.ContainsFunc(entity, func(word string) bool { return !slices.Contains(called, word) && !a.isSide(word, called) })
		}
		if !slices.ContainsFunc(a.entities, inside) {
			return
		}
		a.entities = append([][]string{called}, slices.DeleteFunc(a.entities, inside)...)
		return
	}
}

// ageText matches how old somebody is, as newspapers have it behind a name.
var ageText = regexp.MustCompile(`(\p{Lu}[\pL'’-]+)(?:, | \()(\d{2})[,)]`)

// basedText matches where a company is, as newspapers have it before what it is.
var basedText = regexp.MustCompile(`(\p{Lu}[\pL'’-]+(?: \p{Lu}[\pL'’-]+){0,2})-based\b`)

// jobText matches what somebody was, in the first sentence about them.
var jobText = regexp.MustCompile(`\b(?:was|is) (?:an?|our) ((?:\pL[\pL-]+ ?){1,4}?)(?:,|\.$| \(| who | and | from | in | of )`)

// besideText matches what somebody is right behind the name: "Ada Plum, lens grinder, was born", "Ada Plum, lens grinder".
var besideText = regexp.MustCompile(`\p{Ll}, (?:an? |the )?((?:\p{Ll}[\pL-]+ ?){1,3}(?:of (?:\p{Ll}[\pL-]+ ?){1,3})?)(?:,|$)`)

// worksText matches what somebody works as, or is by day.
var worksText = regexp.MustCompile(`\b(?:work(?:s|ed)|earn(?:s|ed) (?:a|his|her|their) living|employed|trained) as an? ` +
	`((?:\p{Ll}[\pL-]+ ?){1,3}?)(?:,|\.$| for | and | in | at | until | since )|^(?:By (?:day|trade|profession),? (?:she is |he is |they are )?an? ((?:\p{Ll}[\pL-]+ ?){1,3})\.)$`)

// formulas are what a sentence says in ways that have no word for it: ages, seats of companies, what somebody was.
func (t *telling) formulas(text string, w *want, a *asked) []told {
	subject := map[string]bool{}
	for _, name := range a.entities {
		for _, word := range name {
			subject[word] = true
		}
	}
	isSense := func(names ...string) bool {
		return slices.ContainsFunc(names, func(name string) bool {
			return slices.Contains(w.name, name) || len(w.name) == 0 && slices.Contains(w.described, name)
		})
	}
	switch {
	case t.kind == "number" && isSense("age"):
		if m := ageText.FindStringSubmatch(text); m != nil && slices.ContainsFunc(plainWords(m[1]), func(word string) bool { return subject[word] }) {
			return []told{{m[2], 0.8}}
		}
	case t.kind == "place" && isSense("headquarters", "town"):
		if m := basedText.FindStringSubmatch(text); m != nil {
			return []told{{m[1], 0.74}}
		}
	case isSense("position"):
		if m := worksText.FindStringSubmatch(text); m != nil {
			return []told{{strings.TrimSpace(m[1] + m[2]), 0.72}}
		}
		for _, job := range []*regexp.Regexp{jobText, besideText} {
			at := job.FindStringSubmatchIndex(text)
			if at != nil && slices.ContainsFunc(plainWords(text[:at[0]+1]), func(word string) bool { return subject[word] }) {
				return []told{{strings.TrimSpace(text[at[2]:at[3]]), 0.74}}
			}
		}
	}
	return nil
}

// nouned are the names that have the noun in them that is wanted: of an award "the Lindahl Award", of a journal "Journal of Ponds".
func (t *telling) nouned(text string, w *want, a *asked) []told {
	if t.many || len(w.raw) > 1 {
		return nil
	}
	var out []told
	for _, at := range nameText.FindAllStringIndex(text, 40) {
		end := at[1]
		if next := lowerWord.FindString(text[end:]); next != "" {
			end += len(next) // "the Lido Sud festival"
		}
		name := strings.TrimRight(text[at[0]:end], " .,'’&-")
		words := wordsIn(name)
		if len(words) < 2 || strings.Contains(name, "-based") {
			continue
		}
	cues:
		for _, c := range t.cues {
			if len(c.keys) != 1 {
				continue
			}
			for i, x := range words {
				isHead := x.capital && i > 0 || !x.capital && i == len(words)-1 && strings.HasSuffix(strings.ToLower(text[:at[0]]), "the ")
				if x.ideas[0] == c.keys[0][0] && isHead && at[0] > 0 && !verbal(x.lower) {
					if !x.capital && (strings.ToUpper(name[:x.start]) == name[:x.start] || x.ideas[0] == stem("licence")) {
						name = strings.TrimSpace(name[:x.start]) // "the MIT licence"
					}
					if name := properName(name, a); name != "" {
						out = append(out, told{name, 0.7})
					}
					break cues
				}
			}
		}
	}
	return out
}

// lowerWord matches the word behind a name.
var lowerWord = regexp.MustCompile(`^ \p{Ll}{4,}`)

// verbal reports whether a word has the ending of a verb's form.
func verbal(word string) bool { return strings.HasSuffix(word, "ed") || strings.HasSuffix(word, "ing") }

// soonText and laterText match what is said before and behind a number of what is not yet so.
var (
	soonText  = regexp.MustCompile(`(?i)\b(?:wants? to|plans? to|hopes? to|hoped to|aims? to|will (?:have|be|employ|cost))\b`)
	laterText = regexp.MustCompile(`(?i)\b(?:by (?:next|the end of)|next year)\b`)
)

// isFuture reports whether a number, between its neighbours of its kind, is of what is not yet so, which is not asked for.
func (w *want) isFuture(text string, from, to int, v part) bool {
	behind := text[v.end:max(to, v.end)]
	if at := strings.IndexAny(behind, ",;"); at >= 0 {
		behind = behind[:at]
	}
	behind, _, _ = strings.Cut(behind, " and ")
	if !soonText.MatchString(text[min(from, v.start):v.start]) && !laterText.MatchString(behind) {
		return false
	}
	wanted := append(slices.Clone(w.name), w.described...)
	return !slices.Contains(wanted, "planned") && !soonText.MatchString(w.asking) && !laterText.MatchString(w.asking)
}

// who is the part of a task that asks for a person, for fields that are called no more than "name".
func (f *finder) who(field ask.Field) string {
	if name := words(field.Name); len(name) != 1 || name[0] != "name" && name[0] != "person" {
		return ""
	}
	text := addresses.ReplaceAllString(limit(f.asked.task.Text, taskBytesMax), " ; ")
	for _, part := range clauses.Split(text, 40) {
		if askName.MatchString(strings.TrimSpace(part)) {
			return strings.TrimSpace(part)
		}
	}
	return ""
}

// formerText matches what stands before an amount that is no longer asked.
var formerText = regexp.MustCompile(`(?i)(?:down from|reduced from|instead of|formerly|previously|originally|used to cost|before that|until then|rrp:?|was)(?: the)? ?$`)

// isFormer reports whether an amount is what was asked before.
func isFormer(text string, v part) bool { return formerText.MatchString(text[:v.start]) }
