package postgres

import (
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
)

// wardenScript reads the server's process id from the pipe, or 0 once the owner has seen the server end. The end of the
// file means that the owner is done or dead. The id of a server that has not been followed by a 0 belongs to a child that
// the dead owner has not waited for, so it cannot have been reused. A zombie counts as gone: a container may have no init
// that reaps it. A server that does not end in 30 s gets an immediate shutdown, and after 40 s is killed. Removing is
// retried, because backends of a killed server write for a moment longer. The script has no comments, since all of it
// shows in ps.
//
//go:embed warden.sh
var wardenScript string

// warden outlives the owner of a server for as long as it takes to clean up.
type warden struct {
	cmd  *exec.Cmd
	pipe io.WriteCloser
	mu   sync.Mutex // one line at a time
}

// startWarden starts the process. It removes the directories when the pipe closes, after the server is gone.
func startWarden(disposable []string) (*warden, error) {
	args := append([]string{"-c", wardenScript, "turnpike-postgres-warden"}, disposable...)
	cmd := exec.Command("/bin/sh", args...)
	cmd.Dir = "/"
	cmd.Env = serverEnv()
	// It has its own session: signals to the owner's process group, above all ^C, must not end the warden.
	cmd.SysProcAttr = sessionAttr()
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("starting the warden: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("starting the warden: %w", err), pipe.Close())
	}
	return &warden{cmd: cmd, pipe: pipe}, nil
}

// watch puts a server under the warden's watch until it has ended.
func (w *warden) watch(c *child) error {
	if err := w.say(c.cmd.Process.Pid); err != nil {
		return err
	}
	go func() {
		<-c.done
		// Fails if the warden has been dismissed meanwhile; then there is nothing to report.
		_ = w.say(0)
	}()
	return nil
}

func (w *warden) say(pid int) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, err := fmt.Fprintln(w.pipe, pid); err != nil {
		return fmt.Errorf("notifying the warden: %w", err)
	}
	return nil
}

// dismiss ends the warden and waits until it has removed the directories. The server must be gone.
func (w *warden) dismiss() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	// Send the 0 here, because the goroutine of watch may not have done so yet.
	if _, err := fmt.Fprintln(w.pipe, 0); err != nil && !errors.Is(err, os.ErrClosed) {
		return errors.Join(fmt.Errorf("stopping the warden: %w", err), w.pipe.Close(), w.cmd.Wait())
	}
	if err := w.pipe.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		return fmt.Errorf("stopping the warden: %w", err)
	}
	if err := w.cmd.Wait(); err != nil {
		return fmt.Errorf("stopping the warden: %w", err)
	}
	return nil
}
