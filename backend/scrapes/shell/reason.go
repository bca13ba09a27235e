package shell

import "github.com/turnpike-edge/turnpike/backend/page/extract"

// The values of page_metadata.render_reason for shells. The phrases are part of the interface (docs/rendering.md).
const (
	reasonEmptyMount = "shell for scripts (empty "
	reasonAsks       = "shell for scripts (asks for JavaScript)"
	reasonFramework  = "shell for scripts (framework without text)"
	reasonReloads    = "shell for scripts (loads itself again)"
	reasonNoText     = "shell for scripts (next to no text)"
	reasonOutweighed = "shell for scripts (more code than text)"
)

// The rule's bounds, in letters and digits of visible text: a shell shows only a name, a menu or an apology.
const (
	noTextLetters     = 100
	littleTextLetters = 250
	someTextLetters   = 500
	mountTextLetters  = 1000

	inlineBytesMany = 2 << 10
	externalMany    = 5
	codePerLetter   = 40
)

// PlentyRunes is how much text proves that a page is no shell: twice the rule's bound, because the rule counts only
// letters and digits.
const PlentyRunes = 2 * mountTextLetters

// Reason returns why a page seems to be a shell that scripts fill, or "".
func (s Signs) Reason() string {
	switch {
	case s.scripts == 0: // nothing would fill it
		return ""
	case s.mountEmpty && s.letters < mountTextLetters:
		return reasonEmptyMount + s.mount + ")"
	case s.asksForScripts && s.letters < someTextLetters:
		return reasonAsks
	case s.framework && s.letters < littleTextLetters:
		return reasonFramework
	case s.refreshes && s.letters < littleTextLetters:
		return reasonReloads
	case s.letters < noTextLetters && (s.external > 0 || s.inlineBytes >= inlineBytesMany):
		return reasonNoText
	case s.letters < someTextLetters && s.external >= externalMany && s.inlineBytes >= codePerLetter*s.letters:
		return reasonOutweighed
	}
	return ""
}

// Poor reports whether a page should be tried in a browser because its main content is hard to identify. Without
// scripts the page would be the same there, and error pages are short by nature.
func (s Signs) Poor(status int, document *extract.Document) bool {
	return s.scripts > 0 && status >= 200 && status < 300 && document.Quality < extract.PoorQuality
}

// Worse reports whether a rendered page has less content than the plain one: an error or a challenge replaced it, or a
// script cleared it.
func (s Signs) Worse(plain Signs, status, plainStatus int) bool {
	return s.letters < plain.letters || (status >= 400 && plainStatus < 400)
}
