package gbdt

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/page/extract/maincontent"
)

// toy is a Table whose label is a step function of one feature. The other feature is noise.
func toy(rows int) ([][]float32, *Table, []int32) {
	random := rand.New(rand.NewPCG(1, 1))
	values := make([][]float32, rows)
	t := &Table{}
	var order []int32
	for i := range values {
		x := random.Float32()
		values[i] = []float32{random.Float32(), x}
		label := float32(0.1)
		if x > 0.7 {
			label = 0.9
		}
		t.Label = append(t.Label, label)
		t.Heavy = append(t.Heavy, 1)
		order = append(order, int32(i))
	}
	t.Cuts = CutsOf(values, rand.New(rand.NewPCG(2, 2)))
	t.Cells = CellsOf(values, t.Cuts)
	return values, t, order
}

var toySettings = Settings{Trees: 30, Leaves: 4, Rate: 0.3, Rows: 0.8, Figures: 1, LeafWeight: 0.001, Regularisation: 1, Seed: 5}

func TestTrainFindsAStep(t *testing.T) {
	t.Parallel()
	values, Table, order := toy(2000)
	forest := Train(Table, order, toySettings, 2)
	wrong := 0
	for i, row := range values {
		if math.Abs(float64(maincontent.Logistic(forest.Value(row))-Table.Label[i])) > 0.1 {
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
		_, Table, order := toy(500)
		m := maincontent.Model{Blocks: Train(Table, order, toySettings, 2)}
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
	cells := CellsOf([][]float32{{0}, {1}, {1.5}, {2}, {3}}, [][]float32{{1, 2}})
	for i, want := range []uint8{0, 0, 1, 1, 2} {
		if cells[i][0] != want {
			t.Errorf("row %d: got range %d, want %d", i, cells[i][0], want)
		}
	}
}
