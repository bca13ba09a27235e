package monitors

import (
	"hash/fnv"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/publicsuffix"

	"github.com/turnpike-edge/turnpike/backend/compare"
	"github.com/turnpike-edge/turnpike/backend/page/extract/maincontent"
	"github.com/turnpike-edge/turnpike/eval/gbdt"
)

// Folds is how many parts the pages are divided into.
const Folds = 5

// Fold puts all pages of a registrable domain in one fold.
func (p *Page) Fold() int {
	host := p.URL
	if u, err := url.Parse(p.URL); err == nil {
		host = u.Hostname()
	}
	if domain, err := publicsuffix.EffectiveTLDPlusOne(host); err == nil {
		host = domain
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(host))
	return int(h.Sum32() % Folds)
}

var (
	editSettings  = gbdt.Settings{Trees: 200, Leaves: 6, Rate: 0.07, Rows: 0.6, Figures: 0.3, LeafWeight: 0.001, Regularisation: 3, Seed: 1}
	askedSettings = gbdt.Settings{Trees: 400, Leaves: 14, Rate: 0.03, Rows: 0.5, Figures: 0.2, LeafWeight: 0.01, Regularisation: 3, Seed: 2}
)

// The least trusts. They were chosen by the figures out of fold.
const (
	wholeMin = 0.12
	editMin  = 0.15
	askedMin = 0.5
)

// cropWeight is how much a finding of a part of a page counts.
const cropWeight = 0.3

// rows are what a forest learns from.
type rows struct {
	figures      [][]float32
	label, heavy []float32
}

func (r *rows) add(figures []float32, label bool, weight float32) {
	is := float32(0)
	if label {
		is = 1
	}
	r.figures, r.label, r.heavy = append(r.figures, figures), append(r.label, is), append(r.heavy, weight)
}

func (r *rows) forest(s gbdt.Settings, seeds int) *maincontent.Forest {
	t := &gbdt.Table{Cuts: gbdt.CutsOf(r.figures, gbdt.Seeded(s.Seed, 0)), Label: r.label, Heavy: r.heavy}
	t.Cells = gbdt.CellsOf(r.figures, t.Cuts)
	order := make([]int32, len(r.figures))
	for i := range order {
		order[i] = int32(i) //nolint:gosec // far fewer
	}
	return gbdt.Train(t, order, s, seeds)
}

// Train learns from versions which differences are edits, and which edits queries ask for. It leaves out figures whose names begin with one
// of off.
func Train(versions []Version, off ...string) *compare.Model {
	names := compare.FigureNames()
	masked := func(figures []float32, isLeftOut func(name string) bool) []float32 {
		out := slices.Clone(figures)
		for i, name := range names {
			if isLeftOut(name) || slices.ContainsFunc(off, func(prefix string) bool { return strings.HasPrefix(name, prefix) }) {
				out[i] = 0
			}
		}
		return out
	}
	// What the looks and the past show is of no use for what is asked.
	isOfNoise := func(name string) bool {
		return slices.ContainsFunc([]string{"past", "looks", "page", "value growth"}, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
	}
	var edits, asked rows
	for i := range versions {
		v := &versions[i]
		for k, f := range slices.Concat(v.Findings, v.Crops) {
			wanted, edit, earlier := v.Label(&f)
			if !f.Settled || earlier {
				continue
			}
			weight := float32(1)
			if k >= len(v.Findings) {
				weight = cropWeight
			}
			edits.add(masked(f.Figures, compare.IsForAsked), edit, weight)
			if edit && !compare.IsWhole(f.Figures) {
				asked.add(masked(f.Figures, isOfNoise), wanted, weight)
			}
		}
	}
	return &compare.Model{
		Edits: edits.forest(editSettings, 1), Asked: asked.forest(askedSettings, 3), WholeMin: wholeMin, EditMin: editMin, AskedMin: askedMin,
	}
}
