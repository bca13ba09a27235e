package main

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"

	"github.com/turnpike-edge/turnpike/backend/page/extract/maincontent"
)

// record is the report of a training. It is stored beside the program, and names the weights that it is about.
type record struct {
	Date          string             `json:"date"`
	WeightsSHA256 string             `json:"weights_sha256"`
	WeightsBytes  int                `json:"weights_bytes"`
	Data          string             `json:"data_sha256"` // of the pages' names, addresses and truth lengths
	Seed          uint64             `json:"seed"`
	Folds         int                `json:"folds"`
	Pages         int                `json:"pages"`
	F1            map[string]float64 `json:"out_of_fold_f1"`
	Accuracy      float64            `json:"out_of_fold_type_accuracy"`
	Recall        map[string]float64 `json:"out_of_fold_type_recall"`
	Spearman      float64            `json:"out_of_fold_quality_spearman"`
	MeanQuality   float64            `json:"out_of_fold_quality_mean"`
	Poor          poorPages          `json:"out_of_fold_below_threshold"`
}

// poorPages are those whose quality is below the threshold under which rendering is tried.
type poorPages struct {
	Threshold float64 `json:"threshold"`
	Share     float64 `json:"share"`
	F1        float64 `json:"f1"`
	F1Others  float64 `json:"f1_of_the_others"`
}

//go:embed training.json
var trainingRecord []byte

// shippedRecord is the record of the weights that this program was built with.
func shippedRecord() (*record, error) {
	var r record
	if err := json.Unmarshal(trainingRecord, &r); err != nil {
		return nil, fmt.Errorf("training.json: %w", err)
	}
	if sum := sha256.Sum256(maincontent.Weights()); hex.EncodeToString(sum[:]) != r.WeightsSHA256 {
		return nil, errors.New("training.json is of other weights than weights.bin: run make train-extract, which writes both")
	}
	return &r, nil
}

// poorBelow splits pages at a threshold of quality.
func poorBelow(threshold float64, qualities, f1 []float64) poorPages {
	var low, high []float64
	for i, q := range qualities {
		if q < threshold {
			low = append(low, f1[i])
		} else {
			high = append(high, f1[i])
		}
	}
	return poorPages{threshold, float64(len(low)) / float64(max(len(qualities), 1)), mean(low), mean(high)}
}

func (r *record) write(file string) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o644) //nolint:gosec // part of the repository
}

func (r *record) String() string {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// record summarises the cross-validation.
func (t *trainer) record(weights []byte) *record {
	samples := make([]*sample, len(t.pages))
	var qualities, f1 []float64
	right, pages := map[string]float64{}, map[string]float64{}
	for i, p := range t.pages {
		samples[i] = p.sample
		qualities, f1 = append(qualities, p.blocks.Quality(p.choice)), append(f1, p.score.f1)
		for _, kind := range []string{all, p.Type} {
			pages[kind]++
			if p.kind == p.Type {
				right[kind]++
			}
		}
	}
	sum := sha256.Sum256(weights)
	r := &record{
		WeightsSHA256: hex.EncodeToString(sum[:]), WeightsBytes: len(weights), Seed: t.settings.Seed, Folds: folds, Pages: len(t.pages),
		F1:       rounded(tallyOf(samples, func(i int) float64 { return t.pages[i].score.f1 }).means()),
		Accuracy: round(right[all] / pages[all]), Recall: map[string]float64{}, Spearman: round(spearman(qualities, f1)),
		MeanQuality: round(mean(qualities)), Poor: poorBelow(maincontent.PoorBelow, qualities, f1),
	}
	for _, kind := range maincontent.Types() {
		r.Recall[kind] = round(right[kind] / max(pages[kind], 1))
	}
	r.Poor.Share, r.Poor.F1, r.Poor.F1Others = round(r.Poor.Share), round(r.Poor.F1), round(r.Poor.F1Others)
	return r
}

func round(v float64) float64 { return math.Round(v*1e4) / 1e4 }

func rounded(values map[string]float64) map[string]float64 {
	for kind, v := range values {
		values[kind] = round(v)
	}
	return values
}
