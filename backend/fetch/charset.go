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
)

// mediaTypeOf returns the type of body, from the Content-Type if there is one that can be read, else by sniffing.
func mediaTypeOf(contentType string, body []byte) (string, map[string]string) {
	mediaType, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		// A type with broken parameters is still a type.
		mediaType, _, _ = strings.Cut(contentType, ";")
		mediaType = strings.ToLower(strings.TrimSpace(mediaType))
		params = map[string]string{}
	}
	if strings.Count(mediaType, "/") != 1 || mediaType == "/" {
		mediaType, _, _ = strings.Cut(http.DetectContentType(body), ";")
		// The sniffed charset is a guess of a cruder kind than the one toUTF8 makes.
		params = map[string]string{}
	}
	return mediaType, params
}

// isText reports whether bodies of a type are text, and so are brought to UTF-8.
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

// toUTF8 converts text to valid UTF-8 without a byte order mark and returns the WHATWG name of the encoding it was in.
// The order is the HTML standard's: byte order mark, transport label, what the document says of itself, then a guess.
// The guess looks at the whole body, not its first kilobyte: valid UTF-8 that is not all ASCII is practically never
// anything else. What is left is told by the letters that come out (see sniffCharset).
// Its one error is errTextTooLarge: a byte of an older encoding may become three.
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
		if err != nil { // a decoder that gives up rather than replace: the bytes that are UTF-8 are better than none
			text, name = body, "utf-8"
		}
	}
	if !utf8.Valid(text) { // which is known many times sooner than what would be replaced
		text = bytes.ToValidUTF8(text, []byte("\uFFFD"))
	}
	if int64(len(text)) > bytesMax {
		return nil, "", errTextTooLarge
	}
	return text, name, nil
}

// Charset returns the WHATWG name of the encoding that a text of a media type is in. label is what its header says, or
// "".
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
		// An empty type keeps it from reading a transport label again: what is left is its prescan for meta, and its
		// own guess, which is windows-1252 where it knows nothing.
		if _, name, _ := charset.DetermineEncoding(body, ""); name != "windows-1252" || declaresWestern(body) {
			return documentCharset(name)
		}
	}
	if utf8.Valid(body) {
		return "utf-8"
	}
	return sniffCharset(body)
}

var metaCharset = regexp.MustCompile(`(?i)<meta\s[^>]*charset\s*=\s*["']?\s*([A-Za-z0-9._:-]{1,40})`)

// declaresWestern tells a document that says windows-1252, or one of its many other names, from one that says nothing,
// of which the prescan makes the same.
func declaresWestern(body []byte) bool {
	match := metaCharset.FindSubmatch(body[:min(len(body), 1024)])
	if match == nil {
		return false
	}
	_, name := charset.Lookup(string(match[1]))
	return name == "windows-1252"
}

// documentCharset corrects what a document claims of itself: a claim that could be read as ASCII is not UTF-16 (HTML
// standard, "prescan a byte stream").
func documentCharset(name string) string {
	if name == "utf-16le" || name == "utf-16be" {
		return "utf-8"
	}
	return name
}
