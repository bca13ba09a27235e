package batches_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/api/apitest"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/batches"
)

func TestItemsByStatus(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	a.pages.keep = failing("bad")
	a.work()
	b := apitest.Decode[batches.Batch](t, a.pay("/v1/batches", `{"items":`+string(ofPaths("a", "bad", "b", "c/bad").Items)+`}`))
	a.untilCompleted(b.ID)
	for query, want := range map[string]string{
		"": "completed 2 failed 2", "?status=completed": "completed 2 failed 0", "?status=failed": "completed 0 failed 2",
	} {
		got := apitest.Decode[itemList](t, a.free(http.MethodGet, "/v1/batches/"+b.ID+"/items"+query, ""))
		counts := map[string]int{}
		for _, item := range got.Items {
			counts[item.Status]++
			if failed := strings.HasSuffix(item.URL, "bad"); failed != (item.Error != nil) ||
				failed && (item.Error.Code != string(problem.FetchFailed) || item.Error.Detail == "") {
				t.Errorf("got %+v with error %+v, want a code and a detail where it failed", item, item.Error)
			}
		}
		if said := strings.Join([]string{"completed", digit(counts["completed"]), "failed", digit(counts["failed"])}, " "); said != want {
			t.Errorf("%q: got %s, want %s", query, said, want)
		}
	}
	// Also with a status filter, the cursor is a place in the list of all items.
	first := apitest.Decode[itemList](t, a.free(http.MethodGet, "/v1/batches/"+b.ID+"/items?status=failed&limit=1", ""))
	if first.Cursor == nil {
		t.Fatal("got no cursor, want one: another item follows")
	}
	second := apitest.Decode[itemList](t, a.free(http.MethodGet, "/v1/batches/"+b.ID+"/items?status=failed&limit=1&cursor="+digit(int(*first.Cursor)), ""))
	if len(second.Items) != 1 || second.Cursor != nil || second.Items[0].URL == first.Items[0].URL {
		t.Errorf("got %+v after %+v, want the other one, and no cursor", second, first)
	}
}

func digit(n int) string { return string(rune('0' + n)) }

// Stored items that cannot be read are an internal error without details.
func TestItemsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	a.work()
	b := apitest.Decode[batches.Batch](t, a.pay("/v1/batches", `{`+someItems+`}`))
	a.untilCompleted(b.ID)
	for _, statement := range []string{`update batch_item set metadata = '[1]'`, `update batch set metadata = '[1]'`} {
		if _, err := a.Pool.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	apitest.WantRefused(t, a.free(http.MethodGet, "/v1/batches/"+b.ID+"/items", ""), problem.InternalServerError)
	apitest.WantRefused(t, a.free(http.MethodGet, "/v1/batches/"+b.ID, ""), problem.InternalServerError)
}
