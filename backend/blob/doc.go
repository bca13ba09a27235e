// Package blob keeps content (pages, screenshots, uploads) under keys and hands it out by signed URLs.
//
// The store is gocloud.dev/blob: a directory by default, another engine by URL where its driver is compiled in, as that of
// S3 is in the binary. One conformance suite holds for all of them, S3's by a real server. The
// URLs are our own, whatever the engine: they end, they need no login, and what they deliver comes with the headers
// that this package sets, which an object store would not send.
//
// The content is written by strangers, so the one rule of the Handler is that none of it ever acts on our origin: it
// is always an attachment, never sniffed, and sandboxed without any source, should a browser open it all the same.
//
// Invariants:
//   - A key is checked before it reaches the engine, on writing and on reading: no traversal, no hidden files.
//   - A signature covers everything in the URL that the answer depends on, what it is for included, and is compared in
//     constant time. A URL to read is never one to write.
//   - An object is replaced whole or not at all; a reader never sees half of one.
//
// The package imports nothing of ours.
package blob
