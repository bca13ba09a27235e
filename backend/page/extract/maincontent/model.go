package maincontent

import (
	"context"
	_ "embed"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"sync"
)

// The types of pages.
const (
	Article       = "article"
	Documentation = "documentation"
	Service       = "service"
	Forum         = "forum"
	Collection    = "collection"
	Listing       = "listing"
	Product       = "product"
)

// Types are all types, in the order of the model's forests.
func Types() []string {
	return []string{Article, Documentation, Service, Forum, Collection, Listing, Product}
}

const (
	// blocksMax is the number of blocks above which a page is not judged: at some 20 µs a block that takes half a second.
	blocksMax = 25_000
)

//go:embed weights.bin
var weights []byte

// Model is the result of training.
type Model struct {
	Dictionary Dictionary
	// Blocks estimates a block's share of content, as log odds.
	Blocks *Forest
	// Types are forests that tell each type from all others, as log odds, in the order of Types.
	Types []*Forest

	ready   sync.Once
	sieve   *sieve      // of Blocks
	lexicon *oddsTables // of Dictionary
}

// prepare makes the model ready for use.
func (m *Model) prepare() {
	m.ready.Do(func() { m.sieve, m.lexicon = newSieve(m.Blocks), newOddsTables(&m.Dictionary) })
}

// Result is the model's judgement of a page.
type Result struct {
	Choice
	// Type is one of Types, or empty if the page has no text or too much.
	Type string
	// Confidence is the probability of Type among all types.
	Confidence float64
	// Quality is how well the main content was separated from the rest, 0–1.
	Quality float64
}

// Shipped returns the model that is part of the program. The error says that the weights are damaged.
var Shipped = sync.OnceValues(func() (*Model, error) { return ReadModel(weights) })

// Read judges p, which came from address. The only error is the context's.
func (m *Model) Read(ctx context.Context, p *Page, address string) (Result, error) {
	if len(p.Blocks) == 0 || len(p.Blocks) > blocksMax {
		return Result{Choice: Choice{Blocks: make([]bool, len(p.Blocks))}}, nil
	}
	m.prepare()
	d := Describe(p, address, m.lexicon)
	shares := m.Shares(ctx, d)
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	r := Result{Choice: p.Judge(shares)}
	r.Quality = p.Quality(r.Choice)
	r.Type, r.Confidence = m.TypeOf(d.Page(r.Choice))
	return r, nil
}

// Shares estimates for each block the share of its words that is content. The result is invalid once ctx is done.
func (m *Model) Shares(ctx context.Context, d *Describer) []float32 {
	m.prepare()
	n := len(d.page.Blocks)
	shares := make([]float32, n)
	for i := range shares {
		shares[i] = m.Blocks.Base
	}
	own := m.Blocks.Width - len(d.page32)
	room := rooms.Get().(*room) //nolint:forcetypeassert // nothing else is put there
	defer rooms.Put(room)
	room.answers = slices.Grow(room.answers[:0], len(m.sieve.cuts))[:len(m.sieve.cuts)]
	m.sieve.share(room.answers, own, d.page32)
	for begin := 0; begin < n; begin += sieveRows {
		if ctx.Err() != nil {
			break
		}
		end := min(begin+sieveRows, n)
		room.rows = room.rows[:0]
		for i := begin; i < end; i++ {
			room.rows = d.own(i, room.rows)
		}
		m.sieve.answer(room.answers, room.rows, end-begin)
		m.sieve.add(room.answers, shares[begin:end])
	}
	for i, x := range shares {
		shares[i] = Logistic(x)
	}
	return shares
}

// room is the memory for judging a page, which is reused.
type room struct {
	rows    []float32
	answers answers
}

var rooms = sync.Pool{New: func() any { return new(room) }}

// TypeOf returns the likeliest type and its share of the likelihoods of all types.
func (m *Model) TypeOf(row []float32) (string, float64) {
	best, most, sum := "", 0.0, 0.0
	for i, name := range Types() {
		likelihood := math.Exp(float64(m.Types[i].Value(row)))
		sum += likelihood
		if likelihood > most {
			best, most = name, likelihood
		}
	}
	return best, most / sum
}

// weightsVersion is the version of the weights' format and of the features.
const weightsVersion = 1

// Append appends the model to out.
func (m *Model) Append(out []byte) []byte {
	out = append(out, weightsVersion)
	out = appendOdds(out, m.Dictionary.Classes)
	out = appendOdds(out, m.Dictionary.Words)
	out = m.Blocks.Append(out)
	for _, f := range m.Types {
		out = f.Append(out)
	}
	return out
}

// ReadModel reads what Append wrote.
func ReadModel(in []byte) (*Model, error) {
	r := reader{in: in}
	if version := r.byte(); version != weightsVersion {
		return nil, fmt.Errorf("%w: version %d, want %d", errWeights, version, weightsVersion)
	}
	m := &Model{Dictionary: Dictionary{Classes: r.odds(), Words: r.odds()}}
	forest := func() *Forest {
		if r.err != nil {
			return nil
		}
		f, rest, err := ReadForest(r.in)
		r.in, r.err = rest, err
		return f
	}
	m.Blocks = forest()
	for range Types() {
		m.Types = append(m.Types, forest())
	}
	if r.err == nil && len(r.in) > 0 {
		r.failf("%d bytes are left over", len(r.in))
	}
	if r.err != nil {
		return nil, r.err
	}
	return m, nil
}

// oddsScale is the unit of stored log odds: 1/16.
const oddsScale = 16

// RoundOdds rounds v to the precision of the file.
func RoundOdds(v float64) float32 {
	return float32(max(-127, min(math.Round(v*oddsScale), 127))) / oddsScale
}

func appendOdds(out []byte, odds map[string]float32) []byte {
	words := make([]string, 0, len(odds))
	for word := range odds {
		words = append(words, word)
	}
	slices.Sort(words)
	out = binary.AppendUvarint(out, uint64(len(words)))
	for _, word := range words {
		out = append(out, byte(len(word)))
		out = append(out, word...)
		out = append(out, byte(int8(odds[word]*oddsScale)))
	}
	return out
}

func (r *reader) odds() map[string]float32 {
	n := r.count(100_000)
	odds := make(map[string]float32, n)
	for range n {
		word := string(r.take(int(r.byte())))
		odds[word] = float32(int8(r.byte())) / oddsScale
	}
	return odds
}

// Weights are those of the shipped model, as Append writes them. They must not be changed.
func Weights() []byte { return weights }
