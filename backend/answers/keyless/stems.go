package keyless

import (
	_ "embed"
	"slices"
	"strings"
)

//go:embed concepts.txt
var conceptsText string

// concepts are the ideas that the stem of a word may stand for: its own, and the first of each line that it is on.
var concepts = func() map[string][]string {
	out := map[string][]string{}
	for line := range strings.Lines(conceptsText) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		all := strings.Fields(line)
		for _, word := range all {
			idea := "/" + stem(all[0]) + "/" + stem(all[1])
			if s := stem(strings.ReplaceAll(word, "-", "")); !slices.Contains(out[s], idea) {
				out[s] = append(out[s], idea)
			}
		}
	}
	return out
}()

// irregularText is the words that English bends in ways of their own, those of one stem behind it, parted by semicolons. A stem is its own.
const irregularText = `
writ wrote written writes writer writing; lead led leads leading leader; build built builds building builder; teach taught teaches teacher;
mak made makes maker making make; begin began begun begins beginning beginnings; sell sold sells sale sales; pay paid pays payable; draw drew drawn;
run ran runs running runner runtime; win won wins winning winner winners; giv gave given gives give; spend spent spends;
weigh weighs weight weighed weighing; high height higher; long length longer; wid width wide; deep depth; birth born birth; death died dies death;
hold held holds holder; meet met meets; know known knew; buy bought buys; keep kept keeps; stand stood stands; rise rose risen rises;
com came comes come coming; go went gone goes; tak took taken takes; liv live lives lived living; becom became become becomes;
leav leave left leaves; marri married marry marries marriage; studi studied study studies; hurt hurts; cost costs costing;
employ employs employed employing employer; own owns owned owner owners; found founded founder founders founding founds; die; tri try tries tried;
manag manager manages managed managing; minut minute minutes; serv serves serve serving servings served; pag page pages;
appli apply applies applied applicant applicants application applications; produc produce produces produced producer product;
invest investor investors invested invests investment; investigat investigation investigator investigates investigated investigate;
direct director directors directed directs; author authors authored;
organis organiser organisers organises organised organise organizer organizes organized organize organizers;
licenc licence license licensed licenses licences; population populations;
publish published publisher publishes publication publishing publish`

// irregular are the stems of those words.
var irregular = func() map[string]string {
	out := map[string]string{}
	for group := range strings.SplitSeq(irregularText, ";") {
		all := strings.Fields(group)
		for _, word := range all {
			out[word] = all[0]
		}
	}
	return out
}()

// endings are taken from words, the longest first.
var endings = []string{"ations", "ation", "ments", "ment", "ings", "ing", "ors", "ers", "ies", "ied", "ed", "er", "or", "es", "s", "e", "y"}

// stem is a word without what bends it: "opened", "opens" and "opening" have the same.
func stem(word string) string {
	if s, ok := irregular[word]; ok {
		return s
	}
	for _, ending := range endings {
		if before, ok := strings.CutSuffix(word, ending); ok && len(before) >= 3 && !(ending == "s" && strings.HasSuffix(word, "ss")) {
			if n := len(before); n > 3 && before[n-1] == before[n-2] && !strings.ContainsRune("aeiousl", rune(before[n-1])) {
				before = before[:n-1] // "planned"
			}
			return strings.TrimSuffix(before, "i")
		}
	}
	return word
}

// ideas are a stem and what it may stand for.
func ideas(s string) []string { return append([]string{s}, concepts[s]...) }

// akin reports whether two words may say the same.
func akin(a, b []string) bool {
	return slices.ContainsFunc(a, func(idea string) bool { return slices.Contains(b, idea) })
}
