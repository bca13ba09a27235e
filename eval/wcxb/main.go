package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/turnpike-edge/turnpike/backend/page/extract/maincontent"
)

// A short run reads every shortStep-th page.
const shortStep = 7

type config struct {
	data    string
	train   bool
	short   bool
	readme  string
	weights string
	record  string
	now     time.Time
}

func main() {
	c := config{now: time.Now()}
	flag.StringVar(&c.data, "data", os.Getenv("TURNPIKE_DATA"), "directory with ground-truth.jsonl.gz and html/, or one that holds such a directory as wcxb-dev")
	flag.BoolVar(&c.train, "train", false, "train the model instead, and judge it by cross-validation")
	flag.BoolVar(&c.short, "short", false, "read every seventh page alone, with loose floors, and write nothing")
	flag.StringVar(&c.readme, "readme", "../bench/README.md", "file to write the results to; empty: none")
	flag.StringVar(&c.weights, "weights", "../backend/page/extract/maincontent/weights.bin", "file to write the trained model to")
	flag.StringVar(&c.record, "record", "wcxb/training.json", "file to write what training found to")
	flag.Parse()
	if err := run(&c); err != nil {
		fmt.Fprintln(os.Stderr, "wcxb:", err)
		os.Exit(1)
	}
}

func run(c *config) error {
	if c.data == "" {
		return errors.New("no pages: -data or TURNPIKE_DATA names the directory that holds them (with make: DATA=DIR)")
	}
	samples, err := readCorpus(corpusIn(c.data))
	if err != nil {
		return err
	}
	if c.train {
		return c.runTraining(samples)
	}
	return c.runBenchmark(samples)
}

func (c *config) runBenchmark(samples []*sample) error {
	trained, err := shippedRecord()
	if err != nil {
		return err
	}
	known := trained.Pages == len(samples) && trained.Data == digestOf(samples)
	limits := floorsFull
	if c.short {
		limits = floorsShort
		samples = everySeventh(samples)
	}
	if !known {
		fmt.Println("These are not the pages that the model was trained on: the figures are of unseen pages.")
		trained = nil
	}
	ours, theirs, err := evaluate(samples)
	if err != nil {
		return err
	}
	o := outcomeOf(samples, ours, theirs, trained)
	fmt.Print(o.table())
	if known && !c.short && c.readme != "" {
		if err := o.writeReadme(c.readme, c.now.Format(time.DateOnly)); err != nil {
			return err
		}
	}
	if missed := o.missed(limits); len(missed) > 0 {
		return fmt.Errorf("below the floors: %s", strings.Join(missed, "; "))
	}
	fmt.Println("All floors are met.")
	return nil
}

func everySeventh(samples []*sample) []*sample {
	var some []*sample
	for i := 0; i < len(samples); i += shortStep {
		some = append(some, samples[i])
	}
	return some
}

// digestOf identifies a set of pages.
func digestOf(samples []*sample) string {
	h := sha256.New()
	for _, s := range samples {
		_, _ = fmt.Fprintf(h, "%s %s %d\n", s.ID, s.URL, len(s.Truth))
	}
	return hex.EncodeToString(h.Sum(nil))
}

func (c *config) runTraining(samples []*sample) error {
	pages, err := prepareAll(samples)
	if err != nil {
		return err
	}
	t := &trainer{pages: pages, log: os.Stdout, settings: blockSettings, seeds: blockSeeds}
	t.crossValidate()
	m := t.model(pages)
	m.Types = t.types(pages)
	weights := m.Append(nil)
	if _, err := maincontent.ReadModel(weights); err != nil {
		return fmt.Errorf("reading the weights back: %w", err)
	}
	r := t.record(weights)
	r.Date, r.Data = c.now.Format(time.DateOnly), digestOf(samples)
	fmt.Println(r)
	if err := os.WriteFile(c.weights, weights, 0o644); err != nil { //nolint:gosec // part of the repository
		return err
	}
	return r.write(c.record)
}
