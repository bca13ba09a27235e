package batches_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/backend/api/apitest"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/batches"
)

// The largest batch: the maximum number of items, and the maximum number of bytes.
func TestLargestBatch(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	padding := strings.Repeat("a", 1500)
	body := list(batches.ItemsMax, func(i int) string {
		return fmt.Sprintf(`{"url":"https://example.com/%d/%s","custom_id":"item %d","metadata":{"n":%d}}`, i, padding, i, i)
	})
	body += strings.Repeat(" ", batches.BodyBytesMax-len(body))
	begun := time.Now()
	amount, w := a.Quote("/v1/batches", body, a.subscriber(a.team))
	if amount != batches.ItemsMax {
		t.Fatalf("got a quote of %d (%d %.300s), want %d", amount, w.Code, w.Body, batches.ItemsMax)
	}
	quoted := time.Since(begun)
	b := apitest.Decode[batches.Batch](t, a.pay("/v1/batches", body))
	t.Logf("quoted in %s; quoted, held and created in %s", quoted.Round(time.Millisecond), (time.Since(begun) - quoted).Round(time.Millisecond))
	if b.TotalURLs != batches.ItemsMax || a.Count(`select count(*) from task`) != batches.ItemsMax {
		t.Errorf("got %d URLs, want %d", b.TotalURLs, batches.ItemsMax)
	}
	if n := a.Count(`select count(*) from batch_item where custom_id = 'item ' || n - 1 and metadata ->> 'n' = (n - 1)::text and url like 'https://example.com/' || n - 1 || '/%'`); n != batches.ItemsMax {
		t.Errorf("got %d items as they were sent, want %d", n, batches.ItemsMax)
	}
	apitest.WantRefused(t, a.pay("/v1/batches", body+" "), problem.PayloadTooLarge, "16777216 bytes")
	id := a.subscriber(a.team)
	id.Max = batches.ItemsMax
	apitest.WantRefused(t, a.Send(http.MethodPost, "/v1/batches", body+" ", id), problem.PayloadTooLarge, "16777216 bytes")
	apitest.Decode[batches.Batch](t, a.free(http.MethodDelete, "/v1/batches/"+b.ID, ""))
	a.settled()
	a.WantBalance(a.team, 100_000, 0)
}
