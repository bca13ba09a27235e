// Package docs has what a running service shows of these pages. It imports nothing.
package docs

import _ "embed"

// Errors is errors.md.
//
//go:embed errors.md
var Errors string
