// Package warc writes and reads WARC files (ISO 28500:2017): recorded requests and responses that can be read again without
// the network.
//
// Each record is its own gzip member: files can be concatenated, and a record can be read from its offset. Files of other
// writers can be read, too: version 1.0, uncompressed, many records in one member, chunked bodies, URLs in angle brackets.
//
// Invariants:
//   - Reading takes memory for one record's header, of 64 KiB and 100 fields at most, whatever the file's size. Blocks are
//     streamed.
//   - A fault in a file is reported with its offset, and reading goes on at the next record that can be found.
//   - [Archive] returns exactly what [Writer] wrote: the same status, fields and body, byte for byte.
//   - An archive keeps about 160 bytes of each record in memory, and nothing of its content.
package warc
