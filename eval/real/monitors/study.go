package monitors

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/turnpike-edge/turnpike/backend/compare"
	"github.com/turnpike-edge/turnpike/backend/monitors/plan"
	"github.com/turnpike-edge/turnpike/backend/page/extract"
)

// product is the product's comparison, as backend/monitors/run uses it: what is kept is written and read as JSON between runs, and
// the words in focus are those of the plan that rules make of the query.
type product struct {
	page    *Page
	options compare.Options
	kept    compare.Snapshot
	noise   compare.Noise
	// findings are those of the last comparison, and crops those of parts of the page, where options say so.
	findings, crops []compare.Finding
}

// newProduct plans a monitor of a page. A model of nil is the one that is shipped.
func newProduct(ctx context.Context, p *Page, model *compare.Model) (*product, error) {
	made, err := plan.NewPlanner(nil, plan.Options{}, slog.New(slog.DiscardHandler)).Plan(ctx, plan.Request{Query: p.Query + " " + p.URL}, nil)
	return &product{page: p, options: compare.Options{Query: made.Spec.Input.Query, Focus: made.Spec.Output.Focus, Model: model}}, err
}

// Compare implements [Comparer].
func (p *product) Compare(ctx context.Context, at time.Time, look func(number int) []byte) (Verdict, error) {
	var failed error
	read := func(number int) []compare.Page {
		page, err := compare.Read(ctx, extract.Source{URL: p.page.URL, MediaType: "text/html", Body: look(number)})
		failed = errors.Join(failed, err)
		return []compare.Page{page}
	}
	after, looks := compare.NewSnapshot(at, read(0)...), 0
	diff := compare.Settle(p.kept, after, func([]string) []compare.Page { looks++; return read(looks) }, &p.noise, p.options)
	if p.findings = diff.Findings; p.options.Study && len(p.kept.Pages) == 1 && len(after.Pages) == 1 {
		p.crops = crops(&p.kept.Pages[0], &after.Pages[0], p.kept.At, at, p.options, diff.Findings, draw(0, p.page.ID, at))
	}
	told, err1 := json.Marshal(diff.Changes)
	listed, err2 := json.Marshal(diff.Other)
	kept, err3 := json.Marshal(diff.Keep(p.kept, after))
	noise, err4 := json.Marshal(p.noise)
	p.kept, p.noise = compare.Snapshot{}, compare.Noise{}
	return Verdict{diff.Changed, string(told), string(listed)},
		errors.Join(failed, err1, err2, err3, err4, json.Unmarshal(kept, &p.kept), json.Unmarshal(noise, &p.noise))
}

// Version is what a comparison found of a version of a page.
type Version struct {
	Page     *Page
	Number   int
	At       []int
	Findings []compare.Finding
	// Crops are findings of parts of the page.
	Crops []compare.Finding
}

// Study lists what the product finds of a page's versions, whatever it would tell.
func (s *Set) Study(ctx context.Context, p *Page, seed uint64, at []int) (versions []Version, err error) {
	studying, err := newProduct(ctx, p, &compare.Model{})
	if err != nil {
		return nil, err
	}
	studying.options.Study = true
	studied := &student{product: studying, page: p, at: at}
	err = s.Judge(ctx, studied, p, seed, at, &Score{Count: map[string]int{}})
	return studied.versions, err
}

type student struct {
	product  *product
	page     *Page
	at       []int
	versions []Version
}

func (s *student) Compare(ctx context.Context, at time.Time, look func(number int) []byte) (Verdict, error) {
	verdict, err := s.product.Compare(ctx, at, look)
	s.versions = append(s.versions, Version{s.page, len(s.versions) + 1, s.at, s.product.findings, s.product.crops})
	return verdict, err
}

// Label says of a finding whether it is of an edit that is wanted, and whether it is of any edit of the version, or of an earlier one.
func (v *Version) Label(f *compare.Finding) (wanted, edit, earlier bool) {
	if !f.Settled {
		return false, false, false
	}
	for i := range v.Page.Edits {
		e := &v.Page.Edits[i]
		switch {
		case v.At[i] == 0 || v.At[i] > v.Number || !e.isIn(f):
		case v.At[i] < v.Number:
			earlier = true
		default:
			edit = true
			wanted = wanted || e.Told
		}
	}
	return wanted, edit, earlier && !edit
}

// isIn reports whether most of what differs in a finding is of the edit, or most of the edit is in the finding.
func (e *Edit) isIn(f *compare.Finding) bool {
	edited, found := differing(e.Before, e.After), differing(f.Was, f.Now)
	shared := 0
	for word := range edited {
		if found[word] {
			shared++
		}
	}
	return shared > 0 && (2*shared >= len(edited) || 2*shared >= len(found))
}

func differing(before, after string) map[string]bool {
	was, now, all := wordsOf(before), wordsOf(after), map[string]bool{}
	for _, word := range append(slices.Clone(was), now...) {
		if slices.Contains(was, word) != slices.Contains(now, word) {
			all[word] = true
		}
	}
	return all
}

// verdict is what a model tells of the version.
func (v *Version) verdict(m *compare.Model) Verdict {
	var told, listed strings.Builder
	for i := range v.Findings {
		f := &v.Findings[i]
		to := &listed
		if f.Settled && m.Tells(f.Figures) {
			to = &told
		}
		to.WriteString(f.Before + "\n" + f.After + "\n" + strings.Join(f.Path, " ") + "\n")
	}
	return Verdict{told.Len() > 0, told.String(), listed.String()}
}

// JudgeVersions counts what a model tells of the versions of one page.
func (s *Score) JudgeVersions(versions []Version, m *compare.Model) {
	missed := map[int]bool{}
	for i := range versions {
		if v := &versions[i]; v.Number > 1 {
			s.judge(v.Page, v.Number, v.verdict(m), v.At, missed)
		}
	}
}
