package warc

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// Type is what a record holds (ISO 28500:2017 section 6).
type Type string

// The types.
const (
	TypeInfo         Type = "warcinfo"
	TypeResponse     Type = "response"
	TypeResource     Type = "resource"
	TypeRequest      Type = "request"
	TypeMetadata     Type = "metadata"
	TypeRevisit      Type = "revisit"
	TypeConversion   Type = "conversion"
	TypeContinuation Type = "continuation"
)

// The names of fields.
const (
	fieldType          = "WARC-Type"
	fieldRecordID      = "WARC-Record-ID"
	fieldDate          = "WARC-Date"
	fieldTargetURI     = "WARC-Target-URI"
	fieldLength        = "Content-Length"
	fieldContentType   = "Content-Type"
	fieldBlockDigest   = "WARC-Block-Digest"
	fieldPayloadDigest = "WARC-Payload-Digest"
	fieldConcurrentTo  = "WARC-Concurrent-To"
	fieldRefersToURI   = "WARC-Refers-To-Target-URI"
	fieldProfile       = "WARC-Profile"
	fieldTruncated     = "WARC-Truncated"
	fieldProtocol      = "WARC-Protocol"
)

// MediaType is that of WARC files.
const MediaType = "application/warc"

// Place is where a record starts.
type Place struct {
	// Offset is in bytes from the start of the file: of the record, or of the gzip member that it is in.
	Offset int64
	// Inner is in bytes from the start of the member, decompressed. 0 where each record is a member of its own.
	Inner int64
}

// Record is one of a file.
type Record struct {
	// Version is e.g. "1.1".
	Version string
	Type    Type
	Fields  Fields
	Place   Place
	// Length is that of the block in bytes.
	Length int64
	// Block is what the record holds. It can be read until the next record is asked for.
	Block io.Reader
}

// ID returns the record's, without angle brackets.
func (r *Record) ID() string { return unbracketed(r.Fields.Value(fieldRecordID)) }

// TargetURI returns what the record is of, or "". Version 1.0 had it in angle brackets.
func (r *Record) TargetURI() string { return unbracketed(r.Fields.Value(fieldTargetURI)) }

// ConcurrentTo returns the IDs of records that were made at the same occasion.
func (r *Record) ConcurrentTo() []string {
	ids := r.Fields.Values(fieldConcurrentTo)
	for i := range ids {
		ids[i] = unbracketed(ids[i])
	}
	return ids
}

// Date returns when it was recorded, or the zero time where that cannot be read.
func (r *Record) Date() time.Time {
	at, err := time.Parse(time.RFC3339Nano, r.Fields.Value(fieldDate))
	if err != nil {
		return time.Time{}
	}
	return at.UTC()
}

func unbracketed(value string) string {
	return strings.TrimSuffix(strings.TrimPrefix(value, "<"), ">")
}

// DamageError says what is wrong in a file, and where. Reading can go on.
type DamageError struct {
	// Offset is that of the record, or of the gzip member, in bytes from the start of the file.
	Offset int64
	Err    error
}

func (e *DamageError) Error() string { return fmt.Sprintf("at byte %d: %v", e.Offset, e.Err) }
func (e *DamageError) Unwrap() error { return e.Err }

// Files that are of another format altogether. These end reading.
var (
	ErrARC  = errors.New("is an ARC file, the format before WARC: convert it first")
	ErrZstd = errors.New("is compressed by zstd: decompress it first, or compress it by gzip")
)

var (
	errNoRecord  = errors.New("neither a gzip member nor a record starts here")
	errNoVersion = errors.New("the record does not start with a version of WARC")
	errNoLength  = errors.New("the record's Content-Length is missing or no number")
	errNoType    = errors.New("the record has no WARC-Type")
)
