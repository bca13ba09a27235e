package object

import (
	"context"
	"testing"
)

func FuzzLexer(f *testing.F) {
	for _, s := range []string{
		"<< /A#20B [1 -2.5 +3 4. .5 --6 1-2 true null 12 0 R] /S (a\\(b\\)\\101\\\r\nc) /H <48656C6C6F> >>", "[[[[[", "<<<<<<", "((((", "<</A<</B<</C", "%c\r1",
		"(\\777\\8)", "/ /#/#zz", "<4 8 z>", "1 0 obj << >> stream", ">", ")", "}{",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		l := lexer{data: data}
		for n := 0; ; n++ {
			before := l.pos
			token := l.Next()
			if token.Kind == TokenEOF {
				break
			}
			if l.pos <= before || l.pos > len(data) {
				t.Fatalf("went from %d to %d of %d", before, l.pos, len(data))
			}
		}
		b := NewBudget(context.Background(), Limits{DecodedBytesMax: 16 << 20, ValuesMax: 400_000})
		p := newParser(data, 0, b)
		for p.pos < len(data) && b.Alive() {
			before := p.pos
			if p.value(0); p.pos <= before && p.pos < len(data) {
				t.Fatalf("stays at %d of %d", p.pos, len(data))
			}
			p.left = 1000
		}
	})
}
