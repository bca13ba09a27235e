package answersite

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/answers/ask"
)

// PageTypes are the types of pages that each set has.
func PageTypes() []string {
	return []string{
		"article", "documentation", "service", "forum", "collection", "listing", "product", "event", "person/staff", "organisation", "place", "recipe",
		"timetable", "FAQ", "PDF", "feed", "JSON",
	}
}

// Faults are what is wrong with a set: none, if it keeps the package's promises.
func (s *Set) Faults(ctx context.Context) []string {
	var faults []string
	types := map[string]int{}
	for _, p := range s.Pages {
		types[p.Type]++
		if _, err := p.Source(ctx); err != nil {
			faults = append(faults, err.Error())
		}
	}
	for _, t := range PageTypes() {
		if types[t] == 0 {
			faults = append(faults, "no page of type "+t)
		}
	}
	names := map[string]bool{}
	for _, t := range s.Tasks {
		if names[t.Name] {
			faults = append(faults, "two tasks named "+t.Name)
		}
		names[t.Name] = true
		if t.Mode == Named != (len(urls.FindAllString(t.Text, -1)) > 0) && t.Mode != WithFile {
			faults = append(faults, fmt.Sprintf("%s: a task of kind %s: %s", t.Name, t.Mode, t.Text))
		}
		if strings.ContainsAny(t.Text, "{}") {
			faults = append(faults, t.Name+": a placeholder is left: "+t.Text)
		}
		for _, w := range t.Wants {
			faults = append(faults, s.faultsOf(ctx, t, w)...)
		}
	}
	return faults
}

func (s *Set) faultsOf(ctx context.Context, t *Task, w Want) []string {
	var faults []string
	fault := func(format string, args ...any) {
		faults = append(faults, fmt.Sprintf("%s %s: ", t.Name, w.Path)+fmt.Sprintf(format, args...))
	}
	for _, url := range w.URLs {
		says := s.sayer(ctx, t, url)
		if says == nil {
			fault("there is no %s", url)
			continue
		}
		if w.Absent == "" {
			if w.Shown == "" || !says(w.Shown) {
				fault("%s does not say %q", url, w.Shown)
			}
			for _, item := range w.Value.Items {
				if !says(item) {
					fault("%s does not say %q", url, item)
				}
			}
			for _, row := range w.Value.Rows {
				for _, cell := range row {
					if !says(cell.Text) && !slices.ContainsFunc(cell.Also, says) {
						fault("%s does not say %q", url, cell.Text)
					}
				}
			}
			continue
		}
		for _, clue := range w.Clues {
			if says(clue) {
				fault("%s says %q", url, clue)
			}
		}
	}
	if len(w.URLs) == 0 && w.Absent != NoSubject {
		fault("no page is said to be the subject's")
	}
	if w.Absent == OnlyTwin && !slices.ContainsFunc(w.Lures, func(lure string) bool { return s.anywhere(ctx, lure) }) {
		fault("nobody says any of %q", w.Lures)
	}
	if w.Absent == NoSubject && (w.Subject == "" || s.anywhere(ctx, w.Subject)) {
		fault("somebody speaks of %q", w.Subject)
	}
	return faults
}

// sayer tells whether a page or a context file says some words; nil where there is none.
func (s *Set) sayer(ctx context.Context, t *Task, url string) func(string) bool {
	for _, file := range t.Files {
		if url == "file:"+file.ID {
			return func(words string) bool { return hasWords(" "+fold(string(file.JSON))+" ", words) }
		}
	}
	page := s.Page(url)
	if page == nil {
		return nil
	}
	return func(words string) bool { return page.says(ctx, words) }
}

func (s *Set) anywhere(ctx context.Context, words string) bool {
	return slices.ContainsFunc(s.Pages, func(p *Page) bool { return p.says(ctx, words) })
}

// says reports whether a page says some words, wherever: in its text, an attribute or a script.
func (p *Page) says(ctx context.Context, words string) bool {
	source, err := p.Source(ctx)
	if err != nil {
		return false
	}
	return slices.ContainsFunc([]string{source.Document.Text, source.Title, visible(p.Body, p.MediaType)}, func(text string) bool {
		return hasWords(" "+fold(text)+" ", words)
	})
}

// Describe counts a set's pages and tasks.
func (s *Set) Describe() string {
	types, tasks, fields := map[string]int{}, map[string]int{}, map[string]int{}
	known, absent := 0, 0
	for _, p := range s.Pages {
		types[p.Type]++
	}
	for _, t := range s.Tasks {
		tasks[string(t.Mode)]++
		tasks[string(t.Form)]++
		for _, w := range t.Wants {
			fields[string(w.Value.Type)]++
			if w.Absent == "" {
				known++
			} else {
				absent++
				fields[string(w.Absent)]++
			}
		}
	}
	return fmt.Sprintf("%s: %d pages on %d hosts %v; %d tasks %v; %d known values and %d absences %v", s.Name, len(s.Pages), len(s.Hosts()), types, len(s.Tasks),
		tasks, known, absent, fields)
}

// Fill answers a task with what is said of each field.
func (t *Task) Fill(with func(Want) any) json.RawMessage {
	var root pairs
	for _, w := range t.Wants {
		root.put(strings.TrimPrefix(w.Path, "/"), with(w))
	}
	return marshal(root)
}

// Perfect is what one answers who knows.
func (w Want) Perfect() any {
	switch v := w.Value; {
	case w.Absent != "":
		return ask.NotFound
	case v.Columns != nil:
		var rows []any
		for _, row := range v.Rows {
			object := map[string]any{}
			for name, cell := range row {
				object[name] = cell.Text
			}
			rows = append(rows, object)
		}
		return rows
	case v.Type == List:
		return v.Items
	case v.Type == Boolean:
		return v.Text == "true"
	case v.Type == Number || v.Type == Price:
		return json.RawMessage(v.Text)
	}
	return w.Value.Text
}

// AsShown is what one answers who copies from the page, where that is a value.
func (w Want) AsShown() any {
	if w.Absent != "" || w.Value.Type == Boolean || w.Value.Type == List || w.Value.Type == Enum || w.Value.Type == String ||
		w.Value.Type == URL { // a link's words stand for its address
		return w.Perfect()
	}
	return w.Shown
}
