package parsers

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/page/extract"
	"github.com/turnpike-edge/turnpike/backend/parsers/rules"
)

// runProblem is the problem for a page that cannot be parsed.
func runProblem(ctx context.Context, err error, source extract.Source) error {
	switch {
	case errors.Is(err, rules.ErrSteps), errors.Is(err, rules.ErrValues), errors.Is(err, rules.ErrText), errors.Is(err, errEnded):
		return problem.Wrap(problem.InvalidParserInput,
			"There is no result: "+err.Error()+". Select less, or use simpler expressions. Nothing was charged.", err)
	case errors.Is(err, rules.ErrEvaluate), errors.Is(err, rules.ErrNoPage):
		return problem.Wrap(problem.InvalidParserInput, "There is no result: "+err.Error()+". Nothing was charged.", err)
	case errors.Is(err, extract.ErrUnsupportedContent):
		e := problem.Wrap(problem.UnsupportedFileType, "The page is a file of a type that has no text, so there is nothing to parse. Nothing was charged.", err)
		e.Metadata = map[string]any{"content_type": source.MediaType}
		return e
	case errors.Is(err, extract.ErrTooComplex):
		e := problem.Wrap(problem.FetchFailed, "The page is too large or too complex to be read. Nothing was charged.", err)
		e.Metadata = map[string]any{"reason": "too_complex"}
		return e
	case errors.Is(ctx.Err(), context.DeadlineExceeded), errors.Is(ctx.Err(), context.Canceled):
		return problem.Wrap(problem.RequestTimeout, "The page was not parsed within the time limit. Nothing was charged.", err)
	}
	return problem.Internal(fmt.Errorf("parsing: %w", err))
}

// notApplicable is the problem for a page without the data that the parser requires.
func notApplicable(reference string, faults []rules.Fault) error {
	said := make([]string, 0, len(faults))
	for _, f := range faults {
		said = append(said, f.String())
	}
	e := problem.New(problem.InvalidParserInput, fmt.Sprintf("The page does not have what the parser %s requires: %s. Nothing was charged.",
		reference, strings.Join(said, "; ")))
	e.Metadata = map[string]any{"errors": resultFaults(faults)}
	return e
}

// resultFaults converts faults for the response.
func resultFaults(faults []rules.Fault) []problem.Fault {
	out := make([]problem.Fault, 0, len(faults))
	for _, f := range faults {
		out = append(out, problem.Fault{Loc: rules.In([]any{"result"}, f.Path...), Msg: f.Msg, Type: problem.FaultInvalid})
	}
	return out
}
