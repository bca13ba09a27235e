package fill

import (
	_ "embed"
	"strings"
)

// concept is a kind of data on pages, whatever its label.
type concept string

// The lexicon is written by hand. What it does not contain is found by its own name only.
var (
	//go:embed lexicon.txt
	lexiconText string
	//go:embed alike.txt
	alikeText string
	//go:embed entities.txt
	entitiesText string
)

// entities are words for a page's subject, which may precede a property's name: "product_price".
var entities = set(entitiesText)

// social are the hosts of networks with profiles.
var social = map[concept][]string{
	"twitter": {"twitter.com", "x.com"}, "facebook": {"facebook.com"}, "linkedin": {"linkedin.com"}, "instagram": {"instagram.com"},
	"youtube": {"youtube.com"}, "github": {"github.com"},
}

// alike maps values to groups of synonyms.
var alike = groups(alikeText)

var conceptsByLabel, pathsByConcept = index(lexiconText)

// entries are the lines of a text, without comments.
func entries(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			out = append(out, line)
		}
	}
	return out
}

func index(text string) (map[string][]concept, map[concept][][]string) {
	byLabel, byConcept := map[string][]concept{}, map[concept][][]string{}
	for _, line := range entries(text) {
		name, rest, _ := strings.Cut(line, "|")
		paths, labels, _ := strings.Cut(rest, "|")
		c := concept(strings.TrimSpace(name))
		for label := range strings.SplitSeq(labels, ",") {
			key := key(words(label))
			byLabel[key] = append(byLabel[key], c)
		}
		for path := range strings.FieldsSeq(paths) {
			byConcept[c] = append(byConcept[c], strings.Split(path, "."))
		}
	}
	return byLabel, byConcept
}

// key is for comparing labels: without little words, in the singular, and with umlauts as people without an umlaut key
// write them.
func key(all []string) string {
	return umlauts.Replace(strings.Join(singulars(telling(all)), " "))
}

var umlauts = strings.NewReplacer("ae", "a", "oe", "o", "ue", "u")

func groups(text string) map[string]int {
	out := map[string]int{}
	for i, line := range entries(text) {
		for value := range strings.SplitSeq(line, ",") {
			out[valueKey(value)] = i + 1
		}
	}
	return out
}

// valueKey is squash, except for texts without letters, such as signs of currencies.
func valueKey(s string) string {
	if k := squash(s); k != "" && !strings.ContainsAny(s, "€$£¥") {
		return k
	}
	return strings.ReplaceAll(strings.ToLower(fold(s)), " ", "")
}
