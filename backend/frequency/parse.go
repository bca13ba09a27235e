package frequency

import (
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"
)

// exprStart distinguishes an expression from a sentence: no sentence begins with two such words.
var exprStart = regexp.MustCompile(`^[0-9*?/,-]+\s+[0-9*?/,-]+\s`)

// Parse parses a sentence or an expression of up to [TextCharsMax] characters. The error is an [*Error].
func Parse(text string) (Frequency, error) {
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return Frequency{}, refuse("the frequency is missing")
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		return Frequency{}, refuse("the text must be valid UTF-8 without NUL characters")
	case utf8.RuneCountInString(text) > TextCharsMax:
		return Frequency{}, refuse("a frequency has at most %d characters, and this has %d", TextCharsMax, utf8.RuneCountInString(text))
	case exprStart.MatchString(text):
		c, err := ParseCron(text)
		if err != nil {
			return Frequency{}, &Error{
				Reason: "the cron expression is not valid: " + strings.ReplaceAll(err.Error(), "\n", "; "),
				Try:    []string{"0 * * * *", "0 9 * * 1-5", "every hour"},
			}
		}
		return c.frequency(true)
	}
	m, err := parse(strings.TrimPrefix(text, "@"))
	if err != nil {
		return Frequency{}, err
	}
	return m.cron().frequency(m.named)
}

// frequency refuses expressions that are due more often than allowed.
func (c *Cron) frequency(named bool) (Frequency, error) {
	f := Frequency{Cron: c.String(), Named: named, Interval: c.Interval()}
	if f.Interval < IntervalMin {
		return Frequency{}, tooOften(f.Interval)
	}
	f.Text = words(c)
	if !named {
		f.Text = unnamed(c, f.Text)
	}
	return f, nil
}

// unnamed removes a time that the sentence did not name: it is not when something runs, and repeating the text would name
// it. The text stays if there is no shorter form.
func unnamed(c *Cron, text string) string {
	short := strings.TrimSuffix(text, " at 00:00")
	if m, err := parse(short); err == nil && !m.named && m.same(c) {
		return short
	}
	return text
}

func tooOften(interval time.Duration) error {
	near := interval.String()
	switch {
	case interval%time.Hour == 0:
		near = plural(int(interval/time.Hour), "hour")
	case interval%time.Minute == 0:
		near = plural(int(interval/time.Minute), "minute")
	}
	return &Error{
		Reason: fmt.Sprintf("the shortest interval is %d minutes, but these times are %s apart", int(IntervalMin/time.Minute), near),
		Try:    []string{"every 10 minutes", "every 15 minutes", "every hour"},
	}
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// meaning is when a sentence is due.
type meaning struct {
	minute, hour, dom, month, dow uint64
	named                         bool
}

const (
	everyMinute = 1<<60 - 1
	everyHour   = 1<<24 - 1
	everyDay    = 1<<32 - 2
	everyMonth  = 1<<13 - 2
)

// cron writes the meaning as its canonical expression.
func (m *meaning) cron() *Cron {
	c := &Cron{
		second: 1, minute: m.minute, hour: m.hour, dom: m.dom, month: m.month, dow: m.dow,
		anyDom: m.dom == everyDay, anyDow: m.dow == allDays,
	}
	c.text = strings.Join([]string{
		written(m.minute, 0, 59, true), written(m.hour, 0, 23, true), written(m.dom, 1, 31, false),
		written(m.month, 1, 12, true), written(m.dow, 0, 6, false),
	}, " ")
	return c
}

// parse parses a sentence.
func parse(text string) (*meaning, error) {
	r := &reading{tokens: tokens(text), start: -1}
	if err := r.read(); err != nil {
		return nil, err
	}
	m := &meaning{dom: everyDay, month: everyMonth, dow: allDays}
	for _, step := range []func(*meaning) error{r.countToEvery, r.checkDays, r.clockTo, r.daysTo} {
		if err := step(m); err != nil {
			return nil, err
		}
	}
	return m, nil
}
