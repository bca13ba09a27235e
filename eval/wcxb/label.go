package main

import "strings"

const (
	// surplusWords is the length from which blocks use up words of the truth before shorter blocks do: a label that
	// repeats a word of the text must not use it up.
	surplusWords = 8
	// One or two words may occur in the truth by chance.
	pairLabel   = 0.7
	singleLabel = 0.35
)

// labelsOf returns the share of each block's words that belongs to the truth: words in runs of three that the truth also
// has, or a whole line of it. Each word of the truth is used up once, so that a copy of a text counts once.
func labelsOf(blocks [][]string, truth string) []float32 {
	t := indexTruth(truth)
	labels := make([]float32, len(blocks))
	for i, block := range blocks {
		labels[i] = t.label(block)
	}
	left := t.counts
	for _, long := range []bool{true, false} {
		for i, block := range blocks {
			if len(block) >= surplusWords != long || labels[i] == 0 {
				continue
			}
			taken := 0
			for _, word := range block {
				if left[word] > 0 {
					left[word]--
					taken++
				}
			}
			labels[i] = min(labels[i], float32(taken)/float32(len(block)))
		}
	}
	return labels
}

type truthIndex struct {
	counts  map[string]int
	lines   map[string]bool
	pairs   map[[2]string]bool
	triples map[[3]string]bool
}

func indexTruth(truth string) *truthIndex {
	t := &truthIndex{counts: map[string]int{}, lines: map[string]bool{}, pairs: map[[2]string]bool{}, triples: map[[3]string]bool{}}
	for line := range strings.Lines(truth) {
		t.lines[strings.Join(words(line), " ")] = true
	}
	all := words(truth)
	for i, word := range all {
		t.counts[word]++
		if i+1 < len(all) {
			t.pairs[[2]string(all[i:i+2])] = true
		}
		if i+2 < len(all) {
			t.triples[[3]string(all[i:i+3])] = true
		}
	}
	return t
}

func (t *truthIndex) label(block []string) float32 {
	switch {
	case t.lines[strings.Join(block, " ")]:
		return 1
	case len(block) == 1 && t.counts[block[0]] > 0:
		return singleLabel
	case len(block) == 2 && t.pairs[[2]string(block)]:
		return pairLabel
	case len(block) < 3:
		return 0
	}
	hits, until := 0, 0
	for i := 0; i+2 < len(block); i++ {
		if t.triples[[3]string(block[i:i+3])] {
			hits += i + 3 - max(i, until)
			until = i + 3
		}
	}
	return float32(hits) / float32(len(block))
}
