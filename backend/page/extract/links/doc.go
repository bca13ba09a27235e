// Package links resolves the references of pages, lists their links, and ranks these by a query.
//
// References resolves by the WHATWG URL standard. Read lists the links of a tree, with the part of the page that contains
// each. ScanPage reads them from the tokens alone, for crawls, with a fingerprint of the page (Print) by which duplicates
// are found. Everything has bounds in count and bytes; what is beyond them is left out, without an error.
package links
