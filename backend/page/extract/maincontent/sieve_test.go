package maincontent

import (
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// randomForest has trees over some features, with a few small numbers as thresholds.
func randomForest(r *rand.Rand, width, trees, leaves int) *Forest {
	b := Builder{Forest: Forest{Width: width, Base: r.Float32()}}
	var grow func(leaves int)
	grow = func(leaves int) {
		if leaves == 1 {
			b.Leaf(r.Float32() - 0.5)
			return
		}
		left := 1 + r.IntN(leaves-1)
		b.Split(r.IntN(width), float32(r.IntN(30)-15)/2)
		grow(left)
		b.Right()
		grow(leaves - left)
	}
	for range trees {
		b.Tree()
		grow(1 + r.IntN(leaves))
	}
	return &b.Forest
}

// TestSieveIsForest compares the sums of many rows at once with those of single rows: they are equal to the bit.
func TestSieveIsForest(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for _, rows := range []int{1, 2, 7, 63, sieveRows} {
		const width, own = 12, 9
		f := randomForest(r, width, 40, 31)
		s := newSieve(f)
		shared := make([]float32, width-own)
		for i := range shared {
			shared[i] = float32(r.IntN(40)-20) / 4
		}
		flat := make([]float32, rows*own)
		for i := range flat {
			if flat[i] = float32(r.IntN(40)-20) / 4; i%own == 3 {
				flat[i] = flat[3] // the same in all rows
			}
		}
		beyond := make(answers, len(s.cuts))
		s.share(beyond, own, shared)
		s.answer(beyond, flat, rows)
		sums := make([]float32, rows)
		for i := range sums {
			sums[i] = f.Base
		}
		s.add(beyond, sums)
		for i, got := range sums {
			row := append(append([]float32{}, flat[i*own:(i+1)*own]...), shared...)
			if want := f.Value(row); got != want {
				t.Errorf("row %d of %d: got %v, want %v", i, rows, got, want)
			}
		}
	}
}

func TestOrdered(t *testing.T) {
	t.Parallel()
	numbers := []float32{-1e30, -2, -1.5, -1e-40, 0, 1e-40, 0.5, 1, 1.0000001, 30}
	for i, a := range numbers {
		for k, b := range numbers {
			if (ordered(a) < ordered(b)) != (i < k) {
				t.Errorf("%v and %v: got %d and %d", a, b, ordered(a), ordered(b))
			}
		}
	}
	if negative := -numbers[4]; ordered(negative) != ordered(0) {
		t.Errorf("got %d for -0, %d for 0", ordered(negative), ordered(0))
	}
}

func TestOddsTables(t *testing.T) {
	t.Parallel()
	m, err := Shipped()
	if err != nil {
		t.Fatal(err)
	}
	tables := newOddsTables(&m.Dictionary)
	for word, want := range m.Dictionary.Words {
		if got := tables.Word(word); got != want {
			t.Errorf("%s: got %v, want %v", word, got, want)
		}
	}
	for word, want := range m.Dictionary.Classes {
		if got := tables.Class(word); got != want {
			t.Errorf("%s: got %v, want %v", word, got, want)
		}
		if got, want := tables.Word("no-"+word), float32(0); got != want {
			t.Errorf("no-%s: got %v, want %v", word, got, want)
		}
	}
}

// BenchmarkModel judges a page of about two hundred blocks, already segmented: about 4 µs a block.
func BenchmarkModel(b *testing.B) {
	page := `<body class="home"><ul class="nav menu">` + strings.Repeat(`<li class="item"><a href="/">Section of it</a></li>`, 60) + `</ul><main class="post-content">` +
		strings.Repeat(`<h2>About tolls</h2><p>The keeper, who lived at the bridge, took nine coins from each cart. It was 1714, and no war.</p>`, 70) + `</main>`
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		b.Fatal(err)
	}
	m, err := Shipped()
	if err != nil {
		b.Fatal(err)
	}
	p := Segment(root)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := m.Read(b.Context(), p, "https://example.com/2020/about-tolls.html"); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(p.Blocks)), "ns/block")
}
