package page

// Content is what is kept of a page, read again.
type Content struct {
	// Text is the content in those of its formats that are text; empty where it was not read, being too large.
	Text map[Format]string
	// Hosted are signed URLs of the same, for as long as it is kept.
	Hosted map[Format]string
}
