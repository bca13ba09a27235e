package render

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/chromedp"
)

// process is a browser of ours with all its children, which are one process group.
type process struct {
	cmd       *exec.Cmd
	profile   string
	transport chromedp.Transport
	output    *tail
	// lock says that profile is in use.
	lock *os.File
	// ended is closed once the whole group is gone and its files are removed.
	ended chan struct{}
}

// profilePrefix begins the names of browsers' directories.
const profilePrefix = "turnpike-browser-"

// startProcess starts a browser whose files are in a directory of its own.
func startProcess(path string, args []string, messageMax int) (*process, error) {
	profile, err := os.MkdirTemp("", profilePrefix)
	if err != nil {
		return nil, fmt.Errorf("making the browser's directory: %w", err)
	}
	if err := giveToBrowser(profile); err != nil {
		_ = os.RemoveAll(profile)
		return nil, fmt.Errorf("handing over the browser's directory: %w", err)
	}
	lock, err := lockProfile(profile)
	if err != nil {
		_ = os.RemoveAll(profile)
		return nil, fmt.Errorf("locking the browser's directory: %w", err)
	}
	p := &process{profile: profile, lock: lock, output: new(tail), ended: make(chan struct{})}
	p.cmd = exec.Command(path, append(args, "--remote-debugging-pipe", "--user-data-dir="+profile, "about:blank")...) //nolint:noctx // it outlives the job that starts it
	p.cmd.Dir = profile
	// Nothing of our environment: it holds secrets, and a page that breaks out could read it.
	p.cmd.Env = []string{"HOME=" + profile, "TMPDIR=" + profile, "XDG_CONFIG_HOME=" + profile, "XDG_CACHE_HOME=" + profile, "PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8"}
	p.cmd.SysProcAttr = groupAttr()
	if err := p.start(messageMax); err != nil {
		p.remove()
		return nil, fmt.Errorf("starting %s: %w", path, err)
	}
	return p, nil
}

func (p *process) start(messageMax int) error {
	var ours, theirs []*os.File
	pipe := func(child func(r, w *os.File) (keep, give *os.File)) error {
		r, w, err := os.Pipe()
		if err != nil {
			return err
		}
		keep, give := child(r, w)
		ours, theirs = append(ours, keep), append(theirs, give)
		return nil
	}
	readEnd := func(r, w *os.File) (keep, give *os.File) { return r, w }
	writeEnd := func(r, w *os.File) (keep, give *os.File) { return w, r }
	err := errors.Join(pipe(writeEnd), pipe(readEnd), pipe(readEnd))
	if err == nil {
		p.cmd.ExtraFiles = theirs[:2] // its files 3, from which it reads commands, and 4
		p.cmd.Stdout, p.cmd.Stderr = theirs[2], theirs[2]
		err = p.run()
	}
	closeAll(theirs)
	if err != nil {
		closeAll(ours)
		return err
	}
	p.transport = chromedp.NewPipeConn(&boundedMessages{ReadCloser: ours[1], max: messageMax}, ours[0])
	go p.output.fill(ours[2])
	return nil
}

// run starts the process in a goroutine that keeps its thread until the process has ended: the kernel sends the parent
// death signal when the thread that forked ends, not the process (golang/go issue 27505).
func (p *process) run() error {
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := p.cmd.Start()
		started <- err
		if err != nil {
			return
		}
		_ = p.cmd.Wait()
		p.sweep()
		close(p.ended)
	}()
	return <-started
}

// kill ends the group at once. It returns before it is gone.
func (p *process) kill() { killGroup(p.cmd.Process.Pid) }

// sweep follows the end of the browser's first process: what it leaves behind is killed, and its files are removed.
func (p *process) sweep() {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	limit := time.NewTimer(5 * time.Second)
	defer limit.Stop()
	for killGroup(p.cmd.Process.Pid) {
		select {
		case <-tick.C:
		case <-limit.C: // what is left are dead processes that nobody reaps
			p.remove()
			return
		}
	}
	p.remove()
}

func (p *process) remove() {
	_ = os.RemoveAll(p.profile)
	_ = p.lock.Close()
}

func closeAll(files []*os.File) {
	for _, f := range files {
		_ = f.Close()
	}
}

// tail keeps the end of what a browser prints, to say why it did not start.
type tail struct {
	mu   sync.Mutex
	text []byte
}

const tailMax = 4 << 10

func (t *tail) fill(from io.ReadCloser) {
	defer from.Close()
	buffer := make([]byte, tailMax)
	for {
		n, err := from.Read(buffer)
		t.mu.Lock()
		t.text = append(t.text, buffer[:n]...)
		t.text = t.text[max(0, len(t.text)-tailMax):]
		t.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.text))
}

// browserPaths are where browsers are, the smallest first. Debian's commands are shell scripts that stay in front of the
// browser, so the program behind them is preferred.
func browserPaths() []string {
	return []string{
		"/usr/lib/chromium/chromium-headless-shell", "chromium-headless-shell", "headless-shell", "chrome-headless-shell",
		"/usr/lib/chromium/chromium", "chromium", "chromium-browser",
		"/opt/google/chrome/chrome", "google-chrome-stable", "google-chrome",
		"/Applications/Chromium.app/Contents/MacOS/Chromium", "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
	}
}

// NotFoundError tells that no browser is installed, and how to get one.
type NotFoundError struct {
	// Name is what was looked for; "" for any.
	Name string
}

func (e *NotFoundError) Error() string {
	if e.Name != "" {
		return fmt.Sprintf("no browser at %s", e.Name)
	}
	return "no Chromium or Chrome is installed (Debian, Ubuntu: apt install chromium-headless-shell or chromium; Alpine: apk add chromium; " +
		"Fedora: dnf install chromium-headless; macOS: brew install --cask chromium)"
}

// Find returns the path of a browser: of name, a path or the name of a program, or for "" of the first known one. Its
// error is a *NotFoundError.
func Find(name string) (string, error) {
	names := browserPaths()
	if name != "" {
		names = []string{name}
	}
	for _, candidate := range names {
		path, err := exec.LookPath(candidate)
		if err != nil {
			continue
		}
		if absolute, err := filepath.Abs(path); err == nil {
			return absolute, nil
		}
	}
	return "", &NotFoundError{Name: name}
}
