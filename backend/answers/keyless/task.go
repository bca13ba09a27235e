package keyless

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/turnpike-edge/turnpike/backend/answers/ask"
)

// asked is what a task is about.
type asked struct {
	task ask.Task
	urls []string
	// entities are the names in it, the one that it is about first; their words are in lower case.
	entities [][]string
	// contexts are those of the names that say where the subject is.
	contexts [][]string
	// words are all of its words, and of its addresses' paths none.
	words map[string]bool
	list  []string
	years []string
	// headless reports that all names in it say where the subject is.
	headless bool
	// filed reports that there are context files, of which the names in the task may be.
	filed bool
	// spoken are the senses of the words, once they are asked for.
	spoken map[string]bool
}

// attached notes the context files, whose ids are no names of what the task is about.
func (a *asked) attached(sources []*ask.Source) {
	for _, source := range sources {
		id, isFile := strings.CutPrefix(source.URL, "file:")
		if !isFile {
			continue
		}
		a.filed = true
		a.entities = slices.DeleteFunc(a.entities, func(name []string) bool { return slices.Equal(name, plainWords(id)) })
	}
}

var (
	addresses = regexp.MustCompile(`https?://[^\s"'<>()]+[^\s"'<>().,;:?!]`)
	quotedRun = regexp.MustCompile(`"([^"]{2,80})"|“([^”]{2,80})”|'([A-Z][^']{2,80})'`)
	token     = regexp.MustCompile(`[\pL\pN][\pL\pN_'’&.+/-]*`)
)

// starters are words that begin tasks and sentences with a capital, and are no names.
var starters = set("what which who whom whose when where why how find give tell get fill read take look list extract show name see use using please " +
	"return provide i we the a an is are was " +
	"were does do did has have had in on at of from for to by with and or if it its this that these those needed facts company data according on my me can could " +
	"information details report write determine check search answer visit identify collect compare company whether once since january february march " +
	"april may june july august " +
	"september october november december monday tuesday wednesday thursday friday saturday sunday url json sku isbn vat ceo id e-mail email phone price " +
	"cost contact contacts overview also somebody someone everybody everyone anybody anyone nobody you your they he she us me tell let go make see need want please " +
	"based given regarding concerning about via within under celsius fahrenheit kelvin eur usd gbp chf vhf id no nr yes each every all both one two " +
	"three hi hello dear thanks could would should will shall might must may until till since during")

// bidding are words that begin another part of a task even where no mark stands before them: "… for Cold Ashing See https://…".
var bidding = set("see please what which when whose whom give tell return find")

// aspects are what a task may ask about something, before its name.
var aspects = set("geography history biography economy climate background summary report profile specs specification specifications review")

// opensTask reports whether the first word of a task is a verb, "Research the …", or an aspect of what it is about, "Geography of …".
func opensTask(word, rest string) bool {
	return strings.HasPrefix(rest, " the ") || aspects[word] && (strings.HasPrefix(rest, " of ") || strings.HasPrefix(rest, " on ") || strings.HasPrefix(rest, " for "))
}

// contextual are words before a name that is where the subject is, not the subject.
var contextual = set("in at on from near by")

// understand reads a task.
func understand(task ask.Task) *asked {
	a := &asked{task: task, words: map[string]bool{}}
	for _, u := range addresses.FindAllString(task.Text, 20) {
		if !slices.Contains(a.urls, u) {
			a.urls = append(a.urls, u)
		}
	}
	text := addresses.ReplaceAllString(limit(task.Text, 8000), " ; ")
	a.list = plainWords(text)
	for _, word := range a.list {
		a.words[word] = true
		if isYear(word) && !slices.Contains(a.years, word) {
			a.years = append(a.years, word)
		}
	}
	a.name(text)
	return a
}

// name finds the names in a task: quoted words, runs of words with capitals or digits, and words as programs have them.
func (a *asked) name(text string) {
	var names namesIn
	for _, m := range quotedRun.FindAllStringSubmatch(text, 10) {
		names.put([]string{m[1] + m[2] + m[3]}, "")
	}
	var run []string
	before, last := "", ""
	end, stopped := 0, false
	flush := func() {
		for len(run) > 0 && (linking[strings.ToLower(run[len(run)-1])]) {
			run = run[:len(run)-1]
		}
		if len(run) > 0 && !(len(run) == 1 && (isYear(run[0]) || !hasLetter(run[0]) && len(run[0]) < 3)) {
			names.put(run, before)
		}
		run = nil
	}
	for _, at := range token.FindAllStringIndex(text, 400) {
		word := strings.TrimRight(text[at[0]:at[1]], ".'’/-")
		word = strings.TrimSuffix(strings.TrimSuffix(word, "'s"), "’s")
		gap := text[end:at[0]]
		if strings.ContainsAny(gap, ",;:?!()\"“”\n") || strings.Contains(gap, ". ") || stopped {
			flush()
		}
		end = at[1]
		lower := strings.ToLower(word)
		begins := at[0] == 0 || strings.ContainsAny(gap, ":;?!\n") || stopped || bidding[lower]
		if bidding[lower] {
			flush()
		}
		stopped = strings.HasSuffix(text[at[0]:at[1]], ".") && len(word) > 2
		switch {
		case isNameWord(word) && len(run) == 0 && begins && (senses[singular(lower)] != nil || generic[lower] || starters[lower]),
			at[0] == 0 && opensTask(lower, text[at[1]:]):
			flush()
		case isNameWord(word) && !(starters[lower] && (len(run) == 0 || senses[lower] != nil)):
			if len(run) == 0 {
				before = last
			}
			run = append(run, word)
		case len(run) > 0 && linking[lower] && strings.TrimSpace(gap) == "":
			run = append(run, word)
		default:
			flush()
		}
		last = lower
		if strings.HasSuffix(text[at[0]:at[1]], "s") && strings.ContainsAny(text[at[0]:at[1]], "'’") {
			flush() // the owner of what follows
		}
	}
	flush()
	a.keep(names)
}

// namesIn are the names in a task: those that it may be about, and those that say where that is.
type namesIn struct{ heads, contexts [][]string }

func (n *namesIn) put(run []string, before string) {
	all := plainWords(strings.Join(run, " "))
	if len(all) == 0 {
		return
	}
	if last := len(all) - 1; last > 1 && isYear(all[last]) {
		all = all[:last] // of what happens each year, the year is asked for apart
	}
	if at := slices.Index(all, "of"); at > 1 && at < len(all)-1 {
		// "Hugo Castellan of Orrin University": one within the other.
		n.contexts = append(n.contexts, all[at+1:])
		all = all[:at]
	}
	switch {
	case len(all) == 1 && before == "in" && (unitWords[all[0]] || isUnit(all[0])): // "in m2"
	case contextual[before]:
		n.contexts = append(n.contexts, all)
	default:
		n.heads = append(n.heads, all)
	}
}

// keep takes the names of things, and leaves those of fields.
func (a *asked) keep(names namesIn) {
	fields := fieldWords(a.task.Format)
	if text := strings.TrimSpace(a.task.Text); len(names.heads) > 1 && len(names.heads[0]) == 1 && beginsPlainly(text, names.heads[0][0]) {
		if slices.ContainsFunc(names.heads[1:], func(name []string) bool { return hasLetter(strings.Join(name, "")) }) {
			names.heads = names.heads[1:]
		}
	}
	for _, name := range names.heads {
		// A word in capitals that the form has too is of the field: "the VHF channel".
		if !slices.ContainsFunc(name, func(word string) bool { return !fields[word] }) && len(names.heads) > 1 {
			continue
		}
		if len(name) == 1 && !hasLetter(name[0]) && a.isMeasured(name[0]) {
			continue // "per 100 ml"
		}
		a.entities = append(a.entities, name)
	}
	if m := versionAsked.FindStringSubmatch(a.task.Text); m != nil && len(a.entities) > 1 && slices.Equal(a.entities[0], plainWords(m[1])) {
		a.entities = append(slices.Clone(a.entities[1:]), a.entities[0]) // what it is asked of comes behind
	}
	a.headless = len(a.entities) == 0
	a.entities, a.contexts = append(a.entities, names.contexts...), names.contexts
}

// isMeasured reports whether a number stands before a unit in the task.
func (a *asked) isMeasured(number string) bool {
	at := slices.Index(a.list, number)
	return at >= 0 && at+1 < len(a.list) && (unitWords[a.list[at+1]] || isUnit(a.list[at+1]))
}

// fieldWords are the words of the names of a form's fields.
func fieldWords(format *ask.Format) map[string]bool {
	out := map[string]bool{}
	if format == nil {
		return out
	}
	for _, field := range format.Fields {
		for _, word := range words(field.Path) {
			out[word] = true
		}
	}
	return out
}

// linking are small words within names.
var linking = set("of the de la von van der den di da du del and & on upon under for le les")

func hasLetter(s string) bool { return strings.ContainsFunc(s, unicode.IsLetter) }

// isNameWord reports whether a word is written as names are: with a capital, digits, or underscores.
func isNameWord(word string) bool {
	first := []rune(word)[0]
	if unicode.IsUpper(first) || strings.Contains(word, "_") {
		return true
	}
	return strings.ContainsFunc(word, unicode.IsDigit)
}

// strong reports whether a word of a name tells it from another name: one with a capital or a digit that the task has not.
func (a *asked) strangers(name string) int {
	n := 0
	for i, word := range strings.FieldsFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '\'' && r != '’'
	}) {
		folded := plainWords(word)
		if len(folded) == 0 {
			continue
		}
		lower := folded[0]
		missing := slices.ContainsFunc(folded, func(part string) bool { return !a.has(part) })
		if !missing || weak[lower] || len(terms(folded)) == 0 || isSpoken(folded) && !digits(lower) {
			continue
		}
		first := []rune(word)[0]
		if unicode.IsUpper(first) || unicode.IsDigit(first) || i == 0 && unicode.IsLetter(first) {
			n++
		}
	}
	return n
}

// isSpoken reports whether words are of the lexicon, which names seldom are.
func isSpoken(all []string) bool {
	return !slices.ContainsFunc(terms(all), func(term string) bool { return kindOf[term] == "" })
}

func (a *asked) has(word string) bool {
	return a.words[word] || a.words[singular(word)] || a.words[word+"s"]
}

func digits(s string) bool { return strings.ContainsFunc(s, unicode.IsDigit) }

// weak are words of titles that are of no name.
var weak = set("welcome home page homepage profile overview official site website wiki the a dr prof professor mr mrs ms st about info information " +
	"contact visit guide data sheet datasheet " +
	"details facts timetable schedule timeline chronology obituary recipe product frequently asked questions faq station weather record entry company department " +
	"announcing introducing presenting meet discover review reviewed")

// covers reports whether words has all of a name's.
func covers(all map[string]bool, name []string) bool {
	return len(name) > 0 && !slices.ContainsFunc(name, func(word string) bool {
		return !all[word] && !all[word+"s"] && !all[singular(word)] && !little[word] && !linking[word]
	})
}

func setOf(all []string) map[string]bool {
	out := map[string]bool{}
	for _, word := range all {
		out[word] = true
	}
	return out
}

// standing is how far a page is the subject's.
type standing int

const (
	// foreign pages are of no use.
	foreign standing = iota
	// local pages speak of the subject in a row, a record or a sentence.
	local
	// topical pages are about the subject, among other things or by another name.
	topical
	// own pages are about the subject.
	own
	// named pages were named in the task, and are about the subject.
	named
)

// stand judges a page.
func (a *asked) stand(p *page) standing {
	isNamed := p.source.Named || slices.Contains(a.urls, p.source.URL) || p.isFile
	if !p.isFile && !a.filed && a.isCalled(p) {
		if isNamed {
			return named
		}
		return own
	}
	entities := a.subjects(p)
	for _, name := range entities {
		if !coversText(p, name) {
			if isNamed && (!a.isHead(name) || a.filed && len(a.urls) > 0 && !p.isFile) {
				continue
			}
			return foreign
		}
	}
	if len(entities) == 0 && isNamed {
		return named
	}
	if isNamed && a.filed && !p.isFile {
		return named
	}
	if isNamed && len(entities) > 0 && slices.ContainsFunc(p.names, func(name string) bool { return a.begins(name, entities[0]) }) {
		return named
	}
	if a.isAbout(p, entities) {
		if isNamed {
			return named
		}
		return own
	}
	if len(entities) == 0 && len(a.entities) > 0 {
		return topical // all that is named is the site
	}
	if a.isTopic(p, entities) {
		if isNamed {
			return named
		}
		return topical
	}
	return local
}

// begins reports whether a page's name is the subject's, with nothing but an addition behind it: "listen_port (Version 4)".
func (a *asked) begins(name string, subject []string) bool {
	before, _, _ := strings.Cut(name, " (")
	return slices.Equal(plainWords(before), subject)
}

func (a *asked) isHead(name []string) bool {
	return len(a.entities) > 0 && slices.Equal(a.entities[0], name)
}

func coversText(p *page, name []string) bool {
	for _, word := range name {
		if p.all[word] || p.all[word+"s"] || p.all[singular(word)] || little[word] || linking[word] || siteWords[word] && len(name) > 1 {
			continue
		}
		found := false
		for part := range p.context {
			found = found || len(word) > 3 && strings.Contains(part, word)
		}
		if !found {
			return false
		}
	}
	return true
}

// siteWords are what a task may call a site by behind its name: "the Parcelwire API".
var siteWords = set("api docs documentation website site blog help support store shop portal handbook manual reference")

// subjects are the task's names, without those that only say where the page is.
func (a *asked) subjects(p *page) [][]string {
	var out [][]string
	for _, name := range a.entities {
		name = a.withoutAspect(name, p)
		site := true
		for _, word := range name {
			inHost := p.context[word] && !slices.ContainsFunc(p.names, func(n string) bool { return slices.Contains(plainWords(n), word) })
			site = site && (inHost || siteWords[word] && len(name) > 1)
		}
		if !site && !p.isHost(name) && !a.isOpening(name, p) && !a.isAsked(name, p) {
			out = append(out, name)
		}
	}
	return out
}

// withoutAspect is a name without the word that the task begins with and "of", where a page has no such word: "Obituary of Ada Plum" is
// about Ada Plum. What is left has two words at least: a bank of a town is not the town.
func (a *asked) withoutAspect(name []string, p *page) []string {
	if len(name) > 3 && name[1] == "of" && len(a.list) > 0 && a.list[0] == name[0] && !p.all[name[0]] {
		return name[2:]
	}
	return name
}

// isHost reports whether a name is that of the page's site, as its host has it: "Oster Ferries" of www.osterferries.example.
func (p *page) isHost(name []string) bool {
	joined := strings.Join(name, "")
	return len(name) > 1 && len(joined) > 5 && slices.Contains(p.hosts, joined)
}

// isAsked reports whether a name is of what is asked of a page that the task names, and not of whom: a standard, a norm or a model in
// the description of a field, "certified to ISO 9001".
func (a *asked) isAsked(name []string, p *page) bool {
	if len(name) < 2 || !p.source.Named && !slices.Contains(a.urls, p.source.URL) || a.task.Format == nil || !slices.ContainsFunc(name, digits) {
		return false
	}
	return slices.ContainsFunc(a.task.Format.Fields, func(field ask.Field) bool { return runIn(plainWords(field.Description), name) >= 0 })
}

// isOpening reports whether a name is only the word that a task begins with, and has its capital from that: "Plans: https://…". It is
// for what was named anyway, or where the task has other names.
func (a *asked) isOpening(name []string, p *page) bool {
	if len(name) != 1 || len(a.list) == 0 || a.list[0] != name[0] || p.all[name[0]] && !aspects[name[0]] {
		return false
	}
	return p.isFile || p.source.Named || slices.Contains(a.urls, p.source.URL) || len(a.entities) > 1
}

// isAbout reports whether one of a page's names is the subject's.
func (a *asked) isAbout(p *page, entities [][]string) bool {
	for _, name := range p.names {
		own := setOf(plainWords(name))
		if a.strangers(name) > 0 {
			continue
		}
		if len(entities) > 0 && p.isInFull(plainWords(name), entities[0]) {
			return true
		}
		if len(entities) > 0 {
			if covers(union(own, p.context), entities[0]) && slices.ContainsFunc(entities[0], func(w string) bool { return own[w] }) {
				return true
			}
			continue
		}
		known := 0
		for word := range own {
			if a.words[word] && !little[word] && !generic[word] {
				known++
			}
		}
		if known >= 2 || known == 1 && len(own) == 1 {
			return true
		}
	}
	return false
}

// isInFull reports whether a name with more in its middle is that of somebody whom a page calls by the first and the last of it, and names in
// full where it begins.
func (p *page) isInFull(called, full []string) bool {
	n := len(called)
	if n < 2 || len(full) <= n || called[0] != full[0] || called[n-1] != full[len(full)-1] {
		return false
	}
	return slices.ContainsFunc(p.sentences[:min(len(p.sentences), leadSentences)], func(s sentence) bool {
		return hasName(s.text, strings.Join(full, " "), false)
	})
}

func union(a, b map[string]bool) map[string]bool {
	out := map[string]bool{}
	for word := range a {
		out[word] = true
	}
	for word := range b {
		out[word] = true
	}
	return out
}

// mentions reports whether a text names the subject of the task, and nothing that is only like it.
func (a *asked) mentions(text string, p *page) bool {
	if len(a.entities) == 0 {
		return false
	}
	all := plainWords(text)
	head := a.entities[0]
	for _, name := range a.subjects(p) {
		head = name
		break
	}
	for i := 0; i+len(head) <= len(all); i++ {
		if slices.Equal(all[i:i+len(head)], head) {
			return true
		}
	}
	return false
}

// isRowOf reports whether one of the cells of a row is the subject's name, and nothing else.
func (a *asked) isRowOf(row []string, p *page) bool {
	for _, name := range a.subjects(p) {
		for _, cell := range row {
			if covers(setOf(plainWords(cell)), name) && a.strangers(cell) == 0 {
				return true
			}
		}
	}
	return false
}
