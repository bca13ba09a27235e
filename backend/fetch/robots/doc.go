// Package robots reads robots.txt by RFC 9309: which paths of a host a crawler may fetch.
//
// It is pure: text in, answers out. How the file is fetched, how long it is kept and what a status means (RFC 9309
// sections 2.3 and 2.4) is the work of package politeness.
//
// What the RFC leaves open is settled as most crawlers do: a $ before the end of a pattern is a plain character,
// several groups for * are merged, a product token ends at the first character that cannot be in one, and "most octets"
// counts the rule's pattern, wildcards included.
//
// Invariants:
//   - A file of any content and length is read; what is no record is skipped.
//   - Matching takes time in proportion to path and pattern, however many wildcards there are.
//
// The package imports nothing of ours.
package robots
