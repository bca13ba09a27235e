package compare

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// instrumentPhrases are what is read off an instrument, in lower case.
var instrumentPhrases = []string{
	"river level", "water level", "snow depth", "water temperature", "sea temperature", "spaces free", "spaces are free", "pegelstand", "wasserstand", "schneehöhe",
	"wassertemperatur", "parkplätze frei", "stellplätze frei", "freie parkplätze", "niveau de l'eau", "hauteur de neige", "places libres", "plazas libres",
}

// Words beside what is counted or measured.
var (
	trendWords  = setOf(`rising falling steady stable steigend fallend gleichbleibend`)
	waterWords  = setOf(`water sea lake pool wasser see eau agua acqua`)
	sinceWords  = setOf(`since depuis seit desde sinds`)
	periodWords = setOf(`today yesterday total overall heute gestern gesamt insgesamt hier aujourd'hui hoy ayer oggi ieri`)
	weekWords   = setOf(`week kw kalenderwoche semaine semana settimana vecka uke uge`)
	leaveWords  = setOf(`departure departures bus train tram ferry sailing shuttle boat abfahrt bahn zug fähre départ salida partenza`)
	nextWords   = setOf(`next nächste nächster nächstes prochain prochaine próximo próxima prossima prossimo volgende`)
	// nowNames are how what is measured at the moment is headed.
	nowNames = []string{
		"right now", "at this moment", "at the moment", "live", "live data", "in real time", "real-time", "echtzeit", "en direct", "en ce moment", "in diesem moment",
		"en tiempo real", "in tempo reale",
	}
)

// instruments marks what is read off an instrument, a calendar or a timetable.
func (p *passing) instruments() {
	if len(p.in) > measuredMax || len(p.lens.watched) > 0 && slices.ContainsFunc(p.in, func(t token) bool { return p.lens.watched[t.lower] }) {
		return
	}
	if p.isMeasured() {
		for i := range p.in {
			if p.kind(i) == tokenNumber || trendWords[p.lower(i)] {
				p.mark(i, i+1)
			}
		}
	}
	for i := range p.in {
		switch lower := p.lower(i); {
		case weekWords[lower] && p.isCount(i+1, p.isoWeek()), lower == "day" && p.isCount(i+1, p.lens.at.YearDay()) && p.lower(i+2) == "of":
			p.mark(i+1, i+2)
		case lower == "load" && (p.lower(i+1) == "average" || p.kind(i+1) == tokenNumber && strings.Contains(p.in[i+1].norm, ".") && !measureUnits[p.lower(i+2)]):
			p.numberAfter(i + 2)
			p.numberAfter(i + 1)
		case nextWords[lower] && leaveWords[p.lower(i+1)] && len(p.in) <= 8:
			p.markKinds(tokenTime)
		case lower == "far" && p.lower(i-1) == "so" && len(p.in) <= 14:
			for j := range p.in {
				if p.kind(j) == tokenNumber && len(p.in[j].norm) >= 4 && !isYearNumber(p.in[j].norm) {
					p.mark(j, j+1)
				}
			}
		case sinceWords[lower] && len(p.in) <= 14 && p.kind(i+1) == tokenNumber && len(p.in[i+1].norm) == 4:
			for j := range p.in {
				if p.kind(j) == tokenNumber && j != i+1 && len(p.in[j].norm) >= 4 {
					p.mark(j, j+1)
				}
			}
		}
	}
}

func isYearNumber(digits string) bool {
	year, err := strconv.ParseInt(digits, 10, 64)
	return err == nil && isYear(year)
}

// isMeasured reports whether a short text names an instrument, or says how warm water is today.
func (p *passing) isMeasured() bool {
	if len(p.in) > 14 || !slices.ContainsFunc(p.in, func(t token) bool { return t.kind == tokenNumber }) {
		return false
	}
	lower := strings.ToLower(p.text)
	if slices.ContainsFunc(instrumentPhrases, func(phrase string) bool { return strings.Contains(lower, phrase) }) {
		return true
	}
	water, now, degrees := false, false, false
	for i := range p.in {
		l := p.lower(i)
		water, degrees = water || waterWords[l], degrees || p.kind(i) == tokenNumber && isDegreesAt(p, i+1)
		now = now || l == "air" || l == "luft" || l == "now" || l == "currently" || todayWords[l]
	}
	return water && now && degrees
}

// isCount reports whether a token is a number.
func (p *passing) isCount(i, number int) bool {
	return p.kind(i) == tokenNumber && number > 0 && p.in[i].norm == strconv.Itoa(number)
}

// isoWeek is the week of the year in which the page was read, 0 for none.
func (p *passing) isoWeek() int {
	if p.lens.at.IsZero() {
		return 0
	}
	_, week := p.lens.at.ISOWeek()
	return week
}

// isNowName reports whether a heading, in lower case, is of what is measured at the moment.
func isNowName(lower string) bool {
	lower = strings.Trim(lower, " .:!")
	return slices.ContainsFunc(nowNames, func(name string) bool {
		return lower == name || len(name) > 4 && strings.HasSuffix(lower, " "+name) && strings.Count(lower, " ") <= 5
	})
}

// weekdayNames are the names of the days by their number, Sunday being 0.
var weekdayNames = func() map[string]time.Weekday {
	all := map[string]time.Weekday{}
	for i, names := range []string{
		"sunday sun sonntag dimanche domingo domenica zondag", "monday mon montag lundi lunes lunedì maandag", "tuesday tue tues dienstag mardi martes martedì dinsdag",
		"wednesday wed mittwoch mercredi miércoles mercoledì woensdag", "thursday thu thur thurs donnerstag jeudi jueves giovedì donderdag",
		"friday fri freitag vendredi viernes venerdì vrijdag", "saturday sat samstag samedi sábado sabato zaterdag",
	} {
		for name := range strings.FieldsSeq(names) {
			all[name] = time.Weekday(i)
		}
	}
	return all
}()

// isPacedWeekday reports whether a difference is a weekday that went on with the days, in a text that says when something is delivered or
// wishes a good day.
func (d *pageDiff) isPacedWeekday(h hunk, before, after []token) bool {
	if h.a1-h.a0 != 1 || h.b1-h.b0 != 1 {
		return false
	}
	from, ok1 := weekdayNames[before[h.a0].lower]
	to, ok2 := weekdayNames[after[h.b0].lower]
	days := daysFrom(d.c.before.At, d.c.after.At)
	if !ok1 || !ok2 || days <= 0 || (int(from)+days)%7 != int(to) {
		return false
	}
	return slices.ContainsFunc(after, func(t token) bool { return supplyWords[t.lower] || t.lower == "order" || t.lower == "happy" })
}
