package pdf

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestKindsOfFiles(t *testing.T) {
	t.Parallel()
	plain, packed := hello().plain(), hello().packed(false)
	objects, _, _ := bytes.Cut(plain, []byte("xref\n0"))
	updated := func() []byte {
		b := hello()
		body := b.plain()
		start := bytes.LastIndex(body, []byte("xref\n0"))
		at := len(body)
		content := b.objects[3]
		body = append(body, fmt.Sprintf("4 0 obj\n%s\nendobj\n", strings.Replace(content, "Hello, world", "Hello, again", 1))...)
		xref := len(body)
		return append(body, fmt.Sprintf("xref\n4 1\n%010d 00000 n \ntrailer\n<< /Root 1 0 R /Size 6 /Prev %d >>\nstartxref\n%d\n%%%%EOF", at, start, xref)...)
	}
	without := func(body []byte, pattern, by string) []byte {
		return regexp.MustCompile(pattern).ReplaceAll(body, []byte(by))
	}
	for _, tt := range []struct {
		name string
		body []byte
		want string
	}{
		{"table", plain, ""},
		{"stream of cross-references and object streams", packed, ""},
		{"hybrid", hello().packed(true), ""},
		{"changed later", updated(), "Hello, again"},
		{"something before the header", append([]byte("HTTP/1.1 200 OK\r\n\r\n"), plain...), ""},
		{"something before the header of a packed one", append([]byte("\x00\x01junk\n"), packed...), ""},
		{"something after the end", append(bytes.Clone(plain), bytes.Repeat([]byte("\x00trailing\n"), 3000)...), ""},
		{"no header", plain[bytes.IndexByte(plain, '\n'):], ""},
		{"no table", objects, ""},
		{"no cross-reference stream", packed[:bytes.Index(packed, []byte("/Type /XRef"))-10], ""},
		{"startxref leads nowhere", without(plain, `startxref\n\d+`, "startxref\n999999"), ""},
		{"startxref is no number", without(plain, `startxref\n\d+`, "startxref\nhere"), ""},
		{"wrong offsets", without(plain, `\n00000000\d\d 00000 n`, "\n0000000005 00000 n"), ""},
		{"wrong length", without(plain, `/Length \d+`, "/Length 3"), ""},
		{"length far too long", without(plain, `/Length \d+`, "/Length 300000"), ""},
		{"no length", without(plain, `/Length \d+`, ""), ""},
		{"carriage returns", bytes.ReplaceAll(objects, []byte("\n"), []byte("\r")), ""},
		{"no endobj", bytes.ReplaceAll(plain, []byte("endobj"), nil), ""},
		{"cut in the middle of the table", plain[:len(plain)-120], ""},
		{"no tree of pages", without(plain, `/Kids \[[^\]]*\]`, "/Kids []"), ""},
		{"chain of sections in a circle", without(plain, `/Root 1 0 R`, fmt.Sprintf("/Root 1 0 R /Prev %d", bytes.Index(plain, []byte("xref\n0")))), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			want := tt.want
			if want == "" {
				want = "Hello, world"
			}
			wantText(t, mustRead(t, tt.body), want)
		})
	}
}

func TestNoPDF(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, body string
		want       error
	}{
		{"nothing", "", ErrNotPDF},
		{"a page", "<!doctype html><p>Not found</p>", ErrNotPDF},
		{"a header alone", "%PDF-1.7\n", ErrNotPDF},
		{"no catalog", "%PDF-1.7\n1 0 obj\n<< /Type /Font >>\nendobj\n", ErrNotPDF},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if doc, err := Read(t.Context(), []byte(tt.body), Limits{}); !errors.Is(err, tt.want) {
				t.Errorf("got %v, %v, want %v", doc, err, tt.want)
			}
		})
	}
}

// The files in testdata were encrypted by qpdf.
func TestEncrypted(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("testdata/encrypted-*.pdf")
	if err != nil || len(paths) < 7 {
		t.Fatalf("got %d files, %v, want 7 at least", len(paths), err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".pdf"), func(t *testing.T) {
			t.Parallel()
			body, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(path, "password") {
				if _, err := Read(t.Context(), body, Limits{}); !errors.Is(err, ErrEncrypted) {
					t.Errorf("got %v, want %v", err, ErrEncrypted)
				}
				return
			}
			doc := mustRead(t, body)
			wantText(t, doc, "Hello, world")
			if doc.Title != "A secret title" {
				t.Errorf("got title %q, want it decrypted", doc.Title)
			}
			// Without its table, too.
			doc = mustRead(t, bytes.Replace(body, []byte("startxref"), []byte("startnone"), 1))
			wantText(t, doc, "Hello, world")
		})
	}
}

func TestPageTree(t *testing.T) {
	t.Parallel()
	b := newBuilder()
	for i := range 3 {
		b.page(show(72, 700, 12, fmt.Sprintf("This is the page number %d of them.", i+1)))
	}
	inner := b.add(fmt.Sprintf("<< /Type /Pages /Parent 2 0 R /Kids [%d 0 R %d 0 R 2 0 R] /Count 2 /Rotate 90 /MediaBox [0 0 792 612] >>", b.pages[1], b.pages[2]))
	// The tree has a circle, a page twice, and an object that is no page.
	b.objects[1] = fmt.Sprintf("<< /Type /Pages /Kids [%d 0 R %d 0 R %d 0 R 3 0 R 9999 0 R] /Count 3 >>", b.pages[0], inner, b.pages[0])
	doc := mustRead(t, b.plain())
	if doc.Pages < 3 || doc.Pages > 4 || !strings.HasPrefix(doc.Text(), "This is the page number 1 of them.\n\nThis is the page number 2") {
		t.Errorf("got %d pages, text %q", doc.Pages, doc.Text())
	}
}

func TestInfo(t *testing.T) {
	t.Parallel()
	b := hello()
	info := b.add(`<< /Title (\376\377\000T\000\351\000s\000t) /Author (Ren\351e) /Subject (A subject) /Keywords <6F6E652C2074776F> ` +
		`/CreationDate (D:20240131093000+01'00') /ModDate (D:202402) >>`)
	b.trailer = fmt.Sprintf("/Info %d 0 R", info)
	b.catalog = "/Lang (fr-CH)"
	doc := mustRead(t, b.plain())
	got := fmt.Sprintf("%s|%s|%s|%s|%s|%s|%s", doc.Title, doc.Author, doc.Subject, doc.Keywords, doc.Language,
		doc.Created.Format("2006-01-02T15:04:05-07:00"), doc.Modified.Format("2006-01-02"))
	if want := "Tést|Renée|A subject|one, two|fr-CH|2024-01-31T09:30:00+01:00|2024-02-01"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	b = hello()
	b.catalog = fmt.Sprintf("/Metadata %d 0 R", b.stream("/Type /Metadata /Subtype /XML", `<x:xmpmeta><rdf:Description xmp:CreateDate="2023-05-06T07:08:09Z">`+
		`<dc:title><rdf:Alt><rdf:li xml:lang="x-default">Salt &amp; pepper</rdf:li></rdf:Alt></dc:title>`+
		`<dc:creator><rdf:Seq><rdf:li>A. Writer</rdf:li></rdf:Seq></dc:creator></rdf:Description></x:xmpmeta>`))
	doc = mustRead(t, b.plain())
	if doc.Title != "Salt & pepper" || doc.Author != "A. Writer" || doc.Created.Year() != 2023 {
		t.Errorf("XMP: got %q, %q, %v", doc.Title, doc.Author, doc.Created)
	}
}
