//go:build linux

package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"net/http"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"
)

const (
	// The test asks one task in goldEvery, and goldAtOnce tasks at a time.
	goldEvery, goldAtOnce = 5, 4
	goldCredits           = 20_000
	goldFetched           = 8 * time.Minute
)

var goldProgram = flag.String("gold", "", "ask the gold set of answers that this program serves, over HTTP")

// goldTask is a task of the gold set.
type goldTask struct {
	Name   string          `json:"name"`
	Mode   string          `json:"mode"`
	Text   string          `json:"text"`
	Format json.RawMessage `json:"format"`
}

// goldSet is what eval/goldsite writes when it serves the gold set.
type goldSet struct {
	Port  string     `json:"port"`
	URLs  []string   `json:"urls"`
	Tasks []goldTask `json:"tasks"`
}

// TestAnswersGold asks the gold set over HTTP with a key: a field that the pages do not state must be absent from the
// answer, whether the task names its page or the page is among those that the team has fetched. The program that serves
// the set judges the answers too.
func TestAnswersGold(t *testing.T) { //nolint:paralleltest // searches have five seconds, which browsers of other tests would use up
	if *goldProgram == "" {
		t.Skip("asks the gold set over HTTP with -gold PROGRAM, as `make gold-http` does: it wants a machine to itself")
	}
	gold := exec.CommandContext(t.Context(), *goldProgram)
	gold.Stderr = os.Stderr
	replies, err := gold.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	printed, err := gold.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := gold.Start(); err != nil {
		t.Fatal(err)
	}
	reader := bufio.NewReader(printed)
	line, err := reader.ReadBytes('\n')
	var set goldSet
	if err = errors.Join(err, json.Unmarshal(line, &set)); err != nil {
		t.Fatal(err)
	}
	c := newCrew(t, setup(t).withDatabase(t), &shelf{port: set.Port}, 1)
	p := c.purse(t, goldCredits)
	made := c.batch(t, p, batchOf(set.URLs, nil))
	over := c.await(t, p, made.ID, goldFetched, func(b batch) bool { return b.Status == "completed" })
	if over.Done != len(set.URLs) {
		t.Fatalf("fetched: got %+v, want all %d pages", over, len(set.URLs))
	}
	// While only half of the pages are indexed, answers would come from pages about other things of the same name.
	awaits(t, time.Minute, func(ctx context.Context) (queued int, err error) {
		err = c.pool.QueryRow(ctx, `select count(*) from search_queue`).Scan(&queued)
		return queued, err
	}, func(queued int) bool { return queued == 0 })
	c.answerGold(t, p, set.Tasks, json.NewEncoder(replies))
	if err := replies.Close(); err != nil {
		t.Error(err)
	}
	figures, err := io.ReadAll(reader)
	t.Logf("\n%s", figures)
	if err = errors.Join(err, gold.Wait()); err != nil {
		t.Error(err)
	}
}

// answerGold asks one task in goldEvery, and writes the answers.
func (c *crew) answerGold(t *testing.T, p *purse, tasks []goldTask, replies *json.Encoder) {
	t.Helper()
	var mu sync.Mutex
	var asking sync.WaitGroup
	places := make(chan struct{}, goldAtOnce)
	for i, task := range tasks {
		if i%goldEvery != 0 || task.Mode == "context file" {
			continue
		}
		asking.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			answer := c.answerOf(t, p, task)
			mu.Lock()
			defer mu.Unlock()
			if err := replies.Encode(map[string]any{"name": task.Name, "answer": answer}); err != nil {
				t.Error(err)
			}
		})
	}
	asking.Wait()
}

// answerOf sends a task of the gold set to the service.
func (c *crew) answerOf(t *testing.T, p *purse, task goldTask) json.RawMessage {
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
