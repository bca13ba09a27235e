package pricebook_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/pricebook"
)

var update = flag.Bool("update", false, "write testdata/pricebook.json")

// The book, as edges read it, changes only on purpose.
func TestPriceBookGolden(t *testing.T) {
	t.Parallel()
	const golden = "testdata/pricebook.json"
	book, err := pricebook.New()
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	enc := json.NewEncoder(&got)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(book.Document()); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(golden, got.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("the prices differ from %s: if that is wanted, run the test with -update\n%s", golden, got.Bytes())
	}
}
