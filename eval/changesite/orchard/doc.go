// Package orchard is a site for judging change detection: ten pages of ten makers, 40 runs each.
package orchard
