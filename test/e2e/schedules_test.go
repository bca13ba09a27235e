//go:build linux

package e2e

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/dev/rig"
)

// scheduledRun is a schedule with its latest run.
type scheduledRun struct {
	State string
	Last  struct {
		Status     string
		Made       string
		Error      string
		HTTPStatus int `json:"http_status"`
		Credits    int64
	} `json:"last_run"`
}

// TestScheduledScrape shows that one of several workers makes a due call for the team: a page is scraped, stored for the
// team and charged once, even if the worker dies meanwhile and another one repeats the call.
func TestScheduledScrape(t *testing.T) {
	t.Parallel()
	for _, dies := range []bool{false, true} {
		t.Run(map[bool]string{false: "done", true: "its worker dies"}[dies], func(t *testing.T) {
			t.Parallel()
			shelf := newShelf(t, nil)
			if dies {
				shelf.takes = func(path string) time.Duration {
					if shelf.asked(path) == 1 {
						return time.Hour // its worker is killed
					}
					return 0
				}
			}
			c := newCrew(t, setup(t).withDatabase(t), shelf, 2)
			p, page := c.purse(t, 10), shelf.pages("scheduled", 1)[0]
			path := strings.TrimPrefix(page, shelf.url)
			body := fmt.Sprintf(`{"method": "POST", "endpoint": "v1/scrapes", "payload": {"url_to_scrape": %q, "formats": ["markdown"]}, "execute_at": %q}`,
				page, time.Now().Add(2*time.Second).UTC().Format(time.RFC3339Nano))
			got := call{url: c.edge.URL("/v1/schedules"), body: body}.with(p.bearer()...).do(t)
			got.wantStatus(t, http.StatusOK)
			var made struct {
				Schedule struct {
					ID string `json:"schedule_id"`
				}
			}
			got.json(t, &made)
			p.wantSpent(t, 0)
			visits := 1
			if dies {
				awaits(t, time.Minute, func(context.Context) (int, error) { return shelf.asked(path), nil }, func(n int) bool { return n == 1 })
				c.killsCaller(t)
				visits = 2
			}
			s := awaits(t, 2*time.Minute, func(ctx context.Context) (scheduledRun, error) {
				var read struct{ Schedule scheduledRun }
				err := c.read(ctx, p, "/v1/schedules/"+made.Schedule.ID, &read)
				return read.Schedule, err
			}, func(s scheduledRun) bool {
				return s.Last.Status != "" && s.Last.Status != "waiting" && s.Last.Status != "running"
			})
			if s.Last.Status != "succeeded" || s.Last.HTTPStatus != http.StatusOK || s.Last.Credits != 1 || s.State != "DISABLED" {
				t.Errorf("got %+v, want a page for one credit, once", s)
			}
			var scrape scrapeObject
			if err := c.read(t.Context(), p, "/v1/scrapes/"+s.Last.Made, &scrape); err != nil || !strings.Contains(said(scrape.Result.Markdown), "Taken off the shelf") {
				t.Errorf("got %+v, %v, want the page", scrape, err)
			}
			var rows int
			if err := c.pool.QueryRow(t.Context(), `select count(*) from scrape where team_id = $1`, p.team).Scan(&rows); err != nil || rows != 1 {
				t.Errorf("got %d scrapes, %v, want one", rows, err)
			}
			if n := shelf.asked(path); n != visits {
				t.Errorf("the page was fetched %d times, want %d", n, visits)
			}
			p.wantSpent(t, 1)
		})
	}
}

// killsCaller kills all workers and starts a new one, so that the worker with the call has died.
func (c *crew) killsCaller(t *testing.T) {
	t.Helper()
	var killed []*rig.Backend
	killed, c.workers = c.workers, nil
	for _, worker := range killed {
		if err := worker.Kill(); err != nil {
			t.Fatal(err)
		}
	}
	// Skip the minute after which it counts as dead, and the three minutes after which its work does.
	for _, statement := range []string{
		`update scrape set started_at = started_at - interval '5 minutes' where status = 'running'`,
		`update schedule_run set lease_until = now() where state = 'running'`,
	} {
		if _, err := c.pool.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	c.workers = append(c.workers, c.start(t.Context(), t, "worker"))
}
