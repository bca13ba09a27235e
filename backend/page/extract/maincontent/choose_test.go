package maincontent

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestChooseIsBest compares the choice with all possible choices.
func TestChooseIsBest(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		n := 1 + random.IntN(9)
		blocks, shares := make([]Block, n), make([]float32, n)
		for i := range blocks {
			blocks[i].Words = 1 + random.IntN(50)
			shares[i] = random.Float32()
		}
		got := Choose(blocks, shares)
		best := 0.0
		for set := range 1 << n {
			chosen := make([]bool, n)
			for i := range chosen {
				chosen[i] = set&(1<<i) != 0
			}
			best = max(best, expectedF1(blocks, shares, chosen))
		}
		if math.Abs(got.Expected-best) > 1e-9 || math.Abs(expectedF1(blocks, shares, got.Blocks)-best) > 1e-9 {
			t.Fatalf("got %v for %v, want %v", got.Expected, got.Blocks, best)
		}
	}
}

func expectedF1(blocks []Block, shares []float32, chosen []bool) float64 {
	var hits, words, all float64
	for i, is := range chosen {
		w := float64(blocks[i].Words)
		all += w * float64(shares[i])
		if is {
			hits += w * float64(shares[i])
			words += w
		}
	}
	return 2 * hits / (words + all)
}

func TestChoose(t *testing.T) {
	t.Parallel()
	blocks := []Block{{Words: 100}, {Words: 100}, {Words: 10}}
	tests := []struct {
		name   string
		shares []float32
		want   []bool
	}{
		{"sure", []float32{1, 0, 1}, []bool{true, false, true}},
		{"all alike and unsure", []float32{0.3, 0.3, 0.3}, []bool{true, true, true}},
		{"unsure beside sure", []float32{1, 0.3, 0.3}, []bool{true, false, false}},
		{"nothing", []float32{0, 0, 0}, []bool{false, false, false}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := Choose(blocks, tt.shares); !slices.Equal(got.Blocks, tt.want) {
				t.Errorf("got %v, want %v", got.Blocks, tt.want)
			}
		})
	}
	if got := Choose(nil, nil); len(got.Blocks) != 0 || got.Expected != 0 {
		t.Errorf("got %+v of nothing", got)
	}
}
