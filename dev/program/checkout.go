// Package program runs the built commands in tests as a user does in a checkout: by name, in a shell, until Ctrl-C.
package program

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

const (
	// CommandTimeout limits one command, StartTimeout a start of everything, and
	// stopTimeout a stop. All are long, because other tests may keep the machine busy.
	CommandTimeout = time.Minute
	StartTimeout   = 2 * time.Minute
	stopTimeout    = time.Minute
	pollEvery      = 10 * time.Millisecond
)

// Checkout is a directory with the programs in bin, as `make build` leaves it, and an environment with only the test's variables.
type Checkout struct {
	Dir string
	env []string
}

// NewCheckout makes a checkout with the named programs in bin, which are symlinks to the given files.
func NewCheckout(t *testing.T, programs map[string]string) *Checkout {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(dir, "home")
	for _, d := range []string{filepath.Join(dir, "bin"), home} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, file := range programs {
		if err := os.Symlink(file, filepath.Join(dir, "bin", name)); err != nil {
			t.Fatal(err)
		}
	}
	c := &Checkout{Dir: dir, env: []string{
		"HOME=" + home, "XDG_CONFIG_HOME=" + home, "XDG_DATA_HOME=" + home, "XDG_CACHE_HOME=" + home,
	}}
	// By default the race detector delays each process's exit by a second.
	c.env = append(c.env, "GORACE=atexit_sleep_ms=0 "+os.Getenv("GORACE"))
	for _, name := range []string{"TMPDIR", "PGBIN", "GOCOVERDIR"} {
		if value, ok := os.LookupEnv(name); ok {
			c.env = append(c.env, name+"="+value)
		}
	}
	c.env = append(c.env, "PATH="+filepath.Join(dir, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
	return c
}

// With returns the checkout with more environment variables.
func (c *Checkout) With(settings ...string) *Checkout {
	return &Checkout{Dir: c.Dir, env: append(slices.Clone(c.env), settings...)}
}

// Outcome is the output and exit code of a command.
type Outcome struct {
	Stdout, Stderr string
	Code           int
}

// Sh runs a command as a user's shell does.
func (c *Checkout) Sh(t *testing.T, command string) Outcome {
	t.Helper()
	return c.Run(t, "sh", "-c", command)
}

// Succeeds runs a command that must exit with 0.
func (c *Checkout) Succeeds(t *testing.T, command string) Outcome {
	t.Helper()
	got := c.Sh(t, command)
	if got.Code != 0 {
		t.Fatalf("%s\ngot %d, want 0:\n%s%s", command, got.Code, got.Stdout, got.Stderr)
	}
	return got
}

// Turnpike runs bin/turnpike.
func (c *Checkout) Turnpike(t *testing.T, args ...string) Outcome {
	t.Helper()
	return c.Run(t, "bin/turnpike", args...)
}

// Run runs a program, such as bin/turnpike.
func (c *Checkout) Run(t *testing.T, program string, args ...string) Outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), CommandTimeout)
	defer cancel()
	cmd := c.command(ctx, program, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || ctx.Err() != nil) {
		t.Fatalf("%s %q: %v\n%s%s", program, args, errors.Join(err, ctx.Err()), stdout.String(), stderr.String())
	}
	return Outcome{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

func (c *Checkout) command(ctx context.Context, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	if strings.HasPrefix(program, "bin/") {
		// The absolute path finds the program; it still sees the relative name as its own.
		cmd.Path, cmd.Err = filepath.Join(c.Dir, program), nil
	}
	cmd.Dir, cmd.Env = c.Dir, c.env
	cmd.WaitDelay = time.Second
	return cmd
}

// Process is a program that runs until it is stopped.
type Process struct {
	Cmd    *exec.Cmd
	Stdout *Output
	Stderr *Output
	// Ended is closed when the program has ended.
	Ended chan struct{}

	name string
}

// Start runs a program in a process group of its own, as a shell does, until the test ends. When a line of its output
// contains awaited, AwaitLine returns.
func (c *Checkout) Start(t *testing.T, awaited, program string, args ...string) *Process {
	t.Helper()
	cmd := c.command(context.WithoutCancel(t.Context()), program, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	p := &Process{
		name: strings.Join(append([]string{program}, args...), " "), Cmd: cmd, Ended: make(chan struct{}),
		Stdout: newOutput(awaited), Stderr: newOutput(awaited),
	}
	outPipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	errPipe, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatalf("starting %s: %v", p.name, err)
	}
	var reading sync.WaitGroup
	reading.Go(func() { p.Stdout.follow(outPipe) })
	reading.Go(func() { p.Stderr.follow(errPipe) })
	go func() {
		reading.Wait()
		_ = cmd.Wait() // the exit code is in ProcessState
		close(p.Ended)
	}()
	t.Cleanup(func() { p.clean(t) })
	return p
}

// clean ends the process, and logs its output if the test has failed.
func (p *Process) clean(t *testing.T) {
	t.Helper()
	_ = p.Cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.Ended:
	case <-time.After(stopTimeout):
		t.Errorf("%s: still there after SIGTERM", p.name)
		_ = p.Cmd.Process.Kill()
		<-p.Ended
	}
	if t.Failed() {
		t.Logf("%s said:\n%s%s", p.name, p.Stdout, p.Stderr)
	}
}

// Interrupt sends what Ctrl-C sends, to the whole process group.
func (p *Process) Interrupt(t *testing.T) {
	t.Helper()
	if err := syscall.Kill(-p.Cmd.Process.Pid, syscall.SIGINT); err != nil {
		t.Errorf("interrupting %s: %v", p.name, err)
	}
}

// Wait returns the exit code.
func (p *Process) Wait(t *testing.T) int {
	t.Helper()
	select {
	case <-p.Ended:
		return p.Cmd.ProcessState.ExitCode()
	case <-time.After(stopTimeout):
		t.Fatalf("%s: did not end within %s", p.name, stopTimeout)
		return 0
	}
}

// AwaitLine waits for a line that contains Start's awaited text.
func (p *Process) AwaitLine(t *testing.T) {
	t.Helper()
	select {
	case <-p.Stdout.seen:
	case <-p.Stderr.seen:
	case <-p.Ended:
		t.Fatalf("%s ended with %d:\n%s%s", p.name, p.Cmd.ProcessState.ExitCode(), p.Stdout, p.Stderr)
	case <-time.After(StartTimeout):
		t.Fatalf("%s did not say %q within %s:\n%s%s", p.name, p.Stdout.awaited, StartTimeout, p.Stdout, p.Stderr)
	}
}

// Output keeps a process's output and closes seen when the awaited line appears.
type Output struct {
	awaited string
	seen    chan struct{}

	mu   sync.Mutex
	text strings.Builder
}

func newOutput(awaited string) *Output {
	return &Output{awaited: awaited, seen: make(chan struct{})}
}

func (l *Output) follow(r io.Reader) {
	told := false
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		l.mu.Lock()
		l.text.WriteString(lines.Text() + "\n")
		l.mu.Unlock()
		if !told && l.awaited != "" && strings.Contains(lines.Text(), l.awaited) {
			told = true
			close(l.seen)
		}
	}
}

func (l *Output) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// Until polls for what another process does; nothing signals it.
func Until(t *testing.T, what string, done func() bool) {
	t.Helper()
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	limit := time.After(StartTimeout)
	for !done() {
		select {
		case <-tick.C:
		case <-limit:
			t.Fatalf("waiting for %s: not within %s", what, StartTimeout)
		}
	}
}

// Family returns pid and all its descendants, read from /proc. Without /proc, it returns pid alone.
func Family(t *testing.T, pid int) []int {
	t.Helper()
	found := []int{pid}
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	children := map[int][]int{}
	for _, file := range stats {
		if child, parent, _, ok := readStat(file); ok {
			children[parent] = append(children[parent], child)
		}
	}
	for i := 0; i < len(found); i++ {
		found = append(found, children[found[i]]...)
	}
	return found
}

// readStat reads a line such as "42 (name) S 1 …" (proc(5)).
func readStat(file string) (pid, parent int, state string, ok bool) {
	line, err := os.ReadFile(file)
	if err != nil {
		return 0, 0, "", false
	}
	head, rest, found := strings.Cut(string(line[:max(0, bytes.LastIndexByte(line, ')'))]), " ")
	fields := strings.Fields(string(line[bytes.LastIndexByte(line, ')')+1:]))
	if !found || rest == "" || len(fields) < 2 {
		return 0, 0, "", false
	}
	pid, pidErr := strconv.Atoi(head)
	parent, parentErr := strconv.Atoi(fields[1])
	return pid, parent, fields[0], pidErr == nil && parentErr == nil
}

// Alive returns the processes that run. A zombie does not count, because a container may have no parent that reaps it.
func Alive(pids []int) []int {
	return slices.DeleteFunc(slices.Clone(pids), func(pid int) bool {
		if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			return true
		}
		_, _, state, ok := readStat("/proc/" + strconv.Itoa(pid) + "/stat")
		return ok && state == "Z"
	})
}
