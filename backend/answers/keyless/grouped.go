package keyless

import (
	"slices"
	"strconv"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/answers/ask"
)

// grouped fills a list of objects from a group each of whose entries has a value for every field of the objects, and no other of its kind. Of
// several such groups it is the one that is named as the list is; none where that does not tell them apart.
func (f *finder) grouped(field ask.Field) []ask.Value {
	if len(field.Items) < 2 {
		return nil
	}
	wants := make([]*want, len(field.Items))
	for i, item := range field.Items {
		wants[i] = newWant(item, f.asked, ask.KindExample)
	}
	namesFirst(wants)
	named := mapped(truthKeys(append(words(field.Name), words(field.Description)...)), singular)
	var best []ask.Value
	most, tied := -1, false
	for _, p := range f.pages {
		if p.standing <= local {
			continue
		}
		for _, g := range p.groups {
			values := f.entries(field, wants, g, p)
			if len(values) == 0 {
				continue
			}
			score := 0
			around := setOf(mapped(truthKeys(words(g.around)), singular))
			for _, word := range named {
				if around[word] {
					score = 1
				}
			}
			switch {
			case score > most:
				best, most, tied = values, score, false
			case score == most:
				tied = true
			}
		}
	}
	if tied {
		return nil
	}
	return best
}

// amountWords are words of names for amounts of money, and for nothing else.
var amountWords = set("price prices cost costs fee fees charge charges rate rates fare fares amount sum value rent pay")

// namesFirst takes the first field of objects for a text where its name alone made it an amount, of which there is another: "ticket" beside
// "price".
func namesFirst(wants []*want) {
	first := wants[0]
	isText := first.field.Type == "" || first.field.Type == "string"
	if first.kind != "money" || !isText || slices.ContainsFunc(first.raw, func(word string) bool { return amountWords[word] }) {
		return
	}
	if slices.ContainsFunc(wants[1:], func(w *want) bool { return w.kind == "money" }) {
		wants[0] = first.as("")
	}
}

// entries are the values of all entries of a group, none where one is left without.
func (f *finder) entries(field ask.Field, wants []*want, g group, p placed) []ask.Value {
	var out []ask.Value
	for n, e := range g.entries {
		found, ok := p.fill(wants, e)
		if !ok {
			return nil
		}
		for i, value := range found {
			v := ask.Value{
				Path: field.Path + "/" + strconv.Itoa(n) + wants[i].field.Path, JSON: ask.MarshalValue(value), URL: p.source.URL, Quote: e.quote,
			}
			if f.checker.Check(v) != nil {
				return nil
			}
			out = append(out, v)
		}
	}
	return out
}

// fill gives each field of an object the piece of an entry that is of its kind, or has its name before it. What is left has to be as many
// texts as there are fields that take any text, of which the first is the entry's name.
func (p *page) fill(wants []*want, e entry) ([]any, bool) {
	out := make([]any, len(wants))
	taken := make([]bool, len(e.pieces))
	var texts []int
	for i, w := range wants {
		if w.field.Type == "array" || w.field.Type == "boolean" || len(w.field.Items) > 0 {
			return nil, false
		}
		if !typed[w.kind] && w.field.Type != "number" && w.field.Type != "integer" {
			texts = append(texts, i)
			continue
		}
		at, value := p.soleOf(w, e, taken)
		if at < 0 {
			return nil, false
		}
		taken[at], out[i] = true, value
	}
	if len(texts) == 0 {
		return nil, false
	}
	for _, i := range texts[1:] {
		for j, piece := range e.pieces {
			if j == 0 || taken[j] || out[i] != nil {
				continue
			}
			if rest, ok := wants[i].behindName(piece); ok {
				out[i], taken[j] = rest, true
				continue
			}
			if !slices.ContainsFunc(plainWords(piece), func(word string) bool { return slices.Contains(wants[i].raw, word) }) {
				continue
			}
			clock := parts(piece, "hours", p.language, wants[i])
			if len(clock) != 1 {
				return nil, false // more than the value
			}
			out[i], taken[j] = clock[0].text, true
		}
	}
	texts = slices.DeleteFunc(texts, func(i int) bool { return out[i] != nil })
	left := 0
	for j, piece := range e.pieces {
		if !taken[j] && !isSaidOfAmount(piece) {
			if left == len(texts) {
				return nil, false
			}
			out[texts[left]] = piece
			left++
		}
	}
	return out, left == len(texts)
}

// soleOf is the one piece of an entry behind its name that is of the kind of a field, -1 where there is none or are several.
func (p *page) soleOf(w *want, e entry, taken []bool) (int, any) {
	at := -1
	var found any
	for j, piece := range e.pieces {
		if j == 0 || taken[j] {
			continue
		}
		value, ok := w.value(piece, p, false)
		if !ok || w.kind == "money" && !moneyText.MatchString(piece) || w.kind == "number" && !w.isNamedIn(piece) {
			continue
		}
		if at >= 0 {
			return -1, nil // which of them is not said
		}
		at, found = j, value
	}
	return at, found
}

// isNamedIn reports whether a text has a word by which a number is asked for: "24 rooms".
func (w *want) isNamedIn(text string) bool {
	return slices.ContainsFunc(terms(words(text)), func(term string) bool { return slices.Contains(w.name, term) })
}

// behindName is what follows the name of a field at the beginning of a text: "SKU FF-R1".
func (w *want) behindName(text string) (string, bool) {
	all := strings.Fields(strings.Trim(text, "()"))
	for n := min(3, len(all)-1); n > 0; n-- {
		label := words(strings.Join(all[:n], " "))
		if slices.Equal(label, w.raw) || len(w.name) > 0 && slices.Equal(terms(label), w.name) {
			return strings.Join(all[n:], " "), true
		}
	}
	return "", false
}

// isSaidOfAmount reports whether a text only says of an amount for what time or with which tax it is, or is what one presses.
func isSaidOfAmount(text string) bool {
	lower := strings.ToLower(text)
	return amountSuffix.MatchString(" "+text) || strings.HasPrefix(lower, "choose ") || strings.HasPrefix(lower, "add to ") || strings.HasPrefix(lower, "plus ") ||
		strings.HasPrefix(lower, "/") || slices.Contains([]string{"buy", "buy now", "book", "book now", "select", "details", "from", "more", "view", "order"}, lower)
}

// soleOfKind gives a field that no header names the one column that is left all of whose cells are of its kind: the price under "Half day".
func (p *page) soleOfKind(columns []int, wants []*want, g grid) {
	for i, w := range wants {
		if columns[i] >= 0 || w.kind != "money" && w.kind != "phone" && w.kind != "email" {
			continue
		}
		sole := -1
		for j := range g.header {
			if slices.Contains(columns, j) || slices.ContainsFunc(g.rows, func(row []string) bool { return len(parts(row[j], w.kind, p.language, w)) != 1 }) {
				continue
			}
			if sole >= 0 {
				return // which of them is not said
			}
			sole = j
		}
		columns[i] = sole
	}
}

// titleWords is how many words a position has at most.
const titleWords = 6

// entryTrust is how far is trusted what stands in the entry of somebody by the name.
const entryTrust = 0.86

// ofEntry finds how somebody is reached, and what the position is, in the entry of a group that has the name which the field, or the task,
// says: a card of a member of the staff.
func (f *finder) ofEntry(w *want, p placed) []finding {
	isPosition := slices.Equal(core(w.name), []string{"position"}) || slices.Equal(core(w.described), []string{"position"})
	if w.field.Type == "array" || p.standing < local || w.kind != "email" && w.kind != "phone" && !isPosition {
		return nil
	}
	if out := f.entryOf(w, plainWords(w.field.Description), isPosition, p); len(out) > 0 {
		return out
	}
	if slices.ContainsFunc(core(w.name), func(term string) bool { return term != "position" && term != w.kind }) || f.namesOne(plainWords(w.field.Description)) {
		return nil // of a part of it, or of somebody else
	}
	return f.entryOf(w, f.asked.list, isPosition, p)
}

// namesOne reports whether words have a part of one of the names of the task.
func (f *finder) namesOne(all []string) bool {
	return slices.ContainsFunc(f.asked.entities, func(name []string) bool {
		for i := range len(name) - 1 {
			if runIn(all, name[i:i+2]) >= 0 {
				return true
			}
		}
		return false
	})
}

// entryOf is what the entries say whose names are among some words.
func (f *finder) entryOf(w *want, said []string, isPosition bool, p placed) []finding {
	var out []finding
	for _, g := range append(slices.Clone(p.groups), p.labelledEntries()) {
		for _, e := range g.entries {
			at := slices.IndexFunc(e.pieces, func(piece string) bool {
				name := plainWords(piece)
				return strings.Contains(piece, " ") && len(name) < 5 && runIn(said, name) >= 0 && isPerson(piece, false)
			})
			if at < 0 || isPosition && at == 0 && e.isLabelled {
				continue
			}
			var found []string
			for i, piece := range e.pieces {
				switch {
				case i == at:
				case isPosition && !digits(piece) && !strings.Contains(piece, "@") && isUpper([]rune(piece)[0]) && len(strings.Fields(piece)) <= titleWords:
					found = append(found, piece)
				case !isPosition:
					for _, value := range parts(piece, w.kind, p.language, w) {
						found = append(found, value.text)
					}
				}
			}
			if len(found) == 1 {
				out = append(out, finding{found[0], p.source.URL, e.quote, entryTrust, p.standing})
			}
		}
	}
	return out
}

// labelledEntries are the short labelled values of a page as entries: a position with who holds it, or a name with a number.
func (p *page) labelledEntries() group {
	var g group
	for _, fact := range p.facts {
		if fact.edge || fact.list || len(fact.value) > 2*pieceBytes || len(g.entries) >= entriesMax || strings.Contains(fact.value, "\n") {
			continue
		}
		pieces := append([]string{fact.label}, splitEntry(fact.value)...)
		if len(pieces) > 1 && slices.ContainsFunc(pieces, func(piece string) bool { return isPerson(piece, false) }) {
			g.entries = append(g.entries, entry{pieces, fact.quote, true})
		}
	}
	return g
}

// namesAnother reports whether a description has one of the names of the task, and not that of a row.
func (a *asked) namesAnother(described, row []string) bool {
	return runIn(described, row) < 0 && slices.ContainsFunc(a.entities, func(name []string) bool {
		return len(name) > 1 && len(row) > 1 && runIn(described, name) >= 0 && !slices.Equal(name, row) && slices.ContainsFunc(a.entities, func(other []string) bool {
			return slices.Equal(other, row)
		})
	})
}
