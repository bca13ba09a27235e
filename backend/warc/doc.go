// Package warc writes and reads WARC files (ISO 28500:2017): what was sent and received, so that it can be read again
// without the network.
//
// The idea is that each record is a gzip member of its own: files are put together by writing one after the other, and a
// record is read from its offset alone. Files of other makers are read, too: version 1.0, uncompressed, many records in
// one member, chunked bodies, URLs in angle brackets.
//
// Invariants:
//   - Reading takes memory for one record's header, of 64 KiB and 100 fields at most, whatever the file's size. Blocks are
//     streamed.
//   - What is wrong in a file is said with its offset, and reading goes on at the next record that can be found.
//   - What [Writer] writes, [Archive] answers with: the same status, fields and body, byte for byte.
//   - An archive keeps about 160 bytes of each record in memory, and nothing of its content.
//
// The package imports backend/fetch: what is recorded and replayed are fetches.
package warc
