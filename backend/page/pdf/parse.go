package pdf

// parser reads values (ISO 32000-1, 7.3).
type parser struct {
	lexer
	budget *budget
	// left is how many values the object at hand may still have.
	left int
}

func newParser(data []byte, pos int, b *budget) *parser {
	return &parser{lexer: lexer{data: data, pos: pos}, budget: b, left: objectValuesMax}
}

// NewParser reads data from the beginning.
func NewParser(data []byte, b *budget) *parser { return newParser(data, 0, b) }

// Value reads one object. It is a keyword where there is none, and the empty one at the end of the data or of the budget.
func (p *parser) Value() any { return p.value(0) }

// Dict reads a dictionary whose opening is behind, with at most valuesMax values.
func (p *parser) Dict(valuesMax int) dict {
	p.left = valuesMax
	return p.dict(0)
}

// keyword is a word that is no value; a caller who meets one has reached the end of what it reads.
type keyword string

func (p *parser) value(depth int) any {
	return p.of(p.next(), depth)
}

func (p *parser) of(t token, depth int) any {
	if p.left--; p.left < 0 || !p.budget.take(&p.budget.values, 1, "values") {
		return keyword("")
	}
	if depth >= nestingMax && (t.kind == tokenArrayOpen || t.kind == tokenDictOpen) {
		return nil // what is inside is read as if it stood here: wrong, and cheap
	}
	switch t.kind {
	case tokenInt:
		return p.intOrRef(t.int)
	case tokenReal:
		return t.real
	case tokenName:
		return name(t.bytes)
	case tokenString:
		return text(t.bytes)
	case tokenArrayOpen:
		return p.array(depth + 1)
	case tokenDictOpen:
		return p.dict(depth + 1)
	case tokenArrayClose:
		return keyword("]")
	case tokenDictClose:
		return keyword(">>")
	case tokenKeyword:
		switch string(t.bytes) {
		case "true":
			return true
		case "false":
			return false
		case "null":
			return nil
		}
		if len(t.bytes) > 32 {
			return keyword(t.bytes[:32])
		}
		return keyword(t.bytes)
	case tokenEOF:
	}
	return keyword("")
}

// intOrRef looks whether an integer begins a reference, "12 0 R".
func (p *parser) intOrRef(first int) any {
	if first < 0 {
		return first
	}
	l := p.lexer
	second := l.next()
	if second.kind != tokenInt || second.int < 0 {
		return first
	}
	l.skipSpace()
	if l.pos >= len(l.data) || l.data[l.pos] != 'R' || (l.pos+1 < len(l.data) && charClass[l.data[l.pos+1]] == charRegular) {
		return first
	}
	p.pos = l.pos + 1
	return ref(first)
}

func (p *parser) array(depth int) array {
	out := array{}
	for {
		v := p.value(depth)
		if word, ok := v.(keyword); ok {
			if word == "]" || word == "" || word == "endobj" || word == "stream" || word == ">>" {
				return out
			}
			continue // a word that means nothing here
		}
		out = append(out, v)
	}
}

func (p *parser) dict(depth int) dict {
	out := dict{}
	for {
		key := p.value(depth)
		switch key := key.(type) {
		case keyword:
			if key == ">>" || key == "" {
				return out
			}
			if key == "endobj" || key == "stream" {
				p.pos -= len(key) // it belongs to the object around
				return out
			}
		case name:
			v := p.value(depth)
			if word, ok := v.(keyword); ok {
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
