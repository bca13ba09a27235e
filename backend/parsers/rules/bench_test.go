package rules

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
			if _, faults := Compile(definition, nil); faults != nil {
				b.Fatal(faults)
			}
		}
	})
	compiled, _ := Compile(definition, nil)
	b.Run("run own", func(b *testing.B) { benchmarkRun(b, compiled, source, read) })
	long := source
	long.Body = slices.Concat(source.Body, []byte(strings.Repeat("<p>Ein <b>langer</b> Text <a href=x>mit</a> Verweisen.", 4000)))
	b.Run("run own, 200 KB", func(b *testing.B) { benchmarkRun(b, compiled, long, read) })
	all, err := BuiltIns()
	if err != nil {
		b.Fatal(err)
	}
	for _, one := range all {
		b.Run("run "+one.Name, func(b *testing.B) { benchmarkRun(b, one, source, read) })
	}
}

func benchmarkRun(b *testing.B, r Runner, source extract.Source, read *extract.Document) {
	b.Helper()
	for b.Loop() {
		if _, err := r.Do(b.Context(), source, read); err != nil {
			b.Fatal(err)
		}
	}
}
