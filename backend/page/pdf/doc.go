// Package pdf reads the text of PDF files (ISO 32000-1, and ISO 32000-2 for the encryption of AES-256): in reading order, as
// headings, paragraphs, lists, tables and code, with links and what the file says of itself. It draws nothing.
//
// The idea is that a file is hostile until its text is out. A few bytes of a PDF can ask for gigabytes (filters over
// filters, forms that draw themselves, tables of objects that lead in circles), and most real files are broken
// somewhere. So everything is taken from one budget of decoded bytes, values, operators and glyphs, every chain is
// followed a limited number of steps, and what is broken is passed over rather than refused: a page that cannot be
// read is empty, a table of objects that does not hold is made again from the objects themselves.
//
// Invariants:
//   - No input makes the package panic, recurse without bound, or take more than the limits say.
//   - What limits cut off is said: Document.Truncated.
//   - A file without text is no error; its Quality is 0.
package pdf
