package e2e

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"
)

func monitorThing(t *testing.T, s *stack, p *purse) []thing {
	t.Helper()
	return []thing{{"monitor_id": watches(t, s, p)}}
}

// watches creates a monitor of a page.
func watches(t *testing.T, s *stack, p *purse) string {
	t.Helper()
	got := call{url: s.edge + "/v1/monitors", body: fmt.Sprintf(`{"query": "the price on %s"}`, s.pages.fresh())}.with(p.bearer()...).do(t)
	got.wantStatus(t, http.StatusAccepted)
	var m monitorObject
	got.json(t, &m)
	return m.ID
}

// monitorEventThing returns an event and its run.
func monitorEventThing(t *testing.T, s *stack, p *purse) []thing {
	t.Helper()
	id := watches(t, s, p)
	var list struct {
		Data []struct {
			ID    string `json:"id"`
			RunID string `json:"run_id"`
		} `json:"data"`
	}
	awaits(t, time.Minute, func(ctx context.Context) (int, error) {
		got, err := call{method: http.MethodGet, url: s.edge + "/v1/monitors/" + id + "/events"}.with(p.bearer()...).try(ctx)
		if err != nil {
			return 0, err
		}
		got.json(t, &list)
		return len(list.Data), nil
	}, func(n int) bool { return n == 1 })
	return []thing{{"monitor_id": id, "event_id": list.Data[0].ID, "run_id": list.Data[0].RunID}}
}

// of keeps only those ids of things that a route has.
func of(makes func(*testing.T, *stack, *purse) []thing, names ...string) func(*testing.T, *stack, *purse) []thing {
	return func(t *testing.T, s *stack, p *purse) []thing {
		t.Helper()
		things := makes(t, s, p)
		for i, x := range things {
			kept := thing{}
			for _, name := range names {
				kept[name] = x[name]
			}
			things[i] = kept
		}
		return things
	}
}
