package rig

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

// Process is a child process. It is gone when Stop or Kill returns.
type Process struct {
	cmd  *exec.Cmd
	done chan struct{}
	err  error
}

// Start starts cmd with its output appended to the file log. Of cmd.SysProcAttr only the user is used.
func Start(cmd *exec.Cmd, log string) (*Process, error) {
	out, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening the log of %s: %w", cmd.Path, err)
	}
	defer out.Close()
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = childAttr(cmd.SysProcAttr)
	p := &Process{cmd: cmd, done: make(chan struct{})}
	started := make(chan error, 1)
	go func() {
		// The parent-death signal is sent when the thread that forked dies, and Go ends idle threads.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer close(p.done)
		if p.err = cmd.Start(); p.err != nil {
			started <- p.err
			return
		}
		started <- nil
		p.err = cmd.Wait()
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("starting %s: %w", cmd.Path, err)
	}
	return p, nil
}

// PID is the id of the process.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Done is closed when the process has ended, for whatever reason.
func (p *Process) Done() <-chan struct{} { return p.done }

// Kill ends the process by SIGKILL: it cannot save anything.
func (p *Process) Kill() error {
	if err := p.signal(syscall.SIGKILL); err != nil {
		return err
	}
	<-p.done
	return nil
}

// Stop ends the process by SIGTERM, or kills it when ctx ends. It is an error if the process failed or had already ended.
func (p *Process) Stop(ctx context.Context) error {
	select {
	case <-p.done:
		return fmt.Errorf("stopping process %d: it had already exited: %w", p.PID(), p.ended())
	default:
	}
	if err := p.signal(syscall.SIGTERM); err != nil {
		return err
	}
	select {
	case <-p.done:
		return p.err
	case <-ctx.Done():
		return errors.Join(fmt.Errorf("process %d did not stop: %w", p.PID(), context.Cause(ctx)), p.Kill())
	}
}

func (p *Process) signal(sig syscall.Signal) error {
	if err := p.cmd.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("sending %s to process %d: %w", sig, p.PID(), err)
	}
	return nil
}

// ended is how the process ended, never nil.
func (p *Process) ended() error {
	if p.err != nil {
		return p.err
	}
	return errors.New("exit status 0")
}
