// Package blob stores content (pages, screenshots, uploads) under keys and serves it with signed URLs.
//
// The store is gocloud.dev/blob: a directory by default, another engine by URL if its driver is compiled in, as S3's is in
// the binary. One conformance suite tests them all, S3 with a real server. The URLs are signed by this package on every
// engine: they expire, need no login, and the content has the security headers that an object store would not send.
//
// The content comes from strangers, so the Handler makes sure that it never acts as our origin: it is always an
// attachment, never sniffed, and sandboxed without any source in case a browser opens it.
//
// Invariants:
//   - A key is checked before it reaches the engine, for writing and for reading: no traversal, no hidden files.
//   - A signature covers everything in the URL that the response depends on, including its purpose, and is compared in
//     constant time. A URL for reading never works for writing.
//   - An object is replaced as a whole or not at all; a reader never sees a partial one.
package blob
