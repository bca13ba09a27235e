//go:build linux

package e2e

import (
	"context"
	"encoding/json"
	"flag"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/dev/answersite"
	"github.com/turnpike-edge/turnpike/dev/answersite/heldout"
)

const (
	// The test asks one task in goldEvery, and goldAtOnce tasks at a time.
	goldEvery, goldAtOnce = 5, 4
	goldCredits           = 20_000
	goldFetched           = 8 * time.Minute
	// goldNetwork holds the addresses of the gold set's hosts: 127.0.91.1 and up.
	goldNetwork = "91"
)

var askGold = flag.Bool("gold", false, "ask the gold set of answers over HTTP")

// newGoldSite serves the gold set, each host at an address of its own.
func newGoldSite(t *testing.T) (set *answersite.Set, port string) {
	t.Helper()
	first, err := net.Listen("tcp", "127.0."+goldNetwork+".1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ = net.SplitHostPort(first.Addr().String())
	addresses := answersite.Loopback(goldNetwork, port)
	set = heldout.New(addresses.Origin)
	server := &http.Server{Handler: &answersite.Site{Set: set}, ReadHeaderTimeout: time.Minute}
	t.Cleanup(func() { _ = server.Close() })
	for i, address := range addresses.All {
		l := first
		if i > 0 {
			if l, err = net.Listen("tcp", net.JoinHostPort(address, port)); err != nil {
				t.Fatal(err)
			}
		}
		go func() { _ = server.Serve(l) }()
	}
	return set, port
}

// TestAnswersGold asks the gold set over HTTP with a key: a field that the pages do not state must be absent from the
// answer, whether the task names its page or the page is among those that the team has fetched. The figures are only
// logged: package answersite enforces the floors.
func TestAnswersGold(t *testing.T) { //nolint:paralleltest // searches have five seconds, which browsers of other tests would use up
	if !*askGold {
		t.Skip("asks the gold set over HTTP with -gold, as `make gold-http` does: it wants a machine to itself")
	}
	set, port := newGoldSite(t)
	c := newCrew(t, setup(t).withDatabase(t), &shelf{port: port}, 1)
	p := c.purse(t, goldCredits)
	var urls []string
	for _, page := range set.Pages {
		urls = append(urls, page.URL)
	}
	made := c.batch(t, p, batchOf(urls, nil))
	over := c.await(t, p, made.ID, goldFetched, func(b batch) bool { return b.Status == "completed" })
	if over.Done != len(urls) {
		t.Fatalf("fetched: got %+v, want all %d pages", over, len(urls))
	}
	// While only half of the pages are indexed, answers would come from pages about other things of the same name.
	awaits(t, time.Minute, func(ctx context.Context) (queued int, err error) {
		err = c.pool.QueryRow(ctx, `select count(*) from search_queue`).Scan(&queued)
		return queued, err
	}, func(queued int) bool { return queued == 0 })
	var score answersite.Score
	var mu sync.Mutex
	var asking sync.WaitGroup
	places := make(chan struct{}, goldAtOnce)
	for i, task := range set.Tasks {
		if i%goldEvery != 0 || task.Mode == answersite.WithFile {
			continue
		}
		asking.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			answer := c.answerOf(t, p, task)
			mu.Lock()
			defer mu.Unlock()
			score.Judge(task, answer)
		})
	}
	asking.Wait()
	var figures strings.Builder
	if err := score.Write(&figures); err != nil {
		t.Fatal(err)
	}
	t.Logf("\n%s", figures.String())
	total := score.Total()
	if total.Right == 0 || total.Absences() < answersite.AbsencesMin || len(score.Failed) > 0 {
		t.Errorf("got %d right, absences %.3f, want some, and at least %.2f; failed: %q", total.Right, total.Absences(), answersite.AbsencesMin, score.Failed)
	}
	if total.Known == 0 || total.Absent == 0 {
		t.Errorf("got %d known and %d absent fields, want both", total.Known, total.Absent)
	}
}

// answerOf sends a task of the gold set to the service.
func (c *crew) answerOf(t *testing.T, p *purse, task *answersite.Task) json.RawMessage {
	t.Helper()
	body := map[string]any{"task": task.Text}
	if task.Format != nil {
		body["json_format"] = task.Format
	}
	written, err := json.Marshal(body)
	if err != nil {
		t.Error(err)
		return nil
	}
	got, err := call{url: c.edge.URL("/v1/answers"), body: string(written)}.with(p.bearer()...).try(t.Context())
	if err != nil || got.status != http.StatusOK {
		t.Errorf("%s: got %v, %d %.300s", task.Name, err, got.status, got.body)
		return nil
	}
	var answer struct {
		Result struct {
			JSON      string `json:"json_content"`
			Citations []struct {
				Field, URL, Quote string
			} `json:"citations"`
		} `json:"result"`
	}
	if err := json.Unmarshal(got.body, &answer); err != nil {
		t.Errorf("%s: %v in %.300s", task.Name, err, got.body)
	}
	if !json.Valid([]byte(answer.Result.JSON)) {
		t.Errorf("%s: got %.300q, want JSON", task.Name, answer.Result.JSON)
		return nil
	}
	return json.RawMessage(answer.Result.JSON)
}
