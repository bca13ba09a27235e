package membudget

import "bytes"

// The estimates are the maxima measured with hostile pages (TestMemoryEstimates of package scrapes), garbage included.
// Usual pages take a tenth of that, and are limited by CPUs long before the budget.
const (
	// readBase is for what does not depend on the page.
	readBase = 8 << 20
	// readFactor is how often the text is in memory while it is read: body, tree, blocks, HTML, markdown, text.
	readFactor = 22
	// tagBytes and attributeBytes are for an element, with the text after it, and for each of its attributes.
	tagBytes       = 1500
	attributeBytes = 160
	// pdfBase is for a PDF, whose size says little: a small one unpacks to as much as the reader's limits allow.
	pdfBase   = 120 << 20
	pdfFactor = 2
	// takenFactor is how often a browser's data is in memory while it is received: quoted in a message, in the
	// message's growing buffer, and by itself.
	takenFactor = 6
	takenBase   = 4 << 20
	// heldFactor is for a body and its results: HTML, markdown and text.
	heldFactor = 4
)

// ReadBytes estimates the memory for reading a body.
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

// TakenBytes estimates the memory for receiving so many bytes from a browser.
func TakenBytes(bytes int64) int64 { return takenBase + takenFactor*bytes }

// HeldBytes estimates what a request with a body of so many bytes has in hand.
func HeldBytes(body int64) int64 { return heldFactor * body }

// HeldBytesOf is HeldBytes for a known body: its HTML is longer by the escaped characters.
func HeldBytesOf(body []byte) int64 {
	escaped := bytes.Count(body, []byte{'&'}) * (len("&amp;") - 1)
	escaped += (bytes.Count(body, []byte{'<'}) + bytes.Count(body, []byte{'>'})) * (len("&lt;") - 1)
	return HeldBytes(int64(len(body))) + int64(escaped)
}
