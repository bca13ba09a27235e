//go:build linux

package e2e

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"hash/crc32"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
)

// file serves a body that is made only once.
func file(mediaType string, makeFunc func() []byte) http.HandlerFunc {
	body := sync.OnceValue(makeFunc)
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", mediaType)
		_, _ = w.Write(body())
	}
}

// deflated returns text, repeated and compressed as in PDF and PNG.
func deflated(text string, times int) string {
	var out bytes.Buffer
	w := zlib.NewWriter(&out)
	for range times {
		_, _ = w.Write([]byte(text))
	}
	_ = w.Close()
	return out.String()
}

// pdfOf makes a PDF whose pages all have the same contents: streams packed by FlateDecode, one after the other.
func pdfOf(pages int, streams ...string) []byte {
	var out bytes.Buffer
	var offsets []int
	object := func(body string) int {
		offsets = append(offsets, out.Len())
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", len(offsets), body)
		return len(offsets)
	}
	out.WriteString("%PDF-1.7\n")
	object("<< /Type /Catalog /Pages 2 0 R >>")
	const kid = "3 0 R "
	var contents strings.Builder
	for i := range streams {
		fmt.Fprintf(&contents, "%d 0 R ", 4+i)
	}
	object(fmt.Sprintf("<< /Type /Pages /Count %d /Kids [%s] >>", pages, strings.Repeat(kid, pages)))
	object("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents [" + contents.String() +
		"] /Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>")
	for _, stream := range streams {
		object(fmt.Sprintf("<< /Filter /FlateDecode /Length %d >>\nstream\n%s\nendstream", len(stream), stream))
	}
	start := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, offset := range offsets {
		fmt.Fprintf(&out, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&out, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, start)
	return out.Bytes()
}

// pngOf makes a 1×1 picture with many chunks of compressed text.
func pngOf(texts int) []byte {
	var out bytes.Buffer
	chunk := func(name, body string) {
		n := len(body)
		out.Write([]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)})
		out.WriteString(name + body)
		sum := crc32.ChecksumIEEE([]byte(name + body))
		out.Write([]byte{byte(sum >> 24), byte(sum >> 16), byte(sum >> 8), byte(sum)})
	}
	out.WriteString("\x89PNG\r\n\x1a\n")
	chunk("IHDR", "\x00\x00\x00\x01\x00\x00\x00\x01\x08\x02\x00\x00\x00")
	text := "Comment\x00\x00" + deflated(strings.Repeat("bomb", 1<<10), 4<<10)
	for range texts {
		chunk("zTXt", text)
	}
	chunk("IDAT", deflated("\x00\x00\x00\x00", 1))
	chunk("IEND", "")
	return out.Bytes()
}

// hostileFiles returns files that cost more to read than their size suggests, or that are as large as allowed.
func hostileFiles() []plague {
	const show = "BT /F1 9 Tf 9 9 Td (the quick brown fox) Tj ET "
	const half = nearlyMax / 2
	drawn := func(text string, streams, mebibytes int) func() []byte {
		return func() []byte {
			packed := deflated(strings.Repeat(text, (1<<20)/len(text)), mebibytes)
			all := make([]string, streams)
			for i := range all {
				all[i] = packed
			}
			return pdfOf(50, all...)
		}
	}
	pdf := func(body func() []byte) http.HandlerFunc { return file("application/pdf", body) }
	return []plague{
		{name: "a PDF that unpacks to 250 MB", serve: pdf(drawn("0 0 m ", 16, 15))},
		{name: "a PDF of text without end", serve: pdf(drawn(show, 16, 15))},
		{name: "a PDF of operands", serve: pdf(drawn("[<<", 2, 15))},
		{name: "a PDF of 200,000 objects in 19 MB", serve: repeated("application/pdf", "%PDF-1.4\n", "7 0 obj << /A [1 2 3] /B (text) >> endobj\n", "", nearlyMax)},
		{name: "a PDF of zeros", serve: repeated("application/pdf", "%PDF-1.4\n", "\x00", "", nearlyMax)},
		{name: "pictures with bombs of text", serve: file("image/png", func() []byte { return pngOf(200) })},
		{name: "a picture of 19 MB", serve: repeated("image/jpeg", "\xff\xd8\xff\xe1\xff\xffExif\x00\x00", "\xff\xe1\xff\xff", "", nearlyMax)},
		{name: "a drawing of 19 MB", serve: repeated("image/svg+xml", `<svg xmlns="http://www.w3.org/2000/svg">`, "<g><text>x</text>", "", nearlyMax)},
		{name: "a feed of pages", serve: repeated("application/atom+xml", "<feed>", "<entry><title>t</title><content type='html'>&lt;p>x&lt;b>y</content></entry>", "</feed>", nearlyMax)},
		{name: "a feed of one entry", serve: repeated("application/rss+xml", "<rss><channel><item><description>", "&lt;div>", "</description></item></channel></rss>", nearlyMax)},
		{name: "a feed in JSON", serve: repeated("application/feed+json", `{"version":"https://jsonfeed.org/version/1.1","title":"t","items":[{}`, `,{"id":"1","content_html":"<p>x"}`, "]}", nearlyMax)},
		{name: "a table of one row", serve: repeated("text/csv", "a", ",b", "\n", nearlyMax)},
		{name: "a table with a quote left open", serve: repeated("text/csv", "a,b\n\"", "1,2\n", "", nearlyMax)},
		{name: "a table of empty rows", serve: repeated("text/csv", "a,b\n", ",\n", "", nearlyMax)},
		{name: "text that grows as HTML", serve: repeated("text/plain", "", "<&\"", "", nearlyMax)},
		{name: "half as much of that", serve: repeated("text/plain", "", "<&\"", "", half)},
		{name: "markdown of links", serve: repeated("text/markdown", "", "[a](/b) `c` ", "", nearlyMax)},
		{name: "a page for a parser", serve: pageOf(`<p itemscope itemtype="https://schema.org/Product"><a itemprop=name href=/a>b</a>`, half), more: map[string]any{"parser": "@turnpike/article"}},
		{name: "tables for a schema", serve: pageOf("<table><tr><th>a<th>b<tr><td>1<td>2</table>", half), more: map[string]any{
			"llm_extract": map[string]any{"schema": map[string]any{"type": "object", "properties": map[string]any{"a": map[string]any{"type": "string"}}}},
		}},
	}
}

// TestEngineHostileFiles shows that the same limits hold for files that are not pages, and for pages that parsers and
// schemas read once more.
func TestEngineHostileFiles(t *testing.T) {
	t.Parallel()
	e := newEngine(t, nil, "TURNPIKE_HOST_RATE=off", "TURNPIKE_BROWSER=off")
	files := hostileFiles()
	e.site.bring(files)
	e.suffer(t, "all files mixed", files, "")
	if !*everyPlague {
		return
	}
	for _, p := range files {
		e.suffer(t, p.name, slices.Repeat([]plague{p}, atOnce), "")
	}
}
