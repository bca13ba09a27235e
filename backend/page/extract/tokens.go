package extract

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// tokens walks through HTML as the parser will (HTML standard 13.2.5). It finds the positions and names of tokens;
// anything else is read only on demand, which most tags never need.
type tokens struct {
	in   string
	kind html.TokenType
	name atom.Atom // of a start or end tag
	// start and end are the token's position in the input in.
	start, end int

	inRawText  bool      // of a text: it is the content of a script, style, title or the like
	rawIn      atom.Atom // the element of such a text
	nothingRaw bool      // read such text as markup
}

// rawText are the elements whose content the tokenizer reads as text.
var rawText = map[atom.Atom]bool{
	atom.Script: true, atom.Style: true, atom.Title: true, atom.Textarea: true, atom.Iframe: true, atom.Noembed: true,
	atom.Noframes: true, atom.Xmp: true, atom.Plaintext: true,
}

func newTokens(input string) *tokens { return &tokens{in: input} }

// raw is the token as written.
func (t *tokens) raw() string { return t.in[t.start:t.end] }

// next moves to the next token: a text, a start tag, an end tag, or a comment or the like. An unfinished tag is no token,
// and nothing follows it.
func (t *tokens) next() bool {
	rawIn := atom.Atom(0)
	if t.kind == html.StartTagToken && !t.nothingRaw && rawText[t.name] {
		rawIn = t.name
	}
	t.start, t.rawIn, t.name, t.inRawText = t.end, rawIn, 0, false
	if rawIn != 0 {
		if t.end = t.rawTextEnd(rawIn); t.end > t.start {
			t.kind, t.inRawText = html.TextToken, true
			return true
		}
	}
	if t.end = t.markup(t.start); t.end > t.start {
		t.kind = html.TextToken
		return true
	}
	if t.start == len(t.in) {
		t.kind = html.ErrorToken
		return false
	}
	at := t.start + 1
	switch c := t.in[at]; {
	case isASCIILetter(c):
		t.tag(html.StartTagToken, at)
	case c == '/' && at+1 == len(t.in):
		t.kind, t.end = html.TextToken, len(t.in)
	case c == '/' && isASCIILetter(t.in[at+1]):
		t.tag(html.EndTagToken, at+1)
	case strings.HasPrefix(t.in[at:], "!--"):
		t.kind, t.end = html.CommentToken, t.commentEnd(at+len("!--"))
	default:
		t.kind, t.end = html.CommentToken, t.after('>', at)
	}
	return t.kind != html.ErrorToken
}

func (t *tokens) tag(kind html.TokenType, at int) {
	end := tagEnd(t.in, at)
	if end < 0 {
		t.kind, t.end = html.ErrorToken, len(t.in)
		return
	}
	t.kind, t.end = kind, end
	t.name = nameOf(t.in[at:end])
}

// markup is where the next tag, comment or the like begins.
func (t *tokens) markup(from int) int {
	for {
		i := strings.IndexByte(t.in[from:], '<')
		if i < 0 || from+i+1 == len(t.in) {
			return len(t.in)
		}
		from += i + 1
		if c := t.in[from]; isASCIILetter(c) || c == '/' || c == '!' || c == '?' {
			return from - 1
		}
	}
}

// after is the position after the next c.
func (t *tokens) after(c byte, from int) int {
	if i := strings.IndexByte(t.in[from:], c); i >= 0 {
		return from + i + 1
	}
	return len(t.in)
}

// commentEnd is the end of a comment whose text begins at from (13.2.5.43 to 52).
func (t *tokens) commentEnd(from int) int {
	for at := from; ; {
		end := t.after('>', at)
		text := t.in[from:end]
		switch {
		case text == ">", text == "->", strings.HasSuffix(text, "-->"), strings.HasSuffix(text, "--!>"), end == len(t.in):
			return end
		}
		at = end
	}
}

// rawTextEnd is the end of the text of an element that begins at t.start and whose content is no markup.
func (t *tokens) rawTextEnd(in atom.Atom) int {
	switch in {
	case atom.Plaintext:
		return len(t.in)
	case atom.Script:
		return t.scriptEnd()
	}
	name := in.String()
	for at := t.start; ; {
		i := strings.IndexByte(t.in[at:], '<')
		if i < 0 {
			return len(t.in)
		}
		at += i
		if t.closes(at, name) {
			return at
		}
		at++
	}
}

// closes reports whether the end tag of an element whose content is no markup is at this position.
func (t *tokens) closes(at int, name string) bool {
	rest := t.in[at:]
	after := len("</") + len(name)
	return len(rest) > after && rest[1] == '/' && endsName(rest[after]) && strings.EqualFold(rest[len("</"):after], name)
}

func endsName(c byte) bool {
	switch c {
	case ' ', '\n', '\r', '\t', '\f', '/', '>':
		return true
	}
	return false
}

// scriptEnd is the end of the text of a script. Within what looks like a comment, scripts may be nested (13.2.5.4 and 15
// to 31).
func (t *tokens) scriptEnd() int {
	const name = "script"
	const plain, commented, nested = 0, 1, 2
	state := plain
	for at := t.start; at < len(t.in); {
		marks := "<-"
		if state == plain {
			marks = "<"
		}
		i := strings.IndexAny(t.in[at:], marks)
		if i < 0 {
			break
		}
		at += i
		rest := t.in[at:]
		switch {
		case rest[0] == '-': // the apparent comment may end
			dashes := len(rest) - len(strings.TrimLeft(rest, "-"))
			at += dashes
			if dashes >= 2 && at < len(t.in) && t.in[at] == '>' {
				state = plain
			}
			continue
		case state == nested:
			if t.closes(at, name) {
				state = commented
				at += len("</script")
			}
		case t.closes(at, name):
			return at
		case state == plain && strings.HasPrefix(rest, "<!--"):
			state = commented
			at += len("<!") // the dashes may end it
			continue
		case state == commented && len(rest) > 1 && isASCIILetter(rest[1]):
			if after := 1 + len(name); len(rest) > after && strings.EqualFold(rest[1:after], name) && endsName(rest[after]) {
				state = nested
				at += after
			}
		case state == commented && len(rest) > 1 && rest[1] != '/':
			state = plain
		}
		at++
	}
	return len(t.in)
}

// tagEnd is the end of the tag whose name begins at offset at, or -1 if it is not finished.
func tagEnd(in string, at int) int {
	i := strings.IndexByte(in[at:], '>')
	if i < 0 {
		return -1
	}
	if tag := in[at : at+i]; strings.IndexByte(tag, '"') < 0 && strings.IndexByte(tag, '\'') < 0 {
		return at + i + 1
	}
	a := attributes{in: in, at: afterName(in, at)}
	for a.next() {
		continue
	}
	return a.end
}

// afterName is where a tag's name ends.
func afterName(in string, at int) int {
	for at < len(in) && !endsName(in[at]) {
		at++
	}
	return at
}

// nameOf is the name at the beginning of a tag, "a href=…", and 0 for one that HTML does not have.
func nameOf(tag string) atom.Atom {
	var name [32]byte // longer than any in HTML
	for i := range len(tag) {
		c := tag[i]
		switch {
		case endsName(c):
			return atom.Lookup(name[:i])
		case i == len(name):
			return 0
		case isCapital(c):
			c += 'a' - 'A'
		}
		name[i] = c
	}
	return 0
}

// attributes walks through the attributes of a tag (13.2.5.32 to 40).
type attributes struct {
	in string
	at int
	// key and value are as written.
	key, value string
	// end is the end of the tag, once next has found no more; -1 if it is not finished.
	end int
}

// attributes returns those of the start tag that t is at.
func (t *tokens) attributes() attributes {
	return attributes{in: t.in[:t.end], at: afterName(t.in, t.start+1)}
}

func (a *attributes) next() bool {
	for {
		a.skipSpace()
		if a.at == len(a.in) {
			a.end = -1
			return false
		}
		switch a.in[a.at] {
		case '>':
			a.end = a.at + 1
			return false
		case '/':
			a.at++
		default:
			a.read()
			return true
		}
	}
}

func (a *attributes) skipSpace() {
	for a.at < len(a.in) {
		switch a.in[a.at] {
		case ' ', '\n', '\r', '\t', '\f':
			a.at++
		default:
			return
		}
	}
}

func (a *attributes) read() {
	start := a.at
	a.at++ // in the first byte = too is a part of the name
	for a.at < len(a.in) && a.in[a.at] != '=' && !endsName(a.in[a.at]) {
		a.at++
	}
	a.key, a.value = a.in[start:a.at], ""
	a.skipSpace()
	if a.at == len(a.in) || a.in[a.at] != '=' {
		return
	}
	a.at++
	a.skipSpace()
	if a.at == len(a.in) {
		return
	}
	start = a.at
	switch quote := a.in[start]; quote {
	case '>':
	case '"', '\'':
		end := strings.IndexByte(a.in[start+1:], quote)
		if end < 0 {
			a.at = len(a.in)
			return
		}
		a.value = a.in[start+1 : start+1+end]
		a.at = start + 1 + end + 1
	default:
		for a.at < len(a.in) && (!endsName(a.in[a.at]) || a.in[a.at] == '/') {
			a.at++
		}
		a.value = a.in[start:a.at]
	}
}
