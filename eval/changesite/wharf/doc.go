// Package wharf is a site to judge change detection with: ten pages of ten makers, as people watch them for a boat, a bed, a price,
// a dog, a contract or a grant.
package wharf
