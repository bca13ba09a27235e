// Package feeds reads RSS, Atom and JSON feeds, and writes them as HTML pages.
//
// Feeds in the wild are often broken: the readers tolerate unclosed elements, undeclared prefixes and truncated bodies.
// Entities that a document declares are ignored, so none can multiply. Entries and their contents are bounded.
package feeds
