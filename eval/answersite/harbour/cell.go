package harbour

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/turnpike-edge/turnpike/eval/answersite"
)

// The names of who lives in the world.
var (
	firstNames = strings.Fields("Ada Bram Carys Dorian Elspeth Fergus Greta Hamish Ilse Jonas Keziah Lorcan Maren Niall Oona Piers Rhona Sander Tilda Ulric Verity Wilf Yara Zeno Anneke Benedikt Cosima Davit Edda Florian")
	lastNames  = strings.Fields("Abernethy Brinkmann Castellan Dunmore Eastcote Falkner Garrick Hollis Ivers Jessop Kirkbride Lindgren Marchetti Norcross Oakden Penrose Quennell Rademaker Sandoval Thorsen Umfreville Vasseur Wetherby Yelland Zeller")
)

func names(chance *rand.Rand) []string {
	var all []string
	for i := range firstNames {
		for j := range lastNames {
			if (i+j)%5 == 0 {
				all = append(all, firstNames[i]+" "+lastNames[j])
			}
		}
	}
	chance.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

func must(err error) {
	if err != nil {
		panic(fmt.Sprintf("harbour: %v", err))
	}
}

// money are the kinds of prices: the currency and how one is written.
var money = map[string]struct{ currency, before, after, point string }{
	"gbp": {"GBP", "£", "", "."}, "eur": {"EUR", "€", "", "."}, "euc": {"EUR", "", " €", ","},
}

// dates are the kinds of days, with how one is written.
var dates = map[string]func(time.Time) string{
	"date": func(t time.Time) string { return t.Format("2 January 2006") },
	"dwd":  func(t time.Time) string { return t.Format("Monday, 2 January 2006") },
	"diso": func(t time.Time) string { return t.Format(time.DateOnly) },
	"dde":  func(t time.Time) string { return answersite.DateIn("de", t) },
	"dfr":  func(t time.Time) string { return answersite.DateIn("fr", t) },
	"des":  func(t time.Time) string { return answersite.DateIn("es", t) },
}

// between is a number from the options "least,most,step".
func (w *world) between(of string) float64 {
	parts := strings.Split(of, ",")
	var n [3]float64
	for i := range n {
		var err error
		n[i], err = strconv.ParseFloat(parts[i], 64)
		must(err)
	}
	return math.Round(100*(n[0]+n[2]*float64(w.chance.IntN(int((n[1]-n[0])/n[2])+1)))) / 100
}

// number is a cell of a number, or one from the seed.
func (w *world) number(c column, cell string) float64 {
	if cell == "*" {
		return w.between(c.of)
	}
	n, err := strconv.ParseFloat(cell, 64)
	must(err)
	return n
}

// read is a cell of a column. Links that begin with a slash are the host's own.
func (w *world) read(c column, cell, host string, known map[string]fact) fact {
	shown, meant, given := strings.Cut(cell, "=")
	if !given {
		meant = shown
	}
	f := fact{shown: shown, meant: meant}
	if w.language != "" {
		c = c.abroad(w.language)
	}
	if m, ok := money[c.kind]; ok {
		f = w.price(c, cell)
		f.value = f.value.Or(f.shown)
		f.value.Currency = m.currency
		f.proof = f.shown
		return f
	}
	if format, ok := dates[c.kind]; ok {
		if cell == "*" {
			f.meant = answersite.On(2026, time.January, 1).AddDate(0, 0, int(w.between(c.of))).Format(time.DateOnly)
		}
		day, err := time.Parse(time.DateOnly, f.meant)
		must(err)
		f.shown = format(day)
		f.value, f.proof = answersite.Day(day).Or(f.shown), f.shown
		return f
	}
	switch c.kind {
	case "int", "year", "num":
		n := w.number(c, cell)
		f.meant = strconv.FormatFloat(n, 'f', -1, 64)
		f.shown = f.meant
		f.value = answersite.Int(int(n))
		switch c.kind {
		case "num":
			f.value = answersite.Num(n)
		case "int":
			f.shown = answersite.Group(n, 0, map[string]string{"": ",", "de": ".", "fr": " ", "es": "."}[w.language], ".")
		}
	case "tel":
		if cell == "*" {
			f.shown = fmt.Sprintf("%s%03d", c.of, 100+w.chance.IntN(900))
		}
		for strings.Contains(f.shown, "#") {
			f.shown = strings.Replace(f.shown, "#", strconv.Itoa(w.chance.IntN(10)), 1)
		}
		f.meant, f.value = f.shown, answersite.Tel(f.shown)
	case "mail":
		if strings.HasPrefix(cell, "@") {
			f.shown = strings.ReplaceAll(slug(known[c.of].shown), "-", ".") + cell
		}
		f.meant, f.value = f.shown, answersite.Mail(f.shown)
	case "who":
		if cell == "*" {
			f.shown, w.people = w.people[0], w.people[1:]
		}
		f.meant, f.value = f.shown, answersite.Str(f.shown)
	case "list":
		items := strings.Split(shown, ";")
		f.shown, f.proof, f.value = strings.Join(items, ", "), items[0], answersite.Several(items...)
		return f
	case "url":
		if strings.HasPrefix(meant, "/") {
			f.meant = w.Origin(host) + meant
		}
		f.value = answersite.Link(f.meant)
	case "rows":
		return w.table(c.of, cell, host)
	case "bool", "enum":
		f.value = typed(c.kind, c.of)
		f.value.Text = meant
		f.value = f.value.Or(shown)
	default:
		if cell == "*" {
			f.shown = answersite.Pick(w.chance, strings.Split(c.of, "/")...)
			f.meant = f.shown
		}
		f.value = answersite.Str(f.meant).Or(f.shown)
	}
	f.proof = f.shown
	return f
}

// abroad is a column on a page of another language: its days are written in that, and its prices are in euros.
func (c column) abroad(language string) column {
	if _, ok := dates[c.kind]; ok && c.kind != "diso" {
		c.kind = "d" + language
	}
	if _, ok := money[c.kind]; ok {
		c.kind = "euc"
	}
	return c
}

// price is a cell of a price: a number, or one from the seed.
func (w *world) price(c column, cell string) fact {
	m, n := money[c.kind], w.number(c, cell)
	decimals, thousands := 2, ","
	if n == float64(int(n)) {
		decimals = 0
	}
	if m.point == "," {
		thousands = "."
	}
	value := answersite.Money(n, m.currency)
	return fact{shown: m.before + answersite.Group(n, decimals, thousands, m.point) + m.after, meant: value.Text, value: value}
}

// table is a list of objects: "S,10;M,12" of "size:str,price:gbp".
func (w *world) table(columns, cell, host string) fact {
	var heads []answersite.Column
	var rows []map[string]answersite.Value
	var shown []string
	for head := range strings.SplitSeq(columns, ",") {
		name, _, _ := strings.Cut(head, ":")
		heads = append(heads, answersite.Column{Name: name, Ask: strings.ReplaceAll(name, "_", " ")})
	}
	for entry := range strings.SplitSeq(cell, ";") {
		row := map[string]answersite.Value{}
		var line []string
		cells := strings.Split(entry, ",")
		for i, head := range strings.Split(columns, ",") {
			name, kind, _ := strings.Cut(head, ":")
			f := w.read(column{kind: kind}, cells[i], host, nil)
			row[name] = f.value
			line = append(line, f.shown)
		}
		rows = append(rows, row)
		shown = append(shown, strings.Join(line, ","))
	}
	first, _, _ := strings.Cut(shown[0], ",")
	all := strings.Join(shown, ";")
	return fact{shown: all, meant: all, proof: first, value: answersite.Entries(heads, rows...)}
}

// typed is a value of a type without what it is.
func typed(kind, of string) answersite.Value {
	if m, ok := money[kind]; ok {
		return answersite.Money(0, m.currency)
	}
	if _, ok := dates[kind]; ok {
		return answersite.Day(time.Time{})
	}
	switch kind {
	case "int", "year":
		return answersite.Int(0)
	case "num":
		return answersite.Num(0)
	case "mail":
		return answersite.Mail("")
	case "tel":
		return answersite.Tel("")
	case "url":
		return answersite.Link("")
	case "bool":
		return answersite.Is(false)
	case "list", "rows":
		return answersite.Several()
	case "enum":
		return answersite.OneOf("", strings.Split(of, "/")...)
	}
	return answersite.Str("")
}
