package fetch

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

const (
	acceptEncoding = "gzip, deflate, br, zstd"
	// codingsMax limits how many times a body may be compressed: real servers do it at most twice.
	codingsMax = 2
	// zstdWindowMax is what RFC 9659 requires HTTP clients to support, and no more.
	zstdWindowMax = 8 << 20
)

// readBody reads and decompresses the body, within the limits of the configuration and headBytes of the hop.
func (c *Client) readBody(ctx context.Context, cancel context.CancelCauseFunc, response *http.Response, h *hop) ([]byte, error) {
	headBytes := h.headBytes
	if headBytes == 0 && c.config.WireBytesMax < response.ContentLength {
		return nil, fmt.Errorf("%w: %d bytes announced, at most %d are allowed", errBodyTooLarge, response.ContentLength, c.config.WireBytesMax)
	}
	idle := time.AfterFunc(c.config.Timeouts.BodyIdle, func() { cancel(errBodyIdle) })
	defer idle.Stop()
	wire := &wireReader{
		capped: capped{r: response.Body, left: c.config.WireBytesMax, full: errBodyTooLarge},
		onRead: func() { idle.Reset(c.config.Timeouts.BodyIdle) },
	}
	body, closeAll, err := decoded(wire, response.Header.Values("Content-Encoding"), c.config.BodyBytesMax)
	if err != nil {
		return nil, err
	}
	defer closeAll()
	if headBytes > 0 {
		body = io.LimitReader(body, headBytes)
	}
	if h.room != nil {
		body = &roomyReader{r: body, bytesMax: c.config.BodyBytesMax, ask: func(bytes int64) error {
			idle.Stop() // waiting for memory is not the target's delay
			defer idle.Reset(c.config.Timeouts.BodyIdle)
			return h.room(ctx, bytes)
		}}
	}
	out, err := io.ReadAll(body) // unlike a bytes.Buffer, it does not take twice the memory
	if wire.err != nil && !errors.Is(wire.err, io.EOF) {
		// The connection broke; the decoder's error is a consequence.
		return nil, wire.err
	}
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return out, nil
}

// capped reads at most left bytes and then fails with full. Unlike with io.LimitedReader, a longer body is an error and is
// not truncated; a body of exactly the limit passes.
type capped struct {
	r    io.Reader
	left int64
	full error
}

func (c *capped) Read(p []byte) (int, error) {
	if int64(len(p)) > c.left+1 {
		p = p[:c.left+1]
	}
	n, err := c.r.Read(p)
	if int64(n) > c.left {
		n, err = int(c.left), c.full
	}
	c.left -= int64(n)
	return n, err
}

const (
	// RoomBytes is the size of a body from which memory is requested.
	RoomBytes = 1 << 20
	// roomBytesMore is the size from which memory for the maximum is requested.
	roomBytesMore = 4 << 20
)

// roomyReader requests memory before it reads beyond the granted size.
type roomyReader struct {
	r        io.Reader
	bytesMax int64
	ask      func(bytes int64) error
	read     int64
	had      int64
}

func (r *roomyReader) Read(p []byte) (int, error) {
	room := max(r.had, RoomBytes)
	if r.read >= room && room < r.bytesMax {
		next := r.bytesMax
		if room < roomBytesMore {
			next = min(next, roomBytesMore)
		}
		if err := r.ask(next); err != nil {
			return 0, &roomError{err}
		}
		r.had, room = next, next
	}
	if left := room - r.read; room < r.bytesMax && int64(len(p)) > left {
		p = p[:left]
	}
	n, err := r.r.Read(p)
	r.read += int64(n)
	return n, err
}

// roomError is an error of a RoomFunc.
type roomError struct{ err error }

func (e *roomError) Error() string { return "waiting for memory for the body: " + e.err.Error() }
func (e *roomError) Unwrap() error { return e.err }

// wireReader records how the connection ended, and calls onRead when data arrives.
type wireReader struct {
	capped
	onRead func()
	err    error
}

func (w *wireReader) Read(p []byte) (int, error) {
	n, err := w.capped.Read(p)
	if n > 0 {
		w.onRead()
	}
	if err != nil {
		w.err = err
	}
	return n, err
}

// decoded stacks the decoders that undo the Content-Encoding, each with the size limit.
func decoded(wire io.Reader, fields []string, bytesMax int64) (io.Reader, func(), error) {
	codings, err := codingsOf(fields)
	if err != nil {
		return nil, nil, err
	}
	var closers []func()
	closeAll := func() {
		for _, closer := range closers {
			closer()
		}
	}
	body := wire
	// RFC 9110 section 8.4: codings are listed in the order in which they were applied.
	for i := len(codings) - 1; i >= 0; i-- {
		decoder := &decoder{coding: codings[i], source: bufio.NewReader(body)}
		closers = append(closers, decoder.close)
		body = &capped{r: decoder, left: bytesMax, full: errDecodedTooLarge}
	}
	if len(codings) == 0 {
		body = &capped{r: wire, left: bytesMax, full: errBodyTooLarge}
	}
	return body, closeAll, nil
}

func codingsOf(fields []string) ([]string, error) {
	var codings []string
	for _, field := range fields {
		for name := range strings.SplitSeq(field, ",") {
			switch name = strings.ToLower(strings.TrimSpace(name)); name {
			case "", "identity":
			case "gzip", "x-gzip", "deflate", "br", "zstd":
				codings = append(codings, name)
			default:
				return nil, &encodingError{coding: fmt.Sprintf("%.40q", name), err: errors.New("unknown content encoding")}
			}
		}
	}
	if len(codings) > codingsMax {
		return nil, &encodingError{coding: strings.Join(codings, ", "), err: fmt.Errorf("more than %d content encodings", codingsMax)}
	}
	return codings, nil
}

// decoder undoes one coding. It starts at the first Read, so that an empty body (204, HEAD, a sloppy server) is empty and
// not a broken stream.
type decoder struct {
	coding  string
	source  *bufio.Reader
	r       io.Reader
	release func()
}

func (d *decoder) Read(p []byte) (int, error) {
	if d.r == nil {
		if _, err := d.source.Peek(1); err != nil {
			return 0, err
		}
		if err := d.start(); err != nil {
			return 0, d.fault(err)
		}
	}
	n, err := d.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = d.fault(err)
	}
	return n, err
}

// fault marks err as an error of the coding, unless a layer below has already classified it.
func (d *decoder) fault(err error) error {
	if reasonOfBody(err) != "" {
		return err
	}
	return &encodingError{coding: d.coding, err: err}
}

func (d *decoder) start() error {
	switch d.coding {
	case "gzip", "x-gzip":
		r, err := gzip.NewReader(d.source)
		if err != nil {
			return err
		}
		d.r = r
	case "deflate":
		return d.startDeflate()
	case "br":
		d.r = brotli.NewReader(d.source)
	case "zstd":
		r, err := zstd.NewReader(d.source, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(zstdWindowMax))
		if err != nil {
			return err
		}
		d.r, d.release = r, r.Close
	}
	return nil
}

// startDeflate distinguishes the zlib format, which RFC 9110 section 8.4.1.2 prescribes, from the raw format that some
// servers send, by the header's check bits (RFC 1950 section 2.2).
func (d *decoder) startDeflate() error {
	head, err := d.source.Peek(2)
	if err == nil && head[0]&0x0f == 8 && (uint16(head[0])<<8|uint16(head[1]))%31 == 0 {
		r, err := zlib.NewReader(d.source)
		if err != nil {
			return err
		}
		d.r = r
		return nil
	}
	d.r = flate.NewReader(d.source)
	return nil
}

func (d *decoder) close() {
	if d.release != nil {
		d.release()
	}
}
