// Package files takes JSON files that are too large for a request's body: a team creates one, sends its content to a signed
// URL, and completes it, which checks the content.
//
// The idea is that an upload only ever lands under a key of its own and becomes the file's content by one guarded update.
// So uploads may come twice, at once, broken off or too late, and what is there is always one whole upload; what is
// checked is exactly what is completed.
//
// Invariants:
//   - Content is streamed: in, out and through the check. No request takes memory by its size.
//   - A completed file never changes. It was valid JSON (RFC 8259), in UTF-8, when it was completed.
//   - Another team's file and one that does not exist look the same.
//   - What is in the blob store belongs to a row until it is deleted: uploads that were broken off by the death of a
//     process go when the file does.
//
// Signed URLs are ours on every engine, S3 included: a bucket's own could neither hold an upload to the size nor answer in
// the service's form.
//
// It imports backend/blob, caller, paging and problem, db, and payments/token.
package files
