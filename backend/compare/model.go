package compare

import (
	_ "embed"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/turnpike-edge/turnpike/backend/page/extract/maincontent"
)

// Model decides which differences are told: those that are edits, and that the query asks for.
type Model struct {
	// Edits tells edits from what is another by itself, and Asked what the query asks for from other edits.
	Edits, Asked *maincontent.Forest
	// WholeMin is the least trust in an edit where the query narrows nothing. EditMin and AskedMin are those where it does.
	WholeMin, EditMin, AskedMin float32
}

//go:embed weights.bin
var weights []byte

var errWeights = errors.New("the weights of the comparison are damaged")

// shipped is the model that is part of the program.
var shipped = sync.OnceValue(func() *Model {
	m, err := readModel(weights)
	if err != nil {
		panic(err) // they are compiled in, and a test reads them
	}
	return m
})

// Append appends the model to out.
func (m *Model) Append(out []byte) []byte {
	for _, least := range []float32{m.WholeMin, m.EditMin, m.AskedMin} {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(least))
	}
	return m.Asked.Append(m.Edits.Append(out))
}

func readModel(in []byte) (*Model, error) {
	if len(in) < 12 {
		return nil, errWeights
	}
	m := &Model{}
	for i, least := range []*float32{&m.WholeMin, &m.EditMin, &m.AskedMin} {
		*least = math.Float32frombits(binary.LittleEndian.Uint32(in[4*i:]))
	}
	in = in[12:]
	for _, forest := range []**maincontent.Forest{&m.Edits, &m.Asked} {
		var err error
		if *forest, in, err = maincontent.ReadForest(in); err != nil || (*forest).Width != len(FigureNames()) {
			return nil, errors.Join(errWeights, err)
		}
	}
	return m, nil
}

// IsForAsked reports whether a figure is for what is asked, or else for what is an edit.
func IsForAsked(figure string) bool {
	return strings.HasPrefix(figure, "query") || strings.HasPrefix(figure, "named") || strings.HasPrefix(figure, "match") || strings.HasPrefix(figure, "money")
}

func (c *comparison) model() *Model {
	if c.options.Model != nil {
		return c.options.Model
	}
	return shipped()
}

// Trust is how likely a difference is an edit, and how likely the query asks for it. A model that has learned nothing trusts all.
func (m *Model) Trust(figures []float32) (edit, asked float32) {
	if m.Edits == nil {
		return 1, 1
	}
	return maincontent.Logistic(m.Edits.Value(figures)), maincontent.Logistic(m.Asked.Value(figures))
}

// IsWhole reports whether figures are of a query that narrows nothing.
func IsWhole(figures []float32) bool { return figures[wholeFigure()] != 0 }

var wholeFigure = sync.OnceValue(func() int { return slices.Index(FigureNames(), "query whole") })

// Tells reports whether a difference is told that all looks show.
func (m *Model) Tells(figures []float32) bool {
	edit, asked := m.Trust(figures)
	if IsWhole(figures) {
		return edit >= m.WholeMin
	}
	if asked < m.AskedMin {
		return false
	}
	return edit >= m.EditMin || m.Edits != nil && asked >= askedSure && figures[pastFigures()[0]] < runsFew &&
		maincontent.Logistic(m.Edits.Value(unchanging(figures))) >= editSure
}

// The first runs do not show yet how often a place changes. What the query asks for beyond doubt is judged without that.
const (
	runsFew   = 4
	askedSure = 0.9
	editSure  = 0.6
)

// unchanging returns figures as if their place had never changed.
func unchanging(figures []float32) []float32 {
	figures = slices.Clone(figures)
	for _, i := range pastFigures()[1:] {
		figures[i] = 0
	}
	return figures
}

var pastFigures = sync.OnceValue(func() []int {
	names := FigureNames()
	var all []int
	for _, name := range []string{"past runs", "past rate", "past streak", "past list", "past was seen"} {
		all = append(all, slices.Index(names, name))
	}
	return all
})

// judge decides what is told of a page.
func (c *comparison) judge(p *compared) {
	m := c.model()
	var s *scene
	for _, d := range p.found {
		if d.Block == "page" || d.Block == "field" || d.cosmetic {
			continue
		}
		if d.figures == nil {
			if s == nil {
				s = c.scene(p)
			}
			d.figures = s.figures(d)
		}
		c.remembered(d, p)
		edit, asked := m.Trust(d.figures)
		if d.isAsked = c.query.isWhole || asked >= m.AskedMin; c.query.isWhole {
			asked = 1
		}
		d.trust, d.isTold = edit*asked, m.Tells(d.figures)
	}
}
