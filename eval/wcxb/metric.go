package main

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
)

// words returns the tokens of the metric: runs of letters, numbers and underscores, in lower case.
func words(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return r != '_' && !unicode.IsLetter(r) && !unicode.IsNumber(r)
	})
}

// score is the metric of one page.
type score struct{ precision, recall, f1 float64 }

// scoreOf compares a text with the truth, both as multisets of words. An empty truth matches only an empty text.
func scoreOf(text, truth []string) score {
	if len(truth) == 0 && len(text) == 0 {
		return score{1, 1, 1}
	}
	left := make(map[string]int, len(truth))
	for _, word := range truth {
		left[word]++
	}
	overlap := 0
	for _, word := range text {
		if left[word] > 0 {
			left[word]--
			overlap++
		}
	}
	if overlap == 0 {
		return score{}
	}
	p, r := float64(overlap)/float64(len(text)), float64(overlap)/float64(len(truth))
	return score{p, r, 2 * p * r / (p + r)}
}

// spearman is the rank correlation of two lists; equal values share the mean of their ranks.
func spearman(a, b []float64) float64 {
	return pearson(ranks(a), ranks(b))
}

func ranks(values []float64) []float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(values[i], values[j]) })
	out := make([]float64, len(values))
	for begin := 0; begin < len(order); {
		end := begin
		for end < len(order) && values[order[end]] == values[order[begin]] {
			end++
		}
		for _, i := range order[begin:end] {
			out[i] = float64(begin+end-1) / 2
		}
		begin = end
	}
	return out
}

func pearson(a, b []float64) float64 {
	ma, mb := mean(a), mean(b)
	var ab, aa, bb float64
	for i := range a {
		ab += (a[i] - ma) * (b[i] - mb)
		aa += (a[i] - ma) * (a[i] - ma)
		bb += (b[i] - mb) * (b[i] - mb)
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return ab / math.Sqrt(aa*bb)
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(max(len(values), 1))
}
