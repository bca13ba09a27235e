package markdown

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/turnpike-edge/turnpike/backend/page/extract/dom"
)

// languageOfCode finds the language that a page states for a block of code: on it, in it, or around it.
func languageOfCode(pre *html.Node) string {
	if language := languageAt(pre); language != "" {
		return language
	}
	looked := 0
	for child := range pre.Descendants() {
		if child.Type != html.ElementNode {
			continue
		}
		if looked++; looked > 20 {
			break
		}
		if child.DataAtom == atom.Code || child.DataAtom == atom.Pre || child.DataAtom == atom.Td || child.DataAtom == atom.Div ||
			child.DataAtom == atom.Span && looked < 3 {
			if language := languageAt(child); language != "" {
				return language
			}
		}
	}
	for n, level := pre.Parent, 0; n != nil && level < languageAncestors; n, level = n.Parent, level+1 {
		switch n.DataAtom {
		case atom.Body, atom.Html, atom.Article, atom.Main, atom.Section, atom.Li, atom.Blockquote:
			return ""
		}
		if language := languageAt(n); language != "" {
			return language
		}
	}
	return ""
}

// languageAttrs are the attributes that name a language of code.
var languageAttrs = []string{"data-lang", "data-language", "data-code-language", "data-enlighter-language", "data-snippet-lang", "syntax"}

// languageAt reads the language from an element's attributes and classes.
func languageAt(n *html.Node) string {
	for _, name := range languageAttrs {
		if language := cleanLanguage(dom.Attr(n, name)); language != "" {
			return language
		}
	}
	if n.DataAtom == atom.Pre || n.DataAtom == atom.Code {
		if language := cleanLanguage(dom.Attr(n, "lang")); language != "" && !isHumanLanguage(language) {
			return language
		}
	}
	class := dom.Attr(n, "class")
	if len(class) > 1000 {
		return ""
	}
	if _, brush, found := strings.Cut(class, "brush:"); found { // SyntaxHighlighter: "brush: js; toolbar: false"
		brush, _, _ = strings.Cut(strings.TrimSpace(brush), ";")
		brush, _, _ = strings.Cut(brush, " ")
		return cleanLanguage(brush)
	}
	classes := strings.Fields(class)
	for _, c := range classes {
		for _, prefix := range []string{"language-", "lang-", "highlight-source-", "highlight-text-", "src-", "code-lang-", "brush-"} {
			if rest, found := strings.CutPrefix(c, prefix); found {
				if prefix == "highlight-text-" {
					rest, _, _ = strings.Cut(rest, "-") // highlight-text-html-basic
				}
				if prefix == "src-" && !dom.HasClass(n, map[string]bool{"src": true}) || prefix == "lang-" && n.DataAtom == atom.Body {
					continue
				}
				if language := cleanLanguage(rest); language != "" {
					return language
				}
			}
		}
	}
	for i, c := range classes {
		switch {
		case c == "notranslate" || c == "highlight": // Sphinx: "highlight-python3 notranslate"
			for _, other := range classes {
				if rest, found := strings.CutPrefix(other, "highlight-"); found {
					return cleanLanguage(rest)
				}
			}
		case (c == "hljs" || c == "sourceCode" || c == "prettyprint" || c == "syntaxhighlighter" || c == "codehilite") && len(classes) > 1:
			for j, other := range classes {
				if j != i && knownLanguages[strings.ToLower(other)] {
					return cleanLanguage(other)
				}
			}
		}
	}
	if len(classes) == 1 && (n.DataAtom == atom.Pre || n.DataAtom == atom.Code) && knownLanguages[strings.ToLower(classes[0])] {
		return cleanLanguage(classes[0])
	}
	return ""
}

// knownLanguages are the class names that mean a language even without a prefix such as "language-".
var knownLanguages = dom.Words("bash sh shell zsh fish powershell ps1 bat console c cpp c++ csharp cs java javascript js jsx typescript ts tsx " +
	"python python3 py ruby rb go golang rust rs php perl lua swift kotlin scala haskell hs elixir erlang clojure ocaml fsharp dart julia r " +
	"matlab sql json json5 jsonc yaml yml toml ini xml html css scss sass less markdown md diff dockerfile makefile cmake nginx graphql " +
	"protobuf proto latex tex vim asm nasm wasm zig nim groovy objectivec objc vb http hcl terraform solidity vue svelte")

// noLanguages are the names that highlighters give code of no language.
var noLanguages = dom.Words("none no plain plaintext text txt nohighlight no-highlight default auto undefined null unknown raw other generic code " +
	"language block")

var languageNames = map[string]string{
	"python3": "python", "ipython3": "python", "ipython": "python", "golang": "go", "shell-session": "console", "c++": "cpp", "plain-text": "",
	"javascripts": "javascript",
}

// cleanLanguage returns a language's name as written after a fence; empty if name is none.
func cleanLanguage(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	if name == "" || len(name) > 30 || noLanguages[name] {
		return ""
	}
	for i := range len(name) {
		b := name[i]
		if !dom.IsLetter(b) && (b < '0' || b > '9') && !strings.ContainsRune("+#._-", rune(b)) {
			return ""
		}
	}
	if other, found := languageNames[name]; found {
		return other
	}
	return name
}

// isHumanLanguage reports whether a lang attribute has HTML's own meaning.
func isHumanLanguage(name string) bool {
	if knownLanguages[name] {
		return false
	}
	base, _, _ := strings.Cut(name, "-")
	return len(base) == 2 || len(base) == 3 && base != name
}
