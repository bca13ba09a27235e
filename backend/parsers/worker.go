package parsers

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"
	_ "time/tzdata" // a worker opens no files

	"github.com/maypok86/otter/v2"

	"github.com/turnpike-edge/turnpike/backend/confine"
	"github.com/turnpike-edge/turnpike/backend/page/extract"
	"github.com/turnpike-edge/turnpike/backend/parsers/rules"
)

// workerArg makes this program a worker: a process that only checks definitions and runs them on pages, and can do
// nothing else. At worst a definition ends its worker.
const workerArg = "parser-worker"

const (
	// workerBytesMax is how much memory a worker may use beyond what it starts with.
	workerBytesMax = 1 << 30
	// stackBytesMax ends a worker that recurses endlessly.
	stackBytesMax = 64 << 20
	// roomyBytes is the page size from which a worker returns its memory after a task.
	roomyBytes = 2 << 20
)

// IsWorker reports whether the program was started as a worker. It must then call Work before anything else.
func IsWorker() bool { return len(os.Args) == 2 && os.Args[1] == workerArg }

// hello is the head of the first frame of a worker.
type hello struct {
	// Unconfined says which restrictions this system cannot enforce.
	Unconfined string `json:"unconfined,omitempty"`
}

// begun is the head of the frame before each reply: the worker has received the task. A worker that ends without it was
// ended from outside.
type begun struct{}

// Work does a worker's tasks until its input ends. It returns the process's exit code.
func Work() int {
	signal.Ignore(os.Interrupt, syscall.SIGTERM) // the parent ends it
	runtime.GOMAXPROCS(1)                        // uses at most one processor, so elapsed time is processor time
	debug.SetMaxStack(stackBytesMax)
	debug.SetMemoryLimit(workerBytesMax / 4 * 3)
	in, out := os.Stdin, os.Stdout
	greeting := &hello{}
	if err := errors.Join(confine.Memory(workerBytesMax), confine.Compute()); err != nil {
		greeting.Unconfined = err.Error()
	}
	if err := writeFrame(out, greeting); err != nil {
		return 1
	}
	w := newWorker()
	for tasks := receive(in); ; {
		next, ok := <-tasks
		if !ok {
			return 0
		}
		if err := writeFrame(out, &begun{}); err != nil {
			return 1
		}
		head, result := w.do(&next.task, next.parts)
		if err := writeFrame(out, head, result); err != nil {
			return 1
		}
		if len(next.parts[1]) > roomyBytes {
			next.parts = nil
			debug.FreeOSMemory()
		}
	}
}

type received struct {
	task  task
	parts [][]byte
}

// receive reads tasks, also while one runs: when the input ends, the process exits at once.
func receive(in io.Reader) <-chan received {
	tasks := make(chan received)
	go func() {
		for {
			var next received
			var err error
			if next.parts, err = readFrame(in, &next.task, taskParts, frameBytesMax); err != nil {
				os.Exit(0) //nolint:forbidigo // nothing else stops a computation
			}
			tasks <- next
		}
	}()
	return tasks
}

// worker caches compiled definitions.
type worker struct {
	compiled *otter.Cache[[sha256.Size]byte, *cached]
}

// cached is a compiled definition in the cache.
type cached struct {
	run   *rules.Compiled
	bytes int
}

// compiledBytesMax is the total length of the cached definitions. Compiled, one takes about ten times its text.
const compiledBytesMax = 4 << 20

func newWorker() *worker {
	return &worker{otter.Must(&otter.Options[[sha256.Size]byte, *cached]{
		MaximumWeight: compiledBytesMax,
		Weigher:       func(_ [sha256.Size]byte, c *cached) uint32 { return uint32(c.bytes) + 1024 }, //nolint:gosec // up to rules.DefinitionBytesMax
	})}
}

// do does one task. It does not panic.
func (w *worker) do(t *task, parts [][]byte) (head *reply, result []byte) {
	head = &reply{}
	defer func() {
		if caught := recover(); caught != nil {
			head, result = &reply{Kind: kindPanic, Error: fmt.Sprintf("%v\n%.3000s", caught, debug.Stack())}, nil
		}
	}()
	definition := w.compile(t, parts[0], head)
	if definition == nil || !t.Run {
		return head, nil
	}
	source, document := t.unpack(parts)
	out, err := definition.Do(context.Background(), source, document)
	if err != nil {
		head.Kind, head.Error = kindOf(err), err.Error()
		return head, nil
	}
	for _, fault := range out.Faults {
		head.Lacks = append(head.Lacks, told{fault.Path, fault.Msg})
	}
	for _, note := range out.Notes {
		head.Notes = append(head.Notes, told{note.Path, note.Msg})
	}
	return head, out.JSON
}

// compile compiles a definition, which takes longer than most runs, or takes it from the cache.
func (w *worker) compile(t *task, text []byte, head *reply) *rules.Compiled {
	key := sha256.Sum256(text)
	if known, ok := w.compiled.GetIfPresent(key); ok {
		head.Name, head.Description = known.run.Name, known.run.Description
		return known.run
	}
	loc := make([]any, len(t.Loc))
	for i, part := range t.Loc {
		loc[i] = part
	}
	definition, faults := rules.Compile(text, loc)
	if head.Faults = faults; len(faults) > 0 {
		return nil
	}
	head.Name, head.Description = definition.Name, definition.Description
	w.compiled.Set(key, &cached{run: definition, bytes: len(text)})
	return definition
}

// kindPanic is the kind of internal errors.
const kindPanic = "panic"

// kinds maps the errors of runs to their names between processes.
var kinds = []struct {
	name string
	err  error
}{
	{"steps", rules.ErrSteps},
	{"values", rules.ErrValues},
	{"text", rules.ErrText},
	{"evaluate", rules.ErrEvaluate},
	{"no_page", rules.ErrNoPage},
	{"unsupported", extract.ErrUnsupportedContent},
	{"complex", extract.ErrTooComplex},
}

func kindOf(err error) string {
	for _, kind := range kinds {
		if errors.Is(err, kind.err) {
			return kind.name
		}
	}
	return "other"
}

// farError is a worker's error; it wraps the corresponding local error for errors.Is.
type farError struct {
	msg string
	err error
}

func (e *farError) Error() string { return e.msg }

func (e *farError) Unwrap() error { return e.err }

// failure is the error of a reply; nil if there is none.
func (r *reply) failure() error {
	if r.Kind == "" {
		return nil
	}
	for _, kind := range kinds {
		if kind.name == r.Kind {
			return &farError{r.Error, kind.err}
		}
	}
	return fmt.Errorf("a parser's worker: %s: %.4000s", r.Kind, r.Error)
}
