// Package docs embeds the pages that a running service shows. It imports nothing.
package docs

import "embed"

// Pages are all pages as markdown, by file name. README.md lists them.
//
//go:embed *.md
var Pages embed.FS

// Errors is errors.md.
//
//go:embed errors.md
var Errors string
