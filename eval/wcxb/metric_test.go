package main

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func TestWords(t *testing.T) {
	t.Parallel()
	got := words("The CAFÉ's snake_case, 3.5 — x²日本")
	want := []string{"the", "café", "s", "snake_case", "3", "5", "x²日本"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestScore(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text, truth string
		want              score
	}{
		{"equal", "a b", "B a", score{1, 1, 1}},
		{"half", "a b c d", "a b", score{0.5, 1, 2.0 / 3}},
		{"a word counts as often as it stands", "a a a", "a b", score{1.0 / 3, 0.5, 0.4}},
		{"none in common", "a", "b", score{}},
		{"nothing read", "", "a", score{}},
		{"nothing there, nothing read", " ", "", score{1, 1, 1}},
		{"nothing there", "a", "", score{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := scoreOf(words(tt.text), words(tt.truth))
			if math.Abs(got.precision-tt.want.precision)+math.Abs(got.recall-tt.want.recall)+math.Abs(got.f1-tt.want.f1) > 1e-12 {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestSpearman(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		a, b []float64
		want float64
	}{
		{"same order", []float64{1, 2, 30}, []float64{0, 5, 6}, 1},
		{"other way round", []float64{1, 2, 3}, []float64{3, 2, 1}, -1},
		{"ties", []float64{1, 1, 2}, []float64{1, 2, 3}, math.Sqrt(3) / 2},
		{"constant", []float64{1, 1}, []float64{1, 2}, 0},
	} {
		if got := spearman(tt.a, tt.b); math.Abs(got-tt.want) > 1e-12 {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestLabels(t *testing.T) {
	t.Parallel()
	truth := "How tolls work\n\nThe bridge was built by many hands and paid for by all.\n\nnext"
	tests := []struct {
		block string
		want  float32
	}{
		{"Home News", 0},
		{"How tolls work", 1},
		{"The bridge was built by many hands and paid for by all.", 1},
		{"The bridge was built by many hands and paid for by all.", 0}, // a duplicate
		{"They say the bridge was built by aliens in space", 0},        // its words are already matched
		{"next", 1},
		{"bridge", 0},
	}
	var blocks [][]string
	for _, tt := range tests {
		blocks = append(blocks, words(tt.block))
	}
	for i, got := range labelsOf(blocks, truth) {
		if got != tests[i].want {
			t.Errorf("%q: got %v, want %v", tests[i].block, got, tests[i].want)
		}
	}
	half := labelsOf([][]string{words(strings.Repeat("other ", 5) + "how tolls work in")}, truth)
	if half[0] != 3.0/9 {
		t.Errorf("got %v, want a third", half[0])
	}
}
