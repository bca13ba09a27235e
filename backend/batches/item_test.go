package batches_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/batches"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

// FuzzItems: any list is refused with a problem that names the place, or its items fit into a row, have unique ids, and
// read the same a second time.
func FuzzItems(f *testing.F) {
	for _, seed := range []string{
		`[]`, `{}`, `null`, `[1]`, `[{"url":"https://example.com/"}]`, `[{"url":"a","custom_id":"2"},{"url":"b"}]`,
		`[{"url":"a","custom_id":"x"},{"url":"b","custom_id":"x"}]`, `[{"url":"a","metadata":{"k":"v","n":1}}]`,
		`[{"url":"a","metadata":{"a[":{}}},{"url":null}]`, `[{"url":"\u0000"}]`, `[{"url":"a","custom_id":"\ud800"},{"url":"a","custom_id":"\udfff"}]`,
		`[{"url":"a","URL":"b"}]`, `[{"url":"a"`, `[{"url":"a"},]`, `[[[[]]]]`, ` [ {"url" : "a" } ] `, `[{"url":"a"}] x`,
	} {
		f.Add([]byte(seed), true)
		f.Add([]byte(seed), false)
	}
	f.Fuzz(func(t *testing.T, raw []byte, inBody bool) {
		// Bodies are checked earlier, and files are validated before they are completed.
		if !json.Valid(raw) || inBody && edgewire.CheckJSON(raw) != nil {
			return
		}
		ids, urls, err := batches.ReadItems(context.Background(), raw, inBody)
		if err != nil {
			var e *problem.Error
			if !errors.As(err, &e) || e.GetStatus() != 400 || e.Metadata["errors"] == nil {
				t.Fatalf("got error %v, want a problem with places", err)
			}
			return
		}
		if len(ids) != len(urls) || len(ids) == 0 || len(ids) > batches.ItemsMax {
			t.Fatalf("got %d ids and %d URLs", len(ids), len(urls))
		}
		seen := map[string]bool{}
		for i, id := range ids {
			if seen[id] || id == "" || strings.ContainsRune(id, 0) {
				t.Errorf("got id %q twice, or one that a row cannot hold", id)
			}
			seen[id] = true
			if urls[i] == "" || strings.ContainsRune(urls[i], 0) {
				t.Errorf("got URL %q", urls[i])
			}
		}
	})
}
