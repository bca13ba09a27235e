// Package font tells which text the codes of a PDF's fonts show, and how wide they are (ISO 32000-1, 9.5–9.10): from the
// file's own tables, from encodings and names of glyphs, from embedded fonts, or from the character sets that fonts for
// Chinese, Japanese and Korean name. It draws nothing.
package font
