package compare

import (
	"encoding/json"
	"regexp"
	"strings"
)

// Options is how snapshots are compared.
type Options struct {
	// Query is what the monitor's owner asks for, and Focus are words of the plan for what is watched ("price", "stock"). None: all counts.
	Query string
	Focus []string
	// Schema is the monitor's output_schema, where there is one: it says what is a date among the fields.
	Schema json.RawMessage
	// Model decides; nil is the one that is shipped.
	Model *Model
	// Study has Diff.Findings filled, and each page that differs looked at.
	Study bool
}

// query is what is asked for.
type query struct {
	topics   shape    // kinds of values that it names
	isNew    bool     // it asks for what comes and goes: posts, jobs, replies
	isText   bool     // it asks for what a text says
	subjects []string // stems of words that are none of these
	isWhole  bool     // it narrows nothing
}

// topics are the kinds of values that are watched most, by the stems of words for them.
var topics = func() map[string]shape {
	all := map[string]shape{}
	for kind, words := range map[shape]string{
		shapeMoney:   `price pricing cost fee cheaper expensive discount sale salary tariff rate coupon tuition fare rent prix preis precio prezzo`,
		shapeState:   `stock available availability sold restock cancelled status verfügbar lager disponible dispo agotado`,
		shapeDate:    `date deadline schedule calendar fecha datum termin`,
		shapeVersion: `version release`,
		shapePhone:   `phone telephone tel hotline fax contact telefon teléfono téléphone`,
		shapeEmail:   `email e-mail mail contact`,
		shapeClock:   `hours opening horaires öffnungszeiten`,
		shapeNumber:  `number threshold rating score amount statistics limit`,
		shapePlace:   `address location contact adresse dirección`,
	} {
		for word := range strings.FieldsSeq(words) {
			all[stem(word)] |= kind
		}
	}
	return all
}()

// topicsIn are the kinds of values that a text names.
func topicsIn(text string) (all shape) {
	for w := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !isWordRune(r) && r != '-' }) {
		all |= topics[stem(w)]
	}
	return all
}

func stems(words string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		set[stem(w)] = true
	}
	return set
}

var (
	newWords = stems(`new newest latest recent added add list listed post article story reply answer answered comment news job event item product arrival
		model removed still nouveau neue nuevo`)
	textWords = stems(`correction edit edited text wording documentation docs guide article tutorial essay information condition says update updated content
		rewritten terms overview specification`)
	idleWords = stems(`a an the this that these those of on in at to for from by with and or if is are was be it its as about any anything anybody someone
		something everything all me my i we us you your them their tell let know notify inform alert watch monitor track please do does did has have had will can there here
		what which who how page site website url web link see want need get when whenever change update new one soon more other nothing else also
		le la les de des du un une et ou si der die das und el los las y o que moi`)
	// whole asks for all that changes, and on the page for all that changes there.
	whole     = regexp.MustCompile(`(?i)\b(?:whole|entire|everything|all of it|(?:any|every|all) changes?)\b`)
	onPage    = regexp.MustCompile(`(?i)\b(?:anything|any \pL+|edits|different)\b.*\bpage\b|\bpage\b.*\b(?:anything|different)\b`)
	addresses = regexp.MustCompile(`(?i)\b(?:https?://|www\.)\S+|\b(?:[a-z0-9-]+\.)+(?:[a-z]{3,}|[a-z]{2}/)\S*`)
)

func queryOf(options Options) *query {
	q := &query{}
	text := addresses.ReplaceAllString(options.Query, " ") + " " + strings.Join(options.Focus[:min(len(options.Focus), 50)], " ")
	words := strings.FieldsFunc(strings.ToLower(cleanText(cutText(text, 2*blockBytesMax))), func(r rune) bool { return !isWordRune(r) && r != '-' })
	for _, w := range words {
		w = stem(w)
		q.topics |= topics[w]
		q.isNew = q.isNew || newWords[w]
		q.isText = q.isText || textWords[w]
		if !idleWords[w] && len(w) > 2 && topics[w] == 0 && !newWords[w] && !textWords[w] && len(q.subjects) < 30 {
			q.subjects = append(q.subjects, w)
		}
	}
	if q.topics&(shapePhone|shapeVersion) != 0 {
		q.topics &^= shapeNumber // "phone number"
	}
	q.isWhole = q.topics == 0 && (len(q.subjects) == 0 && !q.isNew && !q.isText || whole.MatchString(text) || onPage.MatchString(text))
	return q
}

// stem takes the ending of a plural, or of a verb, off.
func stem(word string) string {
	for _, ending := range []string{"ies", "ing", "ied", "es", "ed", "s", "y", "e"} {
		if stemmed, ok := strings.CutSuffix(word, ending); ok && len(stemmed) > 2 {
			return stemmed
		}
	}
	return word
}
