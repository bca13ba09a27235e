package keyless

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// names are the names that a sentence gives to a role, or to who did something.
func (t *telling) names(text string, all []word, w *want, a *asked) []told {
	var out []told
	for _, at := range nameText.FindAllStringIndex(text, 60) {
		name := properName(strings.TrimRight(text[at[0]:at[1]], " .,'’&-"), a)
		if name == "" || !isPerson(name, at[0] == 0) {
			continue
		}
		start := strings.Index(text[at[0]:], name) + at[0]
		if title, rest, ok := strings.Cut(name, " "); ok && strings.Contains(rest, " ") && t.isTitle(title) {
			out = append(out, told{rest, 0.8}) // "Referee Jane Thorne"
			continue
		}
		if trust := t.role(text, all, start, start+len(name), w); trust > 0 {
			out = append(out, told{name, trust})
		}
	}
	return out
}

// isTitle reports whether a word that begins a name is the role that is wanted.
func (t *telling) isTitle(title string) bool {
	own := ideas(stem(strings.ToLower(title)))
	return slices.ContainsFunc(t.cues, func(c cue) bool { return len(c.keys) == 1 && akin(own, c.keys[0]) })
}

// isPerson reports whether a name may be one: months and days of the week are not, nor is a single word that begins a sentence.
func isPerson(name string, begins bool) bool {
	all := plainWords(name)
	if len(all) == 0 || isDated(all) || starters[all[0]] || little[all[0]] || !strings.ContainsFunc(name, isUpper) {
		return false
	}
	if len(all) > 1 && strings.Trim(all[len(all)-1], "0123456789") == "" {
		return false // "Hall 1"
	}
	return len(all) > 1 || !begins
}

// links are the words that may stand between a role and its holder.
var links = set("is was are were be been being has have had the a an its our their his her in since as named called of for by former now today who which that years also then " +
	"joined became becomes remains serves works served worked acts")

// role is how far the words about a name say that it is who is wanted.
func (t *telling) role(text string, all []word, start, end int, w *want) float64 {
	first := slices.IndexFunc(all, func(x word) bool { return x.end > start })
	last := first
	for last < len(all) && all[last].start < end {
		last++
	}
	if first < 0 {
		return 0
	}
	before := slices.Clone(all[:first])
	slices.Reverse(before)
	behind := all[last:]
	best := 0.0
	if first > 0 && isWhere(all[:first]) {
		return 0
	}
	isBy := len(before) > 0 && (before[0].lower == "by" || before[0].little && len(before) > 1 && before[1].lower == "by")
	// "led by N", "the director is N", "director N", "its founder, N": what is said stands right before.
	if zone := nearby(before, all[first].breaks); len(zone) > 0 {
		best = t.match(zone, all, w, 0)
		if isBy && best > 0 {
			best += 0.02
		}
		if !isBy && best > 0 && isOver(text, before, start) {
			best = 0
		}
	}
	// "N, the director, …", "N (director)", "N is the director", "N led it".
	if len(behind) > 0 && best == 0 && !isBy {
		best = t.match(behindOf(behind), all, w, 0) - 0.03
	}
	return best
}

// isWhere reports whether words end in one by which a name behind them says where, when or whose something is, not who did it.
func isWhere(all []word) bool {
	last := len(all) - 1
	if last > 0 && all[last].lower == "the" {
		last--
	}
	switch all[last].lower {
	case "in", "at", "on", "near", "into", "over", "between", "against", "of", "through", "during", "like", "than":
		return true
	case "to":
		return !slices.ContainsFunc(all[max(0, last-6):last], func(x word) bool { return addressed[stem(x.lower)] })
	}
	return false
}

// addressed are the stems of what is done to somebody, who is named behind "to".
var addressed = map[string]bool{"belong": true, "appli": true, "writ": true, "report": true, "turn": true, "address": true, "talk": true, "speak": true, "send": true}

// nearby are the words of a zone from a name on, up to where something else is spoken of: one mark between clauses may lie between, and
// besides links only the words of one short phrase, such as whose director somebody is.
func nearby(zone []word, breaks rune) []word {
	if breaks == ';' || breaks == '"' || breaks == '“' || breaks == '”' {
		return nil
	}
	const most, phrase = 8, 3
	marks, content := 0, 0
	if breaks != 0 {
		marks++
	}
	for i, x := range zone {
		if i >= most || content > phrase {
			return zone[:i]
		}
		if !x.little && !links[x.lower] && !isYear(x.lower) && !digits(x.lower) {
			content++
		}
		if x.breaks != 0 {
			marks++
		}
		if marks > 1 || x.breaks == ';' {
			return zone[:min(i+1, len(zone))]
		}
	}
	return zone
}

// behindOf are the words behind a name that may say who that is: up to the first that is neither a link nor one that is wanted, and
// that one with the next.
func behindOf(zone []word) []word {
	for i, x := range zone {
		if i > 0 && x.breaks != 0 {
			return zone[:i]
		}
		if !x.little && !links[x.lower] && !digits(x.lower) {
			return zone[:min(i+3, len(zone))]
		}
	}
	return nil
}

// monthNames are no names of people or places.
var monthNames = set("january february march april may june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec " +
	"monday tuesday wednesday thursday friday saturday sunday")

// isDated reports whether the words of what looks like a name are of a date.
func isDated(all []string) bool {
	return slices.ContainsFunc(all, func(word string) bool { return monthNames[word] }) && (len(all) == 1 || digits(strings.Join(all, "")))
}

// isOver reports whether a verb stands between a role and a name behind it, so that the name is not the role's but what it acts on:
// "the director thanked N".
func isOver(text string, before []word, start int) bool {
	for _, x := range before {
		if x.little || links[x.lower] || isYear(x.lower) {
			continue
		}
		between := text[x.end:start]
		return strings.HasSuffix(x.lower, "ed") && !strings.Contains(between, "by") && !strings.Contains(between, ",")
	}
	return false
}

// phrases are the words that a sentence says of what is wanted, where they are no name and no number: "works mainly on salty
// farmland", "is made of bronze", "the reason is rust".
func (t *telling) phrases(text string, all []word, w *want, a *asked) []told {
	var out []told
	for i, x := range all {
		zone := slices.Clone(all[max(0, i-3) : i+1])
		slices.Reverse(zone)
		if !slices.ContainsFunc(t.cues, func(c cue) bool {
			return slices.ContainsFunc(c.keys, func(key []string) bool { return akin(x.ideas, key) })
		}) {
			continue
		}
		trust := t.match(zone, all, w, 0)
		if trust < trustMin {
			continue
		}
		rest := text[x.end:]
		if m := labelled.FindStringSubmatch(rest); m != nil && t.kind != "list" && i < 4 {
			out = append(out, told{m[1], trust})
			continue
		}
		switch {
		case t.kind == "list":
			rest = strings.TrimPrefix(rest, ":")
			for _, between := range []string{" are ", " is ", " were ", " by ", " include ", " in ", " "} {
				if after, ok := strings.CutPrefix(rest, between); ok {
					if found := enumerated(after); len(found) > 1 {
						out = append(out, told{strings.Join(found, "\n"), trust - 0.04})
					}
					break
				}
			}
		case t.kind == "place":
			if found := placeBehind(rest, a); found != "" {
				out = append(out, told{found, trust - 0.06})
			}
		default:
			if found, _ := said(text, mark{start: x.start, end: x.end}); strings.ContainsFunc(found, unicode.IsLetter) && len(parts(found, "number", "en", nil)) == 0 {
				out = append(out, told{found, trust - 0.08})
			}
		}
	}
	return out
}

// labelled matches the rest of a sentence that is no more than a label and its value: "Inventory number: DM 12.3."
var labelled = regexp.MustCompile(`^(?: (?:number|name|code))?: ([^:;]{1,60}?)\.?$`)

// placeBehind is the place that a text goes on with: "in the old mill, …".
func placeBehind(rest string, a *asked) string {
	rest = onDay.ReplaceAllString(rest, "")
	for _, between := range []string{" in ", " at ", " on ", " is ", " was ", ": "} {
		after, ok := strings.CutPrefix(rest, between)
		if !ok {
			continue
		}
		if isYear(firstWordOf(after)) {
			return ""
		}
		if name := leadingName(strings.TrimPrefix(after, "the "), a); name != "" && !isDated(plainWords(name)) && !starters[strings.ToLower(name)] {
			if strings.HasPrefix(after, "the ") {
				name = "the " + name
			}
			return name
		}
		if strings.HasPrefix(after, "the ") || strings.HasPrefix(after, "a ") {
			found := clause(after)
			if at := onwards.FindStringIndex(found); at != nil {
				found = found[:at[0]]
			}
			if n := len(strings.Fields(found)); n >= 2 && n <= 6 {
				return found
			}
		}
	}
	return ""
}

// onwards matches what is said behind a place of when or why.
var onwards = regexp.MustCompile(` (?:since|until|till|when|where|while|after|before|during|because|as|from \w+day|on \w+day) `)

// onDay matches a day or a date before a place.
var onDay = regexp.MustCompile(`^ on (?:\w+days?|\d{1,2} \pL+ \d{4}|\pL+ \d{1,2}, \d{4}|\w+day,? \d{1,2} \pL+ \d{4})`)

func firstWordOf(text string) string {
	if all := plainWords(limit(text, 40)); len(all) > 0 {
		return all[0]
	}
	return ""
}
