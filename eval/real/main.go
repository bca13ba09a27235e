package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/turnpike-edge/turnpike/backend/answers/ask"
	"github.com/turnpike-edge/turnpike/backend/answers/reader"
	"github.com/turnpike-edge/turnpike/eval/gbdt"
)

func main() {
	o := options{}
	flag.StringVar(&o.data, "data", "../shared/data", "the folder that has wcxb-dev")
	flag.StringVar(&o.set, "set", "real/answers.jsonl", "the labels")
	flag.StringVar(&o.train, "train", "", "the file to write the model to that is trained on all pages")
	flag.IntVar(&o.show, "show", 0, "how many fields with errors are written out")
	flag.Parse()
	if err := o.run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

type options struct {
	data, set, train string
	show             int
}

// floor has the least figures out of fold of the reader that is shipped. The run fails below them.
type floor struct{ precision, recall, absences float64 }

var (
	answerFloor = floor{0.92, 0.27, 0.98}
	schemaFloor = floor{0.89, 0.28, 0.975}
)

func (f floor) holds(name string, c *count) error {
	if c.precision() < f.precision || c.recall() < f.recall || c.absences() < f.absences {
		return fmt.Errorf("out of fold the figures of %s are %s, and must be at least %v / %v / %v", name, c, f.precision, f.recall, f.absences)
	}
	return nil
}

func (o *options) run(ctx context.Context) error {
	dir := filepath.Join(o.data, "wcxb-dev")
	if _, err := os.Stat(dir); err != nil {
		fmt.Printf("nothing is measured: the pages are not in %s\n", dir)
		return nil //nolint:nilerr // the pages are no part of the repository
	}
	pages, err := readSet(o.set)
	if err != nil {
		return err
	}
	e := &evaluation{pages: pages, show: o.show, begin: time.Now()}
	if err := e.read(ctx, dir); err != nil {
		return err
	}
	e.learn()
	figures := e.report()
	if o.train != "" {
		return e.write(o.train)
	}
	if err := e.time(ctx); err != nil {
		return err
	}
	if err := answerFloor.holds("answers", &figures.all); err != nil {
		return err
	}
	for _, bare := range []bool{false, true} {
		name := map[bool]string{false: "schema", true: "bare schema"}[bare]
		s, took, err := e.fill(ctx, bare)
		if err != nil {
			return err
		}
		s.write(os.Stdout, name, true)
		fmt.Printf("%v of processor time for a %s\n", took.Round(100*time.Microsecond), name)
		if err := schemaFloor.holds(name, &s.all); err != nil {
			return err
		}
	}
	return nil
}

// evaluation is one run.
type evaluation struct {
	pages   []*page
	queries []*query
	models  [folds]reader.Model // by the fold that each of them has not seen
	show    int
	begin   time.Time
}

func (e *evaluation) stage(what string) {
	fmt.Printf("# %s after %v\n", what, time.Since(e.begin).Round(time.Second))
}

func (e *evaluation) read(ctx context.Context, dir string) error {
	errs := make([]error, len(e.pages))
	gbdt.Parallel(len(e.pages), func(from, to int) {
		for i := from; i < to; i++ {
			p := e.pages[i]
			if p.source, errs[i] = sourceOf(ctx, dir, p.ID, p.URL); errs[i] == nil {
				p.read = reader.Read(p.source)
			}
		}
	})
	if err := errors.Join(errs...); err != nil {
		return err
	}
	rare := rarity(e.pages)
	for fold := range e.models {
		e.models[fold].Rarity = rare // it is learned without labels
	}
	for _, p := range e.pages {
		for _, task := range p.Tasks {
			f, err := format(task.Fields)
			if err != nil {
				return fmt.Errorf("page %s: %w", p.ID, err)
			}
			for k := range task.Fields {
				q := query{page: p, field: &task.Fields[k], ask: f.Fields[k], task: task.Text, format: f}
				bare := q
				bare.isBare, bare.task, bare.ask.Description = true, "", ""
				e.queries = append(e.queries, &q, &bare)
			}
		}
	}
	e.stage("pages are read")
	return nil
}

// learn has each fold answered by what was learned from the others.
func (e *evaluation) learn() {
	e.fold(func(m *reader.Model, others, of []*query) {
		m.Kinds = kindModel(others)
		for _, q := range of {
			q.found(m.Candidates(q.task, q.ask, q.page.read))
			q.kind = m.KindOf(q.ask)
		}
	})
	e.stage("candidates are found")
	e.fold(func(m *reader.Model, others, of []*query) {
		m.Links = linkModel(others)
		for _, q := range of {
			q.all = m.Finish(q.first)
		}
	})
	e.stage("words are learned")
	e.fold(func(m *reader.Model, others, of []*query) {
		m.Ranker = ranker(others)
		for _, q := range of {
			q.final = m.Rank(q.all)
		}
	})
	tasks := map[string][][]*reader.Candidate{}
	for _, q := range e.queries {
		of := fmt.Sprint(q.page.ID, string(q.format.Raw), q.isBare)
		tasks[of] = append(tasks[of], q.final)
	}
	for _, fields := range tasks {
		reader.Contest(fields)
	}
	e.stage("rankers are learned")
	e.fold(func(m *reader.Model, others, of []*query) {
		m.Trust = truster(others)
		for _, q := range of {
			q.best = m.Choose(q.final)
		}
	})
	e.fold(func(m *reader.Model, others, of []*query) {
		m.TrustMin = threshold(others)
		for _, q := range of {
			if q.got = q.given(m.TrustMin); q.got != nil && !q.best.Holds(q.format, q.ask.Path) {
				q.got = nil
			}
		}
	})
	e.stage("trust is learned")
}

func (e *evaluation) fold(do func(m *reader.Model, others, of []*query)) {
	for fold := range folds {
		var others, of []*query
		for _, q := range e.queries {
			if q.page.fold == fold {
				of = append(of, q)
			} else {
				others = append(others, q)
			}
		}
		do(&e.models[fold], others, of)
	}
}

// write trains a model on all pages. Its trees learn from figures out of fold.
func (e *evaluation) write(path string) error {
	m := reader.Model{Rarity: e.models[0].Rarity}
	m.Kinds, m.Links, m.Ranker, m.Trust, m.TrustMin = kindModel(e.queries), linkModel(e.queries), ranker(e.queries), truster(e.queries), threshold(e.queries)
	packed, err := m.Append(nil)
	if err != nil {
		return err
	}
	if err := os.WriteFile(path, packed, 0o644); err != nil { //nolint:gosec // it is part of the repository
		return fmt.Errorf("writing the model: %w", err)
	}
	fmt.Printf("wrote %s, %d bytes, least trust %.3f\n", path, len(packed), m.TrustMin)
	return nil
}

// report writes the figures and returns those of the reader.
func (e *evaluation) report() *score {
	given, best, base := newScore(), newScore(), newScore()
	asked, kinds, candidates := 0, 0, 0
	for _, q := range e.queries {
		if q.isBare {
			continue
		}
		asked++
		given.add(q.page, q.field, q.got)
		best.add(q.page, q.field, q.given(0))
		base.add(q.page, q.field, baseline(q.page.source, q.field))
		if q.kind == q.field.Kind {
			kinds++
		}
		if q.field.Value != nil {
			if q.has(q.all) {
				candidates++
			}
		}
	}
	fmt.Println("precision / recall / absences")
	base.write(os.Stdout, "baseline", true)
	best.write(os.Stdout, "all that is best", false)
	given.write(os.Stdout, "reader", true)
	for _, least := range []float32{0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3} {
		var c count
		for _, q := range e.queries {
			if !q.isBare {
				c.add(q.field, q.given(least))
			}
		}
		fmt.Printf("  trust %.1f      %s\n", least, &c)
	}
	known := best.all.known
	fmt.Printf("kind inferred right %.3f; the value among the candidates %.3f\n", part(kinds, asked), part(candidates, known))
	random := gbdt.Seeded(9, 9)
	for _, i := range random.Perm(len(e.queries)) {
		if q := e.queries[i]; e.show > 0 && !q.isBare && q.best != nil && (q.got != nil && !q.isRight(q.best) || q.got == nil && q.field.Value != nil) {
			e.show--
			fmt.Printf("%s %s %q %q: want %v, best %v (%.2f; among the candidates: %v), %.80q\n", q.page.ID, q.field.Kind, q.field.Name, q.field.Description, q.field.Value,
				q.best.Value, q.best.Trust, q.has(q.all), q.field.Quote)
		}
	}
	return given
}

// time writes how much processor time an answer takes from pages that have been fetched and extracted.
func (e *evaluation) time(ctx context.Context) error {
	m, err := reader.Shipped()
	if err != nil {
		return err
	}
	r := reader.New(m)
	n, used := 0, processorTime()
	for _, p := range e.pages {
		for _, task := range p.Tasks {
			f, err := format(task.Fields)
			if err != nil {
				return err
			}
			if _, err := r.Answer(ctx, ask.Task{Text: task.Text + " " + p.URL, Format: f}, world{p.source}); err != nil {
				return fmt.Errorf("page %s: %w", p.ID, err)
			}
			n++
		}
	}
	fmt.Printf("%v of processor time for an answer\n", ((processorTime() - used) / time.Duration(n)).Round(100*time.Microsecond))
	return nil
}

func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
