// Package extract turns a fetched body into the outputs of a scrape: cleaned HTML, markdown, text, links, metadata and,
// on request, structured data. Functions are pure: bytes and options in, a Document out, no I/O. Read takes a body of any
// type, Page an HTML page.
//
// The input is hostile until it is a tree of bounded size. In HTML a few bytes can ask for a lot of work: formatting
// elements that are reopened in every block, tables padded to their widest cell, a long base URL before each of a hundred
// thousand links. So package markup parses it: pages that would explode are either simplified, losing markup but no text,
// or refused with ErrTooComplex. Everything after it works on a tree of bounded depth and size, and checks the context
// between steps.
//
// Each step is a package: links makes references absolute and lists links, metadata and structured read what the page says
// of itself, maincontent finds its main content, selector what to remove, and markdown writes markdown and text. Package
// feeds reads feeds; other bodies that are no HTML have a file here.
//
// Invariants:
//
//   - No input makes the package panic, recurse without bound or take time quadratic in the input's size.
//
//   - Links, images and other references in HTML, markdown and links are absolute, by the WHATWG URL standard.
//
//   - If a bad selector or the type of a body makes reading impossible, the error is typed and names it.
//
//   - Everything else that is read in a page or instead of one (JSON-LD, microdata, RDFa, tables, feeds, values, image
//     headers) has its own bounds in depth, count and bytes; anything beyond is left out, without an error.
package extract
