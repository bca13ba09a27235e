package page

// Content is the kept content of a page.
type Content struct {
	// Text is the content in its text formats; empty if it was too large to read.
	Text map[Format]string
	// Hosted are signed URLs of the content, valid as long as it is kept.
	Hosted map[Format]string
}
