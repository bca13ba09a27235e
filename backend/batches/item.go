package batches

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/turnpike-edge/turnpike/backend/api/metadata"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

const (
	customIDCharactersMax = 255
	// faultsMax is how many faults of items are reported: nobody reads a list of thousands.
	faultsMax = 20
)

// item is a page of the request.
type item struct {
	customID string            // "": none
	url      string            // as it was sent
	metadata map[string]string // nil: none
}

// source returns the items of a request as they are written there, in order, and the same each time.
type source struct {
	// at is the location of the items, for faults.
	at []any
	// checked: they passed the body check, which also refuses duplicate keys.
	checked bool
	each    func(ctx context.Context, fn func(i int, raw []byte) error) error
}

func (s *source) loc(i int, more ...any) []any { return append(append(slices.Clone(s.at), i), more...) }

var errNotAList = errors.New("items is not a list")

// inline is the source of items in a body that has passed the body check.
func inline(list []byte) *source {
	return &source{at: []any{"body", "items"}, checked: true, each: func(_ context.Context, fn func(int, []byte) error) error {
		if !edgewire.IsList(list) {
			return errNotAList
		}
		i := 0
		for raw := range edgewire.Elements(list) {
			if err := fn(i, raw); err != nil {
				return err
			}
			i++
		}
		return nil
	}}
}

// fromFile is the source of items in a team's file.
func (s *Service) fromFile(teamID, id string) *source {
	return &source{at: []any{"file"}, each: func(ctx context.Context, fn func(int, []byte) error) error {
		return s.config.Files.Items(ctx, teamID, id, fn)
	}}
}

// parse reads one item. The faults' locations are relative to the item.
func (s *source) parse(raw []byte) (item, []problem.Fault) {
	whole := func(msg string) []problem.Fault { return []problem.Fault{{Msg: msg, Type: problem.FaultInvalid}} }
	if !s.checked {
		if err := edgewire.CheckJSON(raw); err != nil {
			return item{}, whole(strings.TrimPrefix(err.Error(), "body "))
		}
	}
	if !edgewire.IsObject(raw) {
		return item{}, whole(`must be an object such as {"custom_id":"a-1","url":"https://example.com/"}`)
	}
	var out item
	var faults []problem.Fault
	found := map[string][]problem.Fault{}
	given := false
	for name, value := range edgewire.Members(raw) {
		switch name {
		case "custom_id":
			found[name] = out.setCustomID(value)
		case "url":
			given = !isNull(value)
			found[name] = out.setURL(value)
		case "metadata":
			found[name] = out.setMetadata(value)
		default:
			found[name] = []problem.Fault{{Loc: []any{name}, Msg: "is not a field of an item", Type: problem.FaultUnknown}}
		}
	}
	if !given {
		faults = append(faults, problem.Fault{Loc: []any{"url"}, Msg: "is required", Type: problem.FaultMissing})
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		faults = append(faults, found[name]...)
	}
	return out, faults
}

func isNull(raw []byte) bool { return len(raw) == 0 || string(raw) == "null" }

func (it *item) setCustomID(raw []byte) []problem.Fault {
	fault := func(msg string) []problem.Fault {
		return []problem.Fault{{Loc: []any{"custom_id"}, Msg: msg, Type: problem.FaultInvalid}}
	}
	if isNull(raw) {
		return nil
	}
	var isText bool
	if it.customID, isText = edgewire.Text(raw); !isText {
		return fault("must be a string")
	}
	switch n := utf8.RuneCountInString(it.customID); {
	case n == 0:
		return fault("must not be empty: omit it to number the item")
	case n > customIDCharactersMax:
		return fault(fmt.Sprintf("has %d characters, at most %d are allowed", n, customIDCharactersMax))
	case strings.ContainsRune(it.customID, 0):
		return fault("must not contain a NUL character")
	}
	return nil
}

// setURL checks only what a row cannot store; Pages checks the rest.
func (it *item) setURL(raw []byte) []problem.Fault {
	fault := func(msg string) []problem.Fault {
		return []problem.Fault{{Loc: []any{"url"}, Msg: msg, Type: problem.FaultInvalid}}
	}
	if isNull(raw) {
		return nil // reported as missing
	}
	var isText bool
	switch it.url, isText = edgewire.Text(raw); {
	case !isText:
		return fault("must be a string")
	case it.url == "" || utf8.RuneCountInString(it.url) > page.URLCharsMax:
		return fault(fmt.Sprintf("must be an absolute http or https URL of 1 to %d characters", page.URLCharsMax))
	case strings.ContainsRune(it.url, 0):
		return fault("must not contain a NUL character")
	}
	return nil
}

func (it *item) setMetadata(raw []byte) []problem.Fault {
	if isNull(raw) {
		return nil
	}
	var in metadata.Input
	if json.Unmarshal(raw, &in) != nil {
		return []problem.Fault{{Loc: []any{"metadata"}, Msg: "must be an object of keys and values", Type: problem.FaultInvalid}}
	}
	var err error
	if it.metadata, err = metadata.Parse(in); err == nil {
		return nil
	}
	faults, _ := problem.From(err).Metadata["errors"].([]problem.Fault)
	for i := range faults {
		faults[i].Loc = faults[i].Loc[1:] // without "body"
	}
	return faults
}

// list is what is known of the items that were read, except their URLs.
type list struct {
	from    *source
	count   int
	given   map[string]int // custom ids, and the item of each
	without []bool         // whether an item has none
	faults  []problem.Fault
}

var errEnoughFaults = errors.New("enough faults")

func (l *list) fault(f problem.Fault) error {
	l.faults = append(l.faults, f)
	if len(l.faults) == faultsMax {
		return errEnoughFaults
	}
	return nil
}

// readItems checks all items except their URLs, and calls urls with those: a thousand at a time, with the index of the
// first. The error is a problem with up to faultsMax faults.
func readItems(ctx context.Context, from *source, urls func(first int, urls []string) error) (*list, error) {
	l := &list{from: from, given: map[string]int{}}
	var chunk []string
	flush := func() error {
		if len(chunk) == 0 || len(l.faults) > 0 {
			return nil
		}
		err := urls(l.count-len(chunk), chunk)
		chunk = chunk[:0]
		return err
	}
	err := from.each(ctx, func(i int, raw []byte) error {
		if i == ItemsMax {
			l.faults = append(l.faults, problem.Fault{Loc: from.at, Msg: fmt.Sprintf("has more than %d items", ItemsMax), Type: problem.FaultInvalid})
			return errEnoughFaults
		}
		it, err := l.add(i, raw)
		if err != nil {
			return err
		}
		if chunk = append(chunk, it.url); len(chunk) == chunkItems {
			return flush()
		}
		return nil
	})
	switch {
	case errors.Is(err, errNotAList):
		return nil, problem.Validation(problem.BodyFault("items", "must be a list of items"))
	case err != nil && !errors.Is(err, errEnoughFaults):
		return nil, err
	case err == nil && l.count == 0:
		l.faults = append(l.faults, problem.Fault{Loc: from.at, Msg: fmt.Sprintf("has no items: must have 1 to %d", ItemsMax), Type: problem.FaultInvalid})
	case err == nil:
		l.checkNumbers()
	}
	if len(l.faults) > 0 {
		return nil, itemsProblem(l.faults)
	}
	return l, flush()
}

// add reads the item with index i.
func (l *list) add(i int, raw []byte) (item, error) {
	it, faults := l.from.parse(raw)
	l.count++
	l.without = append(l.without, it.customID == "")
	for _, f := range faults {
		f.Loc = l.from.loc(i, f.Loc...)
		if err := l.fault(f); err != nil {
			return it, err
		}
	}
	if it.customID == "" {
		return it, nil
	}
	if first, taken := l.given[it.customID]; taken {
		return it, l.fault(problem.Fault{Loc: l.from.loc(i, "custom_id"), Type: problem.FaultInvalid, Msg: fmt.Sprintf(
			"is also the custom_id of item %d: it must be unique within the batch", first)})
	}
	l.given[it.customID] = i
	return it, nil
}

// checkNumbers finds custom ids that equal the number of an item without one, because that number becomes its custom id.
func (l *list) checkNumbers() {
	for i, without := range l.without {
		if !without {
			continue
		}
		by, taken := l.given[numbered(i)]
		if taken && l.fault(problem.Fault{Loc: l.from.loc(by, "custom_id"), Type: problem.FaultInvalid, Msg: fmt.Sprintf(
			"is the number of item %d, which has no custom_id: set one for that item, or change this one", i)}) != nil {
			return
		}
	}
}

// numbered returns the custom id of an item that was given none: its number, from 1.
func numbered(i int) string { return strconv.Itoa(i + 1) }
