package keyless

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/turnpike-edge/turnpike/backend/answers/ask"
	"github.com/turnpike-edge/turnpike/backend/websearch"
)

const (
	// searchTime is how long pages are looked for and opened; reading comes on top of it.
	searchTime = 5 * time.Second
	pagesMax   = 8
	resultsMax = 10
	queriesMax = 3
	atOnce     = 4
	// trustMin is how far a finding must be trusted to be given.
	trustMin = 0.52
	// rivalry is how close to the best another finding counts as its equal.
	rivalry = 0.1
)

// Reader answers tasks. It has no state.
type Reader struct{}

// New returns a reader.
func New() *Reader { return &Reader{} }

// Answer answers a task from what the world holds. Errors are the context's where nothing at all could be read for it; a page
// or a search that fails is passed over.
func (r *Reader) Answer(ctx context.Context, task ask.Task, world ask.World) (ask.Answer, error) {
	a := understand(task)
	sources := gather(ctx, a, world)
	if len(sources) == 0 && ctx.Err() != nil {
		return ask.Answer{}, fmt.Errorf("answering a task: %w", ctx.Err())
	}
	f := &finder{asked: a, checker: ask.NewChecker(task.Format)}
	a.attached(sources)
	var pages []*page
	for _, source := range sources {
		p := read(source)
		if pages = append(pages, p); !p.isFile && !a.filed {
			a.rename(p)
		}
	}
	f.read = pages
	for _, p := range pages {
		if s := a.stand(p); s > foreign && !a.isNamesake(p) {
			f.pages = append(f.pages, placed{p, s})
			f.checker.Add(p.source)
		}
	}
	f.narrow()
	f.leaveNamesakes()
	var values []ask.Value
	for _, field := range task.Format.Fields {
		values = append(values, f.field(field)...)
	}
	answer, err := ask.Compose(task.Format, values)
	if err != nil {
		return ask.Answer{}, fmt.Errorf("answering a task: %w", err)
	}
	return answer, nil
}

// gather opens what the task names, and where that is not enough the pages that searches find.
func gather(ctx context.Context, a *asked, world ask.World) []*ask.Source {
	sources := slices.Clone(world.Given())
	ctx, cancel := context.WithTimeout(ctx, searchTime)
	defer cancel()
	opened := open(ctx, world, a.urls)
	sources = append(sources, opened...)
	if len(a.urls) > 0 || len(sources) > 0 {
		return sources
	}
	// The best of each search come first: a name alone may have many pages, and the whole task few that are about it.
	var ranked [resultsMax][]string
	for _, query := range queries(a) {
		results, err := world.Search(ctx, query, resultsMax)
		if err != nil {
			continue
		}
		for i, result := range results[:min(len(results), resultsMax)] {
			ranked[i] = append(ranked[i], result.URL)
		}
	}
	var urls []string
	for _, found := range slices.Concat(ranked[:]...) {
		if !slices.Contains(urls, found) && len(urls) < pagesMax {
			urls = append(urls, found)
		}
	}
	return append(sources, open(ctx, world, urls)...)
}

// queries are what is searched for: the task, and its names.
func queries(a *asked) []string {
	text := squeeze(addresses.ReplaceAllString(a.task.Text, " "))
	out := []string{limit(text, websearch.QueryCharsMax)}
	var names []string
	for _, name := range a.entities {
		names = append(names, strings.Join(name, " "))
	}
	if len(names) > 0 {
		out = append([]string{limit(strings.Join(names, " "), websearch.QueryCharsMax)}, out...)
	}
	return out[:min(len(out), queriesMax)]
}

// open opens pages, a few at once, and returns those that could be, in the order of their URLs.
func open(ctx context.Context, world ask.World, urls []string) []*ask.Source {
	found := make([]*ask.Source, len(urls))
	slots := make(chan struct{}, atOnce)
	done := make(chan struct{}, len(urls))
	for i, u := range urls {
		go func() {
			defer func() { done <- struct{}{} }()
			select {
			case slots <- struct{}{}:
				defer func() { <-slots }()
			case <-ctx.Done():
				return
			}
			if source, err := world.Open(ctx, u); err == nil {
				found[i] = source
			}
		}()
	}
	for range urls {
		<-done
	}
	return slices.DeleteFunc(found, func(s *ask.Source) bool { return s == nil })
}

// placed is a page with how far it is the subject's.
type placed struct {
	*page

	standing standing
}

// finder finds the values of fields.
type finder struct {
	asked   *asked
	checker *ask.Checker
	pages   []placed
	// read are all pages that were read, those of others too.
	read []*page
}

// narrow leaves out pages of the subject's name whose name has less of the task than another's: of "compression" and "log level"
// of one program, the one that is asked for.
func (f *finder) narrow() {
	best := 0
	for _, p := range f.pages {
		if p.standing == own {
			best = max(best, f.asked.fit(p.page))
		}
	}
	f.pages = slices.DeleteFunc(f.pages, func(p placed) bool { return p.standing == own && f.asked.fit(p.page) < best })
	if len(f.asked.entities) == 0 {
		return
	}
	// Of "County League" and "County Youth League" it is the one whose name has the words as the task does.
	head := f.asked.entities[0]
	isWhole := func(p placed) bool {
		return p.standing != own || slices.ContainsFunc(p.names, func(name string) bool { return runIn(plainWords(name), head) >= 0 })
	}
	if slices.ContainsFunc(f.pages, func(p placed) bool { return p.standing == own && isWhole(p) }) {
		f.pages = slices.DeleteFunc(f.pages, func(p placed) bool { return !isWhole(p) })
	}
	if slices.ContainsFunc(f.pages, func(p placed) bool { return p.standing == own && p.isExactly(head) }) {
		f.pages = slices.DeleteFunc(f.pages, func(p placed) bool { return p.standing == own && p.isVariant(head) })
	}
}

// isExactly reports whether one of a page's names is a name and nothing else.
func (p *page) isExactly(name []string) bool {
	return slices.ContainsFunc(p.calls(), func(called string) bool { return slices.Equal(plainWords(called), name) })
}

// isVariant reports whether a page is about something that is told from what has a name by what it is with or without: "cake without eggs".
func (p *page) isVariant(name []string) bool {
	return !p.isExactly(name) && slices.ContainsFunc(p.names, func(called string) bool {
		all := plainWords(called)
		return len(all) > len(name) && slices.Equal(all[:len(name)], name) && slices.Contains([]string{"with", "without", "for", "and"}, all[len(name)])
	})
}

// fit is how many words of a page's name the task has.
func (a *asked) fit(p *page) int {
	most := 0
	for _, name := range p.names {
		if a.strangers(name) > 0 {
			continue
		}
		n := 0
		for word := range setOf(plainWords(name)) {
			if a.words[word] && !little[word] && !generic[word] {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}

// finding is what may be the value of a field.
type finding struct {
	value    any
	url      string
	quote    string
	trust    float64
	standing standing
}

// field finds the value of a field, with all who say it; none where nobody does, or where equals disagree.
func (f *finder) field(field ask.Field) []ask.Value {
	if len(field.Items) > 0 {
		return f.records(field)
	}
	w := newWant(field, f.asked, f.asked.task.Format.Kind)
	w.asking = f.asks(field)
	w.refineBy()
	var all []finding
	for _, p := range f.pages {
		all = append(all, f.ofFacts(w, p)...)
		all = append(all, f.ofSentences(w, p)...)
		all = append(all, f.ofProse(w, p)...)
		all = append(all, f.ofFrames(w, p)...)
		all = append(all, f.truths(w, p)...)
		all = append(all, f.columns(w, p)...)
		all = append(all, f.ofEntry(w, p)...)
		all = append(all, f.cells(w, p)...)
		all = append(all, f.offers(w, p)...)
		all = append(all, f.features(w, p)...)
		all = append(all, f.links(w, p)...)
		all = append(all, f.choices(w, p)...)
		all = append(all, f.bare(w, p)...)
	}
	all = slices.DeleteFunc(all, func(found finding) bool {
		return found.trust < trustMin || f.isMisread(w, found)
	})
	slices.SortStableFunc(all, func(x, y finding) int {
		if c := cmp.Compare(y.standing, x.standing); c != 0 {
			return c
		}
		return cmp.Compare(y.trust, x.trust)
	})
	if chosen := f.choose(w, all); len(chosen) > 0 {
		return chosen
	}
	if found := f.ofPage(field); len(found) > 0 {
		return found
	}
	if f.asked.task.Format.Kind == ask.KindText && len(all) > 1 {
		return nil // they disagree
	}
	return f.plain(w)
}

// choose takes the best finding that the check accepts, unless one that is as good says something else and no fewer say it.
func (f *finder) choose(w *want, all []finding) []ask.Value {
	type rival struct {
		key    string
		values []ask.Value
		first  finding
	}
	var rivals []rival
	for _, found := range all {
		v := ask.Value{Path: w.field.Path, JSON: ask.MarshalValue(found.value), URL: found.url, Quote: found.quote}
		if len(rivals) > 0 && (found.standing < rivals[0].first.standing || found.trust < rivals[0].first.trust-rivalry) && keyOf(found.value) != rivals[0].key {
			continue
		}
		if f.checker.Check(v) != nil {
			continue
		}
		key := keyOf(found.value)
		at := slices.IndexFunc(rivals, func(r rival) bool { return agree(r.key, key) })
		if at >= 0 && len(key) > len(rivals[at].key) && found.url == rivals[at].first.url {
			rivals[at].key, rivals[at].values = key, []ask.Value{v} // the same with its unit, or the days beside the hours
		}
		if at < 0 {
			rivals = append(rivals, rival{key: key, first: found})
			at = len(rivals) - 1
		}
		if !slices.ContainsFunc(rivals[at].values, func(other ask.Value) bool { return other.URL == v.URL }) {
			rivals[at].values = append(rivals[at].values, v)
		}
	}
	switch {
	case len(rivals) == 0:
		return nil
	case len(rivals) == 1:
		return rivals[0].values
	}
	if rivals[0].first.trust > rivals[1].first.trust+0.04 {
		return rivals[0].values
	}
	slices.SortStableFunc(rivals, func(x, y rival) int { return cmp.Compare(len(y.values), len(x.values)) })
	if len(rivals[0].values) > len(rivals[1].values) {
		return rivals[0].values
	}
	return nil
}

// agree reports whether one of two values is the other with words that say more: "2 years" and "2". Two numbers never agree that differ.
func agree(a, b string) bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	if a == b {
		return true
	}
	before, after, ok := strings.Cut(" "+a+" ", " "+b+" ")
	return ok && b != "" && digits(b) && !digits(before) && (!digits(after) || strings.HasSuffix(before, " ")) && hasLetter(before+after)
}

// keyOf is a value as it is compared with others.
func keyOf(value any) string {
	return strings.Join(plainWords(string(ask.MarshalValue(value))), " ")
}

// ofFacts are what the labelled values of a page say.
func (f *finder) ofFacts(w *want, p placed) []finding {
	var out []finding
	for _, fact := range p.facts {
		if strings.HasPrefix(strings.ToLower(fact.label), "per ") && !slices.Contains(w.raw, "per") {
			continue // of each portion, not how many there are
		}
		if w.field.Type == "array" && (fact.counted || fact.trust < 0.75 && fact.label == "author") {
			continue // a number of them, or one at the head of the page
		}
		if fact.list && w.field.Type != "array" {
			continue
		}
		trust := w.match(fact.terms, fact.context) * fact.trust
		if trust == 0 && w.kind == "money" && slices.Equal(core(w.name), []string{"price"}) &&
			slices.Equal(fact.terms, []string{"listprice"}) && fact.label != "old price" && !formerLabels[strings.ToLower(fact.label)] && !p.hasPrice(fact.card) {
			trust = listTrust * fact.trust // there is no other
		}
		isSame := len(w.raw) > 0 && slices.Equal(words(fact.label), w.raw)
		if isSame {
			trust = max(trust, 0.9*fact.trust)
		}
		if len(w.parents) > 0 && !slices.ContainsFunc(w.parents, func(word string) bool { return !slices.Contains(plainWords(fact.around), word) }) {
			trust *= 1.06 // of the object that the field is in
		}
		if len(fact.terms) == 0 && !fact.counted && moneyText.MatchString(fact.value) && w.kind == "money" && slices.Equal(w.name, []string{"price"}) && p.standing > local &&
			!formerLabels[strings.ToLower(fact.label)] {
			trust = 0.6 // "Now: £12"
		}
		if trust < trustMin {
			continue
		}
		if fact.edge && !f.isOfEdge(w, fact, p) || !fact.edge && f.isOfAnother(w, fact.label+" "+fact.quote, fact.around, fact.block, p) {
			continue
		}
		if !f.isOf(w, fact, p) || !f.isOfYear(w, fact.label+" "+fact.around+" "+fact.value, p) {
			continue
		}
		value, ok := f.valueOf(w, fact, p)
		isText := w.field.Form == "" && w.field.Enum == nil && (w.field.Type == "" || w.field.Type == "string")
		if !ok && isSame && isText && !(fact.question && strings.Contains(fact.value, ". ")) {
			value, ok = w.as("").value(fact.value, p.page, true) // what it is called goes before what it was taken for
		}
		if !ok {
			continue
		}
		out = append(out, finding{value, p.source.URL, fact.quote, trust, p.standing})
	}
	return out
}

// listTrust is what is left of the trust in a list price where the page has no other.
const listTrust = 0.8

// answerBytes is how long the answer to a question may be to be given as it is.
const answerBytes = 200

func (f *finder) valueOf(w *want, fact fact, p placed) (any, bool) {
	if w.kind == "name" && fact.trust < 0.9 && len(strings.Fields(fact.value)) > 6 {
		return nil, false // a sentence, which is read as one
	}
	if !fact.question {
		return w.value(fact.value, p.page, true)
	}
	if w.field.Type != "array" && len(fact.value) > answerBytes/2 && strings.Contains(fact.value, "\n") {
		return nil, false // a part of the page, not an answer
	}
	if w.field.Type == "array" && (strings.Contains(fact.value, "\n") || len(fact.value) < answerBytes) {
		return w.value(fact.value, p.page, true)
	}
	if w.kind == "" || w.kind == "text" || w.kind == "list" {
		if len(fact.value) > answerBytes || strings.Contains(fact.value, "\n") {
			return nil, false
		}
		return w.value(fact.value, p.page, true)
	}
	if len(core(fact.terms)) == 0 {
		return nil, false // a heading that names nothing
	}
	found := parts(ask.Plain(fact.value), w.kind, p.language, w)
	if len(found) != 1 {
		return nil, false
	}
	return w.typed(w.kind, found[0].text, p.page)
}

// isOf reports whether a fact is of the subject: all are of its own page, but for those of rows that are of others.
func (f *finder) isOf(w *want, fact fact, p placed) bool {
	if !fact.isRow {
		if p.standing > local {
			return true
		}
		return f.asked.mentions(fact.label, p.page) && len(core(fact.terms)) <= len(f.asked.entities[0])
	}
	if f.asked.isRowOf(fact.row, p.page) {
		return true
	}
	if p.standing <= local {
		return false
	}
	return slices.ContainsFunc(fact.row, func(cell string) bool { return f.asked.picks(w, cell) })
}

// picks reports whether the task, or the field, has all words of what a row of the subject's own page is about.
func (a *asked) picks(w *want, cell string) bool {
	all := plainWords(cell)
	if first, _, _ := strings.Cut(cell, " "); isCode(first) {
		all = plainWords(first) // "--workers <number>"
	}
	described := plainWords(w.field.Description)
	if a.namesAnother(described, all) {
		return false
	}
	return len(all) > 0 && len(all) <= 5 && !slices.ContainsFunc(all, func(word string) bool { return !a.has(word) && !slices.Contains(described, word) })
}

// isOfYear reports whether what is said is of the year that is asked for, if one is.
func (f *finder) isOfYear(w *want, said string, p placed) bool {
	if !w.isOfNumber(said, p) {
		return false
	}
	if len(w.years) == 0 {
		return true
	}
	all := setOf(plainWords(said + " " + strings.Join(p.names, " ")))
	return slices.ContainsFunc(w.years, func(year string) bool { return all[year] || p.context[year] })
}

// ofSentences are what the sentences of a page say.
func (f *finder) ofSentences(w *want, p placed) []finding {
	if w.field.Type == "array" || w.loose && w.kind == "name" {
		return nil
	}
	var out []finding
	for _, s := range p.sentences {
		if f.isOthers(w, s, p) || isOthersOwn(s.text) {
			continue
		}
		t, ok := w.tell(s, p.page, f.asked)
		if !ok || !f.isOfYear(w, s.text+" "+s.heading, p) {
			continue
		}
		if mineText.MatchString(s.text) {
			t.trust -= 0.1
		}
		value, ok := w.value(t.text, p.page, false)
		if !ok {
			continue
		}
		out = append(out, finding{value, p.source.URL, s.text, t.trust, p.standing})
	}
	return out
}

// isOthers reports whether a sentence is said of something else than the subject: it stands below the name of another record, or
// on a page that is not the subject's without naming it.
func (f *finder) isOthers(w *want, s sentence, p placed) bool {
	switch {
	case f.isOfAnother(w, s.text, s.heading, s.block, p):
		return true
	case p.coded[s.card]:
		return !f.asked.picks(w, s.card)
	case p.cards[s.card]:
		return !f.asked.isRowOf([]string{s.card}, p.page)
	}
	return p.standing <= local && !f.asked.mentions(s.text, p.page)
}

// columns are the lists that the columns of a page's tables make: all that stands below a header.
func (f *finder) columns(w *want, p placed) []finding {
	if w.field.Type != "array" || p.standing <= local {
		return nil
	}
	var out []finding
	for _, g := range p.tables {
		for j, h := range g.header {
			label := terms(words(h))
			trust := w.match(label, slices.Concat(label, terms(words(g.around+" "+strings.Join(p.names, " "))))) * 0.9
			if len(w.raw) > 0 && slices.Equal(singulars(words(h)), singulars(w.raw)) {
				trust = max(trust, 0.9)
			}
			if trust < trustMin || len(g.rows) < 2 {
				continue
			}
			var cells, all []string
			for i, row := range g.rows {
				cells = append(cells, row[j])
				if len(g.quotes) > 0 {
					all = append(all, g.quotes[i][j])
					continue
				}
				all = append(all, strings.Join(row, " "))
			}
			value, ok := w.listValue(strings.Join(cells, "\n"))
			if list, isList := value.([]any); ok && isList && len(list) == len(cells) {
				out = append(out, finding{value, p.source.URL, strings.Join(all, " "), trust, p.standing})
			}
		}
	}
	return out
}
