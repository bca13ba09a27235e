package main

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/answers/ask"
	"github.com/turnpike-edge/turnpike/backend/page/extract"
)

// The baseline is what a first script would do: labels and tables, structured data by name, the only phone number and e-mail address of
// the page, its title, author and dates, and the first price. It learns nothing.

var (
	basePrice = regexp.MustCompile(`[$€£]\s?\d[\d,.]*\d|[$€£]\s?\d`)
	basePhone = regexp.MustCompile(`\+?\(?\d{2,4}\)?[-. ]\d{3,4}[-. ]\d{3,4}`)
	baseMail  = regexp.MustCompile(`[\w.+-]+@[\w-]+\.[\w.]+\w`)
	baseDigit = regexp.MustCompile(`\d[\d,]*(?:\.\d+)?`)
)

// baseline reads a field.
func baseline(s *ask.Source, f *field) any {
	name := strings.ToLower(strings.ReplaceAll(f.Name, "_", " "))
	all := labelled(s)
	for _, label := range slices.Sorted(maps.Keys(all)) {
		value := all[label]
		if label != "" && (label == name || strings.HasSuffix(name, " "+label) || strings.HasSuffix(label, " "+name)) {
			if got := baseTyped(f, value); got != nil {
				return got
			}
		}
	}
	text, m := s.Document.Text, s.Document.Metadata
	switch {
	case strings.Contains(name, "phone"):
		return sole(basePhone.FindAllString(text, -1))
	case strings.Contains(name, "mail"):
		return sole(baseMail.FindAllString(text, -1))
	case strings.Contains(name, "price"):
		return baseTyped(f, basePrice.FindString(text))
	case strings.Contains(name, "author"):
		return baseTyped(f, m.Author)
	case strings.Contains(name, "published"), name == "date":
		return baseTyped(f, m.PublishedAt)
	case strings.Contains(name, "updated"), strings.Contains(name, "modified"):
		return baseTyped(f, m.ModifiedAt)
	case name == "title":
		return baseTyped(f, m.Title)
	}
	return nil
}

func sole(all []string) any {
	for _, v := range all {
		if v != all[0] {
			return nil
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all[0]
}

func baseTyped(f *field, value string) any {
	value = strings.TrimSpace(value)
	switch {
	case value == "" || f.Type == "array" || f.Type == "boolean":
		return nil
	case f.Type == "string":
		return value
	}
	if n := strings.ReplaceAll(baseDigit.FindString(value), ",", ""); n != "" {
		return json.Number(n)
	}
	return nil
}

// labelled are the first values by label: of lines "label: value", of rows of two cells, and of structured data.
func labelled(s *ask.Source) map[string]string {
	out := map[string]string{}
	add := func(label, value string) {
		if label = strings.ToLower(strings.TrimSpace(label)); len(label) < 40 && len(value) < 200 && out[label] == "" {
			out[label] = value
		}
	}
	for line := range strings.SplitSeq(s.Document.Text, "\n") {
		if label, value, ok := strings.Cut(line, ":"); ok {
			add(label, value)
		}
	}
	for _, t := range s.Document.Structured.Tables {
		for _, row := range t.Rows {
			if len(row) == 2 {
				add(row[0], row[1])
			}
		}
	}
	var item func(i *extract.Item)
	item = func(i *extract.Item) {
		for _, name := range slices.Sorted(maps.Keys(i.Properties)) {
			for _, v := range i.Properties[name] {
				if inner, ok := v.(*extract.Item); ok {
					item(inner)
				} else if text, ok := v.(string); ok {
					add(name, text)
				}
			}
		}
	}
	for _, i := range append(s.Document.Structured.JSONLD, s.Document.Structured.Microdata...) {
		item(i)
	}
	return out
}
