package maincontent

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"
)

// testForest has two features: 1 + (x0 ≤ 2 ? (x1 ≤ 0.5 ? 1 : 2) : -3) + 0.25.
func testForest() *Forest {
	b := Builder{Forest: Forest{Width: 2, Base: 1}}
	b.Tree()
	b.Split(0, 2)
	b.Split(1, 0.5)
	b.Leaf(1)
	b.Right()
	b.Leaf(2)
	b.Right()
	b.Leaf(-3)
	b.Tree()
	b.Leaf(0.25)
	return &b.Forest
}

func TestForestValue(t *testing.T) {
	t.Parallel()
	f := testForest()
	for _, tt := range []struct {
		row  []float32
		want float32
	}{
		{[]float32{2, 0.5}, 2.25},
		{[]float32{2, 0.6}, 3.25},
		{[]float32{2.1, 0}, -1.75},
	} {
		if got := f.Value(tt.row); got != tt.want {
			t.Errorf("%v: got %v, want %v", tt.row, got, tt.want)
		}
	}
}

func testModel() *Model {
	m := &Model{
		Dictionary: Dictionary{Classes: map[string]float32{"nav": -2, "entry": 1.5}, Words: map[string]float32{"café": 0.25}},
		Blocks:     testForest(),
	}
	for range Types() {
		m.Types = append(m.Types, testForest())
	}
	return m
}

func TestModelIsReadBack(t *testing.T) {
	t.Parallel()
	want := testModel()
	written := want.Append(nil)
	got, err := ReadModel(written)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if again := got.Append(nil); string(again) != string(written) {
		t.Error("got other bytes the second time")
	}
}

// TestDamagedWeights reads truncated weights, and weights with any byte changed: the result is an error or a usable model.
func TestDamagedWeights(t *testing.T) {
	t.Parallel()
	written := testModel().Append(nil)
	for n := range written {
		if _, err := ReadModel(written[:n]); !errors.Is(err, errWeights) {
			t.Errorf("first %d bytes: got %v, want errWeights", n, err)
		}
	}
	if _, err := ReadModel(append(written, 0)); !errors.Is(err, errWeights) {
		t.Errorf("one byte more: got %v, want errWeights", err)
	}
	random := rand.New(rand.NewPCG(1, 1))
	for at := range written {
		damaged := append([]byte{}, written...)
		damaged[at] ^= byte(1 + random.IntN(255))
		m, err := ReadModel(damaged)
		if err != nil {
			continue
		}
		m.Blocks.Value(make([]float32, m.Blocks.Width))
	}
}

func TestShippedModel(t *testing.T) {
	t.Parallel()
	m, err := Shipped()
	if err != nil {
		t.Fatal(err)
	}
	if len(weights) > 300<<10 {
		t.Errorf("got %d bytes of weights, want at most 300 KiB", len(weights))
	}
	p := Segment(mustParse(t, "<p>x"))
	d := Describe(p, "", &m.Dictionary)
	if got := len(d.Block(0, nil)); got != m.Blocks.Width {
		t.Errorf("got %d figures of a block, want the %d that the weights are about: train again", got, m.Blocks.Width)
	}
	if got := len(d.Page(Choice{Blocks: []bool{true}})); got != m.Types[0].Width {
		t.Errorf("got %d figures of a page, want the %d that the weights are about: train again", got, m.Types[0].Width)
	}
}
