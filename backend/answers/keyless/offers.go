package keyless

import (
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// offerTrust is how far an amount is trusted whose own name, such as that of a size, a fare or a dish, is asked for.
const offerTrust = 0.9

// noise are words that tell no offer from another, as names of fields, tasks and rows have them about amounts.
var noise = set("price prices cost costs costing fee fees charge charges rate rates fare fares tariff ticket " +
	"tickets admission entry entrance amount sum value total exact number " +
	"much many how what which pay paid pays payable euro euros eur dollar dollars usd pound pounds gbp franc francs chf currency only just from incl including excl " +
	"excluding vat tax per person each current currently please tell give find get show list option plan plans item version edition type kind name called")

// keysOf are what tells a name from others of its sort: its senses and the stems of its words, without noise.
func keysOf(all []string) []string {
	var out []string
	folded := singulars(all)
	for i := 0; i < len(folded); {
		if folded[i] == "single" {
			out = append(out, "oneway")
			i++
			continue
		}
		n := phraseAt(folded[i:])
		if n > 0 {
			if s := senses[strings.Join(folded[i:i+n], " ")]; s.kind == "qualifier" || n > 1 && s.kind != "money" {
				out = append(out, s.name)
				i += n
				continue
			}
		}
		if word := all[i]; !little[word] && !noise[word] && !starters[word] {
			out = append(out, stem(word))
		}
		i++
	}
	return out
}

// joined are keys with those that two neighbours make together: "e-book" is an "ebook".
func joined(all []string) map[string]bool {
	out := setOf(keysOf(all))
	for i := range len(all) - 1 {
		out[stem(all[i]+all[i+1])] = true
	}
	return out
}

// aim is what a field and its task tell an offer by.
type aim struct {
	// own are the keys of the field, named those of its name alone, asked those of the task without what other fields ask for.
	own, asked map[string]bool
	named      []string
	described  []string
}

func (f *finder) aimOf(w *want) aim {
	named := keysOf(w.raw)
	a := aim{own: joined(w.raw), named: named, asked: joined(f.asked.list)}
	if w.field.Description != "" {
		all := plainWords(addresses.ReplaceAllString(w.field.Description, " "))
		a.described = keysOf(all)
		for key := range joined(all) {
			a.own[key] = true
		}
	}
	for _, other := range f.asked.task.Format.Fields {
		if other.Path == w.field.Path {
			continue
		}
		for key := range joined(words(other.Name)) {
			if !a.own[key] {
				delete(a.asked, key)
			}
		}
	}
	return a
}

// offer is an amount with its name.
type offer struct {
	name, column, heading, value, quote string
}

// sized matches up to which size or from which age an offer is.
var sized = regexp.MustCompile(`(?i),? \(?(?:(?:up to|over|under|from|max\.?|min\.?|at least|aged?) )?` +
	`\d+(?: ?[-–] ?\d+|\+)?(?: ?(?:m|cm|kg|g|l|ml|years?|yrs?|min|minutes|h|mins))?\)?$`)

// keys are those of an offer's name, without what it is limited to where something is left.
func (o offer) keys() []string {
	name := withoutBrackets(o.name)
	if rest := sized.ReplaceAllString(name, ""); len(keysOf(plainWords(rest))) > 0 && !yearText.MatchString(name) {
		if full := keysOf(plainWords(name)); len(full) > 0 {
			name = rest
		}
	}
	return keysOf(plainWords(name))
}

// offers finds an amount of money among several by its own name: the fare of a child, the paperback, a dish, a plan, a size. All that
// its name says has to be asked for, and all that the field says to stand in its row, its heading or the page's name.
func (f *finder) offers(w *want, p placed) []finding {
	isNumber := w.field.Type == "number" || w.field.Type == "integer"
	if w.kind != "money" && !isNumber || w.field.Type == "array" || p.standing < local {
		return nil
	}
	a := f.aimOf(w)
	if w.kind != "money" && len(a.named) == 0 {
		return nil
	}
	own := joined(plainWords(strings.Join(p.names, " ")))
	for word := range p.context {
		own[stem(word)] = true
	}
	var out []finding
	best, tied := 0, false
	for _, o := range p.offered() {
		score := a.score(o, own)
		if w.kind != "money" && !isAmount(o.value, p.language) {
			continue // a line with other numbers, too
		}
		if score == 0 || score < best || p.standing == local && !f.asked.isRowOf([]string{withoutBrackets(o.name)}, p.page) {
			continue
		}
		value, ok := w.amount(o.value, p.page)
		if !ok {
			continue
		}
		found := finding{value, p.source.URL, o.quote, offerTrust, p.standing}
		switch {
		case score > best:
			best, tied, out = score, false, []finding{found}
		case keyOf(out[0].value) != keyOf(value):
			tied = true
		}
	}
	if tied {
		return nil
	}
	return out
}

// score is how much of what is asked an offer names, 0 where it names something else.
func (a aim) score(o offer, own map[string]bool) int {
	name, column := o.keys(), keysOf(plainWords(withoutBrackets(o.column)))
	all := append(slices.Clone(name), column...)
	score, isOwn := 0, true
	for i := 0; i < len(all); i++ {
		key := all[i]
		if i+1 < len(all) && (a.own[key+all[i+1]] || a.asked[key+all[i+1]]) && !a.own[key] && !a.asked[key] {
			key += all[i+1]
			i++
		}
		switch {
		case a.own[key]:
			score += 3
			isOwn = isOwn && own[key]
		case a.asked[key]:
			score += 2
			isOwn = isOwn && own[key]
		case own[key]:
		default:
			return 0
		}
	}
	if isOwn || score == 0 {
		return 0
	}
	said := joined(plainWords(o.name + " " + o.column + " " + o.heading + " " + o.value))
	missing := 0
	for _, key := range a.named {
		if !said[key] && !own[key] {
			return 0
		}
	}
	for _, key := range a.described {
		if !said[key] && !own[key] {
			missing++
			if kindOf[key] == "qualifier" && !soft[key] {
				return 0
			}
		}
	}
	if missing*2 > len(a.described) {
		return 0
	}
	for _, key := range keysOf(plainWords(o.heading)) {
		if a.own[key] || a.asked[key] {
			score++
		}
	}
	return score
}

// amount is the one amount of money of a text.
func (w *want) amount(text string, p *page) (any, bool) {
	found := parts(text, "money", p.language, nil)
	if len(found) != 1 {
		return nil, false
	}
	return w.typed("money", found[0].text, p)
}

// offered are the amounts of a page with their names: cells of tables, labelled values, and prices below headings.
func (p *page) offered() []offer {
	var out []offer
	for _, g := range p.tables {
		for i, row := range g.rows {
			for j, cell := range row {
				if len(parts(cell, "money", p.language, nil)) != 1 {
					continue
				}
				quote := strings.Join(row, " ")
				if len(g.quotes) > 0 {
					quote = g.quotes[i][j]
				}
				for k, name := range row {
					if k != j && hasLetter(name) && len(name) <= labelBytes && (k == 0 || !digits(name)) {
						out = append(out, offer{name, g.header[j], g.around, cell, quote})
					}
				}
			}
		}
	}
	for _, fact := range p.facts {
		if fact.question || fact.edge || fact.isRow && len(fact.row) > 1 || len(fact.value) > 120 {
			continue
		}
		o := offer{name: fact.label, heading: fact.card, value: fact.value, quote: fact.quote}
		if len(keysOf(plainWords(fact.label))) == 0 && fact.card != "" {
			o.name, o.heading = fact.card, ""
		}
		out = append(out, o)
	}
	return out
}

var (
	// bareAmount matches a text that is an amount and nothing else but how it is meant.
	bareAmount = regexp.MustCompile(`(?i)^(?:from|now|only|just|ab|our price|today|for` +
		`|offers over|offers from|offers in excess of|guide price|asking price|oieo|price)?:? ?$`)
	// amountSuffix matches what may stand behind an amount: for what time, for whom, with which tax.
	amountSuffix = regexp.MustCompile(`(?i)^ ?(?:(?:/|per|a|an|each|pcm|pppn|pp|pw|p\. ?m\.|p\. ?a\.|p/?m|ea)\b?\.?(?: ?\pL+){0,2}|(?:night|month|week|day|year|hour)` +
		`|(?:\(|,)? ?(?:incl?\.?|excl?\.?|including|excluding|inc\.?|ex\.?|plus|\+) ?\pL{2,5}\)?|/ ?\pL{1,8})?[.*]?$`)
)

// offer reads a line that ends in an amount of money: a name with its price, or a price alone, which is that of what the heading
// above says.
func (p *page) offer(line string) bool {
	if len(line) > 100 || strings.HasSuffix(line, "?") {
		return false
	}
	found := parts(line, "money", p.language, nil)
	if len(found) != 1 || !amountSuffix.MatchString(line[found[0].end:]) {
		return false
	}
	name := strings.TrimRight(line[:found[0].start], " .:–—-…=\t")
	if name == "" || bareAmount.MatchString(name) {
		return false
	}
	name = fromEnd.ReplaceAllString(name, "")
	if len(plainWords(name)) > 8 || strings.ContainsAny(name, ".!?;:") || digits(name) && !hasLetter(name) {
		return false
	}
	for _, word := range plainWords(name) {
		if saidVerbs[word] {
			return false
		}
	}
	p.add(fact{label: name, value: line[found[0].start:], quote: line, trust: 0.82})
	return true
}

// fromEnd matches what stands between a name and its amount.
var fromEnd = regexp.MustCompile(`(?i)[ ,:–—-]+(?:from|ab|only|just|at|for|now)$`)

// saidVerbs are words of sentences, which offers are not.
var saidVerbs = set("is are was were costs cost costing be been has have had will would can could may pay " +
	"pays paid charge charges sells sold made raised spent save off over under " +
	"up than more less another additional first spend orders order otherwise delivery shipping postage voucher discount")

// bare reads an element whose text is an amount of money and nothing else: the price of what the heading above says.
func (p *page) bareAmount(n *html.Node, text string) {
	if p.margins > 0 || len(text) > 200 || !mayBeMoney(text) || isFormerNode(n) {
		return
	}
	for line := range strings.SplitSeq(text, "\n") {
		if before, _, ok := strings.Cut(line, " plus "); ok && len(line) <= 100 {
			line = before
		}
		found := parts(line, "money", p.language, nil)
		if len(line) > 60 || len(found) != 1 || !bareAmount.MatchString(line[:found[0].start]) || !amountSuffix.MatchString(line[found[0].end:]) {
			continue
		}
		trust := bareAmountTrust
		if byMonth.MatchString(line[found[0].end:]) {
			trust -= 0.08 // an instalment, where there is another
		}
		p.add(fact{label: "price", value: line, quote: line, trust: trust})
	}
}

// isAmount reports whether a text is an amount of money and nothing else but how it is meant.
func isAmount(text, language string) bool {
	found := parts(text, "money", language, nil)
	return len(text) <= 60 && len(found) == 1 && bareAmount.MatchString(text[:found[0].start]) && amountSuffix.MatchString(text[found[0].end:])
}

// bareAmountTrust is how far an amount of money is trusted to be the price that stands alone.
const bareAmountTrust = 0.68

// byMonth matches what stands behind an amount that is paid each month.
var byMonth = regexp.MustCompile(`(?i)(?:/|per|a|each|p) ?(?:month|mo|m|week|year)\b`)

// isFormerNode reports whether an element, or one around it, is struck out or has a class of what no longer holds or is no price of the
// thing itself.
func isFormerNode(n *html.Node) bool {
	for outer, depth := n, 0; outer != nil && outer.Type == html.ElementNode && depth < 4; outer, depth = outer.Parent, depth+1 {
		switch outer.DataAtom {
		case atom.Del, atom.S, atom.Strike, atom.Td, atom.Th:
			return true
		case atom.Body, atom.Main, atom.Article:
			return false
		}
		if slices.ContainsFunc(classWords(outer), func(word string) bool { return former[word] && word != "list" && word != "cart" }) {
			return true
		}
	}
	for inner := range n.Descendants() {
		if inner.DataAtom == atom.Del || inner.DataAtom == atom.S || inner.DataAtom == atom.Strike {
			return true
		}
	}
	return false
}

var (
	wasText = regexp.MustCompile(`(?i)\b(?:was|rrp|before|previously|originally|instead of|list price|regular price|original price|old price):? $`)
	nowText = regexp.MustCompile(`(?i)\b(?:now|sale price|our price|reduced to|offer|special offer|today|only):? $`)
)

// reduced reads a short line with what something cost before and what it costs now.
func (p *page) reduced(line string) bool {
	if len(line) > 100 {
		return false
	}
	found := parts(line, "money", p.language, nil)
	if len(found) == 0 || len(found) > 3 {
		return false
	}
	known := false
	for _, v := range found {
		before := line[:v.start]
		switch {
		case wasText.MatchString(before):
			p.add(fact{label: "old price", value: v.text, quote: line, trust: 0.85})
			known = true
		case nowText.MatchString(before) && len(found) > 1:
			p.add(fact{label: "price", value: v.text, quote: line, trust: 0.85})
			known = true
		}
	}
	return known
}

// formerLabels are what stands before a price that no longer holds.
var formerLabels = map[string]bool{"was": true, "before": true, "previously": true, "instead of": true}

// hasPrice reports whether a page, or the part of it below a heading, says what something costs now.
func (p *page) hasPrice(card string) bool {
	return slices.ContainsFunc(p.facts, func(other fact) bool {
		return slices.Contains(other.terms, "price") && other.card == card && moneyText.MatchString(other.value)
	})
}
