package e2e

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// oneItem returns the body of a batch with one page.
func oneItem(page string) string {
	return fmt.Sprintf(`{"items": [{"url": %q}], "formats": ["markdown"]}`, page)
}

func batchThing(t *testing.T, s *stack, p *purse) []thing {
	t.Helper()
	return []thing{{"batch_id": creates(t, p, "/v1/batches", oneItem(s.pages.fresh()), "id")[0]}}
}

func newBatch(_ *testing.T, s *stack, _ *purse) (path, body string) {
	return "/v1/batches", oneItem(s.pages.fresh())
}

func retryOfBatch(t *testing.T, s *stack, p *purse) (path, body string) {
	t.Helper()
	return "/v1/batches/" + failedBatch(t, s, p) + "/retry", ""
}

// failedBatch returns the id of a finished batch whose page redirected to a forbidden address.
func failedBatch(t *testing.T, s *stack, p *purse) string {
	t.Helper()
	id := creates(t, p, "/v1/batches", oneItem(s.pages.fresh()+"?to=http://127.0.0.1/"), "id")[0]
	s.awaitField(t, p, "/v1/batches/"+id, `"status":"completed"`)
	return id
}

// awaitField reads a path until the response contains a text.
func (s *stack) awaitField(t *testing.T, p *purse, path, text string) (got answer) {
	t.Helper()
	eventually(t, path+" with "+text, func() (err error) {
		got, err = call{method: http.MethodGet, url: s.edge + path}.with(p.bearer()...).try(context.Background())
		if err == nil && !strings.Contains(string(got.body), text) {
			err = errors.New(string(got.body))
		}
		return err
	})
	return got
}
