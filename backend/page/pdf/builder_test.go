package pdf

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
)

// builder writes PDFs for tests. Objects 1 and 2 are the catalog and the tree of pages.
type builder struct {
	objects []string // bodies, by number less one
	pages   []int
	catalog string // further entries
	trailer string // further entries
	fonts   string // entries of the Font resource
	extra   string // further resources
}

func newBuilder() *builder {
	b := &builder{objects: []string{"", ""}}
	b.fonts = fmt.Sprintf("/F1 %d 0 R", b.add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"))
	return b
}

func (b *builder) add(body string) int {
	b.objects = append(b.objects, body)
	return len(b.objects)
}

func (b *builder) stream(entries, data string) int {
	return b.add(streamBody(entries, data))
}

func streamBody(entries, data string) string {
	return fmt.Sprintf("<< %s /Length %d >>\nstream\n%s\nendstream", entries, len(data), data)
}

func (b *builder) font(key, body string) { b.fonts += fmt.Sprintf(" /%s %d 0 R", key, b.add(body)) }

func (b *builder) page(content string) { b.pageWith(b.stream("", content), "") }

func (b *builder) pageWith(content int, entries string) {
	b.pages = append(b.pages, b.add(fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << %s >> %s >> /Contents %d 0 R %s >>",
		b.fonts, b.extra, content, entries)))
}

// line is content that shows a string at a place.
func show(x, y, size float64, s string) string {
	s = strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`).Replace(s)
	return fmt.Sprintf("BT /F1 %g Tf 1 0 0 1 %g %g Tm (%s) Tj ET\n", size, x, y, s)
}

func (b *builder) finish() {
	var kids strings.Builder
	for _, n := range b.pages {
		fmt.Fprintf(&kids, "%d 0 R ", n)
	}
	if b.objects[0] == "" {
		b.objects[0] = "<< /Type /Catalog /Pages 2 0 R " + b.catalog + " >>"
	}
	if b.objects[1] == "" {
		b.objects[1] = fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d >>", kids.String(), len(b.pages))
	}
}

// plain writes the file with a table of cross-references.
func (b *builder) plain() []byte {
	b.finish()
	out := bytes.NewBufferString("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
	offsets := b.write(out)
	start := out.Len()
	fmt.Fprintf(out, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, at := range offsets {
		fmt.Fprintf(out, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(out, "trailer\n<< /Size %d /Root 1 0 R %s >>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, b.trailer, start)
	return out.Bytes()
}

func (b *builder) write(out *bytes.Buffer) []int {
	var offsets []int
	for i, body := range b.objects {
		offsets = append(offsets, out.Len())
		fmt.Fprintf(out, "%d 0 obj\n%s\nendobj\n", i+1, body)
	}
	return offsets
}

// packed writes the file with object streams and a stream of cross-references; with hybrid, that stream is beside a table
// that lacks what is in object streams.
func (b *builder) packed(hybrid bool) []byte {
	b.finish()
	out := bytes.NewBufferString("%PDF-1.7\n")
	n := len(b.objects)
	container, xref := n+1, n+2
	rows := make([][3]int, n+3)
	var head, body strings.Builder
	index := 0
	for i, object := range b.objects {
		if strings.Contains(object, "stream\n") {
			rows[i+1] = [3]int{1, out.Len(), 0}
			fmt.Fprintf(out, "%d 0 obj\n%s\nendobj\n", i+1, object)
			continue
		}
		fmt.Fprintf(&head, "%d %d ", i+1, body.Len())
		body.WriteString(object + "\n")
		rows[i+1] = [3]int{2, container, index}
		index++
	}
	rows[container] = [3]int{1, out.Len(), 0}
	fmt.Fprintf(out, "%d 0 obj\n%s\nendobj\n", container,
		streamBody(fmt.Sprintf("/Type /ObjStm /N %d /First %d /Filter /FlateDecode", index, head.Len()), deflated(head.String()+body.String())))
	rows[xref] = [3]int{1, out.Len(), 0}
	start := out.Len()
	var table []byte
	for _, row := range rows {
		table = append(table, byte(row[0]))
		table = binary.BigEndian.AppendUint32(table, uint32(row[1]))
		table = append(table, byte(row[2]))
	}
	fmt.Fprintf(out, "%d 0 obj\n%s\nendobj\n", xref,
		streamBody(fmt.Sprintf("/Type /XRef /Size %d /W [1 4 1] /Root 1 0 R %s /Filter /FlateDecode", len(rows), b.trailer), deflated(string(table))))
	if hybrid {
		stream := start
		start = out.Len()
		fmt.Fprintf(out, "xref\n0 1\n0000000000 65535 f \ntrailer\n<< /Size %d /Root 1 0 R /XRefStm %d >>\n", len(rows), stream)
	}
	fmt.Fprintf(out, "startxref\n%d\n%%%%EOF\n", start)
	return out.Bytes()
}

func deflated(s string) string {
	var out bytes.Buffer
	w := zlib.NewWriter(&out)
	_, _ = w.Write([]byte(s))
	_ = w.Close()
	return out.String()
}

func mustRead(t *testing.T, body []byte) *Document {
	t.Helper()
	doc, err := Read(t.Context(), body, Limits{})
	if err != nil {
		t.Fatalf("Read: %v", err)
	}
	return doc
}

func wantText(t *testing.T, doc *Document, want string) {
	t.Helper()
	if got := doc.Text(); got != want {
		t.Errorf("text:\ngot  %q\nwant %q", got, want)
	}
}

// hello is a file of one page that says hello.
func hello() *builder {
	b := newBuilder()
	b.page(show(72, 700, 12, "Hello, world"))
	return b
}
