package keyless

import (
	"slices"
	"strings"
)

// isNamesake reports whether a page that has the subject's name is about another of that name: what the task tells its subject by, where
// it is or what it is, is nowhere on the page. A page that the task names is the subject's.
func (a *asked) isNamesake(p *page) bool {
	if p.isFile || p.source.Named || slices.Contains(a.urls, p.source.URL) {
		return false
	}
	subjects := a.subjects(p)
	if len(subjects) == 0 {
		return false
	}
	for _, place := range a.contexts {
		inside := slices.ContainsFunc(subjects, func(name []string) bool { return slices.Equal(name, place) })
		if inside && !a.headless && !coversText(p, place) && !tongues[place[0]] {
			return true
		}
	}
	return slices.ContainsFunc(a.kinds(p, subjects[0]), func(kind string) bool { return !p.speaksOf(kind) })
}

// tongues are what things are said in, not where they are.
var tongues = set("english german french spanish italian dutch")

// kindWords is how many words beside a name may say what it is.
const kindWords = 2

// kinds are the words of the task that say what its subject is: before its name, "the novel Salt Road", and within it where the page's
// name has words that the task parts from the rest, "Quay Street bus station".
func (a *asked) kinds(p *page, head []string) []string {
	at := runIn(a.list, head)
	if at < 0 {
		return nil
	}
	var out []string
	for n := 1; n <= kindWords && at-n > 0; n++ {
		before := a.list[at-n-1]
		words := a.list[at-n : at]
		if slices.ContainsFunc(words, func(word string) bool { return !a.isKind(word) }) {
			break
		}
		if before == "the" || before == "a" || before == "an" {
			out = append(out, words...)
			break
		}
	}
	end := at + len(head)
	for _, name := range p.names {
		all := plainWords(name)
		if len(all) <= len(head) || !slices.Equal(all[:len(head)], head) {
			continue
		}
		rest := a.list[end:min(len(a.list), end+kindWords+1)]
		if n := slices.Index(rest, all[len(head)]); n > 0 && !slices.ContainsFunc(rest[:n], func(word string) bool { return !a.isKind(word) }) {
			out = append(out, rest[:n]...)
		}
	}
	return out
}

// isKind reports whether a word may say what something is: it is no name, no part of a question, and nothing that is asked for.
func (a *asked) isKind(word string) bool {
	if len(word) < 3 || little[word] || linking[word] || starters[word] || generic[word] || weak[word] || digits(word) || a.inName(word) || others[word] != "" {
		return false
	}
	s := senses[singular(word)]
	return s == nil || s.kind == "" || s.kind == "name"
}

// runIn is where some words stand one behind the other among others; -1 where they do not.
func runIn(all, some []string) int {
	for i := 0; i+len(some) <= len(all); i++ {
		if slices.Equal(all[i:i+len(some)], some) {
			return i
		}
	}
	return -1
}

// speaksOf reports whether a page has a word, be it with another ending or by another that says the same.
func (p *page) speaksOf(word string) bool {
	if p.all[word] || p.all[word+"s"] || p.all[singular(word)] {
		return true
	}
	wanted, wantedSense := ideas(stem(word)), senses[singular(word)]
	for other := range p.all {
		if akin(ideas(stem(other)), wanted) || strings.HasSuffix(other, word) {
			return true
		}
		if s := senses[singular(other)]; s != nil && s == wantedSense {
			return true
		}
	}
	return false
}

// leaveNamesakes leaves out pages of the subject's name that say behind it which of several they are about, where they differ in that
// and the task has none of it: nobody knows which one is asked about.
func (f *finder) leaveNamesakes() {
	several := map[string]bool{}
	for _, p := range f.pages {
		if which := f.which(p); which != "" {
			several[which] = true
		}
	}
	if len(several) < 2 {
		return
	}
	f.pages = slices.DeleteFunc(f.pages, func(p placed) bool { return f.which(p) != "" })
}

// which is what a page's name says behind the subject's, in brackets or behind a comma, that the task does not: "rower" of
// "Tom Ash (rower)".
func (f *finder) which(p placed) string {
	subjects := f.asked.subjects(p.page)
	if p.standing <= local || p.standing == named || p.isFile || len(subjects) == 0 {
		return ""
	}
	for _, name := range p.names {
		for _, mark := range []string{" (", ", "} {
			before, which, ok := strings.Cut(name, mark)
			if !ok || !slices.Equal(plainWords(before), subjects[0]) || mark == ", " && !isEntity(which) {
				continue
			}
			all := plainWords(which)
			if !slices.ContainsFunc(all, func(word string) bool { return f.asked.has(word) && !little[word] }) {
				return strings.Join(all, " ")
			}
		}
	}
	return ""
}
