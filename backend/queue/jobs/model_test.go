package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"pgregory.net/rapid"

	"github.com/turnpike-edge/turnpike/backend/queue/jobs"
)

type state int

const (
	ready state = iota
	delayed
	promoted
	ended
	cancelled
)

// modelTask is the expected state of a task.
type modelTask struct {
	jobs.Task

	state state
	token uuid.UUID
}

// model applies each database operation to a map.
type model struct {
	t     *rapid.T
	p     *place
	j     *jobs.Jobs
	tasks map[string]*modelTask
	names []string
	given []jobs.Done // all promotions, with their tokens
	group int
}

func name(group string, n int32) string { return fmt.Sprintf("%s/%d", group, n) }

const modelLaneMax = 3

// After any sequence of operations, the tasks have the states of a simple model, the lanes' counters are right, and
// each task ends once.
func TestTasksAgainstModel(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	j := p.build(jobs.Queue{Handler: p.recorder(nil)})
	rapid.Check(t, func(t *rapid.T) {
		m := &model{t: t, p: p, j: j, tasks: map[string]*modelTask{}}
		m.exec(`truncate task, lane`)
		t.Repeat(map[string]func(*rapid.T){
			"enqueue":  m.enqueue,
			"promote":  m.promote,
			"finish":   m.finish,
			"postpone": m.postpone,
			"ripen":    m.ripen,
			"cancel":   m.cancel,
			"takeover": m.takeOver,
			"handback": m.handBack,
			"":         m.check,
		})
		m.drain()
	})
}

func (m *model) exec(statement string, args ...any) {
	if _, err := m.p.pool.Exec(context.Background(), statement, args...); err != nil {
		m.t.Fatalf("%s: %v", statement, err)
	}
}

func (m *model) tx(do func(ctx context.Context, tx pgx.Tx) error) {
	ctx := context.Background()
	if err := pgx.BeginFunc(ctx, m.p.pool, func(tx pgx.Tx) error { return do(ctx, tx) }); err != nil {
		m.t.Fatal(err)
	}
}

// are lists the tasks in a state, in order of creation.
func (m *model) are(s state) []*modelTask {
	var found []*modelTask
	for _, name := range m.names {
		if m.tasks[name].state == s {
			found = append(found, m.tasks[name])
		}
	}
	return found
}

func (m *model) enqueue(t *rapid.T) {
	var works []jobs.Work
	for range rapid.IntRange(1, 3).Draw(t, "works") {
		m.group++
		w := work(fmt.Sprintf("team_%d", rapid.IntRange(0, 3).Draw(t, "team")), fmt.Sprintf("batch_%d", m.group), rapid.IntRange(0, 6).Draw(t, "tasks"))
		w.LaneMax = modelLaneMax
		works = append(works, w)
		for _, n := range w.Ns {
			task := &modelTask{Task: jobs.Task{Queue: w.Queue, Lane: w.Lane, TeamID: w.TeamID, Group: w.Group, N: n}}
			m.tasks[name(w.Group, n)] = task
			m.names = append(m.names, name(w.Group, n))
		}
	}
	m.tx(func(ctx context.Context, tx pgx.Tx) error { return m.j.Enqueue(ctx, tx, works...) })
}

func (m *model) promote(t *rapid.T) { m.promoteUpTo(rapid.IntRange(1, 12).Draw(t, "room")) }

func (m *model) promoteUpTo(room int) int {
	readyIn, runningIn := map[string]int{}, map[string]int{}
	for _, task := range m.are(ready) {
		readyIn[task.Lane]++
	}
	for _, task := range m.are(promoted) {
		runningIn[task.Lane]++
	}
	possible := 0
	for lane, n := range readyIn {
		possible += min(n, modelLaneMax-runningIn[lane])
	}
	n, err := jobs.Promote(context.Background(), m.j, testQueue, room)
	if err != nil {
		m.t.Fatalf("promoting: %v", err)
	}
	if n > room || n > possible || (n == 0 && possible > 0) {
		m.t.Fatalf("promoted: got %d, want 1 to %d of %d that may be, or none of none", n, room, possible)
	}
	m.readTokens()
	return n
}

// readTokens learns from the database which tasks were promoted.
func (m *model) readTokens() {
	rows, err := m.p.pool.Query(context.Background(), `select group_id, n, token from task where token is not null`)
	if err != nil {
		m.t.Fatal(err)
	}
	var group string
	var n int32
	var token uuid.UUID
	_, err = pgx.ForEachRow(rows, []any{&group, &n, &token}, func() error {
		task := m.tasks[name(group, n)]
		if task.state == promoted && task.token == token {
			return nil
		}
		if task.state != ready {
			m.t.Fatalf("task %s: promoted from state %d, want only ready ones", name(group, n), task.state)
		}
		task.state, task.token = promoted, token
		m.given = append(m.given, jobs.WithToken(task.Task, token))
		return nil
	})
	if err != nil {
		m.t.Fatal(err)
	}
}

// some draws tokens that were given at any time, expired ones too.
func (m *model) some(t *rapid.T) []jobs.Done {
	if len(m.given) == 0 {
		t.Skip("nothing was promoted")
	}
	drawn := rapid.SliceOfNDistinct(rapid.IntRange(0, len(m.given)-1), 1, min(len(m.given), 5), rapid.ID[int]).Draw(t, "which")
	done, seen := make([]jobs.Done, 0, len(drawn)), map[string]bool{}
	for _, i := range drawn {
		if d := m.given[i]; !seen[name(d.Group, d.N)] {
			seen[name(d.Group, d.N)] = true
			done = append(done, d)
		}
	}
	return done
}

// current reports whether the token is the task's.
func (m *model) current(d jobs.Done) bool {
	task := m.tasks[name(d.Group, d.N)]
	return task.state == promoted && jobs.WithToken(task.Task, task.token) == d
}

func (m *model) finish(t *rapid.T) { m.complete(m.some(t)) }

func (m *model) complete(done []jobs.Done) {
	var want []string
	for _, d := range done {
		if m.current(d) {
			want = append(want, name(d.Group, d.N))
			m.tasks[name(d.Group, d.N)].state = ended
		}
	}
	var got []string
	m.tx(func(ctx context.Context, tx pgx.Tx) error {
		valid, err := jobs.Complete(ctx, tx, done)
		for _, d := range valid {
			got = append(got, name(d.Group, d.N))
		}
		return err
	})
	if !slices.Equal(got, want) {
		m.t.Fatalf("completed: got %v, want %v", got, want)
	}
}

func (m *model) postpone(t *rapid.T) {
	d := m.some(t)[0]
	want := m.current(d)
	if want {
		m.tasks[name(d.Group, d.N)].state = delayed
	}
	m.tx(func(ctx context.Context, tx pgx.Tx) error {
		got, err := jobs.Postpone(ctx, tx, d, time.Hour)
		if got != want {
			m.t.Fatalf("postponed %s: got %t, want %t", name(d.Group, d.N), got, want)
		}
		return err
	})
}

func (m *model) ripen(t *rapid.T) {
	if waiting := m.are(delayed); len(waiting) > 0 {
		group := rapid.SampledFrom(waiting).Draw(t, "task").Task
		m.tx(func(ctx context.Context, tx pgx.Tx) error {
			_, err := jobs.Hasten(ctx, tx, testQueue, group.Lane, group.Group)
			return err
		})
		m.ripenGroup(group.Group)
	}
}

func (m *model) ripenGroup(group string) {
	want := int64(0)
	for _, task := range m.are(delayed) {
		if group == "" || task.Group == group {
			task.state = ready
			want++
		}
	}
	if got, err := jobs.Ripen(context.Background(), m.j, testQueue); err != nil || got != want {
		m.t.Fatalf("ripened: got %d and error %v, want %d", got, err, want)
	}
}

func (m *model) cancel(t *rapid.T) {
	if m.group == 0 {
		t.Skip("no group")
	}
	group := fmt.Sprintf("batch_%d", rapid.IntRange(1, m.group).Draw(t, "group"))
	want, lane := 0, "team_0"
	for _, n := range m.names {
		task := m.tasks[n]
		if task.Group != group {
			continue
		}
		lane = task.Lane
		if task.state != ended && task.state != cancelled {
			want++
			task.state = cancelled
		}
	}
	m.tx(func(ctx context.Context, tx pgx.Tx) error {
		got, err := jobs.Cancel(ctx, tx, testQueue, lane, group)
		if got != want {
			m.t.Fatalf("cancelled: got %d, want %d", got, want)
		}
		return err
	})
}

func (m *model) takeOver(t *rapid.T) {
	running := m.are(promoted)
	if len(running) == 0 {
		t.Skip("nothing runs")
	}
	lost := rapid.SampledFrom(running).Draw(t, "task")
	m.exec(`update task set lease_until = now() - interval '1 hour' where group_id = $1 and n = $2`, lost.Group, lost.N)
	lost.state = ready
	if n, err := jobs.TakeOver(context.Background(), m.j, testQueue); err != nil || n != 1 {
		m.t.Fatalf("taken over: got %d and error %v, want 1", n, err)
	}
}

func (m *model) handBack(t *rapid.T) {
	done := m.some(t)
	for _, d := range done {
		if m.current(d) {
			m.tasks[name(d.Group, d.N)].state = ready
		}
	}
	if err := jobs.HandBack(context.Background(), m.j, done); err != nil {
		m.t.Fatal(err)
	}
}

// check compares the database with the model, and the lanes with their tasks.
func (m *model) check(*rapid.T) {
	rows, err := m.p.pool.Query(context.Background(), `select group_id, n,
		case when token is not null then 2 when not_before is not null then 1 else 0 end from task`)
	if err != nil {
		m.t.Fatal(err)
	}
	left := map[string]state{}
	var group string
	var n int32
	var s int
	if _, err := pgx.ForEachRow(rows, []any{&group, &n, &s}, func() error { left[name(group, n)] = state(s); return nil }); err != nil {
		m.t.Fatal(err)
	}
	for key, task := range m.tasks {
		got, there := left[key]
		if over := task.state == ended || task.state == cancelled; over == there || !over && got != task.state {
			m.t.Fatalf("task %s: got state %d (%t), want %d", key, got, there, task.state)
		}
	}
	if err := m.j.Recount(context.Background()); err != nil {
		m.t.Fatal(err)
	}
	if n := m.p.count(`select count(*) from lane where running > running_max`); n > 0 {
		m.t.Fatalf("lanes beyond their limit: got %d, want none", n)
	}
}

// drain completes everything left, and checks that nothing remains.
func (m *model) drain() {
	m.exec(`update task set not_before = now() where not_before is not null`)
	m.ripenGroup("")
	for {
		var done []jobs.Done
		for _, task := range m.are(promoted) {
			done = append(done, jobs.WithToken(task.Task, task.token))
		}
		m.complete(done)
		if m.promoteUpTo(100) == 0 {
			break
		}
	}
	m.check(nil)
	if got := m.p.count(`select count(*) from task`); got != 0 {
		m.t.Fatalf("tasks left: got %d, want none", got)
	}
}

// lockers do everything at once on few lanes. There must be no deadlock.
func TestNoDeadlocks(t *testing.T) {
	t.Parallel()
	const lockers, atLeast = 8, 10 * time.Second
	p := newPlace(t)
	ctx, cancel := context.WithTimeout(t.Context(), atLeast)
	defer cancel()
	var wg sync.WaitGroup
	failed := make(chan error, lockers)
	var steps atomic.Int64
	for i := range lockers {
		l := &locker{p: p, random: rand.New(rand.NewPCG(uint64(i), 1)), number: i}
		l.j = p.build(jobs.Queue{Handler: p.recorder(nil)}, func(c *jobs.Config) { c.Pool = p.pool })
		wg.Go(func() {
			for ctx.Err() == nil {
				op, err := l.step()
				if err != nil {
					failed <- fmt.Errorf("%s: %w", op, err)
					cancel()
					return
				}
				steps.Add(1)
			}
		})
	}
	wg.Wait()
	select {
	case err := <-failed:
		var refused *pgconn.PgError
		if errors.As(err, &refused) && refused.Code == "40P01" {
			t.Fatalf("deadlock: %v: %s", err, refused.Detail)
		}
		t.Fatal(err)
	default:
	}
	if err := p.adder().Recount(context.Background()); err != nil {
		t.Error(err)
	}
	t.Logf("%d steps; tasks left: %d", steps.Load(), p.count(`select count(*) from task`))
}

type locker struct {
	p      *place
	j      *jobs.Jobs
	random *rand.Rand
	number int
	groups int
}

func (l *locker) lane() string { return fmt.Sprintf("team_%d", l.random.IntN(5)) }

// step does one operation with its own context, so that the end of the test does not look like a failure.
func (l *locker) step() (string, error) {
	ctx := context.Background()
	switch l.random.IntN(8) {
	case 0:
		var works []jobs.Work
		for range 3 {
			l.groups++
			works = append(works, work(l.lane(), fmt.Sprintf("batch_%d_%d", l.number, l.groups), 4))
		}
		return "enqueue", l.tx(func(tx pgx.Tx) error { return l.j.Enqueue(ctx, tx, works...) })
	case 1, 2:
		_, err := jobs.Promote(ctx, l.j, testQueue, 1+l.random.IntN(20))
		return "promote", err
	case 3, 4:
		done, err := l.running(30)
		if err != nil || len(done) == 0 {
			return "finish", err
		}
		return "finish", l.tx(func(tx pgx.Tx) error { _, err := jobs.Complete(ctx, tx, done); return err })
	case 5:
		done, err := l.running(3)
		if err != nil || len(done) == 0 {
			return "postpone", err
		}
		return "postpone", l.tx(func(tx pgx.Tx) error { _, err := jobs.Postpone(ctx, tx, done[0], time.Millisecond); return err })
	case 6:
		if l.groups == 0 {
			return "cancel", nil
		}
		group := fmt.Sprintf("batch_%d_%d", l.number, 1+l.random.IntN(l.groups))
		return "cancel", l.tx(func(tx pgx.Tx) error { _, err := jobs.Cancel(ctx, tx, testQueue, l.lane(), group); return err })
	default:
		return "keep", l.keep(ctx)
	}
}

// keep renews, ripens, takes over and hands back.
func (l *locker) keep(ctx context.Context) error {
	done, err := l.running(20)
	if err != nil {
		return err
	}
	if len(done) > 0 {
		if _, err := jobs.Renew(ctx, l.j, done); err != nil {
			return err
		}
		if err := jobs.HandBack(ctx, l.j, done[:1]); err != nil {
			return err
		}
		_, err := l.p.pool.Exec(ctx, `update task set lease_until = now() - interval '1 second'
			where (group_id, n) in (select group_id, n from task where token is not null limit 3 for update skip locked) and token is not null`)
		if err != nil {
			return err
		}
	}
	if _, err := jobs.TakeOver(ctx, l.j, testQueue); err != nil {
		return err
	}
	_, err = jobs.Ripen(ctx, l.j, testQueue)
	return err
}

func (l *locker) tx(do func(pgx.Tx) error) error {
	return pgx.BeginFunc(context.Background(), l.p.pool, do)
}

// running are promoted tasks, unordered.
func (l *locker) running(n int) ([]jobs.Done, error) {
	rows, err := l.p.pool.Query(context.Background(),
		`select group_id, n, lane, token from task where token is not null order by random() limit $1`, n)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (d jobs.Done, err error) {
		task, token := jobs.Task{Queue: testQueue}, uuid.UUID{}
		err = row.Scan(&task.Group, &task.N, &task.Lane, &token)
		return jobs.WithToken(task, token), err
	})
}
