package object

// Parser reads values (ISO 32000-1, 7.3).
type Parser struct {
	lexer
	budget *Budget
	// left is how many values the object at hand may still have.
	left int
}

func newParser(data []byte, pos int, b *Budget) *Parser {
	return &Parser{lexer: lexer{data: data, pos: pos}, budget: b, left: objectValuesMax}
}

// NewParser reads data from the beginning.
func NewParser(data []byte, b *Budget) *Parser { return newParser(data, 0, b) }

// Value reads one object. It is a keyword where there is none, and the empty one at the end of the data or of the budget.
func (p *Parser) Value() any { return p.value(0) }

// Dict reads a dictionary whose opening is behind, with at most valuesMax values.
func (p *Parser) Dict(valuesMax int) Dict {
	p.left = valuesMax
	return p.dict(0)
}

// Keyword is a word that is no value; a caller who meets one has reached the end of what it reads.
type Keyword string

func (p *Parser) value(depth int) any {
	return p.of(p.Next(), depth)
}

func (p *Parser) of(t Token, depth int) any {
	if p.left--; p.left < 0 || !p.budget.Take(&p.budget.Values, 1, "values") {
		return Keyword("")
	}
	if depth >= nestingMax && (t.Kind == TokenArrayOpen || t.Kind == TokenDictOpen) {
		return nil // what is inside is read as if it stood here: wrong, and cheap
	}
	switch t.Kind {
	case TokenInt:
		return p.intOrRef(t.Int)
	case TokenReal:
		return t.Real
	case TokenName:
		return Name(t.Bytes)
	case TokenString:
		return String(t.Bytes)
	case TokenArrayOpen:
		return p.array(depth + 1)
	case TokenDictOpen:
		return p.dict(depth + 1)
	case TokenArrayClose:
		return Keyword("]")
	case TokenDictClose:
		return Keyword(">>")
	case TokenKeyword:
		switch string(t.Bytes) {
		case "true":
			return true
		case "false":
			return false
		case "null":
			return nil
		}
		if len(t.Bytes) > 32 {
			return Keyword(t.Bytes[:32])
		}
		return Keyword(t.Bytes)
	case TokenEOF:
	}
	return Keyword("")
}

// intOrRef looks whether an integer begins a reference, "12 0 R".
func (p *Parser) intOrRef(first int) any {
	if first < 0 {
		return first
	}
	l := p.lexer
	second := l.Next()
	if second.Kind != TokenInt || second.Int < 0 {
		return first
	}
	l.skipSpace()
	if l.pos >= len(l.data) || l.data[l.pos] != 'R' || (l.pos+1 < len(l.data) && charClass[l.data[l.pos+1]] == charRegular) {
		return first
	}
	p.pos = l.pos + 1
	return Ref(first)
}

func (p *Parser) array(depth int) Array {
	out := Array{}
	for {
		v := p.value(depth)
		if word, ok := v.(Keyword); ok {
			if word == "]" || word == "" || word == "endobj" || word == "stream" || word == ">>" {
				return out
			}
			continue // a word that means nothing here
		}
		out = append(out, v)
	}
}

func (p *Parser) dict(depth int) Dict {
	out := Dict{}
	for {
		key := p.value(depth)
		switch key := key.(type) {
		case Keyword:
			if key == ">>" || key == "" {
				return out
			}
			if key == "endobj" || key == "stream" {
				p.pos -= len(key) // it belongs to the object around
				return out
			}
		case Name:
			v := p.value(depth)
			if word, ok := v.(Keyword); ok {
				if word == ">>" || word == "" {
					return out
				}
				continue
			}
			if len(key) <= 256 {
				out[key] = v
			}
		}
	}
}
