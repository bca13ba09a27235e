// Package files accepts JSON files that are too large for a request body: a team creates a file, sends its content to a
// signed URL, and completes it, which checks the content.
//
// Each upload gets its own key and becomes the file's content in one guarded update. So uploads may be repeated,
// simultaneous, interrupted or late: the content is always one whole upload, and exactly the checked content is completed.
//
// Invariants:
//   - Content is streamed in, out and through the check. No request takes memory by its size.
//   - A completed file never changes. It was valid JSON (RFC 8259), in UTF-8, when it was completed.
//   - Another team's file and a missing one look the same.
//   - All content in the blob store belongs to a row until it is deleted. Uploads that a dying process interrupted are
//     deleted with their file.
//
// Signed URLs are made here on every engine, including S3: a bucket's own could neither limit the size nor respond in
// the service's format.
package files
