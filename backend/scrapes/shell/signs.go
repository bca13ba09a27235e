package shell

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Signs distinguish a page with its content from a shell that scripts fill. They are read from the tokens, without a
// tree: most pages are no shells, and readPage builds their tree anyway.
type Signs struct {
	// letters counts the letters and digits of the text that is visible without scripts.
	letters int
	// scripts counts those that run, external those with an address; inlineBytes is the code of the others.
	scripts, external, inlineBytes int
	// mount is the selector of the element in which a framework builds the page; "" if there is none.
	mount string
	// mountEmpty reports that the mount element has next to no text.
	mountEmpty bool
	// framework reports marks that a script framework leaves.
	framework bool
	// asksForScripts reports a noscript element that mentions JavaScript.
	asksForScripts bool
	// refreshes reports a meta element that loads the page again.
	refreshes bool
}

// mountIDs are the ids of elements that common frameworks fill.
var mountIDs = map[string]bool{
	"root": true, "app": true, "__next": true, "__nuxt": true, "___gatsby": true, "react-root": true, "app-root": true,
	"app-mount": true, "application": true, "svelte": true, "spa": true, "main-app": true, "ember-application": true, "q-app": true,
}

// mountLettersMax is how much text an empty mount may have: "Loading, please wait".
const mountLettersMax = 40

// unseen are elements whose text is invisible. Scripts, styles, titles and noscript are text to the tokenizer.
var unseen = map[atom.Atom]bool{atom.Template: true, atom.Svg: true, atom.Select: true, atom.Object: true}

type reader struct {
	Signs

	inside []atom.Atom // open elements of unseen
	// raw is the element whose text comes next.
	raw     atom.Atom
	runs    bool // the script of raw runs
	mounted struct {
		tag     string // of the element; "" once it is closed
		depth   int
		letters int // before it
	}
}

// Read reads a page in UTF-8, in one pass.
func Read(page []byte) Signs {
	r := reader{}
	tokens := html.NewTokenizer(bytes.NewReader(page))
	for {
		switch tokens.Next() {
		case html.ErrorToken: // the end: reading from memory does not fail
			r.closeMount()
			return r.Signs
		case html.TextToken:
			r.text(tokens.Raw())
		case html.StartTagToken:
			r.start(tokens, false)
		case html.SelfClosingTagToken:
			r.start(tokens, true)
		case html.EndTagToken:
			name, _ := tokens.TagName()
			r.end(name)
		case html.CommentToken, html.DoctypeToken:
		}
	}
}

func (r *reader) text(text []byte) {
	switch {
	case r.raw == atom.Script:
		if r.runs {
			r.inlineBytes += len(bytes.TrimSpace(text))
			r.framework = r.framework || bytes.Contains(text, []byte("__NUXT__")) || bytes.Contains(text, []byte("__INITIAL_STATE__"))
		}
	case r.raw == atom.Noscript:
		r.asksForScripts = r.asksForScripts || bytes.Contains(bytes.ToLower(text), []byte("javascript"))
	case r.raw == 0 && len(r.inside) == 0:
		r.letters += lettersIn(text)
	}
}

func lettersIn(text []byte) int {
	n := 0
	for len(text) > 0 {
		c, size := utf8.DecodeRune(text)
		if unicode.IsLetter(c) || unicode.IsDigit(c) {
			n++
		}
		text = text[size:]
	}
	return n
}

// attributesMax bounds the attributes that are read: real pages have fewer.
const attributesMax = 64

func (r *reader) start(tokens *html.Tokenizer, closed bool) {
	name, more := tokens.TagName()
	tag := atom.Lookup(name)
	custom := tag == 0 && bytes.EqualFold(name, []byte("app-root"))
	tagName := string(name[:min(len(name), 64)])
	attributes := map[string]string{}
	for i := 0; more && i < attributesMax; i++ {
		var key, value []byte
		key, value, more = tokens.TagAttr()
		attributes[string(key)] = string(value)
	}
	if r.mounted.tag != "" && r.mounted.tag == tagName && !closed {
		r.mounted.depth++
	}
	r.raw = 0
	switch tag {
	case atom.Script:
		r.raw = tag
		r.script(attributes)
	case atom.Noscript, atom.Style, atom.Title, atom.Iframe, atom.Noembed, atom.Noframes, atom.Textarea, atom.Xmp:
		r.raw = tag
	case atom.Meta:
		r.refreshes = r.refreshes || reloads(attributes)
	}
	if unseen[tag] && !closed && len(r.inside) < 100 {
		r.inside = append(r.inside, tag)
	}
	for _, mark := range []string{"ng-app", "ng-version", "data-reactroot", "data-v-app", "data-server-rendered", "ng-controller"} {
		if _, ok := attributes[mark]; ok {
			r.framework = true
		}
	}
	if id := attributes["id"]; r.mount == "" && (mountIDs[id] || custom) && tag != atom.Script {
		r.mount = tagName
		if mountIDs[id] {
			r.mount = "#" + id
		}
		r.mounted.tag, r.mounted.depth, r.mounted.letters = tagName, 1, r.letters
	}
}

func (r *reader) script(attributes map[string]string) {
	kind := strings.ToLower(strings.TrimSpace(attributes["type"]))
	r.runs = kind == "" || kind == "module" || strings.Contains(kind, "javascript") || strings.Contains(kind, "ecmascript")
	r.framework = r.framework || attributes["id"] == "__NEXT_DATA__"
	if !r.runs {
		return
	}
	r.scripts++
	if source := attributes["src"]; source != "" {
		r.external++
		r.framework = r.framework || strings.Contains(source, "/_next/") || strings.Contains(source, "/_nuxt/")
	}
}

// reloads reports whether a meta element reloads the page: a refresh without another address.
func reloads(attributes map[string]string) bool {
	if !strings.EqualFold(attributes["http-equiv"], "refresh") {
		return false
	}
	_, target, _ := strings.Cut(attributes["content"], ";")
	return strings.TrimSpace(target) == ""
}

func (r *reader) end(name []byte) {
	r.raw = 0
	tag := atom.Lookup(name)
	if n := len(r.inside); n > 0 && r.inside[n-1] == tag {
		r.inside = r.inside[:n-1]
	}
	if r.mounted.tag != "" && r.mounted.tag == string(name) {
		if r.mounted.depth--; r.mounted.depth == 0 {
			r.closeMount()
		}
	}
}

func (r *reader) closeMount() {
	if r.mounted.tag == "" {
		return
	}
	r.mountEmpty = r.letters-r.mounted.letters <= mountLettersMax
	r.mounted.tag = ""
}
