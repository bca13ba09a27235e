package answersite

import (
	"bytes"
	"fmt"
	"strings"
)

// PDF is a document of one page, with a title and lines of text; a line that begins with a # is a heading. Characters beyond
// Latin-1 are not written.
func PDF(title string, lines ...string) []byte {
	var content strings.Builder
	content.WriteString("BT\n")
	y := 780
	for _, line := range lines {
		size := 11
		if heading, ok := strings.CutPrefix(line, "# "); ok {
			size, line = 18, heading
		}
		fmt.Fprintf(&content, "/F1 %d Tf 1 0 0 1 60 %d Tm (%s) Tj\n", size, y, latin(line))
		y -= size + 8
	}
	content.WriteString("ET\n")
	objects := []string{
		"<< /Type /Catalog /Pages 2 0 R /Lang (en) >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 5 0 R >> >> /Contents 4 0 R >>",
		fmt.Sprintf("<< /Length %d >>\nstream\n%sendstream", content.Len(), content.String()),
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
		"<< /Title (" + latin(title) + ") >>",
	}
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n")
	var at []int
	for i, object := range objects {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	xref := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, offset := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R /Info 6 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, xref)
	return b.Bytes()
}

// latin is a text as a PDF string in WinAnsi.
func latin(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '(' || r == ')' || r == '\\':
			b.WriteByte('\\')
			b.WriteByte(byte(r))
		case r == '€':
			b.WriteByte(0x80)
		case r == '–':
			b.WriteByte(0x96)
		case r < 0x100:
			b.WriteByte(byte(r))
		}
	}
	return b.String()
}
