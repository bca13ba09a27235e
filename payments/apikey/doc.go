// Package apikey makes, reads and finds bearer keys.
//
// A key is `tp_` + 43 base62 characters that carry 256 random bits + 6 base62
// characters of CRC-32, so that a mistyped or foreign string is refused without
// a look at the database and secret scanners can recognise a leaked one. Only
// the SHA-256 of a key is stored (the entropy makes a slow hash needless); the
// key itself is shown once.
//
// An [Issuer] makes, lists, rotates and revokes keys in the database. A [Store]
// finds them for an edge, through a cache that hears of every change, and notes
// when they are used. A key of a team never hands out more than it may itself:
// the statements that make keys see to that, not their callers.
//
// It imports db and payments/token.
package apikey
