package parsers

import (
	"slices"
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/page/extract"
)

// BenchmarkParse is the work of Parse on a page that is already read: compiling a team's definition, and running it.
func BenchmarkParse(b *testing.B) {
	_, blocks := documentation(b)
	source := extract.Source{URL: "https://shop.example/items/1", MediaType: "text/html", Body: []byte(blocks["html"][0])}
	options := extract.Options{Structured: true, Transformer: extract.TransformerPostlight}
	read, err := extract.Read(b.Context(), source, options)
	if err != nil {
		b.Fatal(err)
	}
	definition := []byte(blocks["json"][0])
	b.Run("read", func(b *testing.B) {
		for b.Loop() {
			if _, err := extract.Read(b.Context(), source, options); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("compile own", func(b *testing.B) {
		for b.Loop() {
			if _, faults := compile(definition, nil); faults != nil {
				b.Fatal(faults)
			}
		}
	})
	compiled, _ := compile(definition, nil)
	b.Run("run own here", func(b *testing.B) { benchmarkRun(b, compiled, source, read) })
	workers := pool(b)
	b.Run("run own in a worker", func(b *testing.B) { benchmarkRun(b, &own{workers, definition}, source, read) })
	long := source
	long.Body = slices.Concat(source.Body, []byte(strings.Repeat("<p>Ein <b>langer</b> Text <a href=x>mit</a> Verweisen.", 4000)))
	b.Run("run own here, 200 KB", func(b *testing.B) { benchmarkRun(b, compiled, long, read) })
	b.Run("run own in a worker, 200 KB", func(b *testing.B) { benchmarkRun(b, &own{workers, definition}, long, read) })
	all, err := newBuiltIns()
	if err != nil {
		b.Fatal(err)
	}
	for _, one := range all {
		b.Run("run "+one.name, func(b *testing.B) { benchmarkRun(b, one, source, read) })
	}
}

func benchmarkRun(b *testing.B, r runner, source extract.Source, read *extract.Document) {
	b.Helper()
	for b.Loop() {
		if _, err := r.do(b.Context(), source, read); err != nil {
			b.Fatal(err)
		}
	}
}
