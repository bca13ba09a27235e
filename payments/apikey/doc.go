// Package apikey issues API keys (bearer keys), parses them, and looks them up.
//
// A key is `tp_` + 43 base62 characters that carry 256 random bits + 6 base62 characters of CRC-32. So a mistyped or
// foreign string is refused without a database query, and secret scanners can recognize a leaked key. Only the SHA-256
// of a key is stored (the entropy makes a slow hash unnecessary); the key itself is shown once.
//
// An [Issuer] creates, lists, rotates and revokes keys in the database. A [Store] looks them up for an edge, through a
// cache that receives every change, and records when they are used. A key of a team never gives another key more scopes
// than it has itself: the statements that create keys enforce this, not the code that calls them.
package apikey
