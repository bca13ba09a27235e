package batches_test

import (
	"net/http"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/api/apitest"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/batches"
)

// Items in a body are read once for quote, charge and creation. Those in a file are read each time, since the file may be gone.
func TestItemsAreReadOnce(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		body string
		want int
	}{
		"in the body": {`{"items":[{"url":"https://example.com/a"}]}`, 1},
		"in a file":   {`{"file_id":"[{\"url\":\"https://example.com/a\"}]"}`, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAPI(t)
			apitest.Decode[batches.Batch](t, a.pay("/v1/batches", tt.body))
			if got := a.pages.checked["https://example.com/a"]; got != tt.want {
				t.Errorf("got the URL checked %d times, want %d", got, tt.want)
			}
		})
	}
}

// Only the check of the request itself is remembered. Whether a page may be fetched is checked each time.
func TestWhatPagesAreRefusedForIsAskedEachTime(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	body := `{` + someItems + `}`
	id := a.subscriber(a.team)
	if amount, w := a.Quote("/v1/batches", body, id); amount != 1 {
		t.Fatalf("got a quote of %d (%s), want 1", amount, w.Body)
	}
	a.pages.unable = problem.New(problem.ParserNotFound, "There is no parser with this id.")
	id.Max = 1
	apitest.WantRefused(t, a.Send(http.MethodPost, "/v1/batches", body, id), problem.ParserNotFound)
	_, w := a.Quote("/v1/batches", body, id)
	apitest.WantRefused(t, w, problem.ParserNotFound)
	if n := a.Count(`select count(*) from batch`); n != 0 {
		t.Errorf("got %d batches, want none", n)
	}
}
