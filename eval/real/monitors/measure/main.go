// Command measure watches the pages of monitors.jsonl, which are edited and have noise, and prints what of the edits was told, out of fold.
// With -train it writes the model of backend/compare.
//
// The sites are divided into five folds by a hash of their registrable domain. What differs on the pages of a fold is judged by a model that
// has seen no page of its sites. With -strict it has seen none of the noise either: it has learned with one half of the templates, and is
// judged with the other. Nothing is measured without the pages, which are not part of the repository.
package main

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/turnpike-edge/turnpike/eval/gbdt"
	"github.com/turnpike-edge/turnpike/eval/real/monitors"
)

// The least figures. The command fails below them.
const (
	precisionFloor = 0.82
	recallFloor    = 0.90
	quietFloor     = 51 // of 60
)

type options struct {
	data, train, wrong, off, kept string
	seeds                         int
	strict                        bool
}

func main() {
	o := options{}
	flag.StringVar(&o.data, "data", "../../shared/data", "the folder that has wcxb-dev")
	flag.StringVar(&o.train, "train", "", "the file to write the model to that is trained on all pages")
	flag.StringVar(&o.wrong, "wrong", "", "a file for what was told wrongly and what was missed")
	flag.StringVar(&o.off, "off", "", "the figures to leave out, by the beginnings of their names and with commas between")
	flag.StringVar(&o.kept, "kept", "", "the beginning of the names of files to keep what was studied in, and to read it from")
	flag.IntVar(&o.seeds, "seeds", 1, "how many draws of noise")
	flag.BoolVar(&o.strict, "strict", false, "learn with half of the templates of noise, and judge with the others")
	flag.Parse()
	if err := o.run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func (o *options) run(ctx context.Context) error {
	corpus := filepath.Join(o.data, "wcxb-dev")
	if _, err := os.Stat(corpus); err != nil {
		fmt.Printf("nothing is measured: the pages are not in %s\n", corpus)
		return nil //nolint:nilerr // the pages are no part of the repository
	}
	set, err := monitors.Load("real", corpus)
	if err != nil {
		return err
	}
	halves := [][2]*monitors.Set{{set, set}}
	if o.strict {
		a, b := set.Halves()
		halves = [][2]*monitors.Set{{a, b}, {b, a}}
	}
	studied := map[*monitors.Set][][]monitors.Version{}
	for _, half := range halves {
		if studied[half[0]], err = o.study(ctx, half[0]); err != nil {
			return err
		}
	}
	if o.train != "" {
		return write(o.train, studied[set])
	}
	noisy, plain := &monitors.Score{Count: map[string]int{}}, &monitors.Score{Count: map[string]int{}}
	quiet, err := studyQuiet(ctx, set)
	if err != nil {
		return err
	}
	for _, half := range halves {
		for fold := range monitors.Folds {
			model := monitors.Train(slices.Concat(only(studied[half[0]], fold, false)...), strings.FieldsFunc(o.off, func(r rune) bool { return r == ',' })...)
			for _, versions := range only(studied[half[1]], fold, true) {
				noisy.JudgeVersions(versions, model)
			}
			if half == halves[0] {
				for _, versions := range only(quiet, fold, true) {
					plain.JudgeVersions(versions, model)
				}
			}
		}
	}
	fmt.Printf("quiet edits, one of a page, without noise\n%s\n%d pages, %d draws of noise\n%s", plain, len(set.Pages), o.seeds, noisy)
	if o.wrong != "" {
		slices.Sort(noisy.Wrong)
		if err := os.WriteFile(o.wrong, []byte(strings.Join(append(noisy.Wrong, plain.Wrong...), "\n")), 0o600); err != nil {
			return fmt.Errorf("writing what was wrong: %w", err)
		}
	}
	precision, recall, told := noisy.Precision(), noisy.Recall(), plain.Count["all\ttold"]
	fmt.Printf("precision %.3f, recall %.3f, %d of %d quiet edits, %d not listed\n", precision, recall, told, plain.Count["all\twanted"], noisy.Count["all\tdropped"])
	if o.off == "" && !o.strict && (precision < precisionFloor || recall < recallFloor || told < quietFloor) {
		return fmt.Errorf("the figures must be at least %v, %v and %d", precisionFloor, recallFloor, quietFloor)
	}
	return nil
}

// study has the product find what differs in all versions of all pages, or reads it where it is kept.
func (o *options) study(ctx context.Context, set *monitors.Set) ([][]monitors.Version, error) {
	kept := fmt.Sprintf("%s.%d.%s", o.kept, o.seeds, set.Noise.Templates[0].Name)
	if stored, err := os.ReadFile(kept); o.kept != "" && err == nil {
		var all [][]monitors.Version
		if err := gob.NewDecoder(bytes.NewReader(stored)).Decode(&all); err != nil {
			return nil, fmt.Errorf("reading %s: %w", kept, err)
		}
		for i := range all {
			for j := range all[i] {
				all[i][j].Page = set.Pages[i%len(set.Pages)]
			}
		}
		return all, nil
	}
	n := len(set.Pages)
	all, err := each(n*o.seeds, func(i int) ([]monitors.Version, error) {
		p, seed := set.Pages[i%n], uint64(1+i/n) //nolint:gosec // few
		return set.Study(ctx, p, seed, p.Schedule(seed))
	})
	if err != nil || o.kept == "" {
		return all, err
	}
	var out bytes.Buffer
	if err := gob.NewEncoder(&out).Encode(all); err != nil {
		return nil, fmt.Errorf("encoding what was studied: %w", err)
	}
	return all, os.WriteFile(kept, out.Bytes(), 0o600)
}

func studyQuiet(ctx context.Context, set *monitors.Set) ([][]monitors.Version, error) {
	single := set.Quiet()
	return each(len(set.Pages), func(i int) ([]monitors.Version, error) {
		p := set.Pages[i]
		if single[p] == nil {
			return nil, nil
		}
		return set.Study(ctx, p, 0, single[p])
	})
}

// each does work for each number up to n, on both processors.
func each(n int, do func(i int) ([]monitors.Version, error)) ([][]monitors.Version, error) {
	all, errs := make([][]monitors.Version, n), make([]error, n)
	gbdt.Parallel(n, func(from, to int) {
		for i := from; i < to; i++ {
			all[i], errs[i] = do(i)
		}
	})
	return all, errors.Join(errs...)
}

// only are the pages of a fold, or those of the others.
func only(all [][]monitors.Version, fold int, of bool) [][]monitors.Version {
	return slices.DeleteFunc(slices.Clone(all), func(versions []monitors.Version) bool {
		return len(versions) == 0 || (versions[0].Page.Fold() == fold) != of
	})
}

func write(path string, all [][]monitors.Version) error {
	weights := monitors.Train(slices.Concat(all...)).Append(nil)
	if err := os.WriteFile(path, weights, 0o644); err != nil { //nolint:gosec // it is part of the repository
		return fmt.Errorf("writing the model: %w", err)
	}
	fmt.Printf("wrote %s, %d bytes\n", path, len(weights))
	return nil
}
