// Package lantern is a site for judging change detection: ten pages that people watch, each by another maker, from a library's
// opening hours to a flat for rent. Edits are in the main content; noise is around it and within it.
package lantern
