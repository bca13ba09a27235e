package page

import (
	"errors"
	"maps"
	"slices"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
)

// urlsField is the location of URLs in the faults of scrapes.Engine.Check.
const urlsField = "urls"

// URLFault is a fault of the URL at an index of the list.
func URLFault(i int, msg string) problem.Fault {
	return problem.Fault{Loc: []any{"body", urlsField, i}, Msg: msg, Type: problem.FaultInvalid}
}

// AtURLs returns a problem with the locations of URL faults replaced by loc, which returns the location of the URL with an
// index in the client's request. Other faults, and errors that are not problems or name no faults, are unchanged.
func AtURLs(err error, loc func(i int) []any) error {
	return moved(err, func(at []any) []any {
		if i, ok := urlIndex(at); ok {
			return loc(i)
		}
		return at
	})
}

// UnderField returns a problem with the faults of options, which are fields of the body, relocated below one field of the
// body. Faults of URLs are unchanged.
func UnderField(err error, field string) error {
	return moved(err, func(at []any) []any {
		if _, ok := urlIndex(at); ok || len(at) < 2 || at[0] != "body" {
			return at
		}
		return slices.Insert(slices.Clone(at), 1, any(field))
	})
}

// moved returns a problem with its faults relocated, also in its text.
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
