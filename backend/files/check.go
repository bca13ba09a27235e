package files

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/blob"
	"github.com/turnpike-edge/turnpike/backend/files/jsonscan"
	"github.com/turnpike-edge/turnpike/db"
)

// completeTries is how often a file is checked whose content is replaced during the check.
const completeTries = 3

// Complete checks the content of a file and makes it usable. The error is not_found if nothing was uploaded, a 400
// invalid_state if the file is not pending, and a validation error with line and column if the content is not JSON: it
// can then be uploaded again.
func (s *Service) Complete(ctx context.Context, c *principal.Caller, id string) (*File, error) {
	for range completeTries {
		f, err := s.find(ctx, c.TeamID, id)
		if err != nil {
			return nil, err
		}
		completed, err := s.completeNow(ctx, c, f)
		if !errors.Is(err, errMoved) {
			return completed, err
		}
	}
	return nil, problem.Wrap(problem.InvalidState, "The content was replaced while it was checked: complete the file after its uploads have finished.", errMoved)
}

// completeNow completes f as it was read; errMoved means that it must be read again.
func (s *Service) completeNow(ctx context.Context, c *principal.Caller, f *db.File) (*File, error) {
	switch status(f, s.config.Now()) {
	case StatusCompleted:
		return nil, problem.WrongState("This file is already completed and cannot be changed: create another file.")
	case StatusExpired:
		return nil, problem.WrongState("This file has expired: create another file, upload its content within 10 minutes and complete it within an hour.")
	}
	if f.UploadKey == nil {
		return nil, problem.New(problem.NotFound, "Nothing was uploaded for this file: send its content to upload_url first.")
	}
	free, err := s.enter(ctx, f)
	if err != nil {
		return nil, err
	}
	defer free()
	summary, err := s.scan(ctx, *f.UploadKey)
	if err != nil {
		return nil, err
	}
	var items *int64
	if f.Purpose == PurposeBatch && summary.TopLevel == jsonscan.Array {
		items = &summary.Items
	}
	var out File
	err = s.store.inTx(ctx, func(tx pgx.Tx, in *store) error {
		now := s.config.Now()
		completed, err := in.complete(ctx, f, items, now)
		if err != nil {
			return err
		}
		out = object(completed, now)
		return c.Record(ctx, tx, &out)
	})
	switch {
	case errors.Is(err, errMoved):
		return nil, err
	case err != nil:
		return nil, problem.From(err)
	}
	return &out, nil
}

// scan checks the object under key. errMoved means that another upload has replaced it.
func (s *Service) scan(ctx context.Context, key string) (jsonscan.Summary, error) {
	content, err := s.config.Blobs.Open(ctx, key)
	switch {
	case errors.Is(err, blob.ErrNotFound):
		return jsonscan.Summary{}, errMoved
	case err != nil:
		return jsonscan.Summary{}, problem.Internal(err)
	}
	defer content.Close()
	summary, err := jsonscan.Scan(content)
	if fault, ok := errors.AsType[*jsonscan.SyntaxError](err); ok {
		return jsonscan.Summary{}, notJSON(fault)
	} else if err != nil {
		return jsonscan.Summary{}, problem.Internal(fmt.Errorf("checking %s: %w", key, err))
	}
	return summary, nil
}

func notJSON(fault *jsonscan.SyntaxError) error {
	e := problem.Validation(problem.Fault{
		Loc: []any{"file"}, Msg: "is not valid JSON: " + fault.Error(), Type: problem.FaultInvalid,
	})
	e.Detail = "The file is not valid JSON: " + fault.Error() + ". Correct it and upload it again."
	e.Metadata["line"], e.Metadata["column"] = fault.Line, fault.Column
	return e
}

// Items calls fn with each item of a team's completed batch file, in order from 0, as written in the file; raw is valid
// only until fn returns. It takes memory for one item of at most [ItemBytesMax] at a time. Errors are fn's own and
// problems: file_not_found, invalid_state, and validation errors of the field file_id. If an item is too large, fn has
// already seen those before it.
func (s *Service) Items(ctx context.Context, teamID, id string, fn func(i int, raw []byte) error) error {
	f, err := s.completed(ctx, teamID, id)
	if err != nil {
		return err
	}
	if f.Purpose != PurposeBatch {
		return badFileID(fmt.Sprintf("names a file with the purpose %s: create it with the purpose batch", f.Purpose))
	}
	if f.Items == nil {
		return badFileID("names a file that is not a JSON list of items")
	}
	content, err := s.config.Blobs.Open(ctx, *f.UploadKey)
	switch {
	case errors.Is(err, blob.ErrNotFound): // deleted in the meantime
		return fileNotFound(err)
	case err != nil:
		return problem.Internal(err)
	}
	defer content.Close()
	var own error
	err = jsonscan.Elements(content, ItemBytesMax, func(index int64, raw []byte) error {
		own = fn(int(index), raw)
		return own
	})
	if tooLarge, ok := errors.AsType[*jsonscan.ElementError](err); ok && own == nil {
		return badFileID(fmt.Sprintf("names a file whose item %d, in line %d, is larger than %d bytes", tooLarge.Index, tooLarge.Line, ItemBytesMax))
	}
	if err != nil && own == nil {
		return problem.Internal(fmt.Errorf("reading the items of %s: %w", id, err))
	}
	return own
}

func badFileID(msg string) error { return problem.Validation(problem.BodyFault("file_id", msg)) }
