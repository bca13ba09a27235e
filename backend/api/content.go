package api

import (
	"errors"
	"net/http"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/blob"
)

// ContentFailed writes the error for a failed content request. A client without a valid URL does not learn what exists.
func (s *Server) ContentFailed(w http.ResponseWriter, r *http.Request, err error) {
	switch {
	case errors.Is(err, blob.ErrMethodNotAllowed):
		err = problem.Wrap(problem.MethodNotAllowed, "Content can only be read: use GET or HEAD.", err)
	case errors.Is(err, blob.ErrBadSignature):
		err = problem.Wrap(problem.AccessDenied, "The signature of this content URL is not valid: use the URL unchanged.", err)
	case errors.Is(err, blob.ErrExpired):
		err = problem.Wrap(problem.AccessDenied, "This content URL has expired: read the resource again to get a new one.", err)
	case errors.Is(err, blob.ErrNotFound):
		err = problem.Wrap(problem.NotFound, "This content has been deleted.", err)
	}
	s.writeError(w, r, err)
}
