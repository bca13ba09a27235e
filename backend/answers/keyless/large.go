package keyless

import "slices"

// manySentences is from how many on only those sentences of a page are read closely that have a word of what is asked.
const manySentences = 400

// speaks reports whether a text has a word that says the same as one of what is asked.
func (t *telling) speaks(text string) bool {
	all := wordsIn(text)
	return slices.ContainsFunc(t.cues, func(c cue) bool {
		return slices.ContainsFunc(c.keys, func(key []string) bool {
			return slices.ContainsFunc(all, func(x word) bool { return akin(x.ideas, key) })
		})
	})
}
