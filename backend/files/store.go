package files

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/backend/api/paging"
	"github.com/turnpike-edge/turnpike/db"
)

var (
	errNotFound = errors.New("no such file")
	errFull     = errors.New("the team has reached its limit of files")
	// errMoved is returned if the file is no longer in the state that an update expects.
	errMoved = errors.New("the file has changed")
)

// store is the table of files.
type store struct{ queries *db.Queries }

// inTx runs f on the store in a transaction.
func (s *store) inTx(ctx context.Context, f func(tx pgx.Tx, in *store) error) error {
	return s.queries.InTx(ctx, func(tx pgx.Tx, q *db.Queries) error { return f(tx, &store{q}) })
}

func (s *store) create(ctx context.Context, f *db.File) error {
	n, err := s.queries.CreateFile(ctx, db.CreateFileParams{
		ID: f.ID, TeamID: f.TeamID, Filename: f.Filename, Purpose: f.Purpose, CreatedAt: f.CreatedAt,
		UploadUntil: f.UploadUntil, ExpiresAt: f.ExpiresAt, FilesMax: filesMax,
	})
	switch {
	case err != nil:
		return fmt.Errorf("creating a file: %w", err)
	case n == 0:
		return errFull
	}
	return nil
}

// find returns a file of any team that is not deleted.
func (s *store) find(ctx context.Context, id string) (*db.File, error) {
	f, err := s.queries.FileByID(ctx, id)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil, errNotFound
	case err != nil:
		return nil, fmt.Errorf("reading file %s: %w", id, err)
	}
	return &f, nil
}

// list returns up to n completed files, of one purpose unless that is "".
func (s *store) list(ctx context.Context, teamID, purpose string, after paging.Position, now time.Time, n int) ([]db.File, error) {
	params := db.ListCompletedFilesParams{
		TeamID: teamID, Now: now, BeforeCreatedAt: after.Created, BeforeID: after.ID, RowsMax: int32(n), //nolint:gosec // a page
	}
	if purpose != "" {
		params.Purpose = &purpose
	}
	rows, err := s.queries.ListCompletedFiles(ctx, params)
	if err != nil {
		return nil, fmt.Errorf("listing files: %w", err)
	}
	return rows, nil
}

// attach makes the object under key the content of a pending file, and returns the key of the previous content, or "".
// The error is errMoved if the file accepts no uploads any more.
func (s *store) attach(ctx context.Context, id, key string, size int64, now time.Time) (string, error) {
	earlier, err := s.queries.AttachUpload(ctx, db.AttachUploadParams{ID: id, UploadKey: key, Bytes: size, Now: now})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return "", errMoved
	case err != nil:
		return "", fmt.Errorf("attaching an upload to %s: %w", id, err)
	case earlier == nil:
		return "", nil
	}
	return *earlier, nil
}

// complete makes f, whose content was checked, a completed file, and returns the new row. The error is errMoved if its
// content was replaced or it is not pending.
func (s *store) complete(ctx context.Context, f *db.File, items *int64, now time.Time) (*db.File, error) {
	n, err := s.queries.CompleteFile(ctx, db.CompleteFileParams{
		ID: f.ID, TeamID: f.TeamID, UploadKey: *f.UploadKey, Items: items, Now: now, ExpiresAt: now.Add(Retention),
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("completing file %s: %w", f.ID, err)
	case n == 0:
		return nil, errMoved
	}
	return s.find(ctx, f.ID)
}

// delete returns the key of the deleted file's content, or "".
func (s *store) delete(ctx context.Context, teamID, id string, now time.Time) (string, error) {
	key, err := s.queries.DeleteFile(ctx, db.DeleteFileParams{
		ID: id, TeamID: teamID, Now: now, GraceSeconds: completeWithin.Seconds(),
	})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return "", errNotFound
	case err != nil:
		return "", fmt.Errorf("deleting file %s: %w", id, err)
	case key == nil:
		return "", nil
	}
	return *key, nil
}

func (s *store) toPurge(ctx context.Context, now time.Time, rowsMax int32) ([]string, error) {
	ids, err := s.queries.ListFilesToPurge(ctx, db.ListFilesToPurgeParams{Now: now, RowsMax: rowsMax})
	if err != nil {
		return nil, fmt.Errorf("listing expired files: %w", err)
	}
	return ids, nil
}

func (s *store) markPurged(ctx context.Context, ids []string, now time.Time) error {
	if err := s.queries.MarkFilesPurged(ctx, db.MarkFilesPurgedParams{Ids: ids, Now: now}); err != nil {
		return fmt.Errorf("marking expired files: %w", err)
	}
	return nil
}

// forget deletes the rows of files that were purged before a time.
func (s *store) forget(ctx context.Context, before time.Time, rowsMax int32) (int64, error) {
	n, err := s.queries.ForgetFiles(ctx, db.ForgetFilesParams{PurgedBefore: before, RowsMax: rowsMax})
	if err != nil {
		return 0, fmt.Errorf("deleting the rows of expired files: %w", err)
	}
	return n, nil
}
