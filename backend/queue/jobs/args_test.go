package jobs_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/turnpike-edge/turnpike/backend/queue/jobs"
	"github.com/turnpike-edge/turnpike/db"
)

func argsTask(group string, n int32) jobs.Task {
	t := jobs.Task{
		Queue: testQueue, Lane: "team_a", TeamID: "team_a", Group: group, N: n, Attempt: 2, Takeovers: 1,
		CreatedAt: time.UnixMilli(1_700_000_000_123),
	}
	return jobs.WithToken(t, uuid.MustParse("5f0c9a52-6f0e-4f6c-8d0e-1a2b3c4d5e6f")).Task
}

func TestJobArgsSayWhatTheyWereMadeOf(t *testing.T) {
	t.Parallel()
	for name, tasks := range map[string][]jobs.Task{
		"one task":       {argsTask("batch_1", 1)},
		"several":        {argsTask("batch_1", 1), argsTask("batch_2", 7), argsTask("batch_1", 2)},
		"an odd name":    {argsTask("\"}],\\\x00é", 1)},
		"a large number": {argsTask("batch_1", 1<<31-1)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := jobs.NewArgs(time.UnixMilli(1_700_000_060_000), tasks...)
			text, err := json.Marshal(want)
			if err != nil {
				t.Fatal(err)
			}
			var got jobs.Args
			if err := json.Unmarshal(text, &got); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("read back: got %+v and error %v, want %+v", got, err, want)
			}
		})
	}
	if _, err := json.Marshal(jobs.NewArgs(time.Now())); err == nil {
		t.Error("args without tasks: got no error")
	}
}

// The args of a River job may come from another version.
func FuzzJobArgs(f *testing.F) {
	text, err := json.Marshal(jobs.NewArgs(time.UnixMilli(60_000), argsTask("batch_1", 1), argsTask("batch_1", 2)))
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{
		string(text), `{}`, `{"t":""}`, `{"t":"page team_a team_a 1"}`, `{"t":"page team_a team_a 1;"}`, `{"t":"p l t 1;g 1 1 0 00 1 0"}`,
		`{"t":"p l t 1;g 99999999999 1 0 5f0c9a526f0e4f6c8d0e1a2b3c4d5e6f 1 0"}`, `{"t":"%zz l t 1;g 1 1 0 5f0c9a526f0e4f6c8d0e1a2b3c4d5e6f 1 0"}`,
		`{"t":"p l t 1; 1 1 0 5f0c9a526f0e4f6c8d0e1a2b3c4d5e6f 1 0"}`, `{"n":1}`, `null`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var first, second jobs.Args
		if json.Unmarshal(text, &first) != nil || strings.TrimSpace(string(text)) == "null" {
			return
		}
		again, err := json.Marshal(first)
		if err != nil {
			t.Fatalf("encoding the results of %q: %v", text, err)
		}
		if err := json.Unmarshal(again, &second); err != nil || !reflect.DeepEqual(first, second) {
			t.Errorf("%q: got %+v and error %v the second time, want %+v", text, second, err, first)
		}
	})
}

func TestTasksShareJobs(t *testing.T) {
	t.Parallel()
	row := func(lane string, n int32, change ...func(*db.TakeTasksRow)) db.TakeTasksRow {
		token := uuid.New()
		r := db.TakeTasksRow{Lane: lane, TeamID: lane, GroupID: "batch_1", N: n, Token: &token}
		for _, f := range change {
			f(&r)
		}
		return r
	}
	rows := func(n int) (all []db.TakeTasksRow) {
		for i := range n {
			all = append(all, row("team_a", int32(i+1)))
		}
		return all
	}
	tried := func(r *db.TakeTasksRow) { r.Attempt = 1 }
	lost := func(r *db.TakeTasksRow) { r.Takeovers = 1 }
	p := newPlace(t)
	for _, tc := range []struct {
		name           string
		slots, backlog int
		taken          []db.TakeTasksRow
		want           [][]int32
	}{
		{"a backlog of one", 1, 1, rows(3), [][]int32{{1}, {2}, {3}}},
		{"a slot for each", 3, 4, rows(3), [][]int32{{1}, {2}, {3}}},
		{"more than slots", 2, 4, rows(5), [][]int32{{1, 2, 3}, {4, 5}}},
		{"many more than slots", 1, 2, rows(5), [][]int32{{1, 2}, {3, 4}, {5}}},
		{
			"lanes by themselves", 1, 4,
			[]db.TakeTasksRow{row("team_a", 1), row("team_b", 2), row("team_a", 3), row("team_b", 4)},
			[][]int32{{1, 3}, {2, 4}},
		},
		{
			"tried before", 1, 4,
			[]db.TakeTasksRow{row("team_a", 1, tried), row("team_a", 2), row("team_a", 3, lost), row("team_a", 4), row("team_a", 5, tried)},
			[][]int32{{1}, {2, 4}, {3}, {5}},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			j := p.build(jobs.Queue{Handler: p.recorder(nil), Slots: tc.slots, Backlog: tc.backlog})
			if got := jobs.Share(j, testQueue, tc.taken); !reflect.DeepEqual(got, tc.want) {
				t.Errorf("jobs: got %v, want %v", got, tc.want)
			}
		})
	}
}
