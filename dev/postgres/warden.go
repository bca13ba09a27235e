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

// wardenScript reads the server's process id from the pipe, or 0 once the owner has seen the server end; the end of the
// file means that the owner is done or dead. An id that was never taken back belongs to a child that the dead owner has
// not waited for, so it cannot have gone to another process. A zombie counts as gone: in a container there may be
// no init that reaps it. A server that does not end in 30 s is told to quit at once, and after 40 s killed. Removing is
// tried again, because backends of a killed server write for a moment longer. It has no comments of its own since all
// of it shows in ps.
//
//go:embed warden.sh
var wardenScript string

// warden outlives the owner of a server by as long as it takes to clean up behind it.
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
	// A session of its own: what is sent to the owner's process group, ^C above all, must not end the warden.
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

// watch entrusts a server to the warden until it has ended.
func (w *warden) watch(c *child) error {
	if err := w.say(c.cmd.Process.Pid); err != nil {
		return err
	}
	go func() {
		<-c.done
		// Fails when the warden has been dismissed meanwhile, and then there is nothing left to say.
		_ = w.say(0)
	}()
	return nil
}

func (w *warden) say(pid int) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, err := fmt.Fprintln(w.pipe, pid); err != nil {
		return fmt.Errorf("telling the warden: %w", err)
	}
	return nil
}

// dismiss ends the warden and waits until it has removed what it had to. The server must be gone.
func (w *warden) dismiss() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	// Last word: the goroutine of watch may not have come round to it.
	if _, err := fmt.Fprintln(w.pipe, 0); err != nil && !errors.Is(err, os.ErrClosed) {
		return errors.Join(fmt.Errorf("dismissing the warden: %w", err), w.pipe.Close(), w.cmd.Wait())
	}
	if err := w.pipe.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		return fmt.Errorf("dismissing the warden: %w", err)
	}
	if err := w.cmd.Wait(); err != nil {
		return fmt.Errorf("dismissing the warden: %w", err)
	}
	return nil
}
