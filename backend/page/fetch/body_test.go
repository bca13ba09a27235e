package fetch

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/unicode"
)

// encoders apply a Content-Encoding.
var encoders = map[string]func(io.Writer) io.WriteCloser{
	"gzip":    func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
	"deflate": func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) },
	"raw": func(w io.Writer) io.WriteCloser {
		f, _ := flate.NewWriter(w, flate.BestCompression)
		return f
	},
	"br": func(w io.Writer) io.WriteCloser { return brotli.NewWriter(w) },
	"zstd": func(w io.Writer) io.WriteCloser {
		z, _ := zstd.NewWriter(w)
		return z
	},
}

func encode(t testing.TB, coding string, plain []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := encoders[coding](&out)
	if _, err := w.Write(plain); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestContentEncodings(t *testing.T) {
	t.Parallel()
	page := []byte("<p>" + strings.Repeat("text ", 1000))
	bomb := bytes.Repeat([]byte{0}, 8<<20)
	const bytesMax = 1 << 20
	tests := []struct {
		name, header string
		body         []byte
		want         []byte
		reason       Reason
	}{
		{name: "identity", header: "identity", body: page, want: page},
		{name: "gzip", header: "gzip", body: encode(t, "gzip", page), want: page},
		{name: "x-gzip in capitals", header: "X-GZIP", body: encode(t, "gzip", page), want: page},
		{name: "deflate", header: "deflate", body: encode(t, "deflate", page), want: page},
		{name: "raw deflate", header: "deflate", body: encode(t, "raw", page), want: page},
		{name: "brotli", header: "br", body: encode(t, "br", page), want: page},
		{name: "zstd", header: "zstd", body: encode(t, "zstd", page), want: page},
		{name: "gzip in brotli", header: "gzip, br", body: encode(t, "br", encode(t, "gzip", page)), want: page},
		{name: "nothing, said to be gzip", header: "gzip", body: nil, want: nil},
		{name: "gzip bomb", header: "gzip", body: encode(t, "gzip", bomb), reason: ReasonBodyTooLarge},
		{name: "deflate bomb", header: "deflate", body: encode(t, "deflate", bomb), reason: ReasonBodyTooLarge},
		{name: "brotli bomb", header: "br", body: encode(t, "br", bomb), reason: ReasonBodyTooLarge},
		{name: "zstd bomb", header: "zstd", body: encode(t, "zstd", bomb), reason: ReasonBodyTooLarge},
		{name: "bomb in a bomb", header: "gzip, gzip", body: encode(t, "gzip", encode(t, "gzip", bomb)), reason: ReasonBodyTooLarge},
		{name: "three layers", header: "gzip, gzip, gzip", body: page, reason: ReasonBadEncoding},
		{name: "unknown", header: "compress", body: page, reason: ReasonBadEncoding},
		{name: "not gzip", header: "gzip", body: page, reason: ReasonBadEncoding},
		{name: "not brotli", header: "br", body: page, reason: ReasonBadEncoding},
		{name: "not zstd", header: "zstd", body: page, reason: ReasonBadEncoding},
		{name: "gzip cut short", header: "gzip", body: encode(t, "gzip", page)[:30], reason: ReasonBadEncoding},
		{name: "at the cap", body: make([]byte, bytesMax), want: make([]byte, bytesMax)},
		{name: "over the cap", body: make([]byte, bytesMax+1), reason: ReasonBodyTooLarge},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/octet-stream")
				if tt.header != "" {
					w.Header().Set("Content-Encoding", tt.header)
				}
				_, _ = w.Write(tt.body)
			})
			client := newClient(t, func(c *Config) { c.WireBytesMax, c.BodyBytesMax = bytesMax, bytesMax })
			response, err := get(t, client, server.URL)
			wantReason(t, err, tt.reason)
			if err != nil {
				return
			}
			if !bytes.Equal(response.Body, tt.want) {
				t.Errorf("got %d bytes, want %d that are the same", len(response.Body), len(tt.want))
			}
			if got := response.Header.Get("Content-Encoding"); got != "" {
				t.Errorf("got Content-Encoding %q, want it gone", got)
			}
		})
	}
}

// An endless stream is cut off at the cap, although it has no Content-Length.
func TestEndlessBody(t *testing.T) {
	t.Parallel()
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		block := make([]byte, 32<<10)
		for r.Context().Err() == nil {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	})
	client := newClient(t, func(c *Config) { c.WireBytesMax = 1 << 20 })
	_, err := get(t, client, server.URL)
	wantReason(t, err, ReasonBodyTooLarge)
}

func mustEncode(t testing.TB, e encoding.Encoding, s string) string {
	t.Helper()
	out, err := e.NewEncoder().String(s)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestCharsets(t *testing.T) {
	t.Parallel()
	const russian, japaneseText = "Привет, мир", "日本語の文章"
	utf16le := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	utf16be := unicode.UTF16(unicode.BigEndian, unicode.UseBOM)
	tests := []struct{ name, contentType, body, want, charset string }{
		{"header", "text/html; charset=windows-1251", mustEncode(t, charmap.Windows1251, russian), russian, "windows-1251"},
		{"header, quoted and odd case", `text/html; Charset="CP1251"`, mustEncode(t, charmap.Windows1251, russian), russian, "windows-1251"},
		{"shift_jis", "text/html; charset=Shift_JIS", mustEncode(t, japanese.ShiftJIS, japaneseText), japaneseText, "shift_jis"},
		{"meta", "text/html", "<meta charset=koi8-r>" + mustEncode(t, charmap.KOI8R, russian), "<meta charset=koi8-r>" + russian, "koi8-r"},
		{
			"meta http-equiv", "text/html",
			`<meta http-equiv="Content-Type" content="text/html; charset=euc-jp">` + mustEncode(t, japanese.EUCJP, japaneseText),
			`<meta http-equiv="Content-Type" content="text/html; charset=euc-jp">` + japaneseText, "euc-jp",
		},
		{"header beats meta", "text/html; charset=windows-1251", "<meta charset=utf-8>" + mustEncode(t, charmap.Windows1251, russian), "<meta charset=utf-8>" + russian, "windows-1251"},
		{"mark beats header", "text/html; charset=windows-1251", "\ufeff" + russian, russian, "utf-8"},
		{"utf-16 little", "text/html", mustEncode(t, utf16le, russian), russian, "utf-16le"},
		{"utf-16 big", "text/html; charset=utf-8", mustEncode(t, utf16be, russian), russian, "utf-16be"},
		{"meta that lies", "text/html", "<meta charset=utf-16>" + russian, "<meta charset=utf-16>" + russian, "utf-8"},
		{"nothing said, utf-8 late", "text/html", strings.Repeat(" ", 2000) + russian, strings.Repeat(" ", 2000) + russian, "utf-8"},
		{"nothing said, not utf-8", "text/html", "caf\xe9", "café", "windows-1252"},
		{"iso-8859-1 is windows-1252", "text/plain; charset=iso-8859-1", "\x93a\x94", "“a”", "windows-1252"},
		{"unknown label", "text/html; charset=klingon", russian, russian, "utf-8"},
		{"invalid bytes", "text/html; charset=utf-8", "a\xffb", "a\uFFFDb", "utf-8"},
		{"json", "application/json", `"é"`, `"é"`, "utf-8"},
		{
			"xml declaration", "application/xml", `<?xml version="1.0" encoding="windows-1251"?>` + mustEncode(t, charmap.Windows1251, russian),
			`<?xml version="1.0" encoding="windows-1251"?>` + russian, "windows-1251",
		},
		{"csv", "application/csv; charset=windows-1251", mustEncode(t, charmap.Windows1251, russian), russian, "windows-1251"},
		{"csv, nothing said", "application/csv", "caf\xe9,1", "café,1", "windows-1252"},
		{"lines of json", "application/x-ndjson", "\ufeff{\"a\":\"é\"}\n{}", "{\"a\":\"é\"}\n{}", "utf-8"},
		{"lines of json in another charset", "application/jsonl; charset=shift_jis", mustEncode(t, japanese.ShiftJIS, japaneseText), japaneseText, "shift_jis"},
		{"lines of json, broken", "application/jsonl", "{\"a\":\"\xe9\"}", "{\"a\":\"\uFFFD\"}", "utf-8"},
		{"more names", "application/x-jsonlines", "é\xff", "é\uFFFD", "utf-8"},
		{"a sequence of json", "application/json-seq", "\x1e{\"a\":\"\xe9\"}", "\x1e{\"a\":\"\uFFFD\"}", "utf-8"},
		{"yaml's other name", "application/x-yaml", "a: é", "a: é", "utf-8"},
		{"not text", "image/png", "\x89PNG\xff", "\x89PNG\xff", ""},
		{"no type, sniffed", "", "<!doctype html><p>caf\xe9", "<!doctype html><p>café", "windows-1252"},
		{"type that is none", "nonsense", "<html>é", "<html>é", "utf-8"},
		{"broken parameters", "text/html; charset", "<p>é", "<p>é", "utf-8"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header()["Content-Type"] = []string{tt.contentType}
				fmt.Fprint(w, tt.body)
			})
			response, err := get(t, newClient(t, nil), server.URL)
			if err != nil {
				t.Fatal(err)
			}
			if got := string(response.Body); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if response.Charset != tt.charset {
				t.Errorf("got charset %q, want %q", response.Charset, tt.charset)
			}
		})
	}
}

func FuzzDecoded(f *testing.F) {
	for _, coding := range []string{"gzip", "deflate", "br", "zstd"} {
		f.Add(coding, encode(f, coding, []byte("hello, hello, hello")))
		f.Add(coding+", "+coding, encode(f, coding, encode(f, coding, []byte("hello"))))
	}
	f.Add("deflate", encode(f, "raw", []byte("hello")))
	f.Fuzz(func(t *testing.T, header string, body []byte) {
		const bytesMax = 1 << 16
		r, closeAll, err := decoded(bytes.NewReader(body), []string{header}, bytesMax)
		if err != nil {
			wantReason(t, fail(t.Context(), URL{}, err), ReasonBadEncoding)
			return
		}
		defer closeAll()
		out, err := io.ReadAll(r)
		if len(out) > bytesMax {
			t.Fatalf("got %d bytes, want at most %d", len(out), bytesMax)
		}
		if err != nil && reasonOfBody(err) == "" {
			t.Fatalf("got an error without reason: %v", err)
		}
	})
}

func FuzzToUTF8(f *testing.F) {
	f.Add([]byte("<meta charset=shift_jis>\x82"), "text/html; charset=utf-8")
	f.Add([]byte("\xff\xfea"), "text/plain")
	f.Add([]byte(`<?xml version="1.0" encoding="utf-16"?>`), "application/xml")
	f.Add([]byte("\x1b$B"), "text/html; charset=iso-2022-jp")
	f.Add([]byte("x"), "text/html; charset=replacement")
	f.Fuzz(func(t *testing.T, body []byte, contentType string) {
		mediaType, params := mediaTypeOf(contentType, body)
		text, name, err := toUTF8(body, mediaType, params["charset"], mebibyte)
		if errors.Is(err, errTextTooLarge) {
			return
		}
		if err != nil || len(text) > mebibyte || !utf8.Valid(text) || name == "" {
			t.Fatalf("got invalid UTF-8 or no name for %q", contentType)
		}
	})
}

// The cap counts decoded text: text in a one-byte encoding may be three times as large in UTF-8.
func TestTextThatGrows(t *testing.T) {
	t.Parallel()
	const sent = 1000
	client := newClient(t, func(c *Config) { c.BodyBytesMax = 2 * sent })
	for name, tt := range map[string]struct {
		charset, letter string
		want            Reason
	}{
		"euro signs":    {"windows-1252", "\x80", ReasonBodyTooLarge},
		"Cyrillic":      {"windows-1251", "\xe0", ""},
		"as it was":     {"utf-8", "x", ""},
		"no letters":    {"utf-8", "\xff ", ReasonBodyTooLarge},
		"two to a sign": {"utf-16le", "\xac\x20", ReasonBodyTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/html; charset="+tt.charset)
				fmt.Fprint(w, strings.Repeat(tt.letter, sent))
			})
			_, err := get(t, client, server.URL)
			if ReasonOf(err) != tt.want {
				t.Errorf("got %v, want the reason %q", err, tt.want)
			}
		})
	}
}
