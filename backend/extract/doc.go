// Package extract turns what a target sent into the pieces that a scrape answers with: cleaned HTML, markdown, text,
// links, metadata, and, where it is asked for, the data that a page holds for machines. Functions are pure: bytes and options
// in, a Document out, no I/O. Read takes a body of any type, Page a page.
//
// The idea is that the input is hostile until it is a tree of bounded size. HTML lets a few bytes ask for a lot of
// work: formatting elements that are opened again in every block, tables padded to their widest cell, a long base URL
// before each of a hundred thousand links. So a scan over the tokens comes first (bounds.go), and pages that would
// explode are either simplified, losing markup but no text, or refused with ErrTooComplex. Everything after it works
// on a tree with bounded depth and size, and looks at the context between steps.
//
// Invariants:
//
//   - No input makes the package panic, recurse without bound or run in quadratic time of the input's size.
//
//   - Links, images and other references in HTML, markdown and links are absolute, by the WHATWG URL standard.
//
//   - What the parser of a bad selector or the type of a body makes impossible is a typed error that names it.
//
//   - What else is read in a page or instead of one (JSON-LD, microdata, RDFa, tables, feeds, values, headers of images) is
//     bounded in depth, count and bytes each by itself; what is beyond is left out, and is no error.
//
// The package imports nothing of ours but its own parts, maincontent and pdf.
package extract
