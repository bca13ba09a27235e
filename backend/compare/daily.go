package compare

import (
	"slices"
	"strings"
)

// dailyMax bounds the tokens of a block that is of the day.
const dailyMax = 45

// isDaily reports whether two versions of a block are each of the day of their run, in all that they say: the strip above a page with
// the date, the weather and a saying. It is not where it says a price, a version, a state, another date or what is watched.
func (d *pageDiff) isDaily(a, b *node) bool { return isOfDay(d.before, a) && isOfDay(d.after, b) }

// isOfDay reports whether a block says what day it is when its page is read, and besides that how warm it is; above the content the
// weekday or the time will do for that, and the weather for the date, and there it may be a row of a table, with a slogan in it.
func isOfDay(nodes []*node, n *node) bool {
	lone := n.Kind == KindParagraph && n.Group == 0
	if !lone && n.Kind != KindRow || len(n.Text) > blockBytesMax/16 {
		return false
	}
	tokens := tokensOf(n.Text, n.lens.language)
	if len(tokens) > dailyMax {
		return false
	}
	today, weekday, degrees, sky, clock := false, false, false, false, false
	for i := range tokens {
		t := &tokens[i]
		switch {
		case t.kind == tokenMoney || t.kind == tokenVersion || t.kind == tokenID:
			return false
		case t.kind == tokenDate:
			day, ok := dayNear(t.norm, n.lens.at)
			if !ok || abs(daysFrom(n.lens.at, day)) > 1 {
				return false
			}
			today = true
		case t.kind == tokenTime:
			clock = true
		case t.kind == tokenNumber:
			degrees = degrees || i+1 < len(tokens) && isDegrees(&tokens[i+1])
		case t.kind == tokenWord:
			if n.lens.watched[t.lower] || isState(t.lower) {
				return false
			}
			weekday, sky = weekday || weekdays[t.lower], sky || weatherWords[t.lower]
		}
	}
	if !lone {
		return today && (degrees || clock) && isAbove(nodes, n)
	}
	return today && degrees || (today && (weekday || clock) || degrees && sky) && isAbove(nodes, n)
}

func isDegrees(t *token) bool {
	return t.norm == "°" || t.lower == "°c" || t.lower == "°f" || t.kind == tokenWord && degreeWords[t.lower]
}

var degreeWords = setOf(`degrees degree grad degrés degré grados grado gradi graden`)

// isAbove reports whether a block stands above what the page tells of: in the header, or before the title.
func isAbove(nodes []*node, n *node) bool {
	if n.Part == "header" {
		return true
	}
	for _, other := range nodes[min(n.index+1, len(nodes)):] {
		if other.Kind == KindHeading && other.Level == 1 {
			return true
		}
	}
	return false
}

// hasDaily reports whether a block that is in one run alone is of the day, as is another that is in the other run alone.
func (d *pageDiff) hasDaily(n *node) bool {
	from, to := d.before, d.after
	if n.index < len(to) && to[n.index] == n {
		from, to = to, from
	}
	if !isOfDay(from, n) {
		return false
	}
	for _, other := range to {
		if other.mate == nil && other.path == n.path && other.Form == n.Form && isOfDay(to, other) {
			return true
		}
	}
	return false
}

// Names of what is another each day, by how they end, begin, and what stands before the end that makes it something else.
var (
	dailyEnds = []string{
		"of the day", "of the week", "of the month", "of the moment", "of the hour", "des tages", "der woche", "des monats", "du jour", "de la semaine", "du moment",
		"del día", "del dia", "de la semana", "del giorno", "della settimana", "van de dag", "van de week", "do dia", "da semana", "dnia", "tygodnia",
	}
	dailyStarts = []string{
		"today's ", "dagens ", "did you know", "on this day", "this day in", "thought for", "fun fact", "tip of", "fact of", "le saviez-vous", "wussten sie",
		"wusstest du", "sabías que", "lo sapevi", "wist je dat", "heute vor", "name day", "namenstag", "saint of", "santo del", "birthdays today", "born today",
	}
	drawnStarts = setOf(`random daily tägliche täglicher`)
	drawnNouns  = setOf(`quote quotes quotation fact facts tip tips photo photos picture image word joke puzzle riddle verse thought thoughts saying proverb poem trivia
		question wisdom inspiration horoscope recipe pick picks article post page entry book bird link video member project product products item song track
		zitat tipp spruch witz`)
	dailyNot = setOf(`hours end ends time times rest days start beginning part order events minutes opening heat agenda schedule timetable
		deal deals offer offers sale sales special specials bargain bargains price prices discount angebot angebote aktion preis preise schnäppchen offre offres
		promo promos promotion promotions prix oferta ofertas precio precios offerta prezzo status rate rates orders ordre orden`)
)

// isDailyName reports whether a heading, in lower case, names what is another each day: "Saying of the day". Offers and hours are not.
func isDailyName(lower string) bool {
	words := strings.FieldsFunc(lower, func(r rune) bool { return !isWordRune(r) && r != '\'' && r != '-' })
	if len(words) == 0 || len(words) > 6 || slices.ContainsFunc(words, func(w string) bool { return dailyNot[w] }) {
		return false
	}
	for _, end := range dailyEnds {
		if before, ok := strings.CutSuffix(lower, end); ok && strings.HasSuffix(before, " ") {
			return true
		}
	}
	for _, start := range dailyStarts {
		if strings.HasPrefix(lower, start) {
			return len(words) <= 4 || !strings.HasSuffix(start, " ")
		}
	}
	return drawnStarts[words[0]] && len(words) <= 3 && drawnNouns[words[len(words)-1]]
}

// lifted is a block of a page, and where it is noise by its name but watched, one like it that is none.
func (l *lens) lifted(p *Page, at int) *Block {
	b := &p.Blocks[at]
	if b.Noise != noiseDaily || l.focus.isEmpty() {
		return b
	}
	under := ""
	if i := b.Under - 1; i >= 0 && i < at {
		under = p.Blocks[i].Text
	}
	if !l.focus.tells(b.Text, b.Label, under) {
		return b
	}
	watched := *b
	watched.Noise = ""
	return &watched
}

// hasMoney reports whether a text says an amount.
func hasMoney(text string) bool {
	return slices.ContainsFunc(tokensOf(text, ""), func(t token) bool { return t.kind == tokenMoney })
}
