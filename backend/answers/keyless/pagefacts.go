package keyless

import (
	"slices"
	"strconv"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/answers/ask"
)

// trait is something that a page is asked for as a page: its title, in which language it is, what it is about.
type trait struct {
	// words are what fields and their descriptions call it; key are those of which one has to be there.
	words, key map[string]bool
	// values are what the page says, all of which are wanted where it is a list, and else the first.
	values func(p *page) []quoted
	isList bool
}

// quoted is a value with the words of the source that have it.
type quoted struct{ text, quote string }

// pageWords are words about pages in the names and descriptions of such fields, which say no more than that they are of a page.
var pageWords = set("page article document doc post website webpage web meta og html tag text string short brief sentence given content contents story entry news report " +
	"say says said called named tell read open what give list get fetch all please return extract me summarise summarize describe look")

// traits are in the order in which a field is held against them.
var traits = []trait{
	{set("site website name"), set("site website"), func(p *page) []quoted { return ofHead("site", p.source.Document.Metadata.SiteName) }, false},
	{set("canonical url address link"), set("canonical"), func(p *page) []quoted { return ofHead("canonical", p.source.Document.Metadata.CanonicalURL) }, false},
	{set("image picture thumbnail cover preview url address link main"), set("image picture thumbnail"), func(p *page) []quoted {
		return ofHead("image", p.source.Document.Metadata.Image)
	}, false},
	{set("language lang locale code"), set("language lang locale"), func(p *page) []quoted { return ofHead("language", p.source.Document.Metadata.Language) }, false},
	{set("headline h1 heading main first"), set("headline h1 heading"), headlines, false},
	{set("title headline heading"), set("title"), (*page).titled, false},
	{set("name title product recipe dish event place project book film course job"), set("name"), headlines, false},
	{set("headings subheadings sections headlines section titles"), set("headings subheadings sections headlines"), func(p *page) []quoted { return p.outline }, true},
	{set("description summary abstract gist overview topic about subject it"), set("description summary abstract gist topic about overview"), (*page).summed, false},
}

// entryWords are words of tasks that ask for one of the things on a page.
var entryWords = set("entry entries latest newest recent item items")

// ofHead is what the head of a page says.
func ofHead(label, value string) []quoted {
	if value == "" {
		return nil
	}
	return []quoted{{value, label + ": " + value}}
}

func headlines(p *page) []quoted {
	if len(p.outline) > 0 && p.outline[0].text == p.names[0] {
		return p.outline[:1]
	}
	return p.titled()
}

func (p *page) titled() []quoted {
	if found := ofHead("title", p.source.Document.Metadata.Title); found != nil {
		return found
	}
	return p.outline[:min(1, len(p.outline))]
}

// summed is what a page says that it is about, or else its first sentence.
func (p *page) summed() []quoted {
	if found := ofHead("description", p.source.Document.Metadata.Description); found != nil {
		return found
	}
	if len(p.sentences) > 0 && strings.HasSuffix(p.sentences[0].text, ".") {
		return []quoted{{p.sentences[0].text, p.sentences[0].text}}
	}
	return nil
}

// ofPage is what a page that the task names by its address says of itself, where the task is about the page and nothing that is named.
func (f *finder) ofPage(field ask.Field) []ask.Value {
	if len(f.asked.urls) != 1 || field.Enum != nil || field.Type == "boolean" || field.Type == "integer" || field.Type == "number" || len(f.pages) != 1 {
		return nil
	}
	p := f.pages[0]
	if isFeed(p.source) || slices.ContainsFunc(f.asked.list, func(word string) bool { return entryWords[word] }) {
		return nil // of one of its entries
	}
	if p.isFile || p.source.Document == nil || p.standing < named || len(p.names) == 0 {
		return nil
	}
	t := f.asked.traitOf(field, p.page)
	if t == nil || t.isList != (field.Type == "array") {
		return nil
	}
	var out []ask.Value
	for i, found := range t.values(p.page) {
		v := ask.Value{Path: field.Path, JSON: ask.MarshalValue(found.text), URL: p.source.URL, Quote: found.quote}
		if t.isList {
			v.Path += "/" + strconv.Itoa(i)
		}
		if f.checker.Check(v) != nil {
			continue
		}
		if out = append(out, v); !t.isList {
			break
		}
	}
	return out
}

// traitOf is the trait of a page that a field asks for by its name and its description, or where it has neither by the task.
func (a *asked) traitOf(field ask.Field, p *page) *trait {
	name, described := words(field.Name), words(addresses.ReplaceAllString(field.Description, " "))
	switch kind := a.task.Format.Kind; {
	case kind == ask.KindText:
		name, described = nil, a.list
	case kind == ask.KindString:
		name = nil
	}
	isSaid := slices.ContainsFunc(slices.Concat(name, described), func(word string) bool {
		return word == "page" || word == "article" || word == "site" || word == "canonical"
	})
	if !isSaid && len(a.subjects(p)) > 0 {
		return nil // of what it names, and not of the page
	}
	isTold := len(described) == 0 || slices.ContainsFunc(name, func(word string) bool { return !pageWords[word] && !little[word] })
	for i, t := range traits {
		if t.isSaid(name, isTold) && t.isSaid(described, len(name) == 0) {
			return &traits[i]
		}
	}
	return nil
}

// isSaid reports whether words speak of a trait and nothing else; isAlone that no others do, so that one of its own has to be among them.
func (t *trait) isSaid(all []string, isAlone bool) bool {
	found := false
	for _, word := range all {
		switch {
		case t.key[word]:
			found = true
		case t.words[word], pageWords[word], little[word]:
		default:
			return false
		}
	}
	return found || !isAlone
}
