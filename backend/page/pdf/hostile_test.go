package pdf

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"
)

// hostileFiles ask for far more than they are. Each is given by a function, since some are large.
func hostileFiles() map[string]func() []byte {
	zeros := strings.Repeat("\x00", 1<<20)
	return map[string]func() []byte{
		"decompression bomb as content": func() []byte {
			b := newBuilder()
			var bomb bytes.Buffer
			bomb.WriteString(deflated(strings.Repeat(zeros, 40)))
			b.pageWith(b.stream("/Filter /FlateDecode", bomb.String()), "")
			return b.plain()
		},
		"bomb in a bomb": func() []byte {
			b := newBuilder()
			b.pageWith(b.stream("/Filter [/FlateDecode /FlateDecode]", deflated(deflated(strings.Repeat(zeros, 40)))), "")
			return b.plain()
		},
		"bomb on every page": func() []byte {
			b := newBuilder()
			bomb := b.stream("/Filter /FlateDecode", deflated(strings.Repeat("0 0 m ", 4<<20)))
			for range 200 {
				b.pageWith(bomb, "")
			}
			return b.plain()
		},
		"run length bomb": func() []byte {
			b := newBuilder()
			b.pageWith(b.stream("/Filter [/RunLengthDecode /RunLengthDecode /RunLengthDecode]", strings.Repeat("\x81\x81", 1<<18)), "")
			return b.plain()
		},
		"sections in a circle": func() []byte {
			var out bytes.Buffer
			out.WriteString("%PDF-1.4\n")
			for i := range 5000 {
				fmt.Fprintf(&out, "xref\n0 0\ntrailer\n<< /Prev %d >>\n", 9+37*((i+1)%5000))
			}
			out.WriteString("startxref\n9\n%%EOF 1 0 obj endobj")
			return out.Bytes()
		},
		"pages that are their own parents": func() []byte {
			b := newBuilder()
			b.page("")
			b.objects[1] = "<< /Type /Pages /Kids [2 0 R 2 0 R << /Kids [2 0 R] >>] /Count 99999999 >>"
			return b.plain()
		},
		"a tree of pages that doubles at each floor": func() []byte {
			b := newBuilder()
			b.page(show(72, 700, 12, "leaf"))
			last := b.pages[0]
			for range 40 {
				last = b.add(fmt.Sprintf("<< /Type /Pages /Kids [%d 0 R %d 0 R] >>", last, last))
			}
			b.objects[1] = fmt.Sprintf("<< /Type /Pages /Kids [%d 0 R] >>", last)
			return b.plain()
		},
		"direct pages without end": func() []byte {
			b := newBuilder()
			b.page("")
			b.objects[1] = "<< /Type /Pages /Kids [" + strings.Repeat("<< /Type /Page >> ", 300_000) + "] >>"
			return b.plain()
		},
		"forms that draw themselves": func() []byte {
			b := newBuilder()
			form := len(b.objects) + 1
			b.add(streamBody(fmt.Sprintf("/Type /XObject /Subtype /Form /Resources << /XObject << /X %d 0 R >> >>", form), strings.Repeat("/X Do ", 100)))
			b.extra = fmt.Sprintf("/XObject << /X %d 0 R >>", form)
			b.page(strings.Repeat("/X Do ", 100))
			return b.plain()
		},
		"a long comment drawn often": func() []byte {
			b := newBuilder()
			b.extra = fmt.Sprintf("/XObject << /X %d 0 R >>", b.stream("/Type /XObject /Subtype /Form", "%"+strings.Repeat("x", 4<<20)))
			b.page(strings.Repeat("/X Do ", 200_000))
			return b.plain()
		},
		"deep arrays":       func() []byte { return []byte("%PDF-1.4\n1 0 obj\n" + strings.Repeat("[", 4<<20) + "endobj") },
		"deep dictionaries": func() []byte { return []byte("%PDF-1.4\n1 0 obj\n" + strings.Repeat("<</A", 2<<20) + "endobj") },
		"deep operands":     func() []byte { b := newBuilder(); b.page(strings.Repeat("[<<", 1<<20)); return b.plain() },
		"q without end": func() []byte {
			b := newBuilder()
			b.page(strings.Repeat("q ", 2<<20) + show(9, 9, 9, "x"))
			return b.plain()
		},
		"references in rings": func() []byte {
			b := newBuilder()
			b.page("")
			first := len(b.objects) + 1
			for i := range 50 {
				b.add(fmt.Sprintf("%d 0 R", first+(i+1)%50))
			}
			b.objects[1] = fmt.Sprintf("<< /Type /Pages /Kids %d 0 R >>", first)
			b.trailer = fmt.Sprintf("/Info %d 0 R", first+5)
			return b.plain()
		},
		"lengths that need each other": func() []byte {
			b := newBuilder()
			n := len(b.objects) + 1
			for i := range 40 {
				b.add(fmt.Sprintf("<< /Length %d 0 R >>\nstream\nx\nendstream", n+(i+1)%40))
			}
			b.pageWith(n, "")
			return b.plain()
		},
		"100,000 objects": func() []byte {
			b := newBuilder()
			for range 100_000 {
				b.add("<< /A [1 2 3] >>")
			}
			b.page(show(72, 700, 12, "among many"))
			return b.plain()
		},
		"a million objects, no table": func() []byte {
			return []byte("%PDF-1.4\n" + strings.Repeat("7 0 obj ", 1_200_000))
		},
		"streams without an end": func() []byte {
			var out bytes.Buffer
			out.WriteString("%PDF-1.4\n")
			for i := range 100_000 {
				fmt.Fprintf(&out, "%d 0 obj<</Type/Page/Parent 2 0 R/Contents %d 0 R>>stream\n", i+1, i+2)
			}
			return out.Bytes()
		},
		"strings without an end": func() []byte {
			var out bytes.Buffer
			out.WriteString("%PDF-1.4\n1 0 obj << /Type /Catalog /Pages << /Kids [")
			for i := range 100_000 {
				fmt.Fprintf(&out, "%d 0 R ", i+2)
			}
			out.WriteString("] >> >> endobj\n")
			for i := range 100_000 {
				fmt.Fprintf(&out, "%d 0 obj (", i+2)
			}
			return out.Bytes()
		},
		"an object stream that is its own": func() []byte {
			b := hello()
			n := len(b.objects) + 1
			b.add(streamBody(fmt.Sprintf("/Type /ObjStm /N 2 /First 10 /Extends %d 0 R /Length %d 0 R", n, n), fmt.Sprintf("%d 0 1 4 <</A 1>>", n)))
			return bytes.Replace(b.plain(), []byte("startxref"), []byte("startnone"), 1)
		},
		"a CMap of the whole code space": func() []byte {
			b := newBuilder()
			cmap := b.stream("", strings.Repeat("1 begincodespacerange <00> <01> endcodespacerange 1 beginbfrange <00000000> <FFFFFFFF> <0041> endbfrange ", 50_000))
			b.fonts = fmt.Sprintf("/F1 %d 0 R", b.add(fmt.Sprintf("<< /Subtype /Type0 /Encoding %d 0 R /ToUnicode %d 0 R /DescendantFonts [<< /W [0 99999999 5] >>] >>", cmap, cmap)))
			b.page("BT /F1 9 Tf (" + strings.Repeat("ab", 100_000) + ") Tj ET")
			return b.plain()
		},
		"a new font for each character": func() []byte {
			b := newBuilder()
			program := b.stream("", "%!PS-AdobeFont-1.0\n/Encoding 256 array\ndup 97 /b put\nreadonly def\ncurrentfile eexec")
			b.fonts = fmt.Sprintf("/F1 << /Subtype /Type1 /BaseFont /X /FontDescriptor << /Flags 4 /FontFile %d 0 R >> >>", program)
			b.page(strings.Repeat("/F1 9 Tf (a) Tj ", 300_000))
			return b.plain()
		},
		"characters all over the page": func() []byte {
			b := newBuilder()
			var content strings.Builder
			for i := range 200_000 {
				fmt.Fprintf(&content, "BT /F1 %d Tf %d %d Td (x) Tj ET ", 1+i%7, i*7919%600, i*104729%780)
			}
			for range 5 {
				b.page(content.String())
			}
			return b.plain()
		},
		"a page of one line": func() []byte {
			b := newBuilder()
			b.page("BT /F1 0.1 Tf (" + strings.Repeat("word ", 40_000) + ") Tj ET")
			return b.plain()
		},
		"marked content without end": func() []byte {
			b := newBuilder()
			b.page("BT /F1 9 Tf " + strings.Repeat("/Span << /ActualText (abc) >> BDC (x) Tj ", 100_000) + strings.Repeat("EMC ", 100_000) + "ET")
			return b.plain()
		},
		"numbers beyond reckoning": func() []byte {
			b := newBuilder()
			b.page(strings.Repeat("9999999999999999 0 0 9999999999999999 0 0 cm ", 50) + "BT /F1 99999999 Tf 1e999 Tc 9999999999999999999999999999 TL 340282346638528859811704183484516925440 Tz (a) Tj T* (b) Tj ET")
			return b.plain()
		},
		"an outline in circles": func() []byte {
			b := hello()
			n := len(b.objects) + 1
			b.add(fmt.Sprintf("<< /Title (a) /First %d 0 R /Next %d 0 R >>", n, n+1))
			b.add(fmt.Sprintf("<< /Title (b) /First %d 0 R /Next %d 0 R >>", n+1, n))
			b.catalog = fmt.Sprintf("/Outlines << /First %d 0 R >>", n)
			return b.plain()
		},
		"links without number": func() []byte {
			b := newBuilder()
			b.pageWith(b.stream("", strings.Repeat(show(72, 700, 12, "a word and another"), 200)),
				"/Annots ["+strings.Repeat("<< /Subtype /Link /Rect [0 0 600 790] /A << /URI (https://example.com/) >> >> ", 100_000)+"]")
			return b.plain()
		},
	}
}

// wholeLimits measures with the limits that a Read has by default, which takes a minute on a machine with nothing else to do.
var wholeLimits = flag.Bool("whole-limits", false, "measure hostile files with the default limits")

// Every hostile file is answered, or refused, within seconds and within the memory that a read may take. The bounds are
// wide, for machines that are busy and for the race detector, and so are the limits that count work a tenth of the usual.
//
//nolint:paralleltest // memory is measured
func TestHostileFiles(t *testing.T) {
	const (
		timeMax = 60 * time.Second
		heapMax = 300 << 20
	)
	limits := Limits{DecodedBytesMax: 64 << 20, ValuesMax: 2_000_000, OperatorsMax: 5_000_000, GlyphsMax: 1_000_000}
	if *wholeLimits {
		limits = Limits{}
	}
	for name, file := range hostileFiles() {
		t.Run(name, func(t *testing.T) {
			body := file()
			runtime.GC()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			defer debug.SetMemoryLimit(debug.SetMemoryLimit(int64(before.HeapAlloc) + heapMax/2))
			peak := watchHeap(t)
			ctx, cancel := context.WithTimeout(t.Context(), timeMax)
			defer cancel()
			start := time.Now()
			doc, err := Read(ctx, body, limits)
			took := time.Since(start)
			runtime.ReadMemStats(&after)
			if errors.Is(err, context.DeadlineExceeded) {
				t.Fatalf("not done after %v", timeMax)
			}
			grown := int64(peak()) - int64(before.HeapAlloc)
			if grown > heapMax {
				t.Errorf("took %d MB", grown>>20)
			}
			blocks := 0
			if doc != nil {
				blocks = len(doc.Blocks)
			}
			t.Logf("%d KB: %v, %d MB at most, %d MB in all, %d blocks, %v", len(body)>>10, took.Round(time.Millisecond), grown>>20,
				(after.TotalAlloc-before.TotalAlloc)>>20, blocks, err)
		})
	}
}

// watchHeap looks at the heap until the result is called, which gives the most that was in use.
func watchHeap(t *testing.T) func() uint64 {
	t.Helper()
	stop, most := make(chan struct{}), make(chan uint64)
	go func() {
		ticker := time.NewTicker(5 * time.Millisecond)
		defer ticker.Stop()
		var stats runtime.MemStats
		peak := uint64(0)
		for {
			runtime.ReadMemStats(&stats)
			peak = max(peak, stats.HeapAlloc)
			select {
			case <-ticker.C:
			case <-stop:
				most <- peak
				return
			}
		}
	}()
	return func() uint64 {
		close(stop)
		return <-most
	}
}

func TestContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Read(ctx, hello().plain(), Limits{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	b := newBuilder()
	for i := range 10 {
		b.page(show(72, 700, 12, fmt.Sprintf("This is what the page %c says.", 'a'+rune(i))))
	}
	body := b.plain()
	doc, err := Read(t.Context(), body, Limits{PagesMax: 3})
	if err != nil || doc.Pages != 10 || doc.PagesRead != 3 || !doc.Truncated || !strings.Contains(doc.Text(), "page c") || strings.Contains(doc.Text(), "page d") {
		t.Errorf("pages: got %+v, %v", doc, err)
	}
	doc, err = Read(t.Context(), body, Limits{TextBytesMax: 200})
	if err != nil || !doc.Truncated || !strings.HasPrefix(doc.Text(), "This is what the page a says.") {
		t.Errorf("text: got %+v, %v", doc, err)
	}
	for name, limits := range map[string]Limits{"decoded": {DecodedBytesMax: 10}, "values": {ValuesMax: 10}, "operators": {OperatorsMax: 1}, "glyphs": {GlyphsMax: 1}} {
		if doc, err := Read(t.Context(), body, limits); err == nil && !doc.Truncated || err != nil && !errors.Is(err, ErrTooComplex) {
			t.Errorf("%s: got %+v, %v", name, doc, err)
		}
	}
}
