package postgres

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

// child is a child process. done is closed when it has ended and err is set.
type child struct {
	cmd  *exec.Cmd
	done chan struct{}
	err  error
}

// startChild starts cmd from a goroutine that keeps its thread until the process ends: the parent-death signal is sent
// when the thread that forked dies, and Go ends idle threads.
func startChild(cmd *exec.Cmd) (*child, error) {
	c := &child{cmd: cmd, done: make(chan struct{})}
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer close(c.done)
		if c.err = cmd.Start(); c.err != nil {
			started <- c.err
			return
		}
		started <- nil
		c.err = cmd.Wait()
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return c, nil
}

// kill ends the process at once, unless it has ended, and waits for its end.
func (c *child) kill() error {
	// On SIGQUIT a server ends its backends too; only one that does not react gets SIGKILL.
	err := c.cmd.Process.Signal(syscall.SIGQUIT)
	if err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	ctx, cancel := withGrace(context.Background())
	defer cancel()
	select {
	case <-c.done:
		return nil
	case <-ctx.Done():
	}
	if err := c.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	<-c.done
	return nil
}

// runQuietly runs a program to its end and returns its output.
func runQuietly(ctx context.Context, path string, args []string, owner identity) (string, error) {
	var out bytes.Buffer
	cmd := owner.command(path, args)
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = stopGrace // a grandchild may hold the pipe
	c, err := startChild(cmd)
	if err != nil {
		return "", err
	}
	select {
	case <-c.done:
		return out.String(), c.err
	case <-ctx.Done():
		err := errors.Join(context.Cause(ctx), c.kill())
		return out.String(), err // the output is complete only now
	}
}

// serverEnv is the environment of all child processes: without the parent's PG* variables and home, and with a fixed
// locale, because we parse messages.
func serverEnv() []string {
	env := []string{"LC_ALL=C", "TZ=UTC"}
	for _, name := range []string{"PATH", "TMPDIR", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}
