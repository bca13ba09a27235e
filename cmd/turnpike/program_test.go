package main_test

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
	// commandTimeout limits one command, startTimeout a start of everything, and
	// stopTimeout a stop. All are long, because other tests may keep the machine busy.
	commandTimeout = time.Minute
	startTimeout   = 2 * time.Minute
	stopTimeout    = time.Minute
	pollEvery      = 10 * time.Millisecond
)

// checkout is a directory with bin/turnpike, as `make build` leaves it, and an environment with only the test's variables.
type checkout struct {
	dir string
	env []string
}

func newCheckout(t *testing.T) *checkout {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(dir, "home")
	for _, d := range []string{filepath.Join(dir, "bin"), home} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(program, filepath.Join(dir, "bin", "turnpike")); err != nil {
		t.Fatal(err)
	}
	c := &checkout{dir: dir, env: []string{
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

// with returns the checkout with more environment variables.
func (c *checkout) with(settings ...string) *checkout {
	return &checkout{dir: c.dir, env: append(slices.Clone(c.env), settings...)}
}

// outcome is the output and exit code of a command.
type outcome struct {
	stdout, stderr string
	code           int
}

// sh runs a command as a user's shell does.
func (c *checkout) sh(t *testing.T, command string) outcome {
	t.Helper()
	return c.run(t, "sh", "-c", command)
}

func (c *checkout) turnpike(t *testing.T, args ...string) outcome {
	t.Helper()
	return c.run(t, "bin/turnpike", args...)
}

func (c *checkout) run(t *testing.T, program string, args ...string) outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), commandTimeout)
	defer cancel()
	cmd := c.command(ctx, program, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || ctx.Err() != nil) {
		t.Fatalf("%s %q: %v\n%s%s", program, args, errors.Join(err, ctx.Err()), stdout.String(), stderr.String())
	}
	return outcome{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

func (c *checkout) command(ctx context.Context, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	if program == "bin/turnpike" {
		// The absolute path finds the program; it still sees the relative name as its own.
		cmd.Path, cmd.Err = filepath.Join(c.dir, program), nil
	}
	cmd.Dir, cmd.Env = c.dir, c.env
	cmd.WaitDelay = time.Second
	return cmd
}

// process is a program that runs until it is stopped.
type process struct {
	name   string
	cmd    *exec.Cmd
	stdout *watchedLog
	stderr *watchedLog
	ended  chan struct{}
}

// start runs a program in a process group of its own, as a shell does, until the test ends. When a line of its output
// contains awaited, the seen channel of that output is closed.
func (c *checkout) start(t *testing.T, awaited, program string, args ...string) *process {
	t.Helper()
	cmd := c.command(context.WithoutCancel(t.Context()), program, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	p := &process{
		name: strings.Join(append([]string{program}, args...), " "), cmd: cmd, ended: make(chan struct{}),
		stdout: newWatchedLog(awaited), stderr: newWatchedLog(awaited),
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
	reading.Go(func() { p.stdout.follow(outPipe) })
	reading.Go(func() { p.stderr.follow(errPipe) })
	go func() {
		reading.Wait()
		_ = cmd.Wait() // the exit code is in ProcessState
		close(p.ended)
	}()
	t.Cleanup(func() { p.clean(t) })
	return p
}

// clean ends the process, and logs its output if the test has failed.
func (p *process) clean(t *testing.T) {
	t.Helper()
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.ended:
	case <-time.After(stopTimeout):
		t.Errorf("%s: still there after SIGTERM", p.name)
		_ = p.cmd.Process.Kill()
		<-p.ended
	}
	if t.Failed() {
		t.Logf("%s said:\n%s%s", p.name, p.stdout, p.stderr)
	}
}

// interrupt sends what Ctrl-C sends, to the whole process group.
func (p *process) interrupt(t *testing.T) {
	t.Helper()
	if err := syscall.Kill(-p.cmd.Process.Pid, syscall.SIGINT); err != nil {
		t.Errorf("interrupting %s: %v", p.name, err)
	}
}

// wait returns the exit code.
func (p *process) wait(t *testing.T) int {
	t.Helper()
	select {
	case <-p.ended:
		return p.cmd.ProcessState.ExitCode()
	case <-time.After(stopTimeout):
		t.Fatalf("%s: did not end within %s", p.name, stopTimeout)
		return 0
	}
}

// awaitLine waits for a line that contains start's awaited text.
func (p *process) awaitLine(t *testing.T) {
	t.Helper()
	select {
	case <-p.stdout.seen:
	case <-p.stderr.seen:
	case <-p.ended:
		t.Fatalf("%s ended with %d:\n%s%s", p.name, p.cmd.ProcessState.ExitCode(), p.stdout, p.stderr)
	case <-time.After(startTimeout):
		t.Fatalf("%s did not say %q within %s:\n%s%s", p.name, p.stdout.awaited, startTimeout, p.stdout, p.stderr)
	}
}

// watchedLog keeps a process's output and closes seen when the awaited line appears.
type watchedLog struct {
	awaited string
	seen    chan struct{}

	mu   sync.Mutex
	text strings.Builder
}

func newWatchedLog(awaited string) *watchedLog {
	return &watchedLog{awaited: awaited, seen: make(chan struct{})}
}

func (l *watchedLog) follow(r io.Reader) {
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

func (l *watchedLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// until polls for what another process does; nothing signals it.
func until(t *testing.T, what string, done func() bool) {
	t.Helper()
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	limit := time.After(startTimeout)
	for !done() {
		select {
		case <-tick.C:
		case <-limit:
			t.Fatalf("waiting for %s: not within %s", what, startTimeout)
		}
	}
}

// family returns pid and all its descendants, read from /proc. Without /proc, it returns pid alone.
func family(t *testing.T, pid int) []int {
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

// alive returns the processes that run. A zombie does not count, because a container may have no parent that reaps it.
func alive(pids []int) []int {
	return slices.DeleteFunc(slices.Clone(pids), func(pid int) bool {
		if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			return true
		}
		_, _, state, ok := readStat("/proc/" + strconv.Itoa(pid) + "/stat")
		return ok && state == "Z"
	})
}
