package fetch

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding/unicode"

	"github.com/turnpike-edge/turnpike/backend/page/fetch/sniff"
)

// mediaTypeOf returns the media type of body: from a valid Content-Type, or else by sniffing.
func mediaTypeOf(contentType string, body []byte) (string, map[string]string) {
	mediaType, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		// A type with broken parameters is still usable.
		mediaType, _, _ = strings.Cut(contentType, ";")
		mediaType = strings.ToLower(strings.TrimSpace(mediaType))
		params = map[string]string{}
	}
	if strings.Count(mediaType, "/") != 1 || mediaType == "/" {
		mediaType, _, _ = strings.Cut(http.DetectContentType(body), ";")
		// The sniffed charset is a cruder guess than that of toUTF8.
		params = map[string]string{}
	}
	return mediaType, params
}

// isText reports whether bodies of a type are text, which is converted to UTF-8.
func isText(mediaType string) bool {
	switch {
	case strings.HasPrefix(mediaType, "text/"),
		strings.HasSuffix(mediaType, "+xml"), strings.HasSuffix(mediaType, "+json"):
		return true
	}
	switch mediaType {
	case "application/json", "application/xml", "application/javascript", "application/ecmascript",
		"application/csv", "application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines",
		"application/json-seq", "application/yaml", "application/x-yaml", "application/toml":
		return true
	}
	return false
}

var xmlEncoding = regexp.MustCompile(`^<\?xml\s[^>]*?encoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["']`)

// toUTF8 converts text to valid UTF-8 without a byte order mark and returns the WHATWG name of its original encoding. The
// encoding is determined in the order of the HTML standard: byte order mark, transport label, declaration in the document,
// then a guess. The guess uses the whole body, not its first kilobyte: valid UTF-8 that is not all ASCII is practically
// never anything else. Other text is judged by the letters it decodes to (see package sniff). The only error is
// errTextTooLarge: a byte of a legacy encoding may become three.
func toUTF8(body []byte, mediaType, label string, bytesMax int64) (text []byte, name string, err error) {
	name = Charset(body, mediaType, label)
	encoding, _ := charset.Lookup(name)
	switch {
	case name == "utf-8" || encoding == nil:
		encoding, name = nil, "utf-8"
		body = bytes.TrimPrefix(body, []byte("\xef\xbb\xbf"))
	case name == "utf-16le":
		encoding = unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	case name == "utf-16be":
		encoding = unicode.UTF16(unicode.BigEndian, unicode.UseBOM)
	}
	text = body
	if encoding != nil {
		text, err = io.ReadAll(&capped{r: encoding.NewDecoder().Reader(bytes.NewReader(body)), left: bytesMax, full: errTextTooLarge})
		if errors.Is(err, errTextTooLarge) {
			return nil, "", err
		}
		if err != nil { // the decoder failed instead of replacing: keep the bytes that are UTF-8
			text, name = body, "utf-8"
		}
	}
	if !utf8.Valid(text) { // checking is many times faster than replacing
		text = bytes.ToValidUTF8(text, []byte("\uFFFD"))
	}
	if int64(len(text)) > bytesMax {
		return nil, "", errTextTooLarge
	}
	return text, name, nil
}

// Charset returns the WHATWG name of the encoding of a text. label is the charset of its header, or "".
func Charset(body []byte, mediaType, label string) string {
	switch {
	case bytes.HasPrefix(body, []byte("\xef\xbb\xbf")):
		return "utf-8"
	case bytes.HasPrefix(body, []byte("\xff\xfe")):
		return "utf-16le"
	case bytes.HasPrefix(body, []byte("\xfe\xff")):
		return "utf-16be"
	}
	if _, name := charset.Lookup(label); name != "" {
		return name
	}
	switch {
	case strings.HasSuffix(mediaType, "json"), strings.Contains(mediaType, "jsonl"), mediaType == "application/json-seq":
		return "utf-8" // RFC 8259 section 8.1
	case strings.HasSuffix(mediaType, "xml"):
		if match := xmlEncoding.FindSubmatch(body[:min(len(body), 1024)]); match != nil {
			if _, name := charset.Lookup(string(match[1])); name != "" {
				return documentCharset(name)
			}
		}
	}
	if strings.HasSuffix(mediaType, "html") || strings.HasSuffix(mediaType, "+xml") {
		// Without a media type, DetermineEncoding does not read a transport label again. What remains is its prescan for
		// meta and its guess, which is windows-1252 if it finds nothing.
		if _, name, _ := charset.DetermineEncoding(body, ""); name != "windows-1252" || declaresWestern(body) {
			return documentCharset(name)
		}
	}
	if utf8.Valid(body) {
		return "utf-8"
	}
	return sniff.Charset(body)
}

var metaCharset = regexp.MustCompile(`(?i)<meta\s[^>]*charset\s*=\s*["']?\s*([A-Za-z0-9._:-]{1,40})`)

// declaresWestern reports whether a document declares windows-1252, or one of its many aliases. The prescan returns
// windows-1252 for documents without a declaration, too.
func declaresWestern(body []byte) bool {
	match := metaCharset.FindSubmatch(body[:min(len(body), 1024)])
	if match == nil {
		return false
	}
	_, name := charset.Lookup(string(match[1]))
	return name == "windows-1252"
}

// documentCharset corrects a document's declaration: a declaration that is readable as ASCII cannot be UTF-16 (HTML
// standard, "prescan a byte stream").
func documentCharset(name string) string {
	if name == "utf-16le" || name == "utf-16be" {
		return "utf-8"
	}
	return name
}
