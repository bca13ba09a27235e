package warc

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// Type is the type of a record (ISO 28500:2017 section 6).
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

// MediaType is the media type of WARC files.
const MediaType = "application/warc"

// Place is the position of a record.
type Place struct {
	// Offset is the start of the record, or of its gzip member, in bytes from the start of the file.
	Offset int64
	// Inner is the offset in the decompressed member. 0 if each record is its own member.
	Inner int64
}

// Record is a record of a file.
type Record struct {
	// Version is e.g. "1.1".
	Version string
	Type    Type
	Fields  Fields
	Place   Place
	// Length is the length of the block in bytes.
	Length int64
	// Block is the content of the record. It is valid until the next record is read.
	Block io.Reader
}

// ID returns the record's ID, without angle brackets.
func (r *Record) ID() string { return unbracketed(r.Fields.Value(fieldRecordID)) }

// TargetURI returns the URI that the record is about, or "". Version 1.0 wrote it in angle brackets.
func (r *Record) TargetURI() string { return unbracketed(r.Fields.Value(fieldTargetURI)) }

// ConcurrentTo returns the IDs of the records captured together with this one.
func (r *Record) ConcurrentTo() []string {
	ids := r.Fields.Values(fieldConcurrentTo)
	for i := range ids {
		ids[i] = unbracketed(ids[i])
	}
	return ids
}

// Date returns the time of recording, or the zero time if it is invalid.
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

// DamageError is a fault in a file. Reading can go on.
type DamageError struct {
	// Offset is the start of the record, or of its gzip member, in bytes from the start of the file.
	Offset int64
	Err    error
}

func (e *DamageError) Error() string { return fmt.Sprintf("at byte %d: %v", e.Offset, e.Err) }
func (e *DamageError) Unwrap() error { return e.Err }

// Errors for files of another format. They end reading.
var (
	ErrARC  = errors.New("is an ARC file, the predecessor of WARC: convert it to WARC first")
	ErrZstd = errors.New("is compressed with zstd: decompress it first, or compress it with gzip")
)

var (
	errNoRecord  = errors.New("neither a gzip member nor a record starts here")
	errNoVersion = errors.New("the record does not start with a version of WARC")
	errNoLength  = errors.New("the record's Content-Length is missing or not a number")
	errNoType    = errors.New("the record has no WARC-Type")
)
