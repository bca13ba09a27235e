package ask

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

var monthNumbers = func() map[string]int {
	out := map[string]int{}
	for _, list := range []string{
		"january february march april may june july august september october november december",
		"jan feb mar apr may jun jul aug sep oct nov dec", "- - - - - - - - sept - - -",
		"januar februar märz april mai juni juli august september oktober november dezember",
		"janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
		"enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
	} {
		for i, name := range strings.Fields(list) {
			if name != "-" {
				out[name] = i + 1
			}
		}
	}
	return out
}()

var (
	ymd      = regexp.MustCompile(`\b(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:\b|T)`)
	dmyWords = regexp.MustCompile(`(?i)\b(\d{1,2})(?:st|nd|rd|th|er|\.)?(?: of| de)? (\pL{3,10})\.?,?(?: de)? (\d{4})\b`)
	mdyWords = regexp.MustCompile(`(?i)\b(\pL{3,10})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})\b`)
	myWords  = regexp.MustCompile(`(?i)\b(\pL{3,10})\.?,?(?: of| de)? (\d{4})\b`)
	dmy      = regexp.MustCompile(`\b(\d{1,2})([./-])(\d{1,2})[./-](\d{4})\b`)
	isoFull  = regexp.MustCompile(`^(\d{4})(?:-(\d{2})(?:-(\d{2})([T ].*)?)?)?$`)
	tagMarks = strings.NewReplacer("\t", " ", "\n", " ", "\r", " ")
)

// DatesIn returns the complete dates in a text, in order, as YYYY-MM-DD. Ambiguous dates such as 03/04/2019 follow the
// convention of the language, and are skipped if that is not known.
func DatesIn(text, language string) []string {
	text = tagMarks.Replace(Plain(text))
	type found struct {
		at   int
		date string
	}
	var all []found
	add := func(at int, year, month, day int) {
		d := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
		if month >= 1 && month <= 12 && d.Day() == day && d.Year() == year {
			all = append(all, found{at, d.Format(time.DateOnly)})
		}
	}
	group := func(m []int, i int) string { return text[m[2*i]:m[2*i+1]] }
	for _, m := range ymd.FindAllStringSubmatchIndex(text, -1) {
		add(m[0], atoi(group(m, 1)), atoi(group(m, 2)), atoi(group(m, 3)))
	}
	for _, m := range dmyWords.FindAllStringSubmatchIndex(text, -1) {
		add(m[0], atoi(group(m, 3)), monthNumbers[strings.ToLower(group(m, 2))], atoi(group(m, 1)))
	}
	for _, m := range mdyWords.FindAllStringSubmatchIndex(text, -1) {
		add(m[0], atoi(group(m, 3)), monthNumbers[strings.ToLower(group(m, 1))], atoi(group(m, 2)))
	}
	for _, m := range dmy.FindAllStringSubmatchIndex(text, -1) {
		first, second := atoi(group(m, 1)), atoi(group(m, 3))
		switch {
		case first == second || first > 12 || group(m, 2) == "." || dayFirst(language):
			add(m[0], atoi(group(m, 4)), second, first)
		case second > 12 || monthFirst(language):
			add(m[0], atoi(group(m, 4)), first, second)
		}
	}
	var out []string
	for i := 0; i < len(all); i++ {
		least := i
		for j := i + 1; j < len(all); j++ {
			if all[j].at < all[least].at {
				least = j
			}
		}
		all[i], all[least] = all[least], all[i]
		out = append(out, all[i].date)
	}
	return out
}

func dayFirst(language string) bool {
	language = strings.ToLower(strings.ReplaceAll(language, "_", "-"))
	return language != "" && language != "en" && language != "en-us" && language != "en-ca"
}

func monthFirst(language string) bool {
	return strings.EqualFold(strings.ReplaceAll(language, "_", "-"), "en-us")
}

func atoi(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return -1
	}
	return n
}

// isDate reports whether a value is an ISO 8601 date with at least a year.
func isDate(value string) bool { return len(value) > 4 && isoFull.MatchString(value) }

// saysDate reports whether a text states a date: a day, a month of a year, or a year.
func saysDate(text, value, language string) bool {
	m := isoFull.FindStringSubmatch(value)
	if m == nil {
		return false
	}
	if m[3] != "" {
		if m[4] != "" && !strings.Contains(text, strings.TrimSuffix(value[11:], "Z")[:min(5, len(strings.TrimSuffix(value[11:], "Z")))]) {
			return false // the time of day must be stated too
		}
		day := value[:len("2006-01-02")]
		return slices.Contains(DatesIn(text, language), day)
	}
	if m[2] == "" {
		return regexp.MustCompile(`\b` + m[1] + `\b`).MatchString(text)
	}
	text = tagMarks.Replace(Plain(text))
	for _, w := range myWords.FindAllStringSubmatch(text, -1) {
		if fmt.Sprintf("%s-%02d", w[2], monthNumbers[strings.ToLower(w[1])]) == value {
			return true
		}
	}
	for _, date := range DatesIn(text, language) {
		if strings.HasPrefix(date, value) {
			return true
		}
	}
	return strings.Contains(text, value)
}
