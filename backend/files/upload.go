package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/blob"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/token"
)

const contentType = "application/json"

// Content serves upload URLs, and passes all other content requests to next. Mount it at [blob.Path]. fail responds to
// errors, which are problems.
func (s *Service) Content(next http.Handler, fail blob.ErrorFunc) http.Handler {
	mux := http.NewServeMux()
	mux.Handle(blob.Path, next)
	mux.HandleFunc(blob.Path+folder("{file_id}"), func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPut {
			w.Header().Set("Allow", http.MethodPut)
			fail(w, r, problem.New(problem.MethodNotAllowed, "An upload URL accepts the content of the file: use PUT."))
			return
		}
		if err := s.upload(w, r); err != nil {
			fail(w, r, err)
			return
		}
		w.Header().Set("Content-Type", contentType)
		w.Header().Set("Cache-Control", "no-store")
		_, _ = io.WriteString(w, "{}\n")
	})
	return mux
}

// drainBytes and drainTime bound how much is read of a refused upload.
const (
	drainBytes = 2 * BytesMax
	drainTime  = 10 * time.Second
)

// drain reads the rest of a refused request's body. After an early response the client and every proxy would keep
// sending, and the connection would be reset before the client has read the error (RFC 9112, section 9.6).
func drain(w http.ResponseWriter, r *http.Request) {
	connection := http.NewResponseController(w)
	_ = connection.SetReadDeadline(time.Now().Add(drainTime))
	_, _ = io.CopyN(io.Discard, r.Body, drainBytes)
	_ = connection.SetReadDeadline(time.Time{})
}

func (s *Service) upload(w http.ResponseWriter, r *http.Request) error {
	switch _, err := s.config.Signer.VerifyWrite(r); {
	case errors.Is(err, blob.ErrExpired):
		return uploadExpired(err)
	case err != nil:
		return problem.Wrap(problem.AccessDenied, "The signature of this upload URL is not valid: use the URL unchanged.", err)
	}
	f, err := s.awaiting(r.Context(), r.PathValue("file_id"))
	if err != nil {
		return err
	}
	if err := checkUpload(r); err != nil {
		drain(w, r)
		return err
	}
	free, err := s.enter(r.Context(), f)
	if err != nil {
		return err
	}
	defer free()
	return s.receive(w, r, f)
}

func uploadExpired(err error) error {
	return problem.Wrap(problem.AccessDenied, "This upload URL has expired: create another file, and upload its content within 10 minutes.", err)
}

// awaiting returns a file that accepts uploads.
func (s *Service) awaiting(ctx context.Context, id string) (*db.File, error) {
	f, err := s.store.find(ctx, id)
	switch {
	case errors.Is(err, errNotFound):
		return nil, fileNotFound(err)
	case err != nil:
		return nil, problem.Internal(err)
	}
	now := s.config.Now()
	switch status(f, now) {
	case StatusCompleted:
		return nil, problem.New(problem.InvalidState, "This file is completed and cannot be changed: create another file.")
	case StatusExpired:
		return nil, uploadExpired(nil)
	}
	// The URL's end is rounded up to the second; the file's own end counts.
	if !now.Before(f.UploadUntil) {
		return nil, uploadExpired(nil)
	}
	return f, nil
}

// checkUpload refuses requests by their headers, before the body is read.
func checkUpload(r *http.Request) error {
	var faults []problem.Fault
	fault := func(header, msg string) {
		faults = append(faults, problem.Fault{Loc: []any{"header", header}, Msg: msg, Type: problem.FaultInvalid})
	}
	media, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	charset, hasCharset := params["charset"]
	if err != nil || media != contentType || hasCharset && !strings.EqualFold(charset, "utf-8") {
		fault("Content-Type", "must be application/json")
	}
	if encoding := r.Header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		fault("Content-Encoding", "send the content without an encoding")
	}
	if r.Header.Get("Content-Range") != "" {
		fault("Content-Range", "send the whole content at once")
	}
	if faults != nil {
		return problem.Validation(faults...)
	}
	if r.ContentLength > BytesMax {
		return tooLarge(nil)
	}
	return nil
}

func tooLarge(err error) error {
	return problem.Wrap(problem.PayloadTooLarge, fmt.Sprintf("A file can have at most %d bytes (200 MB).", BytesMax), err)
}

// receive streams the body to the blob store and makes it f's content.
func (s *Service) receive(w http.ResponseWriter, r *http.Request, f *db.File) error {
	// The read deadline keeps a slow client from holding its slot beyond the URL's end, when the upload would be
	// refused anyway. Writers without deadlines (in tests) have no slow clients either.
	connection := http.NewResponseController(w)
	_ = connection.SetReadDeadline(time.Now().Add(f.UploadUntil.Sub(s.config.Now())))
	body := &counted{Reader: http.MaxBytesReader(w, r.Body, BytesMax)}
	key := folder(f.ID) + "/" + token.Random()
	if err := s.config.Blobs.PutFrom(r.Context(), key, contentType, body); err != nil {
		return receiveFailed(err, body.err)
	}
	_ = connection.SetReadDeadline(time.Time{})
	// The content is stored: keep it even if the client has disconnected.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), attachTimeout)
	defer cancel()
	earlier, err := s.store.attach(ctx, f.ID, key, body.n, s.config.Now())
	if err != nil {
		s.discard(ctx, key)
		return s.attachFailed(ctx, f.ID, err)
	}
	s.discard(ctx, earlier)
	return nil
}

const attachTimeout = 10 * time.Second

// attachFailed returns why a file did not accept an upload.
func (s *Service) attachFailed(ctx context.Context, id string, err error) error {
	if !errors.Is(err, errMoved) {
		return problem.Internal(err)
	}
	if _, err := s.awaiting(ctx, id); err != nil {
		return err
	}
	return problem.Internal(err) // the clocks of two processes differ
}

// receiveFailed distinguishes failures of the body from those of the store.
func receiveFailed(err, bodyErr error) error {
	_, isTooLarge := errors.AsType[*http.MaxBytesError](bodyErr)
	switch {
	case isTooLarge:
		return tooLarge(err)
	case errors.Is(bodyErr, os.ErrDeadlineExceeded):
		return uploadExpired(err)
	case bodyErr != nil:
		return problem.Wrap(problem.InvalidJSON, "The content was not received completely: send it again.", err)
	default:
		return problem.Internal(err)
	}
}

// counted counts the bytes that are read and keeps the error that ended reading.
type counted struct {
	io.Reader

	n   int64
	err error
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		c.err = err
	}
	return n, err
}
