package main

import (
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/turnpike-edge/turnpike/backend/answers/ask"
)

// isRight reports whether a value is the field's, or one of its other forms.
func (f *field) isRight(got any) bool {
	if same(f.Kind, f.Value, got) {
		return true
	}
	return slices.ContainsFunc(f.Also, func(other any) bool { return same(f.Kind, other, got) })
}

func same(kind string, want, got any) bool {
	switch g := got.(type) {
	case nil:
		return false
	case bool:
		return want == g
	case []any:
		var all []string
		for _, v := range g {
			if s, ok := v.(string); ok {
				all = append(all, s)
			}
		}
		return same(kind, want, all)
	case []string:
		list, ok := want.([]any)
		if !ok {
			return false
		}
		a, b := map[string]bool{}, map[string]bool{}
		for _, v := range list {
			if s, ok := v.(string); ok {
				a[plain(s)] = true
			}
		}
		for _, v := range g {
			b[plain(v)] = true
		}
		for v := range a {
			if !b[v] {
				return false
			}
		}
		return len(a) == len(b)
	case float64:
		return sameNumber(want, g)
	case json.Number:
		n, err := g.Float64()
		return err == nil && sameNumber(want, n)
	case string:
		w, ok := want.(string)
		return ok && sameText(kind, w, g)
	}
	return false
}

func sameNumber(want any, got float64) bool {
	w, ok := want.(float64)
	return ok && math.Abs(w-got) < 1e-6
}

func sameText(kind, want, got string) bool {
	if plain(want) == plain(got) {
		return true
	}
	switch kind {
	case "phone":
		a, b := digitsOf(want), digitsOf(got)
		if len(a) < len(b) {
			a, b = b, a
		}
		// With or without country code, and the zero before an area.
		return len(b) >= 7 && strings.HasSuffix(a, strings.TrimLeft(b, "0")) && len(a)-len(b) <= 3
	case "date":
		a, b := dayOf(want), dayOf(got)
		return a != "" && a == b
	case "price":
		a, aSign, aOK := priceOf(want)
		b, bSign, bOK := priceOf(got)
		return aOK && bOK && a == b && (aSign == bSign || aSign == "" || bSign == "")
	case "email":
		return strings.EqualFold(strings.TrimSpace(want), strings.TrimSpace(got))
	case "url":
		trim := func(s string) string { return strings.TrimSuffix(strings.ToLower(s), "/") }
		return trim(want) == trim(got)
	}
	return false
}

// plain is a text in lower case with its words only.
func plain(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(ask.Plain(s)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !strings.ContainsRune("$€£%+", r)
	}), "")
}

func digitsOf(s string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, s)
}

var iso = regexp.MustCompile(`^\d{4}(-\d{2}(-\d{2})?)?`)

func dayOf(s string) string {
	if day := iso.FindString(s); day != "" {
		return day
	}
	if days := ask.DatesIn(s, "en-us"); len(days) > 0 {
		return days[0]
	}
	return ""
}

var priceText = regexp.MustCompile(`\d[\d,. ]*`)

func priceOf(s string) (float64, string, bool) {
	found := priceText.FindAllString(s, -1)
	if len(found) != 1 {
		return 0, "", false
	}
	n, err := strconv.ParseFloat(strings.NewReplacer(",", "", " ", "").Replace(strings.TrimRight(found[0], "., ")), 64)
	sign := strings.ToLower(strings.Trim(strings.Replace(s, found[0], "", 1), " "))
	return n, sign, err == nil
}
