// Package robots parses robots.txt by RFC 9309: which paths of a host a crawler may fetch.
//
// It does no I/O. Package hostlimits fetches the file, caches it, and interprets the status (RFC 9309 sections 2.3 and
// 2.4).
//
// What the RFC leaves open is decided as most crawlers do: a $ before the end of a pattern is a plain character, several
// groups for * are merged, a product token ends at the first character that cannot be in one, and "most octets" counts the
// rule's pattern, wildcards included.
//
// Invariants:
//   - A file of any content and length can be read; invalid lines are skipped.
//   - Matching takes time in proportion to path and pattern, however many wildcards there are.
package robots
