package reader

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/turnpike-edge/turnpike/backend/answers/ask"
	"github.com/turnpike-edge/turnpike/backend/websearch"
)

const (
	// searchTime is how long pages are looked for and opened; reading comes on top of it.
	searchTime = 5 * time.Second
	pagesMax   = 8
	resultsMax = 10
	// triesMax is how many candidates are checked for one field.
	triesMax = 3
)

// Reader answers tasks. It is safe for concurrent use.
type Reader struct{ model *Model }

// New returns a reader with a model, or the error of its weights.
func New(m *Model) *Reader { return &Reader{model: m} }

// Answer answers a task from what the world holds. Errors are the context's where nothing at all could be read for it; a page
// or a search that fails is passed over.
func (r *Reader) Answer(ctx context.Context, task ask.Task, world ask.World) (ask.Answer, error) {
	sources := gather(ctx, task.Text, world)
	if len(sources) == 0 && ctx.Err() != nil {
		return ask.Answer{}, fmt.Errorf("answering a task: %w", ctx.Err())
	}
	f := &finder{model: r.model, format: task.Format, task: stemsOf(addresses.ReplaceAllString(task.Text, " ")), checker: ask.NewChecker(task.Format)}
	subject := r.model.subjectOf(addresses.ReplaceAllString(task.Text, " "))
	for _, source := range sources {
		f.checker.Add(source)
		if len(source.JSON) > 0 {
			f.files = append(f.files, source)
			continue
		}
		if p := read(source); source.Named || p.isAbout(subject) {
			f.pages = append(f.pages, p)
		}
	}
	var fields []ask.Field
	for _, field := range task.Format.Fields {
		if len(field.Items) == 0 { // lists of objects are not read
			fields = append(fields, describedBy(field, task))
		}
	}
	ranked := f.rank(fields)
	var values []ask.Value
	for i, field := range fields {
		found := f.ofFiles(field)
		if found == nil {
			found = f.choose(field, ranked[i])
		}
		values = append(values, found...)
	}
	answer, err := ask.Compose(task.Format, values)
	if err != nil {
		return ask.Answer{}, fmt.Errorf("answering a task: %w", err)
	}
	return answer, nil
}

// describedBy is a field with the task as its description where the task asks for one thing only and has no name for it.
func describedBy(field ask.Field, task ask.Task) ask.Field {
	if task.Format.Kind == ask.KindText || task.Format.Kind == ask.KindString {
		field.Description = strings.TrimSpace(field.Description + " " + addresses.ReplaceAllString(task.Text, " "))
		field.Name = ""
	}
	return field
}

var addresses = regexp.MustCompile(`(?i)\b(?:https?://|www\.)[^\s"'<>()]*[^\s"'<>().,;:?!]`)

// gather opens what the task names, and where there is nothing, the pages that a search finds.
func gather(ctx context.Context, text string, world ask.World) []*ask.Source {
	sources := slices.Clone(world.Given())
	ctx, cancel := context.WithTimeout(ctx, searchTime)
	defer cancel()
	urls := addresses.FindAllString(text, pagesMax)
	for i, u := range urls {
		if strings.HasPrefix(strings.ToLower(u), "www.") {
			urls[i] = "https://" + u
		}
	}
	sources = append(sources, open(ctx, world, urls)...)
	if len(urls) > 0 || len(sources) > 0 {
		return sources
	}
	query := strings.Join(strings.Fields(text), " ")
	if utf8.RuneCountInString(query) > websearch.QueryCharsMax {
		query = string([]rune(query)[:websearch.QueryCharsMax])
	}
	results, err := world.Search(ctx, query, resultsMax)
	if err != nil {
		return nil
	}
	for _, result := range results[:min(len(results), pagesMax)] {
		urls = append(urls, result.URL)
	}
	return open(ctx, world, urls)
}

// open opens pages and returns those that could be, in the order of their URLs. The world says how many at a time.
func open(ctx context.Context, world ask.World, urls []string) []*ask.Source {
	found := make([]*ask.Source, len(urls))
	var wait sync.WaitGroup
	for i, u := range urls {
		wait.Go(func() {
			if source, err := world.Open(ctx, u); err == nil {
				found[i] = source
			}
		})
	}
	wait.Wait()
	return slices.DeleteFunc(found, func(s *ask.Source) bool { return s == nil })
}

// subjectOf are the words of a task by which a page is told from others: those in capitals or with digits, but for the first, and those
// that other pages do not have.
func (m *Model) subjectOf(text string) []stem {
	var out []stem
	for i, t := range tokensOf(text) {
		word := text[t.start:t.end]
		if r, _ := utf8.DecodeRuneInString(word); len(word) > 1 && (i > 0 && (unicode.IsUpper(r) || unicode.IsDigit(r)) || m.rarity(t.stem) >= raritySeen) {
			out = append(out, t.stem)
		}
	}
	return out
}

// isAbout reports whether a page that a search found has all words of the subject. Without a subject, no page is trusted.
func (p *page) isAbout(subject []stem) bool {
	if len(subject) == 0 {
		return false
	}
	has := map[stem]bool{}
	for i := range p.blocks {
		for _, t := range p.blocks[i].tokens {
			has[t.stem] = true
		}
	}
	return !slices.ContainsFunc(subject, func(s stem) bool { return !has[s] })
}

// finder finds the values of fields.
type finder struct {
	model   *Model
	format  *ask.Format
	task    []stem
	checker *ask.Checker
	pages   []*page
	files   []*ask.Source
}

// rank are the best candidates of each field, of all pages.
func (f *finder) rank(fields []ask.Field) [][]*Candidate {
	out := make([][]*Candidate, len(fields))
	for _, p := range f.pages {
		ofPage := make([][]*Candidate, len(fields))
		for i, field := range fields {
			ofPage[i] = f.model.Rank(f.model.Finish(f.model.candidates(f.model.want(field, f.task), p)))
		}
		Contest(ofPage)
		for i, ranked := range ofPage {
			f.model.Choose(ranked)
			out[i] = append(out[i], ranked...)
		}
	}
	return out
}

// choose takes the candidate that is trusted most, with all pages that say the same; none where none is trusted.
func (f *finder) choose(field ask.Field, best []*Candidate) []ask.Value {
	slices.SortStableFunc(best, func(a, b *Candidate) int { return cmp.Compare(b.Trust, a.Trust) })
	for i, c := range best[:min(len(best), triesMax)] {
		if c.Trust < f.model.TrustMin {
			break
		}
		v := c.at(field.Path)
		if f.checker.Check(v) != nil {
			continue
		}
		values := []ask.Value{v}
		for _, o := range best[i+1:] {
			more := o.at(field.Path)
			if o.Key == c.Key && more.URL != v.URL && f.checker.Check(more) == nil {
				values = append(values, more)
			}
		}
		return values
	}
	return nil
}

// at is the candidate as the value at a path.
func (c *Candidate) at(path string) ask.Value {
	return ask.Value{Path: path, JSON: ask.MarshalValue(listed(c.Value)), URL: c.page.source.URL, Quote: c.Quote}
}

// listed is a value as MarshalValue takes it.
func listed(value any) any {
	all, ok := value.([]string)
	if !ok {
		return value
	}
	out := make([]any, len(all))
	for i, s := range all {
		out[i] = s
	}
	return out
}
