package extract

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

func TestPagesServedAsSomethingElse(t *testing.T) {
	t.Parallel()
	const page = "\ufeff <!-- c -->\n<!DOCTYPE HTML><title>T</title><h1>H</h1>"
	for _, mediaType := range []string{"text/plain", "application/octet-stream", ""} {
		document, err := Read(t.Context(), Source{URL: testURL, MediaType: mediaType, Body: []byte(page)}, Options{})
		if err != nil || document.Metadata.Title != "T" {
			t.Errorf("%q: got %+v, %v, want a page", mediaType, document, err)
		}
	}
	for _, tt := range [][2]string{{"text/plain", "see <!doctype html>"}, {"text/css", page}, {"text/plain", "<html><p>x"}} {
		document, err := Read(t.Context(), Source{URL: testURL, MediaType: tt[0], Body: []byte(tt[1])}, Options{})
		if err != nil || document.Text != tt[1] {
			t.Errorf("%q: got %+v, %v, want the text as it is", tt, document, err)
		}
	}
	for _, body := range []string{"<html><p>x", "", "\x00\x01"} {
		if _, err := Read(t.Context(), Source{MediaType: "application/octet-stream", Body: []byte(body)}, Options{}); !errors.Is(err, ErrUnsupportedContent) {
			t.Errorf("%q: got %v, want ErrUnsupportedContent", body, err)
		}
	}
}

func TestPDFsServedAsSomethingElse(t *testing.T) {
	t.Parallel()
	body, err := os.ReadFile("../pdf/testdata/report.pdf")
	if err != nil {
		t.Fatal(err)
	}
	for _, mediaType := range []string{"application/octet-stream", "binary/octet-stream", ""} {
		document, err := Read(t.Context(), Source{URL: testURL, MediaType: mediaType, Body: body}, Options{})
		if err != nil || document.Text == "" {
			t.Errorf("%q: got %v, want the text of the PDF", mediaType, err)
		}
	}
}

func TestHeadersCount(t *testing.T) {
	t.Parallel()
	header := http.Header{}
	header.Add("Link", `</style.css>; rel=preload; as="style,x", </other>; title="a, <b>; rel=canonical"; rel="next"`)
	header.Add("Link", `</canonical>; rel="alternate Canonical"`)
	header.Set("Content-Language", "de-AT")
	document, err := Read(t.Context(), Source{URL: testURL, MediaType: "text/html", Header: header, Body: []byte(`<base href="/x/"><link rel=canonical href=no><p>a`)}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if m := document.Metadata; m.CanonicalURL != "https://example.com/canonical" || m.Language != "de-AT" {
		t.Errorf("got %q, %q", m.CanonicalURL, m.Language)
	}
}

func TestLines(t *testing.T) {
	t.Parallel()
	const lines = "{\"a\":1}\n{\"a\":2}\n"
	for _, mediaType := range []string{"application/x-ndjson", "application/jsonl"} {
		document, err := Read(t.Context(), Source{MediaType: mediaType, Body: []byte(lines)}, Options{})
		if err != nil || document.Text != lines || document.Markdown != "```json\n"+lines+"```" {
			t.Errorf("%s: got %+v, %v", mediaType, document, err)
		}
	}
}

func TestCSV(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, mediaType, body, markdown, html string }{
		{
			"commas", "text/csv", "\ufeffRoad,Toll\n\"Old, narrow\",1|2\n\"a\n\"\"b\"\"\"\n", "| Road | Toll |\n| --- | --- |\n| Old, narrow | 1\\|2 |\n| a \"b\" |  |",
			`<table><thead><tr><th>Road</th><th>Toll</th></tr></thead><tbody><tr><td>Old, narrow</td><td>1|2</td></tr><tr><td>a` + "\n" + `&#34;b&#34;</td><td></td></tr></tbody></table>`,
		},
		{"semicolons", "text/csv", "a;b\n1,5;<2>", "| a | b |\n| --- | --- |\n| 1,5 | \\<2> |", "<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1,5</td><td>&lt;2&gt;</td></tr></tbody></table>"},
		{"tabs", "text/tab-separated-values", "a\tb,c\n1\t2\n", "| a | b,c |\n| --- | --- |\n| 1 | 2 |", ""},
		{"declared", "text/csv", "sep=|\r\na|b\r\n", "| a | b |\n| --- | --- |", ""},
		{"longer rows", "text/csv", "a\n1,2\n", "| a |  |\n| --- | --- |\n| 1 | 2 |", ""},
		{"open quote", "text/csv", "a,b\n\"x,y\n", "| a | b |\n| --- | --- |\n| x,y |  |", ""},
		{"empty", "text/csv", "", "", "<pre></pre>"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			document, err := Read(t.Context(), Source{MediaType: tt.mediaType, Body: []byte(tt.body)}, Options{Structured: true})
			if err != nil || document.Markdown != tt.markdown || tt.html != "" && document.HTML != tt.html || document.Text != tt.body {
				t.Errorf("got %+v, %v, want %q and %q", document, err, tt.markdown, tt.html)
			}
			if tt.body != "" && len(document.Structured.Tables) != 1 {
				t.Errorf("got %+v, want the table", document.Structured)
			}
		})
	}
}

func TestHostileCSV(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"long":        strings.Repeat("a,b\n", 1_000_000),
		"wide":        strings.Repeat("a,", 1_000_000),
		"uneven":      strings.Repeat("a\n", 10_000) + strings.Repeat("a,", 499) + "\n" + strings.Repeat("a\n", 100_000),
		"quotes":      strings.Repeat(`"`, 1_000_000),
		"open quotes": strings.Repeat("\"a\n", 300_000),
	} {
		begin := time.Now()
		document, err := Read(t.Context(), Source{MediaType: "text/csv", Body: []byte(body)}, Options{})
		if err != nil || len(document.HTML) > 20<<20 || len(document.Markdown) > 20<<20 || time.Since(begin) > 10*time.Second {
			t.Errorf("%s: got %v in %v", name, err, time.Since(begin))
		}
	}
}

// box is a box of an ISO base media file.
func box(kind string, content ...string) string {
	all := strings.Join(content, "")
	return string(binary.BigEndian.AppendUint32(nil, uint32(8+len(all)))) + kind + all
}

func images(t testing.TB) map[string]string {
	t.Helper()
	picture := image.NewPaletted(image.Rect(0, 0, 30, 20), color.Palette{color.Black, color.White})
	var asPNG, asJPEG, asGIF bytes.Buffer
	if err := errors.Join(png.Encode(&asPNG, picture), jpeg.Encode(&asJPEG, picture, nil), gif.Encode(&asGIF, picture, nil)); err != nil {
		t.Fatal(err)
	}
	riff := func(chunk string) string { return "RIFF\x00\x00\x00\x00WEBP" + chunk }
	size := func(width, height byte) string {
		return box("ispe", "\x00\x00\x00\x00", "\x00\x00\x00"+string(width), "\x00\x00\x00"+string(height))
	}
	return map[string]string{
		"PNG": asPNG.String(), "JPEG": asJPEG.String(), "GIF": asGIF.String(),
		"WebP lossy":    riff("VP8 \x10\x00\x00\x00\x00\x00\x00\x9d\x01\x2a\x1e\x00\x14\x00"),
		"WebP lossless": riff("VP8L\x10\x00\x00\x00\x2f\x1d\xc0\x04\x00\x00\x00\x00\x00\x00"),
		"WebP extended": riff("VP8X\x0a\x00\x00\x00\x00\x00\x00\x00\x1d\x00\x00\x13\x00\x00"),
		"AVIF":          box("ftyp", "avif\x00\x00\x00\x00avifmif1") + box("meta", "\x00\x00\x00\x00", box("hdlr"), box("iprp", box("ipco", size(2, 2), size(30, 20)))),
		"SVG": `<?xml version="1.0"?><!DOCTYPE svg PUBLIC "x" "y"><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 29.6 20"><title>A <b>map</b></title><desc>of roads</desc>` +
			`<text x=1>Old <tspan>road</tspan></text><script>x</script></svg>`,
		"SVG with a size": `<svg width="30px" height="20"/>`,
	}
}

func TestImages(t *testing.T) {
	t.Parallel()
	for name, body := range images(t) {
		document, err := Read(t.Context(), Source{URL: "https://example.com/i/old%20map(1).x?y=1", MediaType: "image/png", Body: []byte(body)}, Options{})
		if err != nil {
			t.Errorf("%s: got %v", name, err)
			continue
		}
		format, _, _ := strings.Cut(name, " ")
		if want := "old map(1).x\n" + format + ", 30 × 20 pixels"; !strings.HasPrefix(document.Text, want) {
			t.Errorf("%s: got %q, want %q", name, document.Text, want)
		}
		if want := `<img src="https://example.com/i/old%20map(1).x?y=1" alt="` + document.Metadata.Title + `" width="30" height="20"/>`; !strings.HasPrefix(document.HTML, want) {
			t.Errorf("%s: got %s, want %s", name, document.HTML, want)
		}
		if want := "![" + document.Metadata.Title + "](<https://example.com/i/old%20map(1).x?y=1>)"; !strings.HasPrefix(document.Markdown, want) {
			t.Errorf("%s: got %s, want %s", name, document.Markdown, want)
		}
		if name == "SVG" && (document.Metadata.Title != "A map" || !strings.HasSuffix(document.Text, "A map\nof roads\nOld road")) {
			t.Errorf("%s: got %q", name, document.Text)
		}
	}
}

func TestImagesThatAreNone(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"", "text", "<html><svg>", box("ftyp", "heic\x00\x00\x00\x00heic"), "RIFF\x00\x00\x00\x00WAVEfmt "} {
		if _, err := Read(t.Context(), Source{MediaType: "image/png", Body: []byte(body)}, Options{}); !errors.Is(err, ErrUnsupportedContent) {
			t.Errorf("%q: got %v, want ErrUnsupportedContent", body, err)
		}
	}
	document, err := Read(t.Context(), Source{URL: "https://example.com/", MediaType: "image/jpeg", Body: []byte("\xff\xd8\xff broken")}, Options{})
	if err != nil || document.Text != "image\nJPEG" || strings.Contains(document.HTML, "width") {
		t.Errorf("got %+v, %v, want an image of unknown size", document, err)
	}
}

func FuzzImage(f *testing.F) {
	for _, body := range images(f) {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		document, err := Read(t.Context(), Source{URL: testURL, MediaType: "image/png", Body: body}, Options{})
		if err == nil && (document.HTML == "" || document.Text == "" || strings.Contains(document.HTML, "-1")) {
			t.Fatalf("got %+v", document)
		}
	})
}

func FuzzCSV(f *testing.F) {
	f.Add([]byte("a,b\n\"c\nd\",e\n"), false)
	f.Add([]byte("sep=;\na;b"), false)
	f.Add([]byte("a\tb|c\n\"\n"), true)
	f.Fuzz(func(t *testing.T, body []byte, tabs bool) {
		mediaType := "text/csv"
		if tabs {
			mediaType = "text/tab-separated-values"
		}
		document, err := Read(t.Context(), Source{MediaType: mediaType, Body: bytes.ToValidUTF8(body, nil)}, Options{Structured: true})
		if err != nil {
			t.Fatal(err)
		}
		if document.Structured != nil {
			for _, table := range document.Structured.Tables {
				for _, row := range table.Rows {
					if len(row) != len(table.Header) {
						t.Fatalf("got a row of %d cells under a header of %d", len(row), len(table.Header))
					}
				}
			}
		}
	})
}
