package markup

import (
	"errors"
	"fmt"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const (
	// DepthMax is how deep a simplified page nests. The parser itself stops at 512 open elements.
	DepthMax = 200
	// rootMergesMax bounds the attributes that the parser compares when html and body tags are repeated: their number
	// times the bytes of the longest.
	rootMergesMax = 8 << 20
	// rootTagsMax is how many html, head and body tags a simplified page keeps.
	rootTagsMax = 16
	// likeFormattingMax is the standard's own bound on equal entries of the list of active formatting elements
	// (HTML standard 13.2.4.3, the "Noah's Ark clause").
	likeFormattingMax = 3
)

// ErrTooComplex is returned for a page that would need more memory or time than the limits allow.
var ErrTooComplex = errors.New("page is too complex")

// formatting are the elements that the parser reopens in every block until they are closed (HTML standard 13.2.4.3).
// Links are formatting elements too, but the next link closes them.
var formatting = map[atom.Atom]bool{
	atom.B: true, atom.Big: true, atom.Code: true, atom.Em: true, atom.Font: true, atom.I: true, atom.Nobr: true,
	atom.S: true, atom.Small: true, atom.Strike: true, atom.Strong: true, atom.Tt: true, atom.U: true,
}

// Parse returns the tree of input, bounded in size and depth. It reports whether markup was dropped for that.
func Parse(body []byte, nodesMax int) (*html.Node, bool, error) {
	input := string(body)
	estimate := scan(input)
	if estimate.tokens > nodesMax {
		return nil, false, fmt.Errorf("%w: more than %d elements and text nodes", ErrTooComplex, nodesMax)
	}
	if !estimate.hostile() && estimate.nodes <= nodesMax {
		if root, err := parseString(input); err == nil {
			return root, false, nil
		}
	}
	if root, err := parseString(simplify(input, true)); err == nil {
		return root, true, nil
	}
	root, err := parseString(simplify(input, false))
	if err != nil {
		return nil, false, fmt.Errorf("%w: %w", ErrTooComplex, err)
	}
	return root, true, nil
}

func parseString(input string) (root *html.Node, err error) {
	// The parser reports its own limits by panics that it recovers; a panic that it misses must not end the process.
	defer func() {
		if caught := recover(); caught != nil {
			root, err = nil, fmt.Errorf("parsing HTML: %v", caught)
		}
	}()
	// Without scripting, the content of noscript is parsed as markup. That suits us, who run no scripts.
	return html.ParseWithOptions(strings.NewReader(input), html.ParseOptionEnableScripting(false))
}

// scan estimates, from the tokens alone and in linear time, how large the parser's tree will be.
func scan(input string) *census {
	c := &census{open: map[string]int{}, names: map[atom.Atom][]string{}}
	c.count(NewTokens(input))
	return c
}

// census is the estimate of scan.
type census struct {
	tokens  int
	nodes   int  // with reopened formatting elements, each weighted by its attributes
	foreign bool // an svg or math element has begun

	rootTags     int
	rootBytesMax int

	open  map[string]int         // open formatting elements, by the tag as written
	names map[atom.Atom][]string // the same, by name, in order
	total int                    // their weight
}

func (c *census) count(t *Tokens) {
	for t.Next() {
		c.tokens++
		c.nodes++
		switch t.Kind {
		case html.StartTagToken, html.EndTagToken:
			c.tag(t)
		case html.TextToken:
			if t.InRawText && c.foreign {
				// In foreign content the parser reads as markup what elsewhere is the text of a style or script. Only the
				// parser knows whether this is foreign content, so count it as if it were.
				inner := NewTokens(t.raw())
				inner.nothingRaw = true
				c.count(inner)
			}
		}
	}
}

func (c *census) tag(t *Tokens) {
	switch {
	case t.Name == atom.Html || t.Name == atom.Body:
		c.rootTags++
		c.rootBytesMax = max(c.rootBytesMax, len(t.raw()))
	case t.Name == atom.Svg || t.Name == atom.Math:
		c.foreign = true
	case !formatting[t.Name]:
		c.nodes += c.total
	case t.Kind == html.StartTagToken:
		raw := t.raw()
		if c.open[raw] < likeFormattingMax {
			c.open[raw]++
			c.total += weight(raw)
			c.names[t.Name] = append(c.names[t.Name], raw)
		}
	default:
		if stack := c.names[t.Name]; len(stack) > 0 {
			raw := stack[len(stack)-1]
			c.open[raw]--
			c.total -= weight(raw)
			c.names[t.Name] = stack[:len(stack)-1]
		}
	}
}

// weight is the cost in nodes of each reopening of a tag: its attributes are copied.
func weight(raw string) int { return 1 + len(raw)/100 }

func (c *census) hostile() bool { return c.rootTags*c.rootBytesMax > rootMergesMax }

// void are the elements without content, which never nest.
var void = map[atom.Atom]bool{
	atom.Area: true, atom.Base: true, atom.Br: true, atom.Col: true, atom.Embed: true, atom.Hr: true, atom.Img: true,
	atom.Input: true, atom.Link: true, atom.Meta: true, atom.Param: true, atom.Source: true, atom.Track: true, atom.Wbr: true,
}

// plainBlocks are the elements that remain, as paragraphs, when the markup is dropped altogether; they do not nest.
var plainBlocks = map[atom.Atom]bool{
	atom.P: true, atom.Div: true, atom.Li: true, atom.Tr: true, atom.Section: true, atom.Article: true, atom.Blockquote: true,
	atom.H1: true, atom.H2: true, atom.H3: true, atom.H4: true, atom.H5: true, atom.H6: true, atom.Td: true, atom.Dd: true, atom.Dt: true,
}

// simplify rewrites input so that it parses into a bounded tree with the same text. With blocks, it drops formatting
// elements, foreign content, repeated roots and elements deeper than depthMax; without, everything but paragraphs.
func simplify(input string, blocks bool) string {
	s := simplifier{blocks: blocks}
	for t := NewTokens(input); t.Next(); {
		switch t.Kind {
		case html.TextToken:
			s.text(t)
		case html.StartTagToken, html.EndTagToken:
			s.tag(t)
		}
	}
	return s.out.String()
}

type simplifier struct {
	out      strings.Builder
	blocks   bool
	stack    []atom.Atom
	dropped  int // open elements beyond the depth
	rootTags int
	literal  bool // a plaintext element has begun
}

func (s *simplifier) text(t *Tokens) {
	if s.literal {
		s.out.WriteString(html.EscapeString(t.raw()))
		return
	}
	s.out.WriteString(t.raw())
}

func (s *simplifier) tag(t *Tokens) {
	isStart := t.Kind == html.StartTagToken
	switch {
	case t.Name == atom.Plaintext:
		s.literal = true
		s.out.WriteString("<p>")
	case rawText[t.Name]:
		// Not dropped, because its text would then show. Its attributes may be beyond all bounds.
		s.out.WriteString(bareTag(t))
	case !s.blocks:
		if plainBlocks[t.Name] {
			s.out.WriteString("<p>")
		} else {
			s.out.WriteByte(' ')
		}
	case formatting[t.Name], t.Name == 0, t.Name == atom.Svg, t.Name == atom.Math:
	case t.Name == atom.Html || t.Name == atom.Body || t.Name == atom.Head:
		if s.rootTags++; isStart && s.rootTags <= rootTagsMax {
			s.out.WriteString(t.raw())
		}
	case void[t.Name]:
		s.out.WriteString(t.raw())
	default:
		s.nest(t, isStart)
	}
}

func bareTag(t *Tokens) string {
	if t.Kind == html.EndTagToken {
		return "</" + t.Name.String() + ">"
	}
	if raw := t.raw(); len(raw) < 1000 {
		return raw // a JSON-LD script needs its type
	}
	return "<" + t.Name.String() + ">"
}

func (s *simplifier) nest(t *Tokens, isStart bool) {
	switch {
	case isStart && len(s.stack) >= DepthMax:
		s.dropped++
		s.out.WriteByte(' ')
	case isStart:
		s.stack = append(s.stack, t.Name)
		s.out.WriteString(t.raw())
	case s.dropped > 0:
		s.dropped--
		s.out.WriteByte(' ')
	default:
		for i := len(s.stack) - 1; i >= 0; i-- { // at most depthMax
			if s.stack[i] == t.Name {
				s.out.WriteString(t.raw())
				s.stack = s.stack[:i]
				return
			}
		}
	}
}
