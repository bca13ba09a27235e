// Package object reads the objects of a PDF file (ISO 32000-1, chapter 7): its syntax, cross-references, object streams,
// filters and encryption.
//
// Files are hostile and often broken. Whatever is read is taken from a Budget. A table of objects that does not hold is made
// again from the objects themselves, and what cannot be read is null, as a missing object is.
package object
