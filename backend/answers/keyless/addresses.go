package keyless

import (
	"slices"
	"strings"
)

// linkTrust is how far a link is trusted whose text says what is wanted.
const linkTrust = 0.78

// linkWords say of an address only that it is one.
var linkWords = set("url uri link href address page pages site web website online where which find at the of a an to for is under here please go")

// links finds addresses of the web among a page's links: the text of one has all words that the field's name has, or those of its
// description.
func (f *finder) links(w *want, p placed) []finding {
	if w.kind != "url" || w.field.Type == "array" || p.standing <= local || p.source.Document == nil {
		return nil
	}
	for _, said := range []string{strings.Join(w.raw, " "), w.field.Description} {
		wanted := linkKeys(words(said))
		if len(wanted) == 0 {
			continue
		}
		var out []finding
		for _, link := range p.source.Document.Links {
			if !strings.HasPrefix(link.URL, "http") || len(link.Text) > 60 {
				continue
			}
			own := linkKeys(plainWords(link.Text))
			if len(own) == 0 || !hasLinkKeys(wanted, own) || len(own) > len(wanted)+2 {
				continue
			}
			out = append(out, finding{link.URL, p.source.URL, "link: " + link.URL, linkTrust, p.standing})
		}
		if len(out) > 0 {
			return out
		}
	}
	return nil
}

// linkKeys are what tells a link from others.
func linkKeys(all []string) []string {
	var out []string
	for _, word := range all {
		if !linkWords[word] && !little[word] && !starters[word] && len(word) > 1 {
			out = append(out, stem(word))
		}
	}
	if at := slices.IndexFunc(all, func(word string) bool { return sitePages[word] }); at >= 0 && len(out) == 0 {
		out = []string{stem(all[at])}
	}
	return out
}

// sitePages are words for pages that most sites have, which are words of questions elsewhere.
var sitePages = set("about contact contacts overview home")

// hasLinkKeys reports whether each key is said by a text, be it by another word that says the same.
func hasLinkKeys(wanted, own []string) bool {
	return !slices.ContainsFunc(wanted, func(key string) bool {
		return !slices.ContainsFunc(own, func(other string) bool { return akin(linkIdeas(other), linkIdeas(key)) })
	})
}

// linked are words for what a link leads to that say the same.
var sameLinks = []map[string]bool{
	setOfStems("book booking bookings reserve reservation reservations ticket tickets buy order"),
	setOfStems("apply application"),
	setOfStems("enrol enroll enrolment register registration sign signup join"),
	setOfStems("manual guide handbook instructions leaflet"),
	setOfStems("download downloads"),
	setOfStems("doc docs documentation"),
	setOfStems("repository repo source code github git"),
	setOfStems("profile"),
}

func setOfStems(text string) map[string]bool {
	out := map[string]bool{}
	for word := range strings.FieldsSeq(text) {
		out[stem(word)] = true
	}
	return out
}

func linkIdeas(key string) []string {
	out := []string{key}
	for i, group := range sameLinks {
		if group[key] {
			out = append(out, "/link/"+string(rune('a'+i)))
		}
	}
	return out
}
