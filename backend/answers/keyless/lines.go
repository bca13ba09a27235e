package keyless

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/turnpike-edge/turnpike/backend/answers/ask"
)

var (
	// apart matches what stands between labelled values on one line.
	apart = regexp.MustCompile(` (?:[|·•‖¦]|//) `)
	// colons matches a label with a capital within a line.
	colons = regexp.MustCompile(`(?:^|\s)(\p{Lu}[\pL\pN'’()/-]*(?: [\pL\pN'’()/&-]+){0,5}): `)
	// onward matches where a sentence begins behind a value.
	onward = regexp.MustCompile(` \p{Lu}\p{Ll}+ \p{Ll}+ \p{Ll}+`)
)

// lines reads text: "Label: value" on a line, and sentences.
func (p *page) lines(text string) {
	for line := range strings.SplitSeq(text, "\n") {
		line = squeeze(line)
		if line == "" || len(line) > blockBytes {
			continue
		}
		p.line(line)
		p.sentencesOf(line)
	}
}

// byLine is what stands below the headline of an article: who wrote it, and when.
var byLine = regexp.MustCompile(`^(?:By|From|Words:|Text:) (\p{Lu}[\pL'’.-]+(?: \p{Lu}[\pL'’.-]+){1,3})(?:,| on| ·| \||  ?[–—-]) ?(.{6,40})$`)

// byOnly is such a line with nothing but the name.
var byOnly = regexp.MustCompile(`^(?:By|Words:|Text:|Words by|Text by|Written by|Reported by) (\p{Lu}[\pL'’.-]+(?: \p{Lu}[\pL'’.-]+){1,3})$`)

// postedBy is a line that says when something was written before it says by whom.
var postedBy = regexp.MustCompile(`^(?:Posted|Published|Written|Updated|Last updated) (?:on |in )?(.{6,30}?),? by (\p{Lu}[\pL'’.-]+(?: \p{Lu}[\pL'’.-]+){1,3})$`)

func (p *page) line(line string) {
	if len(p.facts) >= factsMax {
		return
	}
	if m := byOnly.FindStringSubmatch(line); m != nil && len(p.sentences) < leadSentences*2 {
		p.add(fact{label: "author", value: m[1], quote: line, trust: 0.88})
	}
	if m := byLine.FindStringSubmatch(line); m != nil {
		p.add(fact{label: "author", value: m[1], quote: line, trust: 0.9})
		p.add(fact{label: "published", value: m[2], quote: line, trust: 0.9})
	}
	if m := postedBy.FindStringSubmatch(line); m != nil {
		p.add(fact{label: "author", value: m[2], quote: line, trust: 0.88})
	}
	p.poster(line)
	p.rated(line)
	for _, part := range apart.Split(line, -1) {
		if p.run(part) {
			continue
		}
		label, value, ok := strings.Cut(part, ":")
		if !ok || !strings.HasPrefix(value, " ") || len(label) > 60 || len(words(label)) > 7 || strings.ContainsAny(label, ".!?;") {
			if label, value, ok = strings.Cut(part, " – "); !ok || !p.isLabel(label) {
				p.begun(part)
				if !p.reduced(part) && !p.cells(part) && p.margins == 0 && !p.codedLine(part) && !p.prefixed(part) && !p.offer(part) {
					p.counted(strings.TrimLeft(part, "-*•✓ "))
				}
				continue
			}
		}
		if len(value) > 1500 {
			continue
		}
		p.add(fact{label: strings.Trim(label, " -*•"), value: value, quote: part, trust: 0.95})
	}
}

// ratedText matches a score out of the most that there is.
var ratedText = regexp.MustCompile(`(?i)(?:^|[^\d./,])(\d{1,2}(?:[.,]\d)?) ?(?:/|out of) ?(?:5|10|100)(?: stars?| points)?(?:$|[^\d/])`)

// rated reads a short line with one score: "Verdict: 7 / 10".
func (p *page) rated(line string) {
	if len(line) > 60 || p.margins > 0 {
		return
	}
	found := ratedText.FindAllStringSubmatch(line, 2)
	if len(found) != 1 || len(parts(line, "date", p.language, nil)) > 0 {
		return
	}
	for _, label := range []string{"rating", "score"} {
		p.add(fact{label: label, value: found[0][1], quote: line, trust: 0.75})
	}
}

// filedText matches the number or the letters by which a thing is filed.
var filedText = regexp.MustCompile(`^(?:[A-Z]|[\p{Lu}\d./-]*\d[\p{Lu}\d./-]*|[A-Z]{2,3}(?: [\dA-Z./-]+){1,4})$`)

// codedLine reads a short line, or a part of it, that is a label and a code: "Company no. 09318842".
func (p *page) codedLine(part string) bool {
	all := strings.Fields(strings.TrimRight(part, "."))
	if len(all) < 2 || len(all) > 7 || len(part) > 60 {
		return false
	}
	for n := min(len(all)-1, 4); n > 0; n-- {
		label, value := strings.Join(all[:n], " "), strings.Join(all[n:], " ")
		known := core(terms(words(label)))
		if len(known) != 1 || kindOf[known[0]] != "text" || !p.isLabel(label) || !filedText.MatchString(value) {
			continue
		}
		p.add(fact{label: label, value: value, quote: part, trust: 0.85})
		return true
	}
	return false
}

// begun reads the sentences of a line that begin with a label: "It is dry. Stores: rope, paint."
func (p *page) begun(line string) {
	if len(line) > 400 || !strings.Contains(line, ": ") {
		return
	}
	all := split(line)
	if len(all) < 2 {
		return
	}
	for _, s := range all {
		label, value, ok := strings.Cut(s, ": ")
		if !ok || len(words(label)) > 3 || len(label) > 40 || strings.ContainsAny(label, ".!?;,") || !isUpper([]rune(label)[0]) {
			continue
		}
		p.add(fact{label: label, value: strings.TrimRight(value, "."), quote: s, trust: 0.85})
	}
}

// run reads labelled values that follow each other in one text without marks between them, as the lines of a printed page do
// once they are joined. It reports whether there were several.
func (p *page) run(text string) bool {
	type place struct{ start, end int }
	var labels []place
	known := 0
	for _, at := range colons.FindAllStringSubmatchIndex(text, 100) {
		// The label is the longest end of what stands before the colon that begins with a capital and is known, or else all of it
		// where it is short and begins a sentence.
		before := len(labels)
		for start := at[2]; start < at[3]; {
			if first := text[start]; first >= 'A' && first <= 'Z' && p.isLabel(text[start:at[3]]) {
				labels = append(labels, place{start, at[3]})
				break
			}
			next := strings.IndexByte(text[start:at[3]], ' ')
			if next < 0 {
				break
			}
			start += next + 1
		}
		if len(labels) > before {
			known++
		} else if label := text[at[2]:at[3]]; len(strings.Fields(label)) <= 4 && begins(text[:at[2]]) {
			labels = append(labels, place{at[2], at[3]})
		}
	}
	if len(labels) < 2 || known == 0 {
		return false
	}
	for i, label := range labels {
		end := len(text)
		if i+1 < len(labels) {
			end = labels[i+1].start
		}
		value := strings.Trim(text[label.end+1:end], " ,;")
		if at := onward.FindStringIndex(value); at != nil {
			value = value[:at[0]]
		}
		if value != "" && len(value) <= 1500 {
			p.add(fact{label: text[label.start:label.end], value: value, quote: text[label.start:label.end] + ": " + value, trust: 0.9})
		}
	}
	return true
}

// begins reports whether what stands behind a text begins a sentence, or follows a number as what is said next.
func begins(before string) bool {
	before = strings.TrimRight(before, " ")
	if before == "" {
		return true
	}
	last := before[len(before)-1]
	return strings.IndexByte(".;,|)", last) >= 0 || last >= '0' && last <= '9'
}

// cells reads a line of a text in columns: a label, a tab or dots, and a value.
func (p *page) cells(line string) bool {
	label, value, ok := strings.Cut(line, " .. ")
	if !ok {
		label, value, ok = strings.Cut(line, "....")
	}
	if !ok || len(words(label)) > 7 {
		return false
	}
	p.add(fact{label: label, value: strings.TrimLeft(value, ". "), quote: line, trust: 0.9})
	return true
}

func (p *page) sentencesOf(text string) {
	heading := append([]string{}, p.headings[2:]...)
	if isAside(p.headings[2:]) {
		return
	}
	for line := range strings.SplitSeq(text, "\n") {
		for _, s := range split(line) {
			if len(p.sentences) < sentencesMax && len(s) < 1500 && strings.Contains(s, " ") {
				s = ask.Plain(s)
				p.sentences = append(p.sentences, sentence{text: s, card: p.card(), block: p.inside, marks: marks(s), around: heading})
			}
		}
	}
}

var abbreviations = set("dr mr mrs ms capt rev ref sgt col gen prof st no nr tel approx ca e.g i.e etc vol ed jr sr inc ltd co art fig " +
	"jan feb mar apr jun jul aug sep sept oct nov dec")

// split parts a text into sentences.
func split(text string) []string {
	var out []string
	start := 0
	runes := []byte(text)
	for i := range runes {
		if runes[i] != '.' && runes[i] != '!' && runes[i] != '?' {
			continue
		}
		if i+1 < len(runes) && runes[i+1] != ' ' {
			continue
		}
		before := strings.TrimLeft(strings.ToLower(text[max(0, strings.LastIndexByte(text[:i], ' ')+1):i]), "(")
		if runes[i] == '.' && (abbreviations[before] || len(before) == 1 && before >= "a" && before <= "z") {
			continue
		}
		if runes[i] == '.' && before != "" && strings.Trim(before, "0123456789") == "" && i+2 < len(text) && !unicode.IsUpper(rune(text[i+2])) {
			continue
		}
		if s := strings.TrimSpace(text[start : i+1]); s != "" {
			out = append(out, s)
		}
		start = i + 1
	}
	if s := strings.TrimSpace(text[start:]); s != "" {
		out = append(out, s)
	}
	return out
}
