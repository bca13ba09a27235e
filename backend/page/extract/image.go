package extract

import (
	"bytes"
	"encoding/binary"
	"encoding/xml"
	"errors"
	"fmt"
	"html"
	"image"
	_ "image/gif"  // registers itself
	_ "image/jpeg" // registers itself
	_ "image/png"  // registers itself
	"io"
	"path"
	"strconv"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/page/extract/dom"
	"github.com/turnpike-edge/turnpike/backend/page/extract/links"
	"github.com/turnpike-edge/turnpike/backend/page/extract/markup"
	"github.com/turnpike-edge/turnpike/backend/page/extract/metadata"
	"github.com/turnpike-edge/turnpike/clip"
)

const (
	// pixelsMax is the size from which on a size is not believed.
	pixelsMax = 1 << 20
	// svgTokensMax and svgTextBytesMax are how much of a drawing is read.
	svgTokensMax    = 200_000
	svgTextBytesMax = 64 << 10
	// avifBoxesMax is how many boxes of an AVIF file are read.
	avifBoxesMax = 1000
)

// picture is the information in an image's header.
type picture struct {
	format        string // "PNG"
	width, height int    // pixels; 0 where not given
	title, text   string // of a drawing
}

// readImage returns a reference to the image, its size, and the text that a drawing contains.
func readImage(source Source, options Options) (*Document, error) {
	p := pictureOf(source.Body)
	if p == nil {
		return nil, fmt.Errorf("%w: %.100q is not a PNG, JPEG, GIF, WebP, SVG or AVIF image", ErrUnsupportedContent, source.MediaType)
	}
	name := fileName(options.BaseURL)
	alt := name
	if p.title != "" {
		alt = p.title
	}
	size, attributes := "", ""
	if p.width > 0 && p.height > 0 {
		size = fmt.Sprintf(", %d × %d pixels", p.width, p.height)
		attributes = fmt.Sprintf(` width="%d" height="%d"`, p.width, p.height)
	}
	document := &Document{
		HTML:     fmt.Sprintf(`<img src="%s" alt="%s"%s/>`, html.EscapeString(options.BaseURL), html.EscapeString(alt), attributes),
		Markdown: fmt.Sprintf("![%s](%s)", cellMarkdown.Replace(strings.ReplaceAll(alt, "]", `\]`)), markdownTarget(options.BaseURL)),
		Text:     name + "\n" + p.format + size,
		Metadata: Metadata{Title: alt, Image: options.BaseURL},
	}
	if p.text != "" {
		document.HTML += "\n<pre>" + html.EscapeString(p.text) + "</pre>"
		document.Markdown += "\n\n" + p.text
		document.Text += "\n\n" + p.text
	}
	return document, nil
}

// fileName is the last part of a URL's path, decoded; "image" if it has none.
func fileName(address string) string {
	_, name := links.URLWords(address)
	name, _, _ = strings.Cut(name, "?")
	if name = dom.Fold(path.Base(name)); name == "" || name == "." || name == "/" {
		return "image"
	}
	return name
}

// markdownTarget keeps parentheses and spaces in a URL from ending it.
func markdownTarget(address string) string {
	if strings.ContainsAny(address, "() <>") {
		return "<" + strings.NewReplacer("<", "%3C", ">", "%3E", "\n", "", "\r", "").Replace(address) + ">"
	}
	return address
}

// pictureOf reads an image's header, or returns nil if body is no image.
func pictureOf(body []byte) *picture {
	var p *picture
	switch {
	case bytes.HasPrefix(body, []byte("RIFF")) && len(body) >= 16 && string(body[8:12]) == "WEBP":
		p = webP(body)
	case len(body) >= 12 && string(body[4:8]) == "ftyp":
		p = avif(body)
	case bytes.HasPrefix(body, []byte("\x89PNG")), bytes.HasPrefix(body, []byte("\xff\xd8\xff")), bytes.HasPrefix(body, []byte("GIF8")):
		p = bitmap(body)
	default:
		if head := markup.Start(body); strings.HasPrefix(head, "<svg") || strings.HasPrefix(head, "<!DOCTYPE svg") || strings.HasPrefix(head, "<svg:") {
			p = drawing(body)
		}
	}
	if p != nil && (p.width < 0 || p.height < 0 || p.width > pixelsMax || p.height > pixelsMax) {
		p.width, p.height = 0, 0
	}
	return p
}

// bitmap reads the formats that the standard library supports.
func bitmap(body []byte) *picture {
	names := map[byte]string{0x89: "PNG", 0xff: "JPEG", 'G': "GIF"}
	p := &picture{format: names[body[0]]}
	if config, _, err := image.DecodeConfig(bytes.NewReader(body)); err == nil {
		p.width, p.height = config.Width, config.Height
	}
	return p
}

// webP reads the first chunk (WebP container specification; RFC 6386, 9.1; WebP lossless bitstream, 3).
func webP(body []byte) *picture {
	p := &picture{format: "WebP"}
	const header = 20
	if len(body) < header+10 {
		return p
	}
	data := body[header:]
	switch string(body[12:16]) {
	case "VP8 ":
		if data[3] == 0x9d && data[4] == 0x01 && data[5] == 0x2a {
			p.width, p.height = int(binary.LittleEndian.Uint16(data[6:])&0x3fff), int(binary.LittleEndian.Uint16(data[8:])&0x3fff)
		}
	case "VP8L":
		if data[0] == 0x2f {
			bits := binary.LittleEndian.Uint32(data[1:])
			p.width, p.height = int(bits&0x3fff)+1, int(bits>>14&0x3fff)+1
		}
	case "VP8X":
		little24 := func(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }
		p.width, p.height = little24(data[4:])+1, little24(data[7:])+1
	}
	return p
}

// avif finds the largest size among the properties (ISO/IEC 23008-12, 6.5.3): thumbnails and tiles have their own. It is
// nil if the file type box does not name AVIF.
func avif(body []byte) *picture {
	size := int(min(binary.BigEndian.Uint32(body), 256))
	if size > len(body) || !bytes.Contains(body[8:max(size, 8)], []byte("avi")) {
		return nil
	}
	p := &picture{format: "AVIF"}
	left := avifBoxesMax
	avifBoxes(body, 0, &left, p)
	return p
}

// avifBoxes walks through boxes (ISO/IEC 14496-12, 4.2) and down the path to the sizes.
func avifBoxes(b []byte, depth int, left *int, p *picture) {
	for len(b) >= 8 && *left > 0 {
		*left--
		size, header := uint64(binary.BigEndian.Uint32(b)), uint64(8)
		switch {
		case size == 1 && len(b) >= 16:
			size, header = binary.BigEndian.Uint64(b[8:]), 16
		case size == 0:
			size = uint64(len(b))
		}
		if size < header || size > uint64(len(b)) {
			return
		}
		content := b[header:size]
		switch kind := string(b[4:8]); {
		case kind == "meta" && depth == 0 && len(content) >= 4:
			avifBoxes(content[4:], 1, left, p)
		case kind == "iprp" && depth == 1, kind == "ipco" && depth == 2:
			avifBoxes(content, depth+1, left, p)
		case kind == "ispe" && depth == 3 && len(content) >= 12:
			width, height := int(binary.BigEndian.Uint32(content[4:])), int(binary.BigEndian.Uint32(content[8:]))
			if width*height > p.width*p.height {
				p.width, p.height = width, height
			}
		}
		b = b[size:]
	}
}

// drawing reads an SVG: its size, title, description and texts.
func drawing(body []byte) *picture {
	p := &picture{format: "SVG"}
	decoder := xml.NewDecoder(strings.NewReader(markup.CleanXML(body)))
	decoder.Strict = false
	decoder.Entity = xml.HTMLEntity
	decoder.CharsetReader = func(_ string, input io.Reader) (io.Reader, error) { return input, nil }
	var texts []string
	var current strings.Builder
	inside, bytesLeft, isFirst := "", svgTextBytesMax, true
	for range svgTokensMax {
		token, err := decoder.RawToken()
		if errors.Is(err, io.EOF) || err != nil || bytesLeft <= 0 {
			break
		}
		switch t := token.(type) {
		case xml.StartElement:
			if isFirst {
				p.width, p.height = svgSize(t)
				isFirst = false
			}
			if name := t.Name.Local; inside == "" && (name == "title" || name == "desc" || name == "text") {
				inside = name
				current.Reset()
			} else if inside != "" {
				current.WriteByte(' ')
			}
		case xml.CharData:
			if inside != "" {
				current.Write(t[:min(len(t), bytesLeft)])
				bytesLeft -= min(len(t), bytesLeft)
			}
		case xml.EndElement:
			if t.Name.Local != inside || inside == "" {
				continue
			}
			text := dom.Fold(strings.ToValidUTF8(current.String(), ""))
			if inside == "title" && p.title == "" {
				p.title = clip.Bytes(text, metadata.FieldBytesMax)
			}
			if text != "" {
				texts = append(texts, text)
			}
			inside = ""
		}
	}
	p.text = strings.Join(texts, "\n")
	return p
}

// svgSize is a drawing's size if it is in pixels, else that of its view box (SVG 2, 8.2).
func svgSize(t xml.StartElement) (width, height int) {
	var box []string
	for _, a := range t.Attr {
		switch a.Name.Local {
		case "width":
			width = pixels(a.Value)
		case "height":
			height = pixels(a.Value)
		case "viewBox":
			box = strings.FieldsFunc(clip.Bytes(a.Value, 200), func(r rune) bool { return r == ' ' || r == ',' || r == '\n' || r == '\t' })
		}
	}
	if (width == 0 || height == 0) && len(box) == 4 {
		return pixels(box[2]), pixels(box[3])
	}
	return width, height
}

// pixels is a length in pixels, rounded; 0 for another unit.
func pixels(s string) int {
	f, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(s), "px"), 64)
	if err != nil || !(f > 0 && f <= pixelsMax) {
		return 0
	}
	return int(f + 0.5)
}
