package local

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/db"
)

// fillPages is how many pages Fill writes at once.
const fillPages = 4000

// Fill indexes pages into an empty index in one go. Nothing is replaced, so each page must occur only once, and keys are
// counted at the end. It shares nothing. seq may end early with an error.
func (x *Index) Fill(ctx context.Context, seq iter.Seq2[Page, error]) error {
	q := db.New(x.config.Pool)
	total := rows{counts: map[int64]int64{}, words: map[int64]spelt{}}
	batch := make([]Page, 0, fillPages)
	flush := func() error {
		err := x.fillSome(ctx, &total, batch)
		batch = batch[:0]
		return err
	}
	for page, err := range seq {
		if err != nil {
			return err
		}
		if batch = append(batch, page); len(batch) == fillPages {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return errors.Join(flush(), total.count(ctx, q))
}

// fillSome writes pages, and adds their counts to total.
func (x *Index) fillSome(ctx context.Context, total *rows, pages []Page) error {
	words := map[string]struct{}{}
	drafts := make([]*draft, 0, len(pages))
	for i := range pages {
		if d, ok := draftOf(&pages[i]); ok {
			drafts = append(drafts, d)
			for w := range d.counts {
				words[w] = struct{}{}
			}
		}
	}
	stems, err := x.stems.of(ctx, db.New(x.config.Pool), words)
	if err != nil || len(drafts) == 0 {
		return err
	}
	err = pgx.BeginFunc(ctx, x.config.Pool, func(tx pgx.Tx) error {
		q := db.New(tx)
		ids, err := q.ReserveSearchPages(ctx, int32(len(drafts))) //nolint:gosec // a batch
		if err != nil {
			return fmt.Errorf("numbering pages: %w", err)
		}
		total.pages, total.texts = total.pages[:0], total.texts[:0]
		for i, d := range drafts {
			total.add(d.finish(stems), 1, ids[i])
		}
		if _, err := q.InsertSearchPages(ctx, total.pages); err != nil {
			return fmt.Errorf("indexing pages: %w", err)
		}
		if _, err := q.InsertSearchTexts(ctx, total.texts); err != nil {
			return fmt.Errorf("storing the text of pages: %w", err)
		}
		return nil
	})
	return err
}
