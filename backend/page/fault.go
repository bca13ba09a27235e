package page

import (
	"errors"
	"maps"
	"slices"

	"github.com/turnpike-edge/turnpike/backend/problem"
)

// urlsField is the place of the URLs in what scrapes.Engine.Check says of them.
const urlsField = "urls"

// URLFault is a fault of the URL with an index in a list.
func URLFault(i int, msg string) problem.Fault {
	return problem.Fault{Loc: []any{"body", urlsField, i}, Msg: msg, Type: problem.FaultInvalid}
}

// AtURLs returns a problem with its faults of URLs moved to where the caller has them: loc gives the place of the URL with
// an index. Faults of all else, and errors that are no problems or name no faults, stay as they are.
func AtURLs(err error, loc func(i int) []any) error {
	return moved(err, func(at []any) []any {
		if i, ok := urlIndex(at); ok {
			return loc(i)
		}
		return at
	})
}

// UnderField returns a problem with its faults of options, which are fields of the body, moved to below one field of it.
// Faults of URLs stay where they are.
func UnderField(err error, field string) error {
	return moved(err, func(at []any) []any {
		if _, ok := urlIndex(at); ok || len(at) < 2 || at[0] != "body" {
			return at
		}
		return slices.Insert(slices.Clone(at), 1, any(field))
	})
}

// moved returns a problem with its faults moved, in its text too.
func moved(err error, to func(loc []any) []any) error {
	e, ok := errors.AsType[*problem.Error](err)
	if !ok {
		return err
	}
	faults, ok := e.Metadata["errors"].([]problem.Fault)
	if !ok {
		return err
	}
	there := *e
	there.Metadata = maps.Clone(e.Metadata)
	faults = slices.Clone(faults)
	for i := range faults {
		faults[i].Loc = to(faults[i].Loc)
	}
	there.Metadata["errors"] = faults
	if e.Code == problem.ValidationError {
		there.Detail = problem.Validation(faults...).Detail
	}
	return &there
}

func urlIndex(loc []any) (int, bool) {
	if len(loc) != 3 || loc[0] != "body" || loc[1] != urlsField {
		return 0, false
	}
	i, ok := loc[2].(int)
	return i, ok
}
