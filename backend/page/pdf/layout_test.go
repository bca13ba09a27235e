package pdf

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

// lines are content of one line each, from the top, with a distance of 14 points.
func lines(x, y float64, texts ...string) string {
	var out strings.Builder
	for i, s := range texts {
		if s != "" {
			out.WriteString(show(x, y-14*float64(i), 11, s))
		}
	}
	return out.String()
}

func TestLayout(t *testing.T) {
	t.Parallel()
	prose := lines(72, 700, "A first line of a paragraph that goes on for a while, to be as", "wide as a page is, so that a second one follows, and then a", "third one that ends it here.")
	for _, tt := range []struct{ name, content, want string }{
		{"a paragraph", prose, "A first line of a paragraph that goes on for a while, to be as wide as a page is, so that a second one follows, and then a third one that ends it here."},
		{"paragraphs apart", lines(72, 700, "One.", "", "Two."), "One.\n\nTwo."},
		{"hyphens", lines(72, 700, "the state of the inter-", "national well-known up-to-", "date roads"), "the state of the international well-known up-to-date roads"},
		{"drawn out of order", lines(72, 600, "below") + lines(72, 700, "above"), "above\n\nbelow"},
		{"kerned", "BT /F1 12 Tf 72 700 Td [(T) 70 (oll) -300 (r) 20 (oad)] TJ ET", "Toll road"},
		{"word by word", show(72, 700, 12, "Toll") + show(98, 700, 12, "road"), "Toll road"},
		{"all operators", "BT /F1 12 Tf 14 TL 72 700 Td (a b) Tj T* (c) Tj (d) ' 1 2 (e) \" 0 -14 TD (f) Tj T* [(g)] TJ ET", "a b c d e f g"},
		{"spacing and scale", "BT /F1 12 Tf 1 Tc 5 Tw 90 Tz 0 Ts 72 700 Td (spaced out) Tj ET", "spaced out"},
		{"drawn twice for weight", show(72, 700, 12, "Bold") + show(72.3, 700, 12, "Bold"), "Bold"},
		{"not seen, as recognised text", "BT 3 Tr /F1 12 Tf 72 700 Td (scanned) Tj ET", "scanned"},
		{"inline image", "q BI /W 4 /H 4 /BPC 8 /CS /G ID \x00EI\xff(Tj EI Q " + show(72, 700, 12, "after"), "after"},
		{"ActualText", "BT /F1 12 Tf 72 700 Td (before ) Tj /Span << /ActualText (\xfe\xff\x00f\x00f) >> BDC (!) Tj EMC ( after) Tj ET", "before ff after"},
		{"accents of their own", "BT /F1 12 Tf 72 700 Td (caf) Tj [(\xb4) 333 (e)] TJ ET", "café"},
		{"raised", show(72, 700, 12, "E = mc") + show(110, 704, 7, "2") + show(118, 700, 12, "holds"), "E = mc2 holds"},
		{"turned text", "BT /F1 12 Tf 0 1 -1 0 300 100 Tm (upwards it goes) Tj ET", "upwards it goes"},
		{"upside down", "BT /F1 12 Tf -1 0 0 -1 300 100 Tm (top down) Tj 0 -14 Td (second) Tj ET", "top down second"},
		{"mirrored coordinates", "q 1 0 0 -1 0 792 cm BT /F1 12 Tf 1 0 0 -1 72 92 Tm (flipped) Tj ET Q", "flipped"},
		{"scaled coordinates", "q .05 0 0 .05 0 0 cm BT /F1 240 Tf 1440 14000 Td (small units) Tj ET Q", "small units"},
		{"bullets", lines(72, 700, "\x95 one", "\x95 two goes on", "   in the next line", "\x95 three"), "• one\n• two goes on in the next line\n• three"},
		{"numbers", lines(72, 700, "1. one", "2. two", "3. three"), "1. one\n2. two\n3. three"},
		{"a number alone", lines(72, 700, "1984. It was a year", "like any other"), "1984. It was a year like any other"},
		{"nested bullets", lines(72, 700, "\x95 one") + lines(92, 686, "- inner") + lines(72, 672, "\x95 two"), "• one\n  • inner\n• two"},
		{"a table", lines(72, 700, "Name", "Ada", "Alan", "Grace") + lines(200, 700, "Born", "1815", "1912", "1906"), "Name\tBorn\nAda\t1815\nAlan\t1912\nGrace\t1906"},
		{
			"columns", lines(72, 700, strings.Repeat("left side ", 4), strings.Repeat("left again ", 4), strings.Repeat("left still ", 4), "left ends.") +
				lines(330, 700, strings.Repeat("right side ", 4), strings.Repeat("right again ", 4), "right ends here."),
			strings.TrimSpace(strings.Repeat("left side ", 4)) + " " + strings.Repeat("left again ", 4) + strings.Repeat("left still ", 4) + "left ends.\n\n" +
				strings.Repeat("right side ", 4) + strings.Repeat("right again ", 4) + "right ends here.",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBuilder()
			b.page(tt.content)
			wantText(t, mustRead(t, b.plain()), tt.want)
		})
	}
}

func TestRotatedPages(t *testing.T) {
	t.Parallel()
	for rotate, tm := range map[int]string{0: "1 0 0 1 72 700", 90: "0 1 -1 0 100 72", 180: "-1 0 0 -1 540 92", 270: "0 -1 1 0 500 700", -90: "0 -1 1 0 500 700", 450: "0 1 -1 0 100 72"} {
		b := newBuilder()
		b.pageWith(b.stream("", "BT /F1 12 Tf 14 TL "+tm+" Tm (first line) Tj T* (second line) Tj ET"), fmt.Sprintf("/Rotate %d", rotate))
		wantText(t, mustRead(t, b.plain()), "first line second line")
	}
}

func TestForms(t *testing.T) {
	t.Parallel()
	b := newBuilder()
	form := b.stream(fmt.Sprintf("/Type /XObject /Subtype /Form /Matrix [1 0 0 1 0 -100] /Resources << /Font << %s >> >>", b.fonts), show(72, 700, 12, "in a form"))
	bare := b.stream("/Type /XObject /Subtype /Form", show(72, 500, 12, "by the page's fonts"))
	field := b.stream(fmt.Sprintf("/Subtype /Form /BBox [0 0 100 20] /Resources << /Font << %s >> >>", b.fonts), show(2, 5, 12, "filled in"))
	off := b.add("<< /Type /OCG /Name (off) >>")
	b.catalog = fmt.Sprintf("/OCProperties << /OCGs [%d 0 R] /D << /OFF [%d 0 R] >> >>", off, off)
	b.extra = fmt.Sprintf("/XObject << /A %d 0 R /B %d 0 R >> /Properties << /L %d 0 R >>", form, bare, off)
	content := b.stream("", show(72, 700, 12, "on the page")+"q /A Do Q /B Do /OC /L BDC "+show(72, 300, 12, "not shown")+"EMC")
	b.pageWith(content, fmt.Sprintf("/Annots [<< /Subtype /Widget /Rect [72 400 172 420] /AP << /N %d 0 R >> >>]", field))
	wantText(t, mustRead(t, b.plain()), "on the page\n\nin a form\n\nby the page's fonts\n\nfilled in")
}

func TestLinks(t *testing.T) {
	t.Parallel()
	b := newBuilder()
	at := func(x0, x1 int, uri string) string {
		return fmt.Sprintf("<< /Subtype /Link /Rect [%d 695 %d 715] /A << /S /URI /URI (%s) >> >> ", x0, x1, uri)
	}
	b.pageWith(b.stream("", show(72, 700, 12, "See the rates of tolls")), "/Annots ["+at(94, 143, "https://example.com/a\\(b\\)")+at(155, 190, "javascript:alert")+"]")
	doc := mustRead(t, b.plain())
	if got, want := doc.Markdown(), "See [the rates](https://example.com/a%28b%29) of tolls"; got != want {
		t.Errorf("markdown: got %q, want %q", got, want)
	}
	if got, want := doc.HTML(), "<p>See <a href=\"https://example.com/a(b)\">the rates</a> of tolls</p>\n"; got != want {
		t.Errorf("HTML: got %q, want %q", got, want)
	}
	if len(doc.Links) != 2 || doc.Links[0] != (Link{URI: "https://example.com/a(b)", Text: "the rates", Page: 1}) {
		t.Errorf("links: got %+v", doc.Links)
	}
}

func TestHeadersAndFootersAreDropped(t *testing.T) {
	t.Parallel()
	b := newBuilder()
	for i := range 5 {
		b.page(show(200, 760, 9, fmt.Sprintf("Report of the year, page %d", i+1)) + show(72, 400, 12, fmt.Sprintf("What chapter %d says.", i+1)) +
			show(72, 60, 8, "[1] A note.") + show(300, 30, 9, fmt.Sprint(i+1)))
	}
	doc := mustRead(t, b.plain())
	if got := doc.Text(); strings.Contains(got, "Report") || !strings.Contains(got, "What chapter 3 says.") || strings.HasSuffix(got, "5") {
		t.Errorf("got %q", got)
	}
}

func TestHeadingsByTheOutline(t *testing.T) {
	t.Parallel()
	b := newBuilder()
	b.page(lines(72, 700, "1 Roads", "", "Text of the first section, which is long enough.", "", "1.1 Stones", "", "Text of the second one, which is as long."))
	n := len(b.objects) + 1
	b.add(fmt.Sprintf("<< /Title (Roads) /First %d 0 R >>", n+1))
	b.add("<< /Title (Stones) >>")
	b.catalog = fmt.Sprintf("/Outlines << /First %d 0 R >>", n)
	want := "# 1 Roads\n\nText of the first section, which is long enough.\n\n## 1.1 Stones\n\nText of the second one, which is as long."
	if got := mustRead(t, b.plain()).Markdown(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestQuality(t *testing.T) {
	t.Parallel()
	image := newBuilder()
	image.extra = fmt.Sprintf("/XObject << /I %d 0 R >>", image.stream("/Subtype /Image /Width 1 /Height 1", "x"))
	image.page("/I Do")
	doc := mustRead(t, image.plain())
	if doc.Quality != 0 || doc.Text() != "" {
		t.Errorf("a scan: got quality %v, text %q", doc.Quality, doc.Text())
	}
	unknown := newBuilder()
	unknown.fonts = ""
	unknown.font("F1", "<< /Subtype /Type0 /Encoding /Identity-H /DescendantFonts [<< >>] >>")
	unknown.page("BT /F1 12 Tf 72 700 Td <0041004200430044> Tj ET")
	if doc = mustRead(t, unknown.plain()); doc.Quality != 0 {
		t.Errorf("unknown characters: got quality %v", doc.Quality)
	}
	if doc = mustRead(t, hello().plain()); doc.Quality < 0.95 {
		t.Errorf("text: got quality %v", doc.Quality)
	}
}

// The files in testdata were printed by Chromium from pages with what their names say.
func TestPrintedPages(t *testing.T) {
	t.Parallel()
	for _, page := range []string{"guide", "columns", "report"} {
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			body, err := os.ReadFile(filepath.Join("testdata", page+".pdf"))
			if err != nil {
				t.Fatal(err)
			}
			doc := mustRead(t, body)
			for extension, got := range map[string]string{".md": doc.Markdown(), ".txt": doc.Text(), ".html": doc.HTML()} {
				path := filepath.Join("testdata", page+extension)
				if *update {
					if err := os.WriteFile(path, []byte(got+"\n"), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if got+"\n" != string(want) {
					t.Errorf("%s:\ngot\n%s\nwant\n%s", extension, got, want)
				}
			}
		})
	}
}

func BenchmarkRead(b *testing.B) {
	for _, page := range []string{"guide", "columns"} {
		body, err := os.ReadFile(filepath.Join("testdata", page+".pdf"))
		if err != nil {
			b.Fatal(err)
		}
		b.Run(page, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(body)))
			pages := 0
			for b.Loop() {
				doc, err := Read(b.Context(), body, Limits{})
				if err != nil {
					b.Fatal(err)
				}
				pages += doc.PagesRead
			}
			b.ReportMetric(float64(pages)/b.Elapsed().Seconds(), "pages/s")
		})
	}
}
