package files

import (
	"context"
	"errors"
	"fmt"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/blob"
	"github.com/turnpike-edge/turnpike/db"
)

// ContextSize returns the size in bytes of a team's completed context file, without reading it. Errors are problems:
// file_not_found, invalid_state, and validation errors of the field file_id if the file has another purpose.
func (s *Service) ContextSize(ctx context.Context, teamID, id string) (int64, error) {
	f, err := s.contextFile(ctx, teamID, id)
	if err != nil {
		return 0, err
	}
	return f.Bytes, nil
}

// Context returns the name and the whole content, which is JSON, of a team's completed context file. It takes memory
// for all of it, so call ContextSize first. Errors are those of ContextSize.
func (s *Service) Context(ctx context.Context, teamID, id string) (filename string, content []byte, err error) {
	f, err := s.contextFile(ctx, teamID, id)
	if err != nil {
		return "", nil, err
	}
	content, err = s.config.Blobs.Read(ctx, *f.UploadKey)
	switch {
	case errors.Is(err, blob.ErrNotFound): // deleted in the meantime
		return "", nil, fileNotFound(err)
	case err != nil:
		return "", nil, problem.Internal(fmt.Errorf("reading %s: %w", id, err))
	}
	return f.Filename, content, nil
}

func (s *Service) contextFile(ctx context.Context, teamID, id string) (*db.File, error) {
	f, err := s.completed(ctx, teamID, id)
	if err != nil {
		return nil, err
	}
	if f.Purpose != PurposeContext {
		return nil, badFileID(fmt.Sprintf("names a file with the purpose %s: create it with the purpose context", f.Purpose))
	}
	return f, nil
}
