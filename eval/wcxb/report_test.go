package main

import (
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRecordIsOfTheShippedWeights fails if weights were committed without the record of their training.
func TestRecordIsOfTheShippedWeights(t *testing.T) {
	t.Parallel()
	r, err := shippedRecord()
	if err != nil {
		t.Fatal(err)
	}
	if r.F1[all] < floorsFull.f1 {
		t.Errorf("got F1 %v out of fold, want at least %v", r.F1[all], floorsFull.f1)
	}
}

func toyOutcome(ours, theirs float64) *outcome {
	samples := []*sample{{Type: "article"}, {Type: "forum"}}
	o := &outcome{
		ours:      tallyOf(samples, func(int) float64 { return ours }),
		theirs:    tallyOf(samples, func(int) float64 { return theirs }),
		trained:   &record{WeightsSHA256: "0123456789abcdef", F1: map[string]float64{all: 0.87, "article": 0.9, "forum": 0.84}},
		oursSpeed: 40, theirsSpeed: 20,
	}
	return o
}

func TestFloors(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		edit func(o *outcome)
		want string
	}{
		{"met", func(*outcome) {}, ""},
		{"speed", func(o *outcome) { o.oursSpeed = 29 }, "1.45 times"},
		{"out of fold", func(o *outcome) { o.trained.F1[all] = 0.859 }, "out of fold: F1 0.859"},
		{"a type out of fold", func(o *outcome) { o.trained.F1["forum"] = 0.7 }, "out of fold, forum"},
		{"unseen pages have no fold", func(o *outcome) { o.trained = nil }, ""},
		{"shipped", func(o *outcome) { o.ours.sums[all] = 1 }, "shipped weights: F1 0.500"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := toyOutcome(0.9, 0.8)
			tt.edit(o)
			got := strings.Join(o.missed(floorsFull), "; ")
			if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestReadme(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "README.md")
	old := "# Title\n" + resultsBegin + "\nstale\n" + resultsEnd + "\nbetween\n" + historyBegin + "\n" + historyEnd + "\nend\n"
	if err := os.WriteFile(file, []byte(old), 0o600); err != nil {
		t.Fatal(err)
	}
	o := toyOutcome(0.9, 0.8)
	for _, date := range []string{"2026-01-01", "2026-01-02", "2026-01-02"} {
		if err := o.writeReadme(file, date); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"# Title\n", "between\n", "\nend\n", "| article | 1 | **0.900** | 0.900 | 0.800 |", "2.00 times as many"} {
		if !strings.Contains(string(got), want) {
			t.Errorf("got %s\nwant %q in it", got, want)
		}
	}
	if strings.Contains(string(got), "stale") || strings.Count(string(got), "| 2026-01-02 | 01234567 |") != 1 || strings.Count(string(got), "| 2026-01-01 |") != 1 {
		t.Errorf("got %s\nwant one line of history for each day", got)
	}
	if err := o.writeReadme(filepath.Join(t.TempDir(), "none"), "2026-01-01"); err == nil {
		t.Error("got no error without a file")
	}
}

func writeGzip(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	z := gzip.NewWriter(file)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestEvaluateSmallCorpus evaluates two pages with both extractors.
//
//nolint:paralleltest // it sets GOMAXPROCS
func TestEvaluateSmallCorpus(t *testing.T) {
	dir := t.TempDir()
	paragraph := strings.Repeat("The bridge was built by many hands, and each of them was paid in time. ", 6)
	writeGzip(t, filepath.Join(dir, "html", "0001.html.gz"), "<title>Bridge</title><nav><a href=/>Home</a></nav><article><h1>Bridge</h1><p>"+paragraph+"<p>"+paragraph+"</article>")
	writeGzip(t, filepath.Join(dir, "html", "0002.html.gz"), "")
	writeGzip(t, filepath.Join(dir, "ground-truth.jsonl.gz"),
		`{"id":"0001","url":"https://a.example/bridge","page_type":"article","main_content":"Bridge `+paragraph+paragraph+`"}`+"\n"+
			`{"id":"0002","url":"","page_type":"forum","main_content":""}`+"\n")
	samples, err := readCorpus(dir)
	if err != nil {
		t.Fatal(err)
	}
	ours, theirs, err := evaluate(samples)
	if err != nil {
		t.Fatal(err)
	}
	if got := ours.readings[0].score.f1; got < 0.95 {
		t.Errorf("got F1 %v of a plain article", got)
	}
	if got := ours.readings[1].score.f1; got != 1 {
		t.Errorf("got F1 %v of an empty page with an empty truth, want 1", got)
	}
	if len(theirs.readings) != 2 || ours.took <= 0 {
		t.Errorf("got %d readings, %v", len(theirs.readings), ours.took)
	}
	if _, err := readCorpus(t.TempDir()); err == nil {
		t.Error("got no error without data")
	}
}
