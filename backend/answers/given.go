package answers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/answers/ask"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/jsonschema"
	"github.com/turnpike-edge/turnpike/backend/page/extract"
	"github.com/turnpike-edge/turnpike/backend/page/membudget"
)

// ContextBytesMax is the total size of an answer's context files. Files for other purposes may be larger, but these are
// read completely.
const ContextBytesMax = 8 << 20

// fileScheme is the prefix of the URLs of context files.
const fileScheme = "file:"

// checkFiles refuses unreadable files, each at its location in the request, before any work starts.
func (s *Service) checkFiles(ctx context.Context, teamID string, ids []string) error {
	left := int64(ContextBytesMax)
	for i, id := range ids {
		size, err := s.config.Files.ContextSize(ctx, teamID, id)
		if err != nil {
			return fileProblem(i, id, err)
		}
		if left -= size; left < 0 {
			return problem.Validation(fileFault(i, fmt.Sprintf("brings the total size of the context files above %d MiB", ContextBytesMax>>20)))
		}
	}
	return nil
}

// fileProblem relocates a file's problem to the request. A missing file is a 404; an unusable one is a 400.
func fileProblem(i int, id string, err error) error {
	e := problem.From(err)
	switch e.Code { //nolint:exhaustive // other codes are not about the file
	case problem.FileNotFound:
		moved := problem.Wrap(problem.FileNotFound, fmt.Sprintf("There is no file with the id %.100q. Check file_ids.", id), err)
		moved.Metadata = map[string]any{"errors": []problem.Fault{fileFault(i, "is not a file of your team")}}
		return moved
	case problem.InvalidState:
		return problem.Validation(fileFault(i, sentence(e.Detail)))
	case problem.ValidationError:
		faults, _ := e.Metadata["errors"].([]problem.Fault)
		for k := range faults {
			faults[k] = fileFault(i, faults[k].Msg)
		}
		return problem.Validation(faults...)
	}
	return e
}

// sentence turns a detail into a part of a list of faults.
func sentence(detail string) string {
	return strings.TrimSuffix(strings.ToLower(detail[:min(1, len(detail))])+detail[min(1, len(detail)):], ".")
}

// readFiles reads the context files, in the order of their ids.
func (s *Service) readFiles(ctx context.Context, w *world, ids []string) ([]*ask.Source, error) {
	sources := make([]*ask.Source, 0, len(ids))
	for i, id := range ids {
		source, err := s.readFile(ctx, w, i, id)
		if err != nil {
			return nil, err
		}
		sources = append(sources, source)
	}
	return sources, nil
}

func (s *Service) readFile(ctx context.Context, w *world, i int, id string) (*ask.Source, error) {
	size, err := s.config.Files.ContextSize(ctx, w.teamID, id)
	if err == nil {
		err = w.hold(membudget.HeldBytes(size))
		if err != nil {
			return nil, noRoom(err)
		}
	}
	var name string
	var content []byte
	if err == nil {
		name, content, err = s.config.Files.Context(ctx, w.teamID, id)
	}
	if err != nil {
		return nil, fileProblem(i, id, err)
	}
	if _, err := jsonschema.Parse(content); err != nil {
		return nil, problem.Validation(fileFault(i, "names a file that cannot be read: "+err.Error()))
	}
	page := extract.Source{URL: fileScheme + id, MediaType: "application/json", Body: content}
	document, err := s.readPage(ctx, page)
	switch {
	case errors.Is(err, extract.ErrTooComplex):
		return nil, problem.Validation(fileFault(i, "names a file that is too large to be read as text"))
	case err != nil && ctx.Err() != nil:
		return nil, noRoom(err)
	case err != nil:
		return nil, problem.Internal(err)
	}
	return &ask.Source{URL: page.URL, Title: name, Document: document, JSON: json.RawMessage(content), Named: true}, nil
}

func noRoom(err error) error {
	e := problem.Wrap(problem.Overloaded, "There was not enough memory for the context files. Nothing was charged.", err)
	e.RetryAfter = overloadRetry
	return e
}
