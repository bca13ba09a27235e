package markup

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// sniffBytes is how much of a body is examined for what it begins with.
const sniffBytes = 4096

// Start is the beginning of a body, without anything that may precede its first element or declaration.
func Start(body []byte) string {
	head := strings.TrimPrefix(string(body[:min(len(body), sniffBytes)]), "\ufeff")
	for {
		head = strings.TrimLeft(head, " \t\r\n\f")
		switch {
		case strings.HasPrefix(head, "<!--"):
			_, rest, ok := strings.Cut(head, "-->")
			if !ok {
				return ""
			}
			head = rest
		case strings.HasPrefix(head, "<?"):
			_, rest, ok := strings.Cut(head, "?>")
			if !ok {
				return ""
			}
			head = rest
		default:
			return head
		}
	}
}

// CleanXML makes input readable: it drops the declaration, whose version or charset may be unknown, and characters that
// XML does not allow, and escapes angle brackets that begin no tag.
func CleanXML(body []byte) string {
	body = bytes.TrimPrefix(body, []byte("\ufeff"))
	if i := bytes.IndexByte(body[:min(len(body), sniffBytes)], '<'); i > 0 {
		body = body[i:]
	}
	if bytes.HasPrefix(body, []byte("<?xml")) {
		if i := bytes.Index(body, []byte("?>")); i >= 0 {
			body = body[i+2:]
		}
	}
	var out strings.Builder
	out.Grow(len(body))
	for len(body) > 0 {
		if bytes.HasPrefix(body, []byte("<![CDATA[")) {
			end := bytes.Index(body, []byte("]]>"))
			if end < 0 {
				end = len(body)
			} else {
				end += 3
			}
			writeXMLText(&out, body[:end])
			body = body[end:]
			continue
		}
		next := bytes.IndexByte(body[1:], '<') + 1
		if next == 0 {
			next = len(body)
		}
		switch {
		case body[0] == '<' && (len(body) == 1 || !isTagStart(body[1])):
			out.WriteString("&lt;")
			writeXMLText(&out, body[1:next])
		default:
			writeXMLText(&out, body[:next])
		}
		body = body[next:]
	}
	return out.String()
}

func writeXMLText(out *strings.Builder, text []byte) {
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		if r == '\t' || r == '\n' || r == '\r' || r >= ' ' && r != 0xfffe && r != 0xffff && (r != utf8.RuneError || size > 1) {
			out.Write(text[:size])
		}
		text = text[size:]
	}
}

func isTagStart(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || b == '/' || b == '!' || b == '?' || b == '_' || b >= utf8.RuneSelf
}
