package changesite

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/turnpike-edge/turnpike/backend/compare"
	"github.com/turnpike-edge/turnpike/backend/page/extract"
)

// Score is how well changes were told from noise.
type Score struct {
	Runs, Edits        int
	Right, False, Miss int
	// Looks is how many pages were asked for besides those of the runs.
	Looks int
	// Wrong says what was told wrongly.
	Wrong []string
}

// Precision is the share of the changes told that were edits.
func (s *Score) Precision() float64 { return share(s.Right, s.Right+s.False) }

// Recall is the share of the edits that were told.
func (s *Score) Recall() float64 { return share(s.Right, s.Right+s.Miss) }

func share(part, all int) float64 {
	if all == 0 {
		return 1
	}
	return float64(part) / float64(all)
}

// String says it in a line.
func (s *Score) String() string {
	return fmt.Sprintf("%d edits among %d runs: precision %.3f (%d false), recall %.3f (%d missed), %d further looks",
		s.Edits, s.Runs, s.Precision(), s.False, s.Recall(), s.Miss, s.Looks)
}

// Judge monitors each page of a site through all its runs, as a monitor does: what is kept is written and read as JSON between
// runs, and a second look is another answer of the same run. With data the fields are compared that are extracted, of the pages that have some.
func (s *Site) Judge(ctx context.Context, seed uint64, data bool) (*Score, error) {
	score := &Score{}
	for _, p := range s.Pages {
		if data && p.Data == nil {
			continue
		}
		if err := s.judge(ctx, p, seed, data, score); err != nil {
			return nil, err
		}
	}
	return score, nil
}

func (s *Site) judge(ctx context.Context, p *Page, seed uint64, data bool, score *Score) error {
	var kept compare.Snapshot
	var noise compare.Noise
	for number := range s.Runs + 1 {
		first, err := s.read(ctx, p, p.New(number, 0, seed), data)
		if err != nil {
			return err
		}
		snapshot := compare.NewSnapshot(s.at(number), first)
		looks := 0
		look := func([]string) []compare.Page {
			looks++
			score.Looks++
			var another compare.Page
			another, err = s.read(ctx, p, p.New(number, looks, seed), data)
			return []compare.Page{another}
		}
		diff := compare.Settle(kept, snapshot, look, &noise, compare.Options{Schema: schemaOf(p, data)})
		if err != nil {
			return err
		}
		edits := p.Edits
		if data {
			edits = p.DataEdits
		}
		edit, edited := edits[number]
		if edited {
			score.Edits++
		}
		switch {
		case edited && diff.Changed:
			score.Right++
		case edited:
			score.Miss++
			score.Wrong = append(score.Wrong, fmt.Sprintf("%s run %d: missed %q", p.Path, number, edit))
		case diff.Changed:
			score.False++
			score.Wrong = append(score.Wrong, fmt.Sprintf("%s run %d: no change, but: %s\n%s", p.Path, number, diff.Summary, diff.Unified))
		}
		if number > 0 {
			score.Runs++
		}
		if err := reread(diff.Keep(kept, snapshot), &kept); err != nil {
			return err
		}
		if err := reread(noise, &noise); err != nil {
			return err
		}
	}
	return nil
}

func schemaOf(p *Page, data bool) json.RawMessage {
	if data {
		return json.RawMessage(p.Schema)
	}
	return nil
}

// reread writes a value as JSON and reads it back.
func reread[T any](from T, to *T) error {
	written, err := json.Marshal(from)
	if err != nil {
		return err
	}
	var fresh T
	if err := json.Unmarshal(written, &fresh); err != nil {
		return err
	}
	*to = fresh
	return nil
}

func (*Site) read(ctx context.Context, p *Page, n *Run, data bool) (compare.Page, error) {
	page, err := compare.Read(ctx, extract.Source{URL: "https://changes.example" + p.Path, MediaType: "text/html", Body: []byte(p.Render(n))})
	if err != nil {
		return compare.Page{}, fmt.Errorf("reading run %d of %s: %w", n.Number, p.Path, err)
	}
	if data {
		if page.Data, err = json.Marshal(p.Data(n)); err != nil {
			return compare.Page{}, err
		}
	}
	return page, nil
}
