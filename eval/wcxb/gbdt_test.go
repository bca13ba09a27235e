package main

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/page/extract/maincontent"
)

// toy is a table whose label is a step function of one feature. The other feature is noise.
func toy(rows int) ([][]float32, *table, []int32) {
	random := rand.New(rand.NewPCG(1, 1))
	values := make([][]float32, rows)
	t := &table{}
	var order []int32
	for i := range values {
		x := random.Float32()
		values[i] = []float32{random.Float32(), x}
		label := float32(0.1)
		if x > 0.7 {
			label = 0.9
		}
		t.label = append(t.label, label)
		t.heavy = append(t.heavy, 1)
		order = append(order, int32(i))
	}
	t.cuts = cutsOf(values, rand.New(rand.NewPCG(2, 2)))
	t.cells = cellsOf(values, t.cuts)
	return values, t, order
}

var toySettings = settings{trees: 30, leaves: 4, rate: 0.3, rows: 0.8, figures: 1, leafWeight: 0.001, regularisation: 1, seed: 5}

func TestTrainFindsAStep(t *testing.T) {
	t.Parallel()
	values, table, order := toy(2000)
	forest := train(table, order, toySettings, 2)
	wrong := 0
	for i, row := range values {
		if math.Abs(float64(maincontent.Logistic(forest.Value(row))-table.label[i])) > 0.1 {
			wrong++
		}
	}
	// The nearest cut is up to a bin away from the step.
	if wrong > len(values)/bins {
		t.Errorf("got %d of %d wrong", wrong, len(values))
	}
}

func TestTrainingIsRepeatable(t *testing.T) {
	t.Parallel()
	write := func() []byte {
		_, table, order := toy(500)
		m := maincontent.Model{Blocks: train(table, order, toySettings, 2)}
		for range maincontent.Types() {
			m.Types = append(m.Types, m.Blocks)
		}
		return m.Append(nil)
	}
	if !bytes.Equal(write(), write()) {
		t.Error("got other bytes the second time")
	}
}

func TestCells(t *testing.T) {
	t.Parallel()
	cells := cellsOf([][]float32{{0}, {1}, {1.5}, {2}, {3}}, [][]float32{{1, 2}})
	for i, want := range []uint8{0, 0, 1, 1, 2} {
		if cells[i][0] != want {
			t.Errorf("row %d: got range %d, want %d", i, cells[i][0], want)
		}
	}
}

func TestLexiconForgetsADomain(t *testing.T) {
	t.Parallel()
	k := newKind()
	for i := range 20 {
		k.add(string(rune('a'+i)), sightings{"nav": {0, 0.5, 1}, "entry": {1, 0.5, 1}, "even": {0.5, 0.5, 1}})
	}
	k.add("z", sightings{"own": {1, 0.5, 1}})
	k.choose()
	if odds := k.odds(); len(odds) != 2 || odds["nav"] > -1 || odds["entry"] < 1 {
		t.Errorf("got %v, want nav below -1, entry above 1, and nothing else", odds)
	}
	if all, without := k.without("none", "nav"), k.without("a", "nav"); without <= all {
		t.Errorf("got %v without a domain and %v with it, want less certainty", without, all)
	}
	if got := k.without("z", "own"); got != 0 {
		t.Errorf("got %v for a word of one site, want 0", got)
	}
}
