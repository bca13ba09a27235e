package plan

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/turnpike-edge/turnpike/backend/websearch"
	"github.com/turnpike-edge/turnpike/clip"
)

// sentence is what the rules understand of a request.
type sentence struct {
	text      string
	addresses []address
	mode      IntentMode
	change    StreamChange
	// whole reports that the sentence is about a site or section, not a page.
	whole bool
	// things are the nouns of a stream: "posts".
	things string
	// focus are the words of what is compared.
	focus []string
	// search is the sentence as a search query.
	search     string
	unresolved []Unresolved
}

// topic is something to watch, and the words that mention it.
type topic struct {
	name  string
	words *regexp.Regexp
}

func words(alternatives string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:^|[^\p{L}\p{N}])(` + alternatives + `)(?:$|[^\p{L}\p{N}])`)
}

// topics are in the order in which they are named in plans.
var topics = []topic{
	{"price", words(`prices?|pric(?:ed|ing)|costs?|fees?|cheaper|discounts?|on sale|how much|tariffs?|preise?|kostet|prix|precios?`)},
	{"stock", words(`stock|in-stock|out-of-stock|availab(?:le|ility)|sold[ -]out|restock(?:s|ed)?|inventory|back in stock|verfügbar(?:keit)?|` +
		`lieferbar`)},
	{"version", words(`versions?|releases?|changelogs?|release notes|latest build`)},
	{"title", words(`titles?|headlines?|titel`)},
	{"job", words(`jobs?|job listings?|vacanc(?:y|ies)|openings|open positions?|open roles?|positions?|hiring|careers?|stellen(?:angebote)?`)},
	{"deadline", words(`deadlines?|due dates?|closing dates?|application dates?|submission dates?`)},
	{"date", words(`dates?|release date|launch date`)},
	{"status", words(`status|outages?|incidents?|uptime`)},
	{"rate", words(`rates?|exchange rates?|interest rates?|yields?`)},
	{"rating", words(`ratings?|scores?|stars|rankings?`)},
	{"review", words(`reviews?|comments?|testimonials?`)},
	{"terms", words(`terms(?: of (?:use|service)| and conditions)?|privacy policy|policy|policies|eula`)},
	{"hours", words(`opening hours|opening times|hours|timetables?|schedules?`)},
	{"address", words(`address(?:es)?|location|phone(?: number)?|contact(?:s| details)?`)},
	{"people", words(`team members?|board members?|staff|leadership|executives?`)},
	{"number", words(`numbers?|counts?|totals?|figures?|statistics`)},
}

var (
	// published are things that sites publish as pages of their own.
	published = words(`posts?|articles?|blog(?: posts?)?|entr(?:y|ies)|stor(?:y|ies)|guides?|tutorials?|papers?|press releases?|announcements?|` +
		`pages?|documents?|reports?|episodes?|publications?|news(?:letters?)?`)
	// listed are things that a page lists.
	listed = words(`jobs?|job listings?|vacanc(?:y|ies)|openings|positions?|listings?|products?|items?|releases?|deals?|events?|` +
		`offers?|tenders?|filings?|grants?|courses?|apartments?|flats|houses|cars|talks|videos?|issues?|advisor(?:y|` +
		`ies)|vulnerabilit(?:y|ies)`)
	added = words(`new|newly|appears?|adds?|added|published|publishes|post(?:s|ed)|launch(?:es|ed)?|announce[sd]?|neue?[rns]?`)
	gone  = words(`removed?|removes|disappears?|deleted?|taken down|goes away|is gone|delisted`)
	// sitewide matches phrases about a whole site or section, onePage those about one page.
	sitewide = words(`any pages?|all pages|every page|each page|any of the pages|whole (?:web ?)?site|entire (?:web ?)?site|anywhere on|` +
		`site-?wide|across (?:the )?(?:web ?)?site|all of|pages (?:of|on|under|below)|(?:the )?section|subpages?`)
	onePage = words(`this page|the page|this url|the url|that page|this link|homepage|home page|front page|landing page`)

	condition = regexp.MustCompile(`(?i)\b(?:(?:drops?|falls?|goes|go|rises?|climbs?|gets?|is|are|moves?|dips?)\s+(?:to\s+)?)?(?:below|under|above|` +
		`over|beneath|less than|more than|lower than|higher than|at least|at most|exceed(?:s|ing)?|reach(?:es)?)\s+(?:[$€£¥]\s?|` +
		`[A-Z]{3}\s)?\d[\d.,]*\s?(?:%|percent|[$€£¥]|[A-Z]{3}\b|dollars?|euros?|pounds?)?`)
	direction = words(`drops?|falls?|decreases?|goes down|gets cheaper|rises?|increases?|goes up`)
	howOften  = words(`every (?:\d+ )?(?:minutes?|hours?|days?|weeks?|months?|morning|evening|monday|tuesday|wednesday|thursday|friday|` +
		`saturday|sunday)|hourly|daily|weekly|monthly|twice a day|once a (?:day|week|month)`)
	signedIn = words(`my account|my orders?|my inbox|log(?:ged)? in|sign(?:ed)? in|behind (?:a|the) login|my dashboard`)

	// asking matches words that address the service rather than describe the thing.
	asking = regexp.MustCompile(`(?i)\b(?:please|can you|could you|i want to know|i(?:'d| would) like to know|tell me|let me know|notify me|` +
		`alert me|inform me|email me|e-mail me|ping me|send me (?:an? )?(?:email|message|alert)|keep an eye on|keep track of|` +
		`watch(?: for| out for)?|monitor(?: for)?|track|check|whenever|as soon as|when(?:ever)?|if|there (?:is|are)|` +
		`any changes? (?:to|in|of|on)|changes? (?:to|in|of|on)|changes?|updates? (?:to|on|about)|updates?)\b`)
	quoted = regexp.MustCompile(`["“„«]([^"”“»]{2,60})["”“»]`)
)

// queryCharsMax is how much of a sentence is read. The API's limit is lower.
const queryCharsMax = 8000

// understand parses a sentence. properties are the names of the output schema's fields.
func understand(text string, properties []string) sentence {
	text = oneLine(text)
	if utf8.RuneCountInString(text) > queryCharsMax {
		text = string([]rune(text)[:queryCharsMax])
	}
	s := sentence{text: text, addresses: addressesIn(text), mode: IntentState, change: StreamNone}
	plain := s.withoutAddresses() // "example.com/blog" is no blog post
	s.intent(plain)
	s.focusOn(plain, properties)
	s.search = searchFor(plain)
	s.leaveOut(plain)
	return s
}

func (s *sentence) withoutAddresses() string {
	var out strings.Builder
	at := 0
	for _, a := range s.addresses {
		out.WriteString(s.text[at:a.start] + " ")
		at = a.end
	}
	return out.String() + s.text[at:]
}

// intent decides between a state and a stream, and between a page and a site.
func (s *sentence) intent(plain string) {
	isNew, isGone := added.MatchString(plain), gone.MatchString(plain)
	onSite, onPage := published.FindStringSubmatch(plain), listed.FindStringSubmatch(plain)
	things := onSite
	if things == nil || onPage != nil && strings.EqualFold(things[1], "news") {
		things = onPage
	}
	if things != nil && (isNew || isGone) {
		s.mode, s.things = IntentStream, strings.ToLower(things[1])
		switch {
		case isNew && isGone:
			s.change = StreamAny
		case isGone:
			s.change = StreamRemoved
		default:
			s.change = StreamAdded
		}
	}
	s.whole = sitewide.MatchString(plain) || s.mode == IntentStream && onSite != nil && things[1] == onSite[1]
	if onePage.MatchString(plain) && !sitewide.MatchString(plain) {
		s.whole = false
	}
}

// focusOn finds what is compared. A stream compares everything, because an item's presence is the change.
func (s *sentence) focusOn(plain string, properties []string) {
	for _, name := range properties {
		if utf8.RuneCountInString(name) <= focusCharsMax && name != "" && len(s.focus) < focusMax {
			s.focus = append(s.focus, name)
		}
	}
	if len(s.focus) > 0 || s.mode == IntentStream {
		return
	}
	for _, t := range topics {
		if t.name == "date" && slices.Contains(s.focus, "deadline") {
			continue
		}
		found := t.words.FindStringSubmatch(plain)
		if found == nil {
			continue
		}
		s.focus = append(s.focus, t.name)
		if used := strings.ToLower(found[1]); used != t.name && used != t.name+"s" {
			s.focus = append(s.focus, used)
		}
	}
	for _, found := range quoted.FindAllStringSubmatch(plain, 5) {
		s.focus = append(s.focus, clip.Chars(found[1], focusCharsMax))
	}
}

// searchFor is the sentence without the words that address the service.
func searchFor(plain string) string {
	text := howOften.ReplaceAllString(asking.ReplaceAllString(plain, " "), " ")
	text = strings.Trim(strings.Join(strings.Fields(text), " "), " .,;:!?-")
	for {
		trimmed := strings.Trim(leading.ReplaceAllString(trailing.ReplaceAllString(text, ""), ""), " .,;:!?-")
		if trimmed == text {
			break
		}
		text = trimmed
	}
	if utf8.RuneCountInString(text) > websearch.QueryCharsMax {
		text = strings.TrimSpace(string([]rune(text)[:websearch.QueryCharsMax]))
	}
	return text
}

var (
	leading  = regexp.MustCompile(`(?i)\A(?:(?:the|a|an|to|of|on|in|for|at|about|and|or|that|of the|me)\s+)+`)
	trailing = regexp.MustCompile(`(?i)(?:^|\s+)(?:the|a|an|to|of|on|in|for|at|about|and|or|from|is|are|by)\z`)
)

// leaveOut notes the parts of the sentence that no plan covers.
func (s *sentence) leaveOut(plain string) {
	out := func(part, reason string) {
		s.unresolved = append(s.unresolved, Unresolved{Part: clip.Chars(strings.TrimSpace(part), labelCharsMax), Reason: reason})
	}
	const everyChange = "a run reports every change, not only changes that meet a condition"
	if found := condition.FindString(plain); found != "" {
		out(found, everyChange)
	} else if found := direction.FindStringSubmatch(plain); found != nil && s.mode == IntentState {
		out(found[1], everyChange)
	}
	if found := howOften.FindStringSubmatch(plain); found != nil {
		out(found[1], "how often the monitor runs is set by frequency, not by the query")
	}
	if found := signedIn.FindStringSubmatch(plain); found != nil {
		out(found[1], "pages behind a sign-in cannot be read")
	}
}
