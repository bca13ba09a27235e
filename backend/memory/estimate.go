package memory

import "bytes"

// The estimates are what hostile pages took at most when measured (TestMemoryEstimates of package scrapes), garbage
// included. Pages of the usual kind are a tenth of that, and long before the budget they are held up by processors.
const (
	// readBase is for what does not depend on the page.
	readBase = 8 << 20
	// readFactor is how often text is held while it is read: body, tree, blocks, HTML, markdown, text.
	readFactor = 22
	// tagBytes and attributeBytes are for an element, with the text behind it, and for each of its attributes.
	tagBytes       = 1500
	attributeBytes = 160
	// pdfBase is for a PDF, of which size says little: a small one unpacks to as much as the limits of its reader allow.
	pdfBase   = 120 << 20
	pdfFactor = 2
	// takenFactor is how often what a browser sends is held while it is taken: quoted within a message, in the message's
	// buffer, which grows, and by itself.
	takenFactor = 6
	takenBase   = 4 << 20
	// heldFactor is for a body and what is made of it: HTML, markdown and text.
	heldFactor = 4
)

// ReadBytes estimates what work it is to read a body.
func ReadBytes(mediaType string, body []byte) int64 {
	if mediaType == "application/pdf" || mediaType == "application/x-pdf" || bytes.HasPrefix(body, []byte("%PDF-")) {
		return pdfBase + pdfFactor*int64(len(body))
	}
	tags, attributes := 0, 0
	within, apart := false, false
	for _, b := range body {
		switch {
		case b == '<':
			tags++
			within, apart = true, false
		case !within:
		case b == '>':
			within = false
		case b == ' ', b == '/', b == '"', b == '\'', b == '\n', b == '\t', b == '\f', b == '\r':
			apart = true
		case apart:
			attributes++
			apart = false
		}
	}
	return readBase + readFactor*int64(len(body)) + tagBytes*int64(tags) + attributeBytes*int64(attributes)
}

// TakenBytes estimates what work it is to take so many bytes out of a browser.
func TakenBytes(bytes int64) int64 { return takenBase + takenFactor*bytes }

// HeldBytes estimates what a request has in hand that has a body of so many bytes.
func HeldBytes(body int64) int64 { return heldFactor * body }

// HeldBytesOf is HeldBytes of a body that is known: HTML of it is longer by what is escaped there.
func HeldBytesOf(body []byte) int64 {
	escaped := bytes.Count(body, []byte{'&'}) * (len("&amp;") - 1)
	escaped += (bytes.Count(body, []byte{'<'}) + bytes.Count(body, []byte{'>'})) * (len("&lt;") - 1)
	return HeldBytes(int64(len(body))) + int64(escaped)
}
