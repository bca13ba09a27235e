package selector

import (
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/andybalholm/cascadia"
)

// CheckSyntax reports what is wrong with a selector that other code will match.
func CheckSyntax(text string) error {
	if err := checkText(text); err != nil {
		return err
	}
	if _, err := cascadia.ParseGroup(text); err != nil {
		return fmt.Errorf("is not CSS: %w", err)
	}
	return nil
}

func checkText(text string) error {
	if len(text) > BytesMax {
		return fmt.Errorf("is longer than %d bytes", BytesMax)
	}
	if strings.TrimSpace(text) == "" {
		return errors.New("is empty")
	}
	return checkPatterns(text)
}

// checkPatterns rejects the regular expressions that the library allows in selectors and CSS does not. The library
// compiles them as it reads, at any cost.
func checkPatterns(text string) error {
	for r := (&reader{text: text}); r.at < len(text); {
		switch c := text[r.at]; c {
		case '\\':
			r.at += 2
		case '"', '\'':
			for r.at++; r.at < len(text) && text[r.at] != c; r.at++ {
				if text[r.at] == '\\' {
					r.at++
				}
			}
			r.at++
		case '/':
			r.at += max(1, commentLength(text[r.at:]))
		case ':':
			name, err := r.pseudoName()
			if err != nil {
				return err
			}
			if strings.HasPrefix(name, "matches") {
				return fmt.Errorf("has :%s, which is not CSS", name)
			}
		default:
			if strings.HasPrefix(text[r.at:], "#=") {
				return errors.New("has #=, which is not CSS")
			}
			r.at++
		}
	}
	return nil
}

// Compile reads a list of selectors with commas between. Errors say what is wrong with it and begin with a verb.
func Compile(text string) (*List, error) {
	if err := checkText(text); err != nil {
		return nil, err
	}
	l := &List{}
	r := &reader{text: text}
	for {
		compound, combinator, err := r.next()
		if err != nil {
			return nil, err
		}
		if compound == "" {
			break
		}
		p, err := compile(compound)
		if err != nil {
			return nil, err
		}
		p.combinator = combinator
		if combinator == 0 {
			l.selectors = append(l.selectors, nil)
		}
		last := &l.selectors[len(l.selectors)-1]
		if len(*last) == partsMax {
			return nil, fmt.Errorf("has more than %d parts", partsMax)
		}
		*last = append(*last, p)
	}
	if len(l.selectors) == 0 {
		return nil, errors.New("is empty") // apart from comments
	}
	l.pack()
	return l, nil
}

// compile reads a compound, without its positions, which are kept separately.
func compile(compound string) (part, error) {
	if _, err := cascadia.Parse(compound); err != nil {
		return part{}, fmt.Errorf("has %q, which is not CSS: %w", compound, err)
	}
	pseudos, err := pseudosOf(compound)
	if err != nil {
		return part{}, err
	}
	var p part
	var rest strings.Builder
	at := 0
	others := pseudos[:0]
	for _, one := range pseudos {
		positions, err := one.positions()
		if err != nil {
			return part{}, err
		}
		if positions == nil {
			others = append(others, one)
			continue
		}
		p.positions = append(p.positions, positions...)
		rest.WriteString(compound[at:one.start])
		at = one.end
	}
	rest.WriteString(compound[at:])
	if p.cost, err = costOf(others); err != nil {
		return part{}, err
	}
	left := rest.String()
	if left == "" || left == "*|*" { // the library reads it only if more follows
		left = "*"
	}
	if p.compound, err = cascadia.Parse(left); err != nil {
		return part{}, fmt.Errorf("has %q, which is not CSS: %w", compound, err)
	}
	if isName(left) {
		p.name = left
	}
	return p, nil
}

// isName reports whether a compound is only the name of an HTML element.
func isName(compound string) bool {
	for i := range len(compound) {
		if c := compound[i]; !('a' <= c && c <= 'z' || '0' <= c && c <= '9' && i > 0) {
			return false
		}
	}
	return compound != ""
}

// pseudo is a pseudo-class in a text, from its colon to the end of its brackets.
type pseudo struct {
	name       string // in lower case
	argument   string
	start, end int
}

// positions returns the positions of p, including :not(:first-child) and the like.
func (p pseudo) positions() ([]position, error) {
	if p.name != "not" {
		return positionsOf(p)
	}
	var all []position
	for item := range listed(p.argument) {
		inner, err := pseudosOf(item)
		if err != nil || len(inner) != 1 || inner[0].start != 0 || inner[0].end != len(item) {
			return nil, nil // p.cost reports the error
		}
		positions, err := positionsOf(inner[0])
		if err != nil || len(positions) != 1 {
			return nil, err
		}
		positions[0].not = true
		all = append(all, positions[0])
	}
	return all, nil
}

// reader splits selectors into compounds.
type reader struct {
	text string
	at   int
	last byte // the combinator before the next compound
	any  bool // a compound of this selector was read
}

var errCombinators = errors.New("has two combinators in a row, or one at the start or end")

// next returns a compound and the combinator before it; "" at the end.
func (r *reader) next() (string, byte, error) {
	r.last = 0
	ended := false // by a comma
	for r.at < len(r.text) {
		switch c := r.text[r.at]; c {
		case ' ', '\t', '\n', '\r', '\f':
			if r.any && !ended && r.last == 0 {
				r.last = ' '
			}
		case '>', '+', '~':
			if !r.any || ended || (r.last != 0 && r.last != ' ') {
				return "", 0, errCombinators
			}
			r.last = c
		case ',':
			if !r.any || ended || (r.last != 0 && r.last != ' ') {
				return "", 0, errCombinators
			}
			ended, r.last = true, 0
		case '/':
			length := commentLength(r.text[r.at:])
			if length == 0 {
				return "", 0, errors.New("has a / that does not start a comment")
			}
			if r.any && !ended && r.last == 0 {
				r.last = ' '
			}
			r.at += length - 1
		default:
			if ended {
				r.last = 0
			}
			compound, err := r.compound()
			combinator := r.last
			r.any = true
			return compound, combinator, err
		}
		r.at++
	}
	if ended || (r.last != 0 && r.last != ' ') {
		return "", 0, errCombinators
	}
	return "", 0, nil
}

// commentLength is the length of the comment at the beginning of text; 0: none.
func commentLength(text string) int {
	if !strings.HasPrefix(text, "/*") {
		return 0
	}
	end := strings.Index(text[2:], "*/")
	if end < 0 {
		return 0
	}
	return end + 4
}

// compound reads up to a combinator, a comma or the end.
func (r *reader) compound() (string, error) {
	start := r.at
	for r.at < len(r.text) {
		if strings.IndexByte(between, r.text[r.at]) >= 0 {
			return r.text[start:r.at], nil
		}
		if _, err := r.piece(); err != nil {
			return "", err
		}
	}
	return r.text[start:], nil
}

// between are the bytes that end a compound.
const between = " \t\n\r\f>+~,/"

// piece skips one piece of a compound, and returns it if it is a pseudo-class.
func (r *reader) piece() (*pseudo, error) {
	switch r.text[r.at] {
	case '\\':
		r.at = min(r.at+2, len(r.text))
	case '[':
		return nil, r.skip(']')
	case '(':
		return nil, r.skip(')')
	case ':':
		return r.pseudo()
	default:
		r.at++
	}
	return nil, nil
}

// pseudoName skips a colon and the name after it.
func (r *reader) pseudoName() (string, error) {
	start := r.at + 1
	for r.at++; r.at < len(r.text) && isNameByte(r.text[r.at]); r.at++ {
	}
	name := strings.ToLower(r.text[start:r.at])
	if r.at < len(r.text) && r.text[r.at] == '\\' {
		return "", fmt.Errorf("has an escape in the name of the pseudo-class :%s", name)
	}
	return name, nil
}

func (r *reader) pseudo() (*pseudo, error) {
	p := &pseudo{start: r.at}
	var err error
	if p.name, err = r.pseudoName(); err != nil {
		return nil, err
	}
	if r.at < len(r.text) && r.text[r.at] == '(' {
		open := r.at + 1
		if err := r.skip(')'); err != nil {
			return nil, err
		}
		p.argument = r.text[open : r.at-1]
	}
	p.end = r.at
	return p, nil
}

func isNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c >= 0x80
}

// skip moves to after the bracket that closes the current one.
func (r *reader) skip(closing byte) error {
	opening, depth, quote := r.text[r.at], 0, byte(0)
	for ; r.at < len(r.text); r.at++ {
		switch c := r.text[r.at]; {
		case c == '\\':
			r.at++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == opening:
			depth++
		case c == closing:
			if depth--; depth == 0 {
				r.at++
				return nil
			}
		}
	}
	r.at = len(r.text)
	return fmt.Errorf("lacks a %q", string(closing))
}

// pseudosOf returns the pseudo-classes of a compound.
func pseudosOf(compound string) ([]pseudo, error) {
	var found []pseudo
	r := &reader{text: compound}
	for r.at < len(r.text) {
		if strings.IndexByte(between, r.text[r.at]) >= 0 {
			return nil, errors.New("has a combinator")
		}
		p, err := r.piece()
		if err != nil {
			return nil, err
		}
		if p != nil {
			found = append(found, *p)
		}
	}
	return found, nil
}

// listed splits the contents of the brackets of :not and :has. What cannot be split is returned as a whole.
func listed(argument string) iter.Seq[string] {
	return func(yield func(string) bool) {
		r := &reader{text: argument}
		start := 0
		for r.at < len(r.text) {
			if r.text[r.at] != ',' {
				if _, err := r.piece(); err != nil {
					break
				}
				continue
			}
			if !yield(strings.TrimSpace(argument[start:r.at])) {
				return
			}
			r.at++
			start = r.at
		}
		yield(strings.TrimSpace(argument[start:]))
	}
}
