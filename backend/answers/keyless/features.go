package keyless

import (
	"regexp"
	"slices"
	"strings"
)

// item is a short text of a page that stands alone: an entry of a list, a tag, a line.
type item struct {
	text, card, block string
}

const (
	itemsMax  = 1500
	itemBytes = 80
	// itemWords is how many words a text has that says no more than that something is there.
	itemWords = 9
	// extraWords is how many of them may tell more of it: "Dogs welcome on a lead".
	extraWords = 2
	// featureTrust is how far is trusted what an entry of a list says, labelTrust what stands beside a label.
	featureTrust, labelTrust = 0.74, 0.86
)

// truthWords say of something no more than that it is so, or ask whether it is.
var truthWords = set("is are has have had does do can could be was may might will there it its the a an of for in on at to with and or if whether this that any when one you " +
	"available availability allowed included include includes accepted accept accepts permitted welcome provided possible needed required requires offered offer offers takes " +
	"contains friendly enabled supported support supports suitable present get use have yes no not true false " +
	"free per our all fully also facility facilities service services fitted equipped installed throughout standard onsite")

// hedges are words by which something is so only in part, at a price, or later.
var hedges = set("optional optionally request requested extra limited considered negotiable soon planned only " +
	"some partial partially partly except unless depends selected nearby " +
	"arrangement formerly former until maybe occasionally sometimes enquire ask tbc subject surcharge sold separately")

// truthKeys are the stems of what a field asks the truth of; none where it asks no more than whether the subject may be had.
func truthKeys(all []string) []string {
	var out []string
	for _, word := range all {
		if !truthWords[word] && !little[word] && !starters[word] && !(generic[word] && len(all) > 2) {
			out = append(out, stem(word))
		}
	}
	return out
}

// note takes down a short text that stands alone.
func (p *page) noteItem(text string) {
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); line == "" || len(line) > itemBytes || len(p.items) >= itemsMax || p.margins > 0 || strings.HasSuffix(line, "?") {
			continue
		}
		if !isAside(p.headings[2:]) {
			p.items = append(p.items, item{line, p.card(), p.inside})
		}
	}
}

// features finds whether something is so: from the entries of a list of what there is, and from labels with a yes or a no beside them.
func (f *finder) features(w *want, p placed) []finding {
	if w.field.Type != "boolean" || p.standing <= local {
		return nil
	}
	var out []finding
	for i, all := range [][]string{w.raw, plainWords(w.field.Description)} {
		if i > 0 && len(out) > 0 {
			break
		}
		if keys := truthKeys(all); len(keys) > 0 || asksState(all) {
			out = append(out, f.listed(w, keys, asksState(all), p)...)
			out = append(out, f.labelled(w, keys, p)...)
			out = append(out, f.answered(keys, p)...)
		}
	}
	return out
}

// listed are what the entries of lists and other short texts say.
func (f *finder) listed(w *want, keys []string, isState bool, p placed) []finding {
	var out []finding
	for i, x := range p.items {
		if i > 0 && isVerdict(p.items[i-1].text) || i+1 < len(p.items) && isVerdict(p.items[i+1].text) {
			continue // a label
		}
		if p.cards[x.card] && !f.asked.isRowOf([]string{x.card}, p.page) || f.isOfAnother(w, x.text, x.card, x.block, p) {
			continue
		}
		if so, ok := featureOf(x.text, keys, isState); ok {
			out = append(out, finding{so, p.source.URL, x.text, featureTrust, p.standing})
		}
	}
	return out
}

// labelled are what stands beside labels that name what is asked.
func (f *finder) labelled(w *want, keys []string, p placed) []finding {
	var out []finding
	for _, fact := range p.facts {
		if fact.question || fact.edge || len(keys) == 0 || len(fact.value) > 60 || f.isOfAnother(w, fact.label, fact.around, fact.block, p) || !f.isOf(w, fact, p) {
			continue
		}
		label := truthKeys(plainWords(fact.label))
		if len(label) == 0 || len(label) > len(keys)+1 || !hasStems(keys, append(label, truthKeys(plainWords(fact.value))...)) || !sharesStem(keys, label) {
			continue
		}
		if so, ok := verdict(fact.value); ok {
			out = append(out, finding{so, p.source.URL, fact.quote, labelTrust, p.standing})
		}
	}
	return out
}

// answered are what the answers to questions begin with that ask the same.
func (f *finder) answered(keys []string, p placed) []finding {
	var out []finding
	for _, fact := range p.facts {
		if !fact.question || len(keys) == 0 || len(fact.value) == 0 {
			continue
		}
		asked := truthKeys(plainWords(fact.label))
		if !hasStems(keys, asked) || len(asked) > len(keys)+2 {
			continue
		}
		first := fact.value
		if all := split(strings.SplitN(fact.value, "\n", 2)[0]); len(all) > 0 {
			first = all[0]
		}
		so, ok := reply(first)
		if !ok {
			continue
		}
		for _, quote := range []string{fact.label + "? " + first, fact.quote} {
			out = append(out, finding{so, p.source.URL, quote, labelTrust, p.standing})
		}
	}
	return out
}

// reply is the yes or no that an answer begins with.
func reply(text string) (so, ok bool) {
	all := plainWords(signs.Replace(text))
	if len(all) == 0 {
		return false, false
	}
	switch all[0] {
	case "yes", "yep", "certainly", "absolutely", "sure":
		return true, true
	case "no", "not", "never", "sadly", "unfortunately", "sorry":
		return false, true
	}
	return false, false
}

func sharesStem(keys, others []string) bool {
	return slices.ContainsFunc(keys, func(key string) bool { return hasStems([]string{key}, others) })
}

// asksState reports whether words ask whether the subject may be had.
func asksState(all []string) bool {
	return len(truthKeys(all)) == 0 && slices.Contains(all, "available") || slices.Contains(all, "stock")
}

// hasStems reports whether all keys are among the stems of a text, in one word or in two.
func hasStems(keys, all []string) bool {
	joined := strings.Join(all, "")
	return !slices.ContainsFunc(keys, func(key string) bool {
		return !slices.ContainsFunc(all, func(other string) bool { return akin(ideas(other), ideas(key)) || singular(other) == singular(key) }) &&
			!(len(key) > 3 && strings.Contains(joined, key))
	})
}

var (
	stockText = regexp.MustCompile(`(?i)^(?:\W*)(?:currently |now |only |just )?(?:in stock|on stock|available now|available|\d+ (?:in stock|available|left in stock))\b`)
	soldText  = regexp.MustCompile(`(?i)^(?:\W*)(?:now )?sold out\b`)
	goneText  = regexp.MustCompile(`(?i)^(?:\W*)(?:currently |temporarily |now )?(?:out of stock|sold out|not in stock|not available` +
		`|unavailable|no longer available|discontinued)\b`)
)

// featureOf reads a short text as saying that what has the keys is so, or is not.
func featureOf(text string, keys []string, isState bool) (so, ok bool) {
	all := plainWords(signs.Replace(text))
	if len(all) == 0 || len(all) > itemWords || strings.Contains(text, ":") {
		return false, false
	}
	if slices.Contains(keys, "sold") && len(keys) < 3 {
		switch {
		case soldText.MatchString(text):
			return true, true
		case stockText.MatchString(text):
			return false, true
		}
		return false, false
	}
	if isState {
		switch {
		case goneText.MatchString(text):
			return false, true
		case stockText.MatchString(text) && !strings.Contains(strings.ToLower(text), "available from"):
			return true, true
		}
		return false, false
	}
	extra, negated := 0, false
	var stems []string
	for i, word := range all {
		if i > 0 && !truthWords[word] && !little[word] && !no[word] && hasStems([]string{stem(all[i-1])}, keys) &&
			!hasStems([]string{stem(word)}, keys) && !joinsKey(all, i, keys) {
			return false, false // "breakfast terrace" is no breakfast
		}
		switch {
		case hedges[word]:
			return false, false
		case no[word] || word == "not":
			negated = true
		case truthWords[word] || little[word]:
		default:
			stems = append(stems, stem(word))
		}
	}
	if len(keys) == 0 || !hasStems(keys, stems) {
		return false, false
	}
	for _, s := range stems {
		if !hasStems([]string{s}, keys) {
			extra++
		}
	}
	if extra > extraWords || negated && extra > 1 || strings.HasSuffix(text, ".") && extra > 0 {
		return false, false
	}
	return !negated, true
}

// joinsKey reports whether a word makes a key with one of its neighbours: "tow bar".
func joinsKey(all []string, i int, keys []string) bool {
	return slices.ContainsFunc(keys, func(key string) bool {
		pair := all[i-1] + all[i]
		return strings.HasPrefix(key, pair) || len(key) > len(all[i-1]) && strings.HasPrefix(pair, key) || i+1 < len(all) && strings.HasPrefix(all[i]+all[i+1], key)
	})
}

// signs writes signs of yes and no as words.
var signs = strings.NewReplacer("✓", " yes ", "✔", " yes ", "✅", " yes ", "✗", " no ", "✘", " no ", "✕", " no ", "❌", " no ", "n't", " not", "n’t", " not", "non-", "no ")

// verdict is the yes or no that a value says outright.
func verdict(value string) (so, ok bool) {
	all := plainWords(signs.Replace(value))
	if len(all) == 0 || len(all) > 6 || slices.ContainsFunc(all, func(word string) bool { return hedges[word] }) {
		return false, false
	}
	switch {
	case no[all[0]] || all[0] == "not":
		return false, true
	case slices.ContainsFunc(all, func(word string) bool { return no[word] || word == "not" }):
		return false, len(all) <= 3
	case yes[all[0]] || all[0] == "standard":
		return true, true
	case len(all) <= 3 && slices.ContainsFunc(all, func(word string) bool { return yes[word] }):
		return true, true
	}
	return false, false
}

// choices finds the value of an enum that a short text on a page is, and nothing else: a tag, a line among the key facts.
func (f *finder) choices(w *want, p placed) []finding {
	if len(w.field.Enum) == 0 || w.field.Type == "boolean" || w.field.Type == "array" || p.standing <= local {
		return nil
	}
	var out []finding
	for _, x := range p.items {
		if p.cards[x.card] && !f.asked.isRowOf([]string{x.card}, p.page) || len(x.text) > 30 {
			continue
		}
		own := strings.Join(plainWords(x.text), "")
		for _, value := range w.field.Enum {
			if len(own) > 2 && strings.Join(words(value), "") == own && !isVerdict(value) {
				out = append(out, finding{value, p.source.URL, x.text, choiceTrust, p.standing})
			}
		}
	}
	if slices.ContainsFunc(out, func(other finding) bool { return other.value != out[0].value }) {
		return nil
	}
	if len(out) == 0 {
		return f.onlyChoice(w, p)
	}
	return out
}

// onlyChoice is the value of an enum that a short text of the page has, where the page has no other of its values.
func (f *finder) onlyChoice(w *want, p placed) []finding {
	if p.source.Document == nil || p.standing < own {
		return nil
	}
	all := " " + strings.Join(words(limit(p.source.Document.Text, textBytesMax)), " ") + " "
	said := ""
	for _, value := range w.field.Enum {
		key := strings.Join(words(value), " ")
		if len(key) < 4 || strings.Contains(all, " not "+key+" ") || strings.Contains(all, " no "+key+" ") || isVerdict(value) {
			return nil
		}
		if strings.Contains(all, " "+key+" ") {
			if said != "" {
				return nil
			}
			said = value
		}
	}
	if said == "" {
		return nil
	}
	var out []finding
	key := strings.Join(words(said), " ")
	for _, x := range p.items {
		if text := " " + strings.Join(words(x.text), " ") + " "; strings.Contains(text, " "+key+" ") && (!p.cards[x.card] || f.asked.isRowOf([]string{x.card}, p.page)) {
			out = append(out, finding{said, p.source.URL, x.text, onlyTrust, p.standing})
		}
	}
	for _, s := range p.sentences {
		if text := " " + strings.Join(words(s.text), " ") + " "; strings.Contains(text, " "+key+" ") && !f.isOthers(w, s, p) {
			out = append(out, finding{said, p.source.URL, s.text, onlyTrust, p.standing})
		}
	}
	return out
}

// choiceTrust is how far an enum's value is trusted that stands alone.
const choiceTrust = 0.66

// onlyTrust is how far one is trusted that stands among other words.
const onlyTrust = 0.58
