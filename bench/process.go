//go:build linux

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/turnpike-edge/turnpike/bench/proc"
)

// pinnedMain replaces itself by another program on one core: bench pinned <core> <program> [<args>…]. Because this
// happens before the program starts, it holds for all its threads.
func pinnedMain(args []string) error {
	if len(args) < 2 {
		return errors.New("pinned: want a core and a program")
	}
	core, err := strconv.Atoi(args[0])
	if err != nil {
		return fmt.Errorf("pinned: core: %w", err)
	}
	runtime.LockOSThread()
	if err := proc.Pin(0, core); err != nil {
		return err
	}
	return fmt.Errorf("pinned: running %s: %w", args[1], syscall.Exec(args[1], args[1:], os.Environ()))
}

// process is a process that this program has started and will end.
type process struct {
	cmd    *exec.Cmd
	stdout *bufio.Reader
	unread *io.PipeReader // what stdout reads from
	stderr *tail
	done   chan struct{} // closed when it has ended
	err    error         // its exit error, once done is closed
}

// stopGrace is how long a process may take to stop before it is killed.
const stopGrace = 10 * time.Second

// spawn starts a program pinned to core. It ends with ctx, and with this process.
func spawn(ctx context.Context, core int, program string, args, env []string) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, self, append([]string{"pinned", strconv.Itoa(core), program}, args...)...)
	p := &process{cmd: cmd, stderr: &tail{}, done: make(chan struct{})}
	cmd.Env = append(environ(), env...)
	cmd.Stderr = p.stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = stopGrace
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C is handled by this process only
	lines, out := io.Pipe()
	p.stdout, p.unread, cmd.Stdout = bufio.NewReader(lines), lines, out
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting %s: %w", program, err)
	}
	go func() {
		if err := cmd.Wait(); err != nil {
			p.err = fmt.Errorf("%w%s", err, p.stderr)
		}
		_ = out.Close()
		close(p.done)
	}()
	return p, nil
}

// environ is this process's environment without variables that tune Go's runtime: both sides run as they are shipped.
func environ() []string {
	return slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return name == "GOGC" || name == "GOMEMLIMIT" || name == "GODEBUG" || name == "GOMAXPROCS"
	})
}

func (p *process) pid() int { return p.cmd.Process.Pid }

// line reads the next line that the process prints.
func (p *process) line() (string, error) {
	text, err := p.stdout.ReadString('\n')
	if err != nil {
		if errors.Is(err, io.EOF) {
			err = errors.New("it has ended")
		}
		return "", fmt.Errorf("%w%s", err, p.stderr)
	}
	return text[:len(text)-1], nil
}

// wait returns how the process ended.
func (p *process) wait() error {
	<-p.done
	return p.err
}

// stop asks the process to end, waits, and kills it after stopGrace. Its unread output is dropped, because the process
// would otherwise wait for a reader for ever.
func (p *process) stop() {
	_ = p.unread.Close()
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	killer := time.AfterFunc(stopGrace, func() { _ = p.cmd.Process.Kill() })
	defer killer.Stop()
	<-p.done
}

// tail keeps the end of a process's standard error.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

const tailBytes = 4 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, b...)
	if over := len(t.buf) - tailBytes; over > 0 {
		t.buf = bytes.Clone(t.buf[over:])
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.buf) == 0 {
		return ""
	}
	return "; it wrote:\n" + string(t.buf)
}
