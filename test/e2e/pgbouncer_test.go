//go:build linux

package e2e

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/dev/pgtest"
	"github.com/turnpike-edge/turnpike/dev/rig"
)

// TestBehindPgBouncer runs typical requests with edge and backends behind a PgBouncer in transaction mode, as a role that
// cannot change the schema. Both are set up as the documentation says.
func TestBehindPgBouncer(t *testing.T) {
	t.Parallel()
	if _, err := rig.FindPgBouncer(); err != nil {
		t.Skip(err)
	}
	shelf := newShelf(t, nil)
	shelf.html = market
	c := newCrew(t, setup(t).behindPgBouncer(t), shelf, 1)
	p := c.purse(t, 1000)
	scrape := fmt.Sprintf(scrapeOutput, shelf.url+"/")

	for range 20 {
		call{url: c.edge.URL("/v1/scrapes"), body: scrape}.with(p.bearer()...).do(t).wantStatus(t, http.StatusOK)
	}
	p.wantSpent(t, 20)

	w := c.wallet(t)
	pays := call{url: c.edge.URL("/x402/v1/scrapes"), body: scrape}.with(w.good(t, 2)...)
	pays.do(t).wantStatus(t, http.StatusOK)
	w.wantSpent(t, scrapeUnits)
	w.wantStates(t, "settled")

	made := c.batch(t, p, batchOf([]string{shelf.url + "/", shelf.url + "/stalls/fish", shelf.url + "/stalls/rope"}, nil))
	if done := c.await(t, p, made.ID, time.Minute, ended); done.Outcome != "succeeded" || done.Done != 3 {
		t.Errorf("batch: got %+v, want three pages", done)
	}
	p.wantSpent(t, 23)

	crawled := c.crawl(t, p, crawlOf(shelf.url+"/", 50, map[string]any{"exclude_urls": []string{"/office/**"}}))
	done := c.awaitCrawl(t, p, crawled.ID, time.Minute, crawlEnded)
	if done.Outcome != "succeeded" || done.Pages != 4 {
		t.Errorf("crawl: got %+v, want four pages", done)
	}
	p.wantSpent(t, 27)

	c.scheduledScrape(t, p, shelf.url+"/")
	p.wantSpent(t, 28)

	// The edge learns of a revoked key on a direct connection. Otherwise it would go on using its cache.
	revoke(t, c.stack, p)
	read := call{method: http.MethodGet, url: c.edge.URL("/user/credits/info")}.with(p.bearer()...)
	eventually(t, "a free read with the revoked key", func() error {
		if got := read.do(t); got.status != http.StatusUnauthorized {
			return fmt.Errorf("got %d %s, want 401", got.status, got.body)
		}
		return nil
	})
	for _, log := range []string{c.edge.Log, c.api.Log} { // all backends share one log
		text, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if strings.Contains(line, `"level":"error"`) || strings.Contains(line, `"level":"ERROR"`) || strings.Contains(line, "cannot hear") {
				t.Errorf("%s: %s", log, line)
			}
		}
	}
}

// scheduledScrape schedules a scrape in two seconds, and waits for it.
func (c *crew) scheduledScrape(t *testing.T, p *purse, page string) {
	t.Helper()
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
	s := awaits(t, time.Minute, func(ctx context.Context) (scheduledRun, error) {
		var read struct{ Schedule scheduledRun }
		err := c.read(ctx, p, "/v1/schedules/"+made.Schedule.ID, &read)
		return read.Schedule, err
	}, func(s scheduledRun) bool {
		return s.Last.Status != "" && s.Last.Status != "waiting" && s.Last.Status != "running"
	})
	if s.Last.Status != "succeeded" || s.Last.Credits != 1 {
		t.Errorf("schedule: got %+v, want a page for one credit", s)
	}
}

// behindPgBouncer is withDatabase with its own PgBouncer, which connects as a role only for the programs.
func (s *stack) behindPgBouncer(t *testing.T) *stack {
	t.Helper()
	direct := pgtest.New(t, migrate)
	programs := as(t, direct, programsRole(t, direct))
	bouncer, err := rig.StartPgBouncer(t.Context(), t.TempDir(), programs)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = bouncer.Kill()
		if text, err := os.ReadFile(bouncer.Log); t.Failed() && err == nil {
			t.Logf("end of PgBouncer's log:\n%s", text[max(0, len(text)-4000):])
		}
	})
	own := s.on(t, direct)
	own.databaseURL, own.directURL = bouncer.URL, programs
	return own
}

var roleBlock = regexp.MustCompile("(?s)```sql role\n(.*?)```")

// programsRole creates the role that docs/operations.md recommends for edges and backends, under another name.
func programsRole(t *testing.T, databaseURL string) string {
	t.Helper()
	page, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	block := roleBlock.FindSubmatch(page)
	if block == nil {
		t.Fatal("docs/operations.md: found no statements for the programs' role")
	}
	conn, err := pgx.Connect(t.Context(), databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	role := "app_" + conn.Config().Database
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context())
		_, err := conn.Exec(ctx, `drop owned by `+role+`; drop role `+role)
		if err = errors.Join(err, conn.Close(ctx)); err != nil {
			t.Errorf("dropping the programs' role: %v", err)
		}
	})
	if _, err := conn.Exec(t.Context(), strings.ReplaceAll(string(block[1]), "turnpike_app", role)); err != nil {
		t.Fatalf("docs/operations.md: %v", err)
	}
	return role
}

// as returns a database's URL with another role.
func as(t *testing.T, databaseURL, role string) string {
	t.Helper()
	u, err := url.Parse(databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	query := u.Query()
	query.Set("user", role)
	u.RawQuery = query.Encode()
	return u.String()
}
