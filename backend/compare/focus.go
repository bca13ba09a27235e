package compare

import (
	"slices"
	"strings"
)

// concept is something that is watched often, by the words that name it and how it is told on a page.
type concept struct {
	words map[string]bool // in the monitor's sentence
	told  map[string]bool // on the page
	kind  tokenKind
	typed bool // kind tells it
}

var concepts = []concept{
	{
		words: setOf(`price prices cost costs costing discount sale cheaper deal fee fees tariff rate rates pricing preis preise prix precio precios prezzo
			salary salaries pay wage`),
		told: setOf(`price prices cost costs preis prix precio fee fees free kostenlos gratuit gratis discount tariff salary`), kind: tokenMoney, typed: true,
	},
	{
		words: setOf(`stock availability available inventory restock restocked in-stock sold back verfügbar verfügbarkeit lager disponible disponibilité`),
		told: setOf(`stock available unavailable availability sold backorder preorder pre-order waitlist in-stock out-of-stock restocked discontinued left inventory
			verfügbar ausverkauft lieferbar lager épuisé disponible indisponible agotado`),
	},
	{words: setOf(`version versions release releases released`), told: setOf(`version versions release released releases v`), kind: tokenVersion, typed: true},
	{words: setOf(`date dates deadline deadlines when datum termin fecha`), told: setOf(`date deadline`), kind: tokenDate, typed: true},
	{
		words: setOf(`status outage outages incident incidents operational uptime downtime state`),
		told:  setOf(`status operational outage degraded incident incidents maintenance resolved investigating monitoring identified uptime down disruption`),
	},
	{words: setOf(`percent percentage`), told: setOf(`percent percentage`), kind: tokenPercent, typed: true},
}

// vague words say that something is watched, not what.
var vague = setOf(`page pages site sites website websites web url change changes changed changing update updates updated anything something any
	everything content contents text information info
	details detail new latest current news item items product products article articles list lists listing listings watch track monitor tell notify
		alert me my of the a an and or in on at to for
	from when whenever if is are it its this that with section table data thing things value values word words link links heading headings document
		documents post posts edit edits http https www com`)

// focus is what is watched.
type focus struct {
	words    map[string]bool
	subjects []string
	concepts []*concept
}

// focusOf reads the words of what is watched; nil for none that narrow anything.
func focusOf(words []string) *focus {
	f := &focus{words: map[string]bool{}}
	for _, entry := range words[:min(len(words), 50)] {
		for _, word := range strings.FieldsFunc(strings.ToLower(cleanText(cutText(entry, labelBytesMax))), func(r rune) bool { return !isWordRune(r) && r != '-' }) {
			f.words[word] = true
			if vague[word] {
				continue
			}
			known := false
			for i := range concepts {
				if concepts[i].words[word] {
					known = true
					if !slices.Contains(f.concepts, &concepts[i]) {
						f.concepts = append(f.concepts, &concepts[i])
					}
				}
			}
			if !known && len(word) > 2 {
				f.subjects = append(f.subjects, stem(word))
			}
		}
	}
	return f
}

func (f *focus) isEmpty() bool { return len(f.concepts) == 0 && len(f.subjects) == 0 }

// stem takes the ending of a plural off.
func stem(word string) string {
	if strings.HasSuffix(word, "ies") && len(word) > 4 {
		return word[:len(word)-3] + "y"
	}
	if strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") && len(word) > 3 {
		return word[:len(word)-1]
	}
	return word
}

// isAnywhere reports whether a page has anything to do with what is watched.
func (f *focus) isAnywhere(p *Page) bool {
	if f.isEmpty() {
		return false
	}
	for i := range p.Blocks {
		b := &p.Blocks[i]
		if (!b.isApart() || b.Noise == noiseDaily) && f.tells(b.Text, b.Label) {
			return true
		}
	}
	return false
}

// tells reports whether a text is about what is watched: one of its concepts where there are any, else one of its subjects.
func (f *focus) tells(texts ...string) bool {
	for _, text := range texts {
		if text == "" {
			continue
		}
		tokens := tokensOf(text, "")
		for _, c := range f.concepts {
			if c.isIn(tokens) {
				return true
			}
		}
		if len(f.concepts) == 0 && f.names(tokens) {
			return true
		}
	}
	return false
}

func (c *concept) isIn(tokens []token) bool {
	for i := range tokens {
		t := &tokens[i]
		if c.typed && t.kind == c.kind || t.kind == tokenWord && c.told[t.lower] {
			return true
		}
	}
	return false
}

func (f *focus) names(tokens []token) bool {
	for i := range tokens {
		if tokens[i].kind == tokenWord && slices.Contains(f.subjects, stem(tokens[i].lower)) {
			return true
		}
	}
	return false
}

// isOn reports whether a change is of what is watched. A concept has to be in what differs, or in what names it: a price
// that stands beside an edited word did not change.
func (f *focus) isOn(found *candidate, n *node) bool {
	if f.isEmpty() {
		return true
	}
	texts := append([]string{found.Before, found.After, n.Label}, found.Path...)
	if len(f.concepts) == 0 {
		return f.tells(texts...)
	}
	for _, c := range f.concepts {
		if c.differs(found, n) {
			return true
		}
	}
	return false
}

func (c *concept) differs(found *candidate, n *node) bool {
	for i := range found.spots {
		for _, v := range found.spots[i].values {
			if c.typed && (v.Type == tokenTypes[c.kind] || v.Type == "number" && c.isIn(tokensOf(found.After, ""))) {
				return true
			}
		}
	}
	if found.Kind != Changed || !c.typed {
		return c.isIn(tokensOf(found.Before, "")) || c.isIn(tokensOf(found.After, "")) || c.isIn(tokensOf(n.Label, ""))
	}
	return c.isIn(tokensOf(n.Label, "")) || c.isIn(tokensOf(found.Before, "")) != c.isIn(tokensOf(found.After, ""))
}
