package caddymodule

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// wire speaks one version of HTTP, without correcting what a test sends.
type wire interface {
	// send returns the response's status and header, or an error if the server does not accept the request.
	send(method, authority, target string, header ...string) (int, http.Header, error)
}

var errNotHTTP = errors.New("cannot be written")

// wire1 is HTTP/1.1 on one connection after the other.
type wire1 struct {
	t    *testing.T
	dial func() (net.Conn, error)
	conn net.Conn
	r    *bufio.Reader
}

func (w *wire1) send(method, authority, target string, header ...string) (int, http.Header, error) {
	if strings.ContainsAny(target, "\r\n") {
		return 0, nil, errNotHTTP
	}
	if w.conn == nil {
		conn, err := w.dial()
		if err != nil {
			w.t.Fatal(err)
		}
		_ = conn.SetDeadline(time.Now().Add(testTimeout))
		w.conn, w.r = conn, bufio.NewReader(conn)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: %s\r\nContent-Length: 0\r\n", method, target, authority)
	for i := 0; i < len(header); i += 2 {
		fmt.Fprintf(&b, "%s: %s\r\n", header[i], header[i+1])
	}
	_, err := io.WriteString(w.conn, b.String()+"\r\n")
	var res *http.Response
	if err == nil {
		res, err = http.ReadResponse(w.r, &http.Request{Method: method})
	}
	if err != nil {
		w.close()
		return 0, nil, err
	}
	_, err = io.Copy(io.Discard, res.Body)
	if res.Body.Close(); err != nil || res.Close {
		w.close()
	}
	return res.StatusCode, res.Header, nil
}

func (w *wire1) close() {
	if w.conn != nil {
		_ = w.conn.Close()
		w.conn = nil
	}
}

// wire2 sends HTTP/2 frames, in which a path may be any bytes.
type wire2 struct {
	t      *testing.T
	dial   func() (net.Conn, error)
	scheme string
	conn   net.Conn
	framer *http2.Framer
	next   uint32
}

func (w *wire2) open() {
	conn, err := w.dial()
	if err != nil {
		w.t.Fatal(err)
	}
	_ = conn.SetDeadline(time.Now().Add(testTimeout))
	w.conn, w.next = conn, 1
	if _, err := io.WriteString(conn, http2.ClientPreface); err != nil {
		w.t.Fatal(err)
	}
	w.framer = http2.NewFramer(conn, conn)
	w.framer.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	if err := w.framer.WriteSettings(); err != nil {
		w.t.Fatal(err)
	}
}

func (w *wire2) send(method, authority, target string, header ...string) (int, http.Header, error) {
	fields := []string{":method", method, ":scheme", w.scheme, ":authority", authority, ":path", target}
	return w.sendFields(append(fields, header...)...)
}

// sendFields sends a request of these fields alone, in this order.
func (w *wire2) sendFields(fields ...string) (int, http.Header, error) {
	if w.conn == nil {
		w.open()
	}
	id := w.next
	w.next += 2
	var block bytes.Buffer
	encoder := hpack.NewEncoder(&block)
	encoder.SetMaxDynamicTableSize(0)
	for i := 0; i < len(fields); i += 2 {
		name := fields[i]
		if !strings.HasPrefix(name, ":") {
			name = strings.ToLower(name)
		}
		if err := encoder.WriteField(hpack.HeaderField{Name: name, Value: fields[i+1]}); err != nil {
			w.t.Fatal(err)
		}
	}
	err := w.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: block.Bytes(), EndStream: true, EndHeaders: true})
	if err != nil {
		w.close()
		return 0, nil, err
	}
	status, got, err := w.read(id)
	if err != nil && !errors.As(err, new(http2.StreamError)) || w.next > 1<<20 {
		w.close()
	}
	return status, got, err
}

func (w *wire2) read(id uint32) (status int, got http.Header, err error) {
	for {
		frame, err := w.framer.ReadFrame()
		if err != nil {
			return 0, nil, err
		}
		ended := false
		switch f := frame.(type) {
		case *http2.SettingsFrame:
			if !f.IsAck() {
				err = w.framer.WriteSettingsAck()
			}
		case *http2.MetaHeadersFrame:
			if f.StreamID != id {
				continue
			}
			got = http.Header{}
			for _, field := range f.RegularFields() {
				got.Add(field.Name, field.Value)
			}
			_, _ = fmt.Sscan(f.PseudoValue("status"), &status)
			ended = f.StreamEnded()
		case *http2.DataFrame:
			ended = f.StreamID == id && f.StreamEnded()
			if n := uint32(len(f.Data())); n > 0 {
				err = errors.Join(w.framer.WriteWindowUpdate(0, n), w.framer.WriteWindowUpdate(id, n))
			}
		case *http2.RSTStreamFrame:
			if f.StreamID == id {
				return status, got, http2.StreamError{StreamID: id, Code: f.ErrCode}
			}
		case *http2.GoAwayFrame:
			return 0, nil, http2.ConnectionError(f.ErrCode)
		}
		if ended || err != nil {
			return status, got, err
		}
	}
}

func (w *wire2) close() {
	if w.conn != nil {
		_ = w.conn.Close()
		w.conn = nil
	}
}
