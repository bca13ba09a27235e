// Package extract turns what a target sent into the pieces that a scrape answers with: cleaned HTML, markdown, text,
// links, metadata. Functions are pure: bytes and options in, a Document out, no I/O.
//
// The idea is that the input is hostile until it is a tree of bounded size. HTML lets a few bytes ask for a lot of
// work: formatting elements that are opened again in every block, tables padded to their widest cell, a long base URL
// before each of a hundred thousand links. So a scan over the tokens comes first (bounds.go), and pages that would
// explode are either simplified, losing markup but no text, or refused with ErrTooComplex. Everything after it works
// on a tree with bounded depth and size, and looks at the context between steps.
//
// Invariants:
//   - No input makes the package panic, recurse without bound or run in quadratic time of the input's size.
//   - Links, images and other references in HTML, markdown and links are absolute, by the WHATWG URL standard.
//   - What the parser of a bad selector or the type of a body makes impossible is a typed error that names it.
//
// The package imports nothing of ours but its own part, maincontent.
package extract
