package warc

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"iter"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzip"
)

const (
	fileBufferBytes   = 64 << 10
	memberBufferBytes = 16 << 10
)

var (
	gzipMagic = []byte{0x1f, 0x8b, 0x08} // RFC 1952 section 2.3.1
	zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}
	// zstdSkippable is the start of zstd files that contain their dictionary (RFC 8878 section 3.1.2).
	zstdSkippable = []byte{0x5d, 0x2a, 0x4d, 0x18}
	versionPrefix = []byte("WARC/")
)

// stream is a buffered reader that knows its position.
type stream struct {
	*bufio.Reader
	under io.Reader
	read  int64
}

func newStream(bytes int) *stream {
	s := &stream{}
	s.Reader = bufio.NewReaderSize(countReader{s}, bytes)
	return s
}

func (s *stream) reset(r io.Reader) {
	s.under, s.read = r, 0
	s.Reset(countReader{s})
}

func (s *stream) position() int64 { return s.read - int64(s.Buffered()) }

// countReader counts the bytes that fill a stream's buffer.
type countReader struct{ s *stream }

func (c countReader) Read(p []byte) (int, error) {
	n, err := c.s.under.Read(p)
	c.s.read += int64(n)
	return n, err
}

// Reader reads the records of a file in order. Its memory does not depend on the file's size.
type Reader struct {
	file   *stream
	member *stream
	gzip   *gzip.Reader
	// in is the stream that records are read from: file, or member while one is open; nil between members.
	in    *stream
	start int64 // of the member or record, in the file
	block *block
	ended bool
}

// NewReader returns a Reader of r.
func NewReader(r io.Reader) *Reader {
	reader := &Reader{file: newStream(fileBufferBytes)}
	reader.file.reset(r)
	return reader
}

// Records yields the records of r. For a fault it yields an error; after a *DamageError reading goes on.
func Records(r io.Reader) iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		reader := NewReader(r)
		for {
			record, err := reader.Next()
			if errors.Is(err, io.EOF) {
				return
			}
			if !yield(record, err) {
				return
			}
		}
	}
}

// Next returns the next record. The error is io.EOF at the end; a *DamageError for a fault, after which Next returns the
// next record that can be found; any other error is final.
func (r *Reader) Next() (*Record, error) {
	if r.ended {
		return nil, io.EOF
	}
	record, err := r.next()
	if err == nil {
		return record, nil
	}
	if errors.Is(err, io.EOF) || errors.Is(err, ErrARC) || errors.Is(err, ErrZstd) {
		r.ended = true
		return nil, err
	}
	damage := &DamageError{Offset: r.start, Err: err}
	if err := r.resync(); err != nil {
		r.ended = true
		if !errors.Is(err, io.EOF) {
			return nil, err
		}
	}
	return nil, damage
}

func (r *Reader) next() (*Record, error) {
	if err := r.finish(); err != nil {
		return nil, err
	}
	for {
		if r.in == nil {
			if err := r.open(); err != nil {
				return nil, err
			}
		}
		switch err := skipBlank(r.in); {
		case err == nil:
			return r.readRecord()
		case !errors.Is(err, io.EOF):
			return nil, err
		}
		r.in = nil // the end of the member
	}
}

// finish reads the rest of the last record.
func (r *Reader) finish() error {
	b := r.block
	if r.block = nil; b == nil {
		return nil
	}
	if r.in == r.file {
		defer func() { r.in = nil }() // the file may go on in members
	}
	if b.err != nil && !errors.Is(b.err, io.EOF) {
		return b.err
	}
	_, err := io.Copy(io.Discard, b)
	return err
}

// open detects what comes next in the file.
func (r *Reader) open() error {
	if err := skipBlank(r.file); err != nil {
		return err
	}
	r.start = r.file.position()
	head, err := r.file.Peek(len("filedesc:"))
	if err != nil && len(head) == 0 {
		return err
	}
	switch {
	case bytes.HasPrefix(head, gzipMagic):
		return r.openMember()
	case bytes.HasPrefix(head, versionPrefix):
		r.in = r.file
		return nil
	case bytes.HasPrefix(head, []byte("filedesc:")):
		return ErrARC
	case bytes.HasPrefix(head, zstdMagic), bytes.HasPrefix(head, zstdSkippable):
		return ErrZstd
	}
	return errNoRecord
}

func (r *Reader) openMember() error {
	if r.gzip == nil {
		r.gzip, r.member = new(gzip.Reader), newStream(memberBufferBytes)
	}
	// The reader gets the buffer itself, and reads no byte beyond the member.
	if err := r.gzip.Reset(r.file.Reader); err != nil {
		return unexpected(err)
	}
	r.gzip.Multistream(false)
	r.member.reset(r.gzip)
	r.in = r.member
	return nil
}

// skipBlank skips the empty lines between records.
func skipBlank(s *stream) error {
	for {
		c, err := s.ReadByte()
		if err != nil {
			return err
		}
		if c != '\r' && c != '\n' {
			return s.UnreadByte()
		}
	}
}

func (r *Reader) readRecord() (*Record, error) {
	place := Place{Offset: r.start}
	if r.in == r.member {
		place.Inner = r.in.position()
	}
	head := &headReader{r: r.in.Reader, left: headerBytesMax, fieldsMax: fieldsMax}
	line, err := head.line()
	if err != nil {
		return nil, err
	}
	version, found := bytes.CutPrefix(line, versionPrefix)
	if !found {
		if bytes.HasPrefix(line, []byte("filedesc:")) {
			return nil, ErrARC
		}
		return nil, errNoVersion
	}
	record := &Record{Version: clean(bytes.TrimSpace(version)), Place: place}
	if record.Fields, err = head.fields(); err != nil {
		return nil, err
	}
	if record.Length, err = lengthOf(record.Fields.Value(fieldLength)); err != nil {
		return nil, err
	}
	if record.Type = Type(strings.ToLower(record.Fields.Value(fieldType))); record.Type == "" {
		return nil, errNoType
	}
	r.block = &block{r: r.in, left: record.Length}
	record.Block = r.block
	return record, nil
}

func lengthOf(text string) (int64, error) {
	n, err := strconv.ParseUint(text, 10, 63)
	if err != nil {
		return 0, errNoLength
	}
	return int64(n), nil
}

// resync moves to the possible start of the next record. If the member can be read to its end, that is exactly there;
// otherwise the next apparent start is searched for.
func (r *Reader) resync() error {
	inMember := r.in != nil && r.in == r.member
	r.in, r.block = nil, nil
	if inMember {
		if _, err := io.Copy(io.Discard, r.gzip); err == nil {
			return nil
		}
	}
	if r.file.position() == r.start {
		if _, err := r.file.Discard(1); err != nil {
			return err
		}
	}
	return seek(r.file)
}

// seek moves to the next bytes that start a gzip member, or a record at the start of a line.
func seek(s *stream) error {
	for {
		window, err := s.Peek(s.Size())
		at := startIn(window)
		if at >= 0 {
			_, err := s.Discard(at)
			return err
		}
		// A start may be cut off by the window's end.
		keep := min(len(versionPrefix), len(window))
		if err != nil {
			keep = 0
		}
		if _, err := s.Discard(len(window) - keep); err != nil {
			return err
		}
		if err != nil {
			return err
		}
	}
}

func startIn(window []byte) int {
	member, record := bytes.Index(window, gzipMagic), bytes.Index(window, []byte("\nWARC/"))
	if record >= 0 {
		record++
	}
	if member >= 0 && (record < 0 || member < record) {
		return member
	}
	return record
}

// block is a record's block. Reading it fails if bytes are missing.
type block struct {
	r    io.Reader
	left int64
	err  error
}

func (b *block) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	if b.left == 0 {
		b.err = io.EOF
		return 0, io.EOF
	}
	if int64(len(p)) > b.left {
		p = p[:b.left]
	}
	n, err := b.r.Read(p)
	if b.left -= int64(n); err != nil {
		b.err = err
		if b.left > 0 {
			b.err = unexpected(err)
		} else if errors.Is(err, io.EOF) {
			b.err = io.EOF
		}
	}
	return n, b.err
}

// unexpected converts io.EOF in the middle of a record or member.
func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
