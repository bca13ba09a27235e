package markup

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/turnpike-edge/turnpike/backend/page/extract/dom"
)

// Tokens walks through HTML as the parser will (HTML standard 13.2.5). It finds the positions and names of tokens;
// anything else is read only on demand, which most tags never need.
type Tokens struct {
	In   string
	Kind html.TokenType
	Name atom.Atom // of a start or end tag
	// start and end are the token's position in In.
	start, end int

	InRawText  bool      // of a text: it is the content of a script, style, title or the like
	RawIn      atom.Atom // the element of such a text
	nothingRaw bool      // read such text as markup
}

// rawText are the elements whose content the tokenizer reads as text.
var rawText = map[atom.Atom]bool{
	atom.Script: true, atom.Style: true, atom.Title: true, atom.Textarea: true, atom.Iframe: true, atom.Noembed: true,
	atom.Noframes: true, atom.Xmp: true, atom.Plaintext: true,
}

// NewTokens returns the tokens of input, before the first.
func NewTokens(input string) *Tokens { return &Tokens{In: input} }

// raw is the token as written.
func (t *Tokens) raw() string { return t.In[t.start:t.end] }

// Next moves to the next token: a text, a start tag, an end tag, or a comment or the like. An unfinished tag is no token,
// and nothing follows it.
func (t *Tokens) Next() bool {
	rawIn := atom.Atom(0)
	if t.Kind == html.StartTagToken && !t.nothingRaw && rawText[t.Name] {
		rawIn = t.Name
	}
	t.start, t.RawIn, t.Name, t.InRawText = t.end, rawIn, 0, false
	if rawIn != 0 {
		if t.end = t.rawTextEnd(rawIn); t.end > t.start {
			t.Kind, t.InRawText = html.TextToken, true
			return true
		}
	}
	if t.end = t.markup(t.start); t.end > t.start {
		t.Kind = html.TextToken
		return true
	}
	if t.start == len(t.In) {
		t.Kind = html.ErrorToken
		return false
	}
	at := t.start + 1
	switch c := t.In[at]; {
	case dom.IsLetter(c):
		t.tag(html.StartTagToken, at)
	case c == '/' && at+1 == len(t.In):
		t.Kind, t.end = html.TextToken, len(t.In)
	case c == '/' && dom.IsLetter(t.In[at+1]):
		t.tag(html.EndTagToken, at+1)
	case strings.HasPrefix(t.In[at:], "!--"):
		t.Kind, t.end = html.CommentToken, t.commentEnd(at+len("!--"))
	default:
		t.Kind, t.end = html.CommentToken, t.after('>', at)
	}
	return t.Kind != html.ErrorToken
}

func (t *Tokens) tag(kind html.TokenType, at int) {
	end := tagEnd(t.In, at)
	if end < 0 {
		t.Kind, t.end = html.ErrorToken, len(t.In)
		return
	}
	t.Kind, t.end = kind, end
	t.Name = nameOf(t.In[at:end])
}

// markup is where the next tag, comment or the like begins.
func (t *Tokens) markup(from int) int {
	for {
		i := strings.IndexByte(t.In[from:], '<')
		if i < 0 || from+i+1 == len(t.In) {
			return len(t.In)
		}
		from += i + 1
		if c := t.In[from]; dom.IsLetter(c) || c == '/' || c == '!' || c == '?' {
			return from - 1
		}
	}
}

// after is the position after the next c.
func (t *Tokens) after(c byte, from int) int {
	if i := strings.IndexByte(t.In[from:], c); i >= 0 {
		return from + i + 1
	}
	return len(t.In)
}

// commentEnd is the end of a comment whose text begins at from (13.2.5.43 to 52).
func (t *Tokens) commentEnd(from int) int {
	for at := from; ; {
		end := t.after('>', at)
		text := t.In[from:end]
		switch {
		case text == ">", text == "->", strings.HasSuffix(text, "-->"), strings.HasSuffix(text, "--!>"), end == len(t.In):
			return end
		}
		at = end
	}
}

// rawTextEnd is the end of the text of an element that begins at t.start and whose content is no markup.
func (t *Tokens) rawTextEnd(in atom.Atom) int {
	switch in {
	case atom.Plaintext:
		return len(t.In)
	case atom.Script:
		return t.scriptEnd()
	}
	name := in.String()
	for at := t.start; ; {
		i := strings.IndexByte(t.In[at:], '<')
		if i < 0 {
			return len(t.In)
		}
		at += i
		if t.closes(at, name) {
			return at
		}
		at++
	}
}

// closes reports whether the end tag of an element whose content is no markup is at this position.
func (t *Tokens) closes(at int, name string) bool {
	rest := t.In[at:]
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
func (t *Tokens) scriptEnd() int {
	const name = "script"
	const plain, commented, nested = 0, 1, 2
	state := plain
	for at := t.start; at < len(t.In); {
		marks := "<-"
		if state == plain {
			marks = "<"
		}
		i := strings.IndexAny(t.In[at:], marks)
		if i < 0 {
			break
		}
		at += i
		rest := t.In[at:]
		switch {
		case rest[0] == '-': // the apparent comment may end
			dashes := len(rest) - len(strings.TrimLeft(rest, "-"))
			at += dashes
			if dashes >= 2 && at < len(t.In) && t.In[at] == '>' {
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
		case state == commented && len(rest) > 1 && dom.IsLetter(rest[1]):
			if after := 1 + len(name); len(rest) > after && strings.EqualFold(rest[1:after], name) && endsName(rest[after]) {
				state = nested
				at += after
			}
		case state == commented && len(rest) > 1 && rest[1] != '/':
			state = plain
		}
		at++
	}
	return len(t.In)
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
	a := Attributes{in: in, at: afterName(in, at)}
	for a.Next() {
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
		case dom.IsCapital(c):
			c += 'a' - 'A'
		}
		name[i] = c
	}
	return 0
}

// Attributes walks through the attributes of a tag (13.2.5.32 to 40).
type Attributes struct {
	in string
	at int
	// Key and value are as written.
	Key, Value string
	// end is the end of the tag, once Next has found no more; -1 if it is not finished.
	end int
}

// Attributes returns those of the start tag that t is at.
func (t *Tokens) Attributes() Attributes {
	return Attributes{in: t.In[:t.end], at: afterName(t.In, t.start+1)}
}

// Next moves to the next attribute.
func (a *Attributes) Next() bool {
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

func (a *Attributes) skipSpace() {
	for a.at < len(a.in) {
		switch a.in[a.at] {
		case ' ', '\n', '\r', '\t', '\f':
			a.at++
		default:
			return
		}
	}
}

func (a *Attributes) read() {
	start := a.at
	a.at++ // in the first byte = too is a part of the name
	for a.at < len(a.in) && a.in[a.at] != '=' && !endsName(a.in[a.at]) {
		a.at++
	}
	a.Key, a.Value = a.in[start:a.at], ""
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
		a.Value = a.in[start+1 : start+1+end]
		a.at = start + 1 + end + 1
	default:
		for a.at < len(a.in) && (!endsName(a.in[a.at]) || a.in[a.at] == '/') {
			a.at++
		}
		a.Value = a.in[start:a.at]
	}
}
