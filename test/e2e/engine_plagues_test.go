//go:build linux

package e2e

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// plague is a hostile page.
type plague struct {
	name string
	// serve sends the page; nil if there is a script.
	serve http.HandlerFunc
	// script is the page's script, for pages that are rendered.
	script string
	// more holds further fields of the request.
	more map[string]any
	// lasts: only the time limit ends it.
	lasts bool
}

// nearlyMax is just below the limit of a body's size.
const nearlyMax = 19 << 20

// repeated sends a head, then text repeated up to a size, then a tail.
func repeated(mediaType, head, text, tail string, size int) http.HandlerFunc {
	block := strings.Repeat(text, max(1, (64<<10)/len(text)))
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", mediaType)
		_, err := io.WriteString(w, head)
		for sent := 0; sent < size && err == nil; sent += len(block) {
			_, err = io.WriteString(w, block)
		}
		_, _ = io.WriteString(w, tail)
	}
}

func pageOf(text string, size int) http.HandlerFunc {
	return repeated("text/html; charset=utf-8", "<!doctype html><title>x</title><body>", text, "", size)
}

// encoded sends a body, which is made only once, with a Content-Encoding.
func encoded(coding string, makeFunc func() []byte) http.HandlerFunc {
	body := sync.OnceValue(makeFunc)
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Content-Encoding", coding)
		_, _ = w.Write(body())
	}
}

// compressed makes a decompression bomb: content, repeated and packed by a writer.
func compressed(open func(io.Writer) io.WriteCloser, content []byte, times int) []byte {
	var b bytes.Buffer
	w := open(&b)
	for range times {
		_, _ = w.Write(content)
	}
	_ = w.Close()
	return b.Bytes()
}

func gzipWriter(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }

// hijacked sends raw bytes that are not HTTP, or not a complete response.
func hijacked(say func(io.Writer, <-chan struct{})) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		gone := make(chan struct{})
		go func() { // the client sends nothing until it closes
			defer close(gone)
			_, _ = io.Copy(io.Discard, conn)
		}()
		say(conn, gone)
		_ = r
	}
}

// plainPlagues returns the hostile pages of a plain fetch.
func plainPlagues(t *testing.T) []plague {
	t.Helper()
	zeros := make([]byte, 1<<20)
	divs := bytes.Repeat([]byte("<div>"), (1<<20)/5)
	const large = 1024 // MiB
	deflate := func(w io.Writer) io.WriteCloser {
		f, err := flate.NewWriter(w, flate.BestCompression)
		if err != nil {
			panic(err)
		}
		return f
	}
	zst := func(w io.Writer) io.WriteCloser {
		z, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20))
		if err != nil {
			panic(err)
		}
		return z
	}
	random := make([]byte, 4<<20)
	source := rand.NewChaCha8([32]byte{1})
	_, _ = source.Read(random)
	drip := func(every string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			tick := newTicks()
			defer tick.Stop()
			for {
				if _, err := io.WriteString(w, every); err != nil {
					return
				}
				_ = http.NewResponseController(w).Flush()
				select {
				case <-tick.C:
				case <-r.Context().Done():
					return
				}
			}
		}
	}
	return []plague{
		{name: "100 MB of nested divs", serve: pageOf("<div>", 100<<20)},
		{name: "19 MB of nested divs", serve: pageOf("<div>", nearlyMax)},
		{name: "19 MB of paragraphs", serve: pageOf("<p>x", nearlyMax)},
		{name: "19 MB of text", serve: pageOf("the quick brown fox ", nearlyMax)},
		{name: "19 MB of links", serve: pageOf(`<a href="/a">b</a> `, nearlyMax)},
		{name: "19 MB of attributes", serve: repeated("text/html", "<body><p ", `a="b" c=d `, ">x", nearlyMax)},
		{name: "19 MB of elements with attributes", serve: pageOf(`<i a b c d e f g h>`, nearlyMax)},
		{name: "unclosed formatting", serve: pageOf("<b><i><u><a><font>x", nearlyMax)},
		{name: "nested tables", serve: pageOf("<table><tr><td>", nearlyMax)},
		{name: "nested lists", serve: pageOf("<ul><li><blockquote><pre>", nearlyMax)},
		{name: "a table of 3 million cells", serve: pageOf("<table><tr><td>1<td>2<td>3</table>", nearlyMax)},
		{name: "entities", serve: pageOf("&amp;&#x26;&CounterClockwiseContourIntegral;", nearlyMax)},
		{name: "nested JSON-LD", serve: repeated("text/html", `<p>x</p><script type="application/ld+json">`, `{"a":[`, "</script>", nearlyMax)},
		{name: "nested JSON", serve: repeated("application/json", "", "[", "", nearlyMax)},
		{name: "wide JSON", serve: repeated("application/json", "[1", ",[1]", "]", nearlyMax)},
		{name: "XML entities of entities", serve: repeated("application/xml", `<!DOCTYPE a [<!ENTITY b "bbbbbbbbbb"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]><a>`, "&c;", "</a>", nearlyMax)},
		{name: "a feed without end", serve: repeated("application/rss+xml", "<rss><channel>", "<item><title>x</title><link>/y</link></item>", "", nearlyMax)},
		{name: "19 MB of CSV", serve: repeated("text/csv", "a,b\n", "1,2\n", "", nearlyMax)},
		{name: "a picture of 100 gigapixels", serve: encoded("identity", func() []byte {
			return []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x05\x00\x00\x00\x05\x00\x00\x08\x06\x00\x00\x00\x00\x00\x00\x00")
		})},
		{name: "random bytes as HTML", serve: repeated("text/html", "", string(random), "", nearlyMax)},
		{name: "broken HTML", serve: pageOf(`<!--><table></p><svg><p></math><select><option></table><![CDATA[<frameset><template>`, nearlyMax)},
		{name: "invalid UTF-8", serve: pageOf("caf\xc3 \xff\xfe\xed\xa0\x80", nearlyMax)},
		{name: "wrong charset", serve: repeated("text/html; charset=utf-16be", "", "<p>not that</p>", "", nearlyMax)},
		{name: "charset that grows", serve: repeated("text/html; charset=windows-1252", "<p>", "\x80\x80\x80", "", nearlyMax)},
		{name: "no such charset", serve: repeated("text/html; charset=klingon", "<p>", "\xa0x", "", 1<<20)},
		{name: "a gzip bomb", serve: encoded("gzip", func() []byte { return compressed(gzipWriter, zeros, large) })},
		{name: "a gzip bomb of divs", serve: encoded("gzip", func() []byte { return compressed(gzipWriter, divs, large) })},
		{name: "a gzip bomb within the cap", serve: encoded("gzip", func() []byte { return compressed(gzipWriter, divs, 18) })},
		{name: "a deflate bomb", serve: encoded("deflate", func() []byte { return compressed(deflate, zeros, large) })},
		{name: "a brotli bomb", serve: encoded("br", func() []byte {
			return compressed(func(w io.Writer) io.WriteCloser { return brotli.NewWriterLevel(w, 5) }, zeros, large)
		})},
		{name: "a zstd bomb", serve: encoded("zstd", func() []byte { return compressed(zst, zeros, large) })},
		{name: "a bomb in a bomb", serve: encoded("gzip, gzip", func() []byte {
			return compressed(gzipWriter, compressed(gzipWriter, zeros, large), 1)
		})},
		{name: "eight layers", serve: encoded("gzip, br, gzip, br, gzip, br, gzip, br", func() []byte { return compressed(gzipWriter, zeros, 1) })},
		{name: "gzip that is none", serve: encoded("gzip", func() []byte { return random })},
		{name: "an endless stream", serve: pageOf("endless ", 1<<40)},
		{name: "10,000 redirects", serve: func(w http.ResponseWriter, r *http.Request) {
			n, _ := strconv.Atoi(r.URL.Query().Get("n"))
			http.Redirect(w, r, fmt.Sprintf("%s?n=%d", r.URL.Path, (n+1)%10_000), http.StatusFound)
		}},
		{name: "a cookie storm", serve: func(w http.ResponseWriter, r *http.Request) {
			n, _ := strconv.Atoi(r.URL.Query().Get("n"))
			for i := range 60 {
				w.Header().Add("Set-Cookie", fmt.Sprintf("c%d-%d=%s; Path=/", n, i, strings.Repeat("v", 4000)))
			}
			if n < 9 {
				http.Redirect(w, r, fmt.Sprintf("%s?n=%d", r.URL.Path, n+1), http.StatusFound)
				return
			}
			fmt.Fprint(w, "<p>sent cookies of ", len(r.Header.Get("Cookie")), " bytes</p>")
		}},
		{name: "a header storm", serve: hijacked(func(w io.Writer, _ <-chan struct{}) {
			_, err := io.WriteString(w, "HTTP/1.1 200 OK\r\n")
			for i := 0; err == nil; i++ {
				_, err = fmt.Fprintf(w, "X-%d: %s\r\n", i, strings.Repeat("y", 1000))
			}
		})},
		{name: "one line without end", serve: hijacked(func(w io.Writer, _ <-chan struct{}) {
			_, err := io.WriteString(w, "HTTP/1.1 200 OK\r\nX: ")
			for err == nil {
				_, err = io.WriteString(w, strings.Repeat("y", 64<<10))
			}
		})},
		{name: "not HTTP", serve: hijacked(func(w io.Writer, _ <-chan struct{}) { _, _ = io.WriteString(w, "220 mail.example ESMTP\r\n") })},
		{name: "1xx without end", serve: hijacked(func(w io.Writer, _ <-chan struct{}) {
			var err error
			for err == nil {
				_, err = io.WriteString(w, "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
			}
		})},
		{name: "cut off", serve: hijacked(func(w io.Writer, _ <-chan struct{}) {
			_, _ = io.WriteString(w, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 1000\r\n\r\n<p>half")
		})},
		{name: "a chunk of 8 exabytes", serve: hijacked(func(w io.Writer, gone <-chan struct{}) {
			_, _ = io.WriteString(w, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n7ffffffffffffff0\r\n<p>x")
		})},
		{name: "chunks of a byte with extensions", serve: hijacked(func(w io.Writer, _ <-chan struct{}) {
			_, err := io.WriteString(w, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n")
			chunk := strings.Repeat("1;"+strings.Repeat("e", 200)+"\r\nx\r\n", 100)
			for err == nil {
				_, err = io.WriteString(w, chunk)
			}
		})},
		{name: "silence", lasts: true, serve: hijacked(func(_ io.Writer, gone <-chan struct{}) { <-gone })},
		{name: "silence behind the header", lasts: true, serve: hijacked(func(w io.Writer, gone <-chan struct{}) {
			_, _ = io.WriteString(w, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 1000\r\n\r\n<p>")
			<-gone
		})},
		{name: "a slow drip", lasts: true, serve: drip("x")},
		{name: "a slow drip of divs", lasts: true, serve: drip(strings.Repeat("<div>", 1000))},
		{name: "a slow drip of a header", lasts: true, serve: hijacked(func(w io.Writer, gone <-chan struct{}) {
			tick := newTicks()
			defer tick.Stop()
			_, err := io.WriteString(w, "HTTP/1.1 200 OK\r\n")
			for i := 0; err == nil; i++ {
				select {
				case <-tick.C:
					_, err = fmt.Fprintf(w, "X-%d: y\r\n", i)
				case <-gone:
					return
				}
			}
		})},
	}
}
