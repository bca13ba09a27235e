package sitemap

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/klauspost/compress/gzip"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding/unicode"
)

const (
	// gzipLayersMax: the file may be compressed, and the server may compress it again.
	gzipLayersMax = 2
	bufferBytes   = 32 << 10
	// sniffBytes is enough for an XML declaration, and to distinguish XML from text.
	sniffBytes = 1024
)

// source is a sitemap's text in UTF-8. It returns an error if the sitemap or a token is too large.
type source struct {
	isXML   bool
	in      *bounded
	out     *bufio.Reader
	inToken int
}

// open detects compression and encoding from the first bytes. The source is never nil.
func open(ctx context.Context, r io.Reader, o Options) (*source, error) {
	s := &source{in: &bounded{ctx: ctx, r: r, left: o.BytesMax}}
	plain := bufio.NewReaderSize(r, bufferBytes)
	for range gzipLayersMax {
		if magic, _ := plain.Peek(2); !bytes.Equal(magic, []byte{0x1f, 0x8b}) {
			break
		}
		unzipped, err := gzip.NewReader(plain)
		if err != nil {
			return s, fmt.Errorf("%w: %w", ErrMalformed, err)
		}
		plain = bufio.NewReaderSize(unzipped, bufferBytes)
	}
	s.in.r = plain
	counted := bufio.NewReaderSize(s.in, bufferBytes)
	head, err := counted.Peek(sniffBytes)
	if err != nil && !errors.Is(err, io.EOF) && len(head) == 0 {
		return s, classify(err)
	}
	if bytes.HasPrefix(head, []byte{0x1f, 0x8b}) {
		return s, fmt.Errorf("%w: compressed more than %d times", ErrMalformed, gzipLayersMax)
	}
	decoded, err := decode(counted, head, o.UTF8)
	if err != nil {
		return s, err
	}
	s.out = bufio.NewReaderSize(decoded, bufferBytes)
	start, _ := s.out.Peek(sniffBytes)
	start = bytes.TrimLeft(start, " \t\r\n")
	s.isXML = len(start) > 0 && start[0] == '<'
	return s, nil
}

var declaredEncoding = regexp.MustCompile(`\A\s*<\?xml[^>]*\sencoding\s*=\s*["']([A-Za-z0-9._:-]{1,40})["']`)

// decode converts to UTF-8 a text that begins with head. It detects the encoding by the byte order mark, by the encoding of
// the first character (XML 1.0 appendix F), or by the declaration. Invalid bytes become U+FFFD.
func decode(r io.Reader, head []byte, isUTF8 bool) (io.Reader, error) {
	var utf16 unicode.Endianness
	switch {
	case bytes.HasPrefix(head, []byte{0xfe, 0xff}), bytes.HasPrefix(head, []byte{0, '<'}):
		utf16 = unicode.BigEndian
	case bytes.HasPrefix(head, []byte{0xff, 0xfe}), bytes.HasPrefix(head, []byte{'<', 0}):
		utf16 = unicode.LittleEndian
	default:
		declared := declaredEncoding.FindSubmatch(head)
		label := "utf-8"
		if declared != nil && !isUTF8 && !bytes.HasPrefix(head, []byte("\xef\xbb\xbf")) {
			label = strings.ToLower(string(declared[1]))
		}
		if strings.HasPrefix(label, "utf-16") || label == "utf-8" || label == "utf8" {
			// A text that declares UTF-16 in single bytes is not UTF-16.
			return unicode.UTF8BOM.NewDecoder().Reader(r), nil
		}
		decoded, err := charset.NewReaderLabel(label, r)
		if err != nil {
			return nil, fmt.Errorf("%w: unknown encoding %q", ErrMalformed, label)
		}
		return decoded, nil
	}
	return unicode.UTF16(utf16, unicode.UseBOM).NewDecoder().Reader(r), nil
}

func (s *source) offset() int64 {
	if s.out == nil {
		return 0
	}
	return max(s.in.read-int64(s.out.Buffered()), 0)
}

// begin marks the start of the next token.
func (s *source) begin() { s.inToken = 0 }

// ReadByte is called by the XML decoder, which reads no more than it needs.
func (s *source) ReadByte() (byte, error) {
	if s.inToken++; s.inToken > tokenBytesMax {
		return 0, fmt.Errorf("%w: a tag or text of more than %d bytes", ErrMalformed, tokenBytesMax)
	}
	return s.out.ReadByte()
}

// Read makes source an io.Reader, which the XML decoder requires but does not call.
func (s *source) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	b, err := s.ReadByte()
	if err != nil {
		return 0, err
	}
	p[0] = b
	return 1, nil
}

// bounded limits the bytes read, and stops when the context ends.
type bounded struct {
	ctx  context.Context //nolint:containedctx // a reader cannot receive one with each read
	r    io.Reader
	left int64
	read int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if err := b.ctx.Err(); err != nil {
		return 0, err
	}
	if b.left <= 0 {
		var one [1]byte
		if n, err := io.ReadFull(b.r, one[:]); n == 0 {
			return 0, err
		}
		return 0, ErrTooLarge
	}
	n, err := b.r.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	b.read += int64(n)
	return n, err
}

// classify returns timeouts and known errors as they are, and any other error as ErrMalformed.
func classify(err error) error {
	var corrupt interface{ Timeout() bool }
	switch {
	case errors.Is(err, ErrTooLarge), errors.Is(err, ErrMalformed), errors.Is(err, ErrNoSitemap), errors.Is(err, ErrTooMany),
		errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded), errors.As(err, &corrupt):
		return err
	default:
		return fmt.Errorf("%w: %w", ErrMalformed, err)
	}
}
