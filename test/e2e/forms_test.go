package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// check reports what is wrong with a JSON value. Numbers are json.Number.
type check func(v any) error

var wholeNumber = regexp.MustCompile(`^(0|-?[1-9][0-9]*)$`)

func anything(any) error { return nil }

func aText(v any) error {
	if _, ok := v.(string); !ok {
		return fmt.Errorf("got %v (%T), want a string", v, v)
	}
	return nil
}

// saying accepts a non-empty string.
func saying(v any) error {
	if text, ok := v.(string); !ok || text == "" {
		return fmt.Errorf("got %v (%T), want a string that is not empty", v, v)
	}
	return nil
}

func aTruth(v any) error {
	if _, ok := v.(bool); !ok {
		return fmt.Errorf("got %v (%T), want true or false", v, v)
	}
	return nil
}

func aWhole(v any) error {
	if n, ok := v.(json.Number); !ok || !wholeNumber.MatchString(n.String()) {
		return fmt.Errorf("got %v (%T), want an integer", v, v)
	}
	return nil
}

// unixNow accepts a time of this test in Unix seconds.
func unixNow(v any) error {
	if err := aWhole(v); err != nil {
		return err
	}
	n, _ := v.(json.Number)
	if seconds, err := n.Int64(); err != nil || math.Abs(time.Since(time.Unix(seconds, 0)).Minutes()) > 10 {
		return fmt.Errorf("got %s, want now in Unix seconds", n)
	}
	return nil
}

// aTime accepts a UTC date and time that is valid in both ISO 8601 and RFC 3339, of this month or the next.
func aTime(v any) error {
	text, _ := v.(string)
	if at, err := time.Parse(time.RFC3339Nano, text); err != nil || !strings.HasSuffix(text, "Z") || time.Since(at).Abs() > 62*24*time.Hour {
		return fmt.Errorf("got %v, want a date and time in UTC, and not far from now", v)
	}
	return nil
}

func aNull(v any) error {
	if v != nil {
		return fmt.Errorf("got %v, want null", v)
	}
	return nil
}

func anObject(v any) error {
	if _, ok := v.(map[string]any); !ok {
		return fmt.Errorf("got %v (%T), want an object", v, v)
	}
	return nil
}

// oneOf accepts one of these words.
func oneOf(words ...string) check {
	return func(v any) error {
		if text, ok := v.(string); !ok || !slices.Contains(words, text) {
			return fmt.Errorf("got %v, want one of %q", v, words)
		}
		return nil
	}
}

// idOf accepts an id with this prefix.
func idOf(prefix string) check {
	return func(v any) error {
		if text, ok := v.(string); !ok || !strings.HasPrefix(text, prefix+"_") || len(text) < len(prefix)+25 {
			return fmt.Errorf("got %v, want an id such as %s_…", v, prefix)
		}
		return nil
	}
}

func listOf(entries check) check {
	return func(v any) error {
		list, ok := v.([]any)
		if !ok {
			return fmt.Errorf("got %v (%T), want a list", v, v)
		}
		for i, entry := range list {
			if err := entries(entry); err != nil {
				return fmt.Errorf("%d: %w", i, err)
			}
		}
		return nil
	}
}

// form accepts an object with exactly these members. A name that ends with "?" is optional.
type form map[string]check

func (f form) check(v any) error {
	object, ok := v.(map[string]any)
	if !ok {
		return fmt.Errorf("got %v (%T), want an object", v, v)
	}
	var errs []error
	rest := maps.Clone(object)
	for name, is := range f {
		bare, optional := strings.CutSuffix(name, "?")
		member, there := object[bare]
		delete(rest, bare)
		if !there && optional {
			continue
		}
		if !there {
			errs = append(errs, fmt.Errorf("%s: is not there", bare))
		} else if err := is(member); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", bare, err))
		}
	}
	for name := range rest {
		errs = append(errs, fmt.Errorf("%s: nobody knows it", name))
	}
	return errors.Join(errs...)
}

// with returns f with members added or replaced.
func (f form) with(more form) form {
	both := maps.Clone(f)
	maps.Copy(both, more)
	return both
}

// listForm is a whole list of entries.
func listForm(entries form) form {
	return form{"object": oneOf("list"), "data": listOf(entries.check), "has_more": aTruth, "next_cursor": aNull}
}

// is checks the JSON body of a response.
func (a answer) is(t *testing.T, want check) {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(a.body))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		t.Fatalf("%s: body %q: %v", a.url, a.body, err)
	}
	if err := want(v); err != nil {
		t.Errorf("%s: %s:\n%v", a.url, a.body, err)
	}
}
