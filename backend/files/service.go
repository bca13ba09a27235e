package files

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/admission"
	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/blob"
	"github.com/turnpike-edge/turnpike/backend/required"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/token"
)

const (
	// PlacesDefault is how many files one process receives or checks at once. On S3 an upload takes up to 48 MB of
	// memory, on disk next to nothing.
	PlacesDefault = 16

	overloadRetry = 2 * time.Second
)

// Config configures a Service.
type Config struct {
	Queries *db.Queries  `required:"true"`
	Blobs   *blob.Store  `required:"true"`
	Signer  *blob.Signer `required:"true"`

	// Places are slots for receiving or checking files, so that a client that sends slowly blocks only its own share.
	// Default: [PlacesDefault], without waiting.
	Places *admission.Pool

	Logger *slog.Logger     `required:"true"`
	Now    func() time.Time `required:"true"`
}

// Service implements the operations on files. Its errors are problems for the client.
type Service struct {
	config Config
	store  *store
}

// New makes a Service. The error names all faults of config.
func New(config Config) (*Service, error) {
	errs := []error{required.Fields(config)}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("files: %w", err)
	}
	if config.Places == nil {
		config.Places = admission.New(admission.Config{Size: PlacesDefault})
	}
	now := config.Now
	config.Now = func() time.Time { return now().Truncate(time.Microsecond) } // the database's precision
	return &Service{config: config, store: &store{config.Queries}}, nil
}

// enter takes a slot for f's team, regardless of the sender: an upload has a signed URL and no key.
func (s *Service) enter(ctx context.Context, f *db.File) (leave func(), err error) {
	return principal.Enter(admission.With(ctx, admission.Holder{Name: f.TeamID}), s.config.Places, "files", overloadRetry)
}

// folder is the prefix of all content of a file in the blob store. It is in the upload URL, too.
func folder(id string) string { return "files/" + id }

// Create creates a file that waits for its content.
func (s *Service) Create(ctx context.Context, c *principal.Caller, filename, purpose string) (*Upload, error) {
	if faults := checkFilename(filename); faults != nil {
		return nil, problem.Validation(faults...)
	}
	now := s.config.Now()
	// The URL's end is rounded up to the second; the file accepts no upload after its own exact end.
	f := &db.File{
		ID: token.New("file"), TeamID: c.TeamID, Filename: filename, Purpose: purpose, CreatedAt: now,
		UploadUntil: now.Add(UploadTime), ExpiresAt: now.Add(UploadTime + completeWithin),
	}
	url, err := s.config.Signer.WriteURL(folder(f.ID), UploadTime)
	if err != nil {
		return nil, problem.Internal(err)
	}
	out := &Upload{
		ID: f.ID, Object: "file.upload", Created: now.Unix(), UploadURL: url, ExpiresIn: int64(UploadTime / time.Second),
	}
	err = s.store.inTx(ctx, func(tx pgx.Tx, in *store) error {
		if err := in.create(ctx, f); err != nil {
			return err
		}
		return c.Record(ctx, tx, out)
	})
	switch {
	case errors.Is(err, errFull):
		return nil, problem.Wrap(problem.InvalidState, fmt.Sprintf("The limit of %d files is reached. Delete some first.", filesMax), err)
	case err != nil:
		return nil, problem.From(err)
	}
	return out, nil
}

// File returns a team's file.
func (s *Service) File(ctx context.Context, c *principal.Caller, id string) (*File, error) {
	f, err := s.find(ctx, c.TeamID, id)
	if err != nil {
		return nil, err
	}
	out := object(f, s.config.Now())
	return &out, nil
}

// find returns a team's file; the error is file_not_found for another team's.
func (s *Service) find(ctx context.Context, teamID, id string) (*db.File, error) {
	if !token.Is(id, "file") {
		return nil, fileNotFound(nil)
	}
	f, err := s.store.find(ctx, id)
	switch {
	case errors.Is(err, errNotFound), err == nil && (f.TeamID != teamID || teamID == ""):
		return nil, fileNotFound(err)
	case err != nil:
		return nil, problem.Internal(err)
	}
	return f, nil
}

func fileNotFound(err error) error {
	return problem.Wrap(problem.FileNotFound, "There is no file with this id.", err)
}

// Download returns a completed file with a URL for its content.
func (s *Service) Download(ctx context.Context, c *principal.Caller, id string) (*Download, error) {
	f, err := s.completed(ctx, c.TeamID, id)
	if err != nil {
		return nil, err
	}
	now := s.config.Now()
	ttl := min(downloadTime, f.ExpiresAt.Sub(now))
	url, err := s.config.Signer.URL(*f.UploadKey, f.Filename, contentType, ttl)
	if err != nil {
		return nil, problem.Internal(err)
	}
	return &Download{File: object(f, now), DownloadURL: url, ExpiresIn: int64(ttl / time.Second)}, nil
}

// completed returns a team's file if its content can be used.
func (s *Service) completed(ctx context.Context, teamID, id string) (*db.File, error) {
	f, err := s.find(ctx, teamID, id)
	if err != nil {
		return nil, err
	}
	switch status(f, s.config.Now()) {
	case StatusExpired:
		return nil, problem.New(problem.InvalidState, "This file has expired, and its content was deleted.")
	case StatusPending:
		return nil, problem.New(problem.InvalidState, "This file is not completed yet: upload its content, then call POST /v1/files/"+id+"/complete.")
	}
	return f, nil
}

// Delete deletes a file and its content.
func (s *Service) Delete(ctx context.Context, c *principal.Caller, id string) error {
	if !token.Is(id, "file") {
		return fileNotFound(nil)
	}
	key, err := s.store.delete(ctx, c.TeamID, id, s.config.Now())
	switch {
	case errors.Is(err, errNotFound):
		return fileNotFound(err)
	case err != nil:
		return problem.Internal(err)
	}
	s.discard(ctx, key)
	return nil
}

// discard deletes content that nothing refers to any more. If that fails, Purge does it.
func (s *Service) discard(ctx context.Context, key string) {
	if key == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), discardTimeout)
	defer cancel()
	if err := s.config.Blobs.Delete(ctx, key); err != nil {
		s.config.Logger.WarnContext(ctx, "deleting the content of a file failed; it will be retried", "key", key, "error", err)
	}
}

// discardTimeout is for cleaning up after the request may have ended.
const discardTimeout = 10 * time.Second

// Purge deletes the content of up to rowsMax expired files, and the rows of as many whose content was deleted long ago.
// It returns the larger number. Any replica may run it, at any time and repeatedly.
func (s *Service) Purge(ctx context.Context, rowsMax int32) (int64, error) {
	now := s.config.Now()
	ids, err := s.store.toPurge(ctx, now, rowsMax)
	if err != nil {
		return 0, err
	}
	for _, id := range ids {
		if err := s.config.Blobs.DeleteAll(ctx, folder(id)); err != nil {
			return 0, fmt.Errorf("deleting the content of %s: %w", id, err)
		}
	}
	if len(ids) > 0 {
		if err := s.store.markPurged(ctx, ids, now); err != nil {
			return 0, err
		}
	}
	forgotten, err := s.store.forget(ctx, now.Add(-rowRetention), rowsMax)
	return max(int64(len(ids)), forgotten), err
}
