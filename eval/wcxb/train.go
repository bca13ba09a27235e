package main

import (
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/publicsuffix"

	"github.com/turnpike-edge/turnpike/backend/page/extract"
	"github.com/turnpike-edge/turnpike/backend/page/extract/maincontent"
	"github.com/turnpike-edge/turnpike/eval/gbdt"
)

// folds is how many parts the sites are divided into; each is judged by a model trained on the others only.
const folds = 5

// page is a sample prepared for training.
type page struct {
	*sample

	domain string
	fold   int
	blocks *maincontent.Page
	words  [][]string // of each block
	truth  []string
	labels []float32

	classSightings, wordSightings sightings

	// The results out of fold.
	choice  maincontent.Choice
	figures []float32
	kind    string
	score   score
}

// domainOf is the registrable domain of an address (the public suffix list), or the page's ID if it has none.
func domainOf(s *sample) string {
	u, err := url.Parse(s.URL)
	if err != nil || u.Hostname() == "" {
		return s.ID
	}
	domain, err := publicsuffix.EffectiveTLDPlusOne(u.Hostname())
	if err != nil {
		return u.Hostname()
	}
	return domain
}

// foldOf puts all pages of a site in one fold.
func foldOf(domain string) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(domain))
	return int(h.Sum32() % folds)
}

func prepare(s *sample) (*page, error) {
	source, err := s.html()
	if err != nil {
		return nil, err
	}
	p := &page{sample: s, domain: domainOf(s), truth: words(s.Truth)}
	p.fold = foldOf(p.domain)
	root, err := extract.Parse(source)
	if err != nil {
		return nil, fmt.Errorf("page %s: %w", s.ID, err)
	}
	p.blocks = segment(root)
	for i := range p.blocks.Blocks {
		p.words = append(p.words, words(p.blocks.Blocks[i].Text))
	}
	p.labels = labelsOf(p.words, s.Truth)
	p.classSightings, p.wordSightings = sightClasses(p.blocks, p.labels), sightWords(p.blocks, p.labels)
	return p, nil
}

func segment(root *html.Node) *maincontent.Page {
	p := maincontent.Segment(root)
	p.Detach()
	return p
}

func prepareAll(samples []*sample) ([]*page, error) {
	pages := make([]*page, len(samples))
	errs := make([]error, len(samples))
	gbdt.Parallel(len(samples), func(begin, end int) {
		for i := begin; i < end; i++ {
			pages[i], errs[i] = prepare(samples[i])
		}
	})
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return pages, nil
}

// blockSettings and blockSeeds are the parameters of the forest for blocks.
var blockSettings = gbdt.Settings{
	Trees: 150, Leaves: 31, Rate: 0.09, Rows: 0.25, Figures: 0.25, LeafWeight: 0.0003, Regularisation: 1, Seed: 1,
}

const blockSeeds = 2

// trainer trains models and judges them.
type trainer struct {
	pages    []*page
	settings gbdt.Settings
	seeds    int
	log      io.Writer
}

// data has the rows of the blocks of pages.
type data struct {
	rows  [][]float32
	label []float32
	heavy []float32
}

// describe computes the features of pages, each with a lexicon that has not seen its site.
func (t *trainer) describe(pages []*page, l *lexicon) *data {
	parts := make([]data, len(pages))
	gbdt.Parallel(len(pages), func(begin, end int) {
		for i := begin; i < end; i++ {
			p := pages[i]
			d := maincontent.Describe(p.blocks, p.URL, lexiconWithout{l, p.domain})
			for b := range p.blocks.Blocks {
				parts[i].rows = append(parts[i].rows, d.Block(b, nil))
				parts[i].label = append(parts[i].label, p.labels[b])
				parts[i].heavy = append(parts[i].heavy, weightOf(p, b))
			}
		}
	})
	all := &data{}
	for i := range parts {
		all.rows = append(all.rows, parts[i].rows...)
		all.label = append(all.label, parts[i].label...)
		all.heavy = append(all.heavy, parts[i].heavy...)
	}
	return all
}

const (
	blockWordsMax = 150
	truthWordsMin = 100
)

// weightOf is about how much a block can change its page's F1, with bounds for the longest blocks and shortest truths.
func weightOf(p *page, block int) float32 {
	return 10 * float32(min(p.blocks.Blocks[block].Words, blockWordsMax)) / float32(len(p.truth)+truthWordsMin)
}

// model trains on the given pages only. types adds the type forests.
func (t *trainer) model(pages []*page) *maincontent.Model {
	begin := time.Now()
	l := newLexicon(pages)
	d := t.describe(pages, l)
	random := gbdt.Seeded(t.settings.Seed, 0)
	table := &gbdt.Table{Cuts: gbdt.CutsOf(d.rows, random), Label: d.label, Heavy: d.heavy}
	table.Cells = gbdt.CellsOf(d.rows, table.Cuts)
	d.rows = nil
	described := time.Since(begin)
	rows := make([]int32, len(table.Cells))
	for i := range rows {
		rows[i] = int32(i) //nolint:gosec // far fewer
	}
	m := &maincontent.Model{Dictionary: *l.dictionary(), Blocks: gbdt.Train(table, rows, t.settings, t.seeds)}
	fmt.Fprintf(t.log, "trained on %d pages: %d blocks, %d figures, %d and %d words of classes and text; %v for the figures, %v in all\n",
		len(pages), len(rows), len(table.Cuts), len(m.Dictionary.Classes), len(m.Dictionary.Words),
		described.Round(time.Second), time.Since(begin).Round(time.Second))
	return m
}

// crossValidate judges each fold by a model that has not seen it: first the blocks, then the types from chosen blocks.
func (t *trainer) crossValidate() {
	for fold := range folds {
		inside, outside := split(t.pages, fold)
		m := t.model(inside)
		gbdt.Parallel(len(outside), func(begin, end int) {
			for _, p := range outside[begin:end] {
				t.judge(m, p)
			}
		})
	}
	for fold := range folds {
		inside, outside := split(t.pages, fold)
		forests := t.types(inside)
		for _, p := range outside {
			p.kind, _ = (&maincontent.Model{Types: forests}).TypeOf(p.figures)
		}
	}
}

func split(pages []*page, fold int) (others, of []*page) {
	for _, p := range pages {
		if p.fold == fold {
			of = append(of, p)
		} else {
			others = append(others, p)
		}
	}
	return others, of
}

// judge has m choose the blocks of p, and scores the choice.
func (t *trainer) judge(m *maincontent.Model, p *page) {
	d := maincontent.Describe(p.blocks, p.URL, &m.Dictionary)
	shares := m.Shares(context.Background(), d)
	p.choice = p.blocks.Judge(shares)
	p.figures = d.Page(p.choice)
	var text []string
	for i, chosen := range p.choice.Blocks {
		if chosen {
			text = append(text, p.words[i]...)
		}
	}
	p.score = scoreOf(text, p.truth)
}

// typeSettings are the parameters of the forests that classify types.
var typeSettings = gbdt.Settings{Trees: 60, Leaves: 8, Rate: 0.1, Rows: 0.7, Figures: 0.3, LeafWeight: 0.01, Regularisation: 1, Seed: 7}

// types trains a forest for each type, to tell its pages from all others.
func (t *trainer) types(pages []*page) []*maincontent.Forest {
	rows := make([][]float32, len(pages))
	for i, p := range pages {
		rows[i] = p.figures
	}
	random := gbdt.Seeded(typeSettings.Seed, 0)
	cuts := gbdt.CutsOf(rows, random)
	cells := gbdt.CellsOf(rows, cuts)
	var forests []*maincontent.Forest
	for _, name := range maincontent.Types() {
		table := &gbdt.Table{Cuts: cuts, Cells: cells}
		var order []int32
		for i, p := range pages {
			label := float32(0)
			if strings.EqualFold(p.Type, name) {
				label = 1
			}
			table.Label = append(table.Label, label)
			table.Heavy = append(table.Heavy, 1)
			order = append(order, int32(i)) //nolint:gosec // far fewer
		}
		forests = append(forests, gbdt.Train(table, order, typeSettings, 1))
	}
	return forests
}
