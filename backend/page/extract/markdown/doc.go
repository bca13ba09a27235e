// Package markdown writes the tree of a page as markdown and as plain text.
//
// A Page goes through these steps: Rescue, before anything is removed; Keep or ForgetNotes, if parts were; Polish, which
// makes one element each of a formula, a block of code and a footnote; then Text and Markdown, which agree because both
// are written from the polished tree. Time is linear in the tree, however deep it nests.
package markdown
