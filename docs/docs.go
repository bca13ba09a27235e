// Package docs embeds the pages that a running service shows. It imports nothing.
package docs

import _ "embed"

// Errors is errors.md.
//
//go:embed errors.md
var Errors string
