package parsers

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/turnpike-edge/turnpike/admission"
	"github.com/turnpike-edge/turnpike/backend/page/extract"
	"github.com/turnpike-edge/turnpike/backend/parsers/rules"
)

const (
	// hangAfter is when a worker is killed that has not kept a run's time limit by itself, since a single step may take a while.
	hangAfter = rules.TimeMax + 2*time.Second
	// workerStart is how long a worker may take to start and report.
	workerStart = 30 * time.Second
	// workerIdle is how long an idle worker is kept.
	workerIdle = 5 * time.Minute
	// workersPart is the number of workers per processor. One holder may use half of them, so as many as there are processors.
	workersPart = 2
	// workersMin and workersMax bound the number of workers.
	workersMin, workersMax = 4, 32
)

var (
	errEnded = errors.New("the process that ran the parser ended before it had a result, most likely because it used too much memory")

	errNotBegun = errors.New("the worker did not start")
)

// workers are the processes that compile and run teams' definitions, one task at a time each. They are started on demand,
// reused, and ended when they fail or idle.
type workers struct {
	logger *slog.Logger
	places *admission.Pool

	mu     sync.Mutex
	closed bool
	idle   []*process // the most recently used last
	warned bool
}

func newWorkers(logger *slog.Logger) *workers {
	n := min(max(workersPart*runtime.GOMAXPROCS(0), workersMin), workersMax)
	return &workers{logger: logger, places: admission.New(admission.Config{Name: "parser_workers", Size: int64(n)})}
}

// process is a worker process, as its parent sees it.
type process struct {
	cmd     *exec.Cmd
	in, out *os.File
	said    headOf
	ended   chan struct{}
	timer   *time.Timer // while idle
}

// check compiles a definition that is at loc in a request, and returns its faults if there are any.
func (w *workers) check(ctx context.Context, definition []byte, loc ...string) (*reply, error) {
	head, _, err := w.do(ctx, &task{Loc: loc}, [][]byte{definition, nil, nil, nil, nil})
	if err == nil {
		err = head.failure()
	}
	return head, err
}

// own runs a team's definition in a worker.
type own struct {
	workers    *workers
	definition []byte
}

func (o *own) Do(ctx context.Context, source extract.Source, document *extract.Document) (*rules.Outcome, error) {
	t, parts := pack(o.definition, source, document)
	head, result, err := o.workers.do(ctx, t, parts)
	switch {
	case err != nil:
		return nil, err
	case len(head.Faults) > 0:
		return nil, fmt.Errorf("a stored parser has a fault: %s", head.Faults[0])
	}
	if err := head.failure(); err != nil {
		return nil, err
	}
	out := &rules.Outcome{}
	if len(result) > 0 {
		if !json.Valid(result) {
			return nil, errEnded
		}
		out.JSON = result
	}
	for _, fault := range head.Lacks {
		out.Faults = append(out.Faults, rules.Fault{Path: fault.Path, Msg: fault.Msg})
	}
	for _, one := range head.Notes {
		out.Notes = append(out.Notes, rules.Note{Path: one.Path, Msg: one.Msg})
	}
	return out, nil
}

// do runs a task in a worker. The error is the context's, or the worker failed and only this task with it.
func (w *workers) do(ctx context.Context, t *task, parts [][]byte) (*reply, []byte, error) {
	place, err := w.places.Acquire(ctx, 1)
	if err != nil {
		return nil, nil, ctx.Err()
	}
	defer place.Release()
	for {
		p, idled, err := w.take(ctx)
		if err != nil {
			return nil, nil, err
		}
		head, result, err := w.ask(ctx, p, t, parts)
		if idled && errors.Is(err, errNotBegun) {
			continue // the worker was ended before it received the task
		}
		return head, result, err
	}
}

// ask runs a task in this worker, within the time limit.
func (w *workers) ask(ctx context.Context, p *process, t *task, parts [][]byte) (*reply, []byte, error) {
	limit, cancel := context.WithTimeout(ctx, hangAfter)
	defer cancel()
	watch := context.AfterFunc(limit, p.kill)
	head, result, err := p.ask(t, parts)
	if watch() && err == nil {
		w.put(p)
		return head, result, nil
	}
	p.kill()
	<-p.ended
	switch {
	case ctx.Err() != nil:
		return nil, nil, ctx.Err()
	case limit.Err() != nil:
		return nil, nil, rules.ErrSteps
	}
	w.logger.WarnContext(ctx, "a parser's worker ended", slog.Any("error", err), slog.String("state", p.cmd.ProcessState.String()), slog.String("said", p.said.String()))
	if errors.Is(err, errNotBegun) {
		return nil, nil, fmt.Errorf("%w: %w", errEnded, errNotBegun)
	}
	return nil, nil, errEnded
}

// take returns an idle worker or a new one, and says which.
func (w *workers) take(ctx context.Context) (p *process, idled bool, err error) {
	w.mu.Lock()
	for last := len(w.idle) - 1; last >= 0; last-- {
		p := w.idle[last]
		w.idle = w.idle[:last]
		p.timer.Stop()
		if p.alive() {
			w.mu.Unlock()
			return p, true, nil
		}
		p.kill() // closes its files
	}
	closed := w.closed
	w.mu.Unlock()
	if closed {
		return nil, false, errors.New("parsers are closed")
	}
	p, unconfined, err := startWorker(ctx)
	if err != nil {
		return nil, false, fmt.Errorf("starting a parser's worker: %w", err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if unconfined != "" && !w.warned {
		w.warned = true
		w.logger.Warn("parsers of teams run in a separate process, but this system cannot confine it fully", slog.String("error", unconfined))
	}
	return p, false, nil
}

// put keeps a worker for the next task.
func (w *workers) put(p *process) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		p.kill()
		return
	}
	w.idle = append(w.idle, p)
	p.timer = time.AfterFunc(workerIdle, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if at := slices.Index(w.idle, p); at >= 0 {
			w.idle = slices.Delete(w.idle, at, at+1)
			p.kill()
		}
	})
}

// close ends idle workers; busy ones end after their tasks.
func (w *workers) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	for _, p := range w.idle {
		p.timer.Stop()
		p.kill()
		<-p.ended
	}
	w.idle = nil
}

// startWorker starts this program as a worker, without our environment.
func startWorker(ctx context.Context) (p *process, unconfined string, err error) {
	if IsWorker() {
		return nil, "", errors.New("a worker cannot start workers")
	}
	path, err := thisProgram()
	if err != nil {
		return nil, "", err
	}
	p = &process{cmd: exec.Command(path, workerArg), ended: make(chan struct{})} //nolint:noctx // it outlives the task that starts it
	p.cmd.Args[0] = "turnpike"                                                   // its name in the process list
	p.cmd.Env = []string{"GOTRACEBACK=none"}
	p.cmd.Dir = "/"
	p.cmd.SysProcAttr = ownGroup()
	p.cmd.Stderr = &p.said
	var theirs [2]*os.File
	if theirs[0], p.in, err = os.Pipe(); err != nil {
		return nil, "", err
	}
	if p.out, theirs[1], err = os.Pipe(); err != nil {
		return nil, "", errors.Join(err, theirs[0].Close(), p.in.Close())
	}
	p.cmd.Stdin, p.cmd.Stdout = theirs[0], theirs[1]
	err = p.cmd.Start()
	_, _ = theirs[0].Close(), theirs[1].Close()
	if err != nil {
		return nil, "", errors.Join(err, p.in.Close(), p.out.Close())
	}
	go func() {
		_ = p.cmd.Wait()
		_ = p.in.Close() // unblocks a write to a worker that has ended
		close(p.ended)
	}()
	limit, cancel := context.WithTimeout(ctx, workerStart)
	defer cancel()
	defer context.AfterFunc(limit, p.kill)()
	var greeting hello
	if _, err := readFrame(p.out, &greeting, 0, replyBytesMax); err != nil {
		p.kill()
		<-p.ended
		return nil, "", fmt.Errorf("%w: %s", errors.Join(err, limit.Err()), p.said.String())
	}
	return p, greeting.Unconfined, nil
}

// ask sends a task and reads the reply. The error is errNotBegun if the worker did not confirm that it has the task.
func (p *process) ask(t *task, parts [][]byte) (*reply, []byte, error) {
	err := writeFrame(p.in, t, parts...)
	if err == nil {
		_, err = readFrame(p.out, &begun{}, 0, replyBytesMax)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", errNotBegun, err)
	}
	head := &reply{}
	read, err := readFrame(p.out, head, replyParts, replyBytesMax)
	if err != nil {
		return nil, nil, err
	}
	return head, read[0], nil
}

func (p *process) alive() bool {
	select {
	case <-p.ended:
		return false
	default:
		return true
	}
}

// kill ends a worker at once. It may be repeated.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.in.Close()
	_ = p.out.Close()
}

// headOf keeps the start of a worker's output, which says why it ended.
type headOf struct {
	mu   sync.Mutex
	text bytes.Buffer
}

const headMax = 1 << 10

func (h *headOf) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.text.Write(p[:min(len(p), headMax-h.text.Len())])
	return len(p), nil
}

func (h *headOf) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return strings.TrimSpace(h.text.String())
}
