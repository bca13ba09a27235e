package render

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/page/render/chromium"
)

// workerEnv makes the test binary a worker that endlessly renders the page at the named address.
const workerEnv = "TURNPIKE_RENDER_TEST_WORKER"

func runWorker() {
	server := os.Getenv(workerEnv)
	r, err := New(Config{Timeout: 5 * time.Minute})
	if err != nil {
		panic(err)
	}
	u, err := fetch.ParseURL("http://site.test/hang")
	if err != nil {
		panic(err)
	}
	_, err = r.Render(context.Background(), Job{URL: u, Dial: func(ctx context.Context, _ string) (net.Conn, error) {
		// The page is loading: print its processes.
		pid := r.pool.members[0].browser.started.Load().PID
		fmt.Printf("%d %s\n", pid, profileOf(pid))
		var dialer net.Dialer
		return dialer.DialContext(ctx, "tcp", server)
	}})
	panic(fmt.Sprintf("the render of a page without end came to one: %v", err))
}

// TestWorkerKilled: a worker that is killed (SIGKILL) during a render leaves no process behind.
func TestWorkerKilled(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	w := newWeb(t)
	worker := exec.Command(os.Args[0])
	worker.Env = append(os.Environ(), workerEnv+"="+w.server.Listener.Addr().String())
	worker.Stderr = os.Stderr
	out, err := worker.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := worker.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	_ = worker.Process.Kill()
	_ = worker.Wait()
	if err != nil {
		t.Fatalf("the worker said nothing: %v", err)
	}
	number, profile, _ := strings.Cut(strings.TrimSpace(line), " ")
	leader, err := strconv.Atoi(number)
	if err != nil {
		t.Fatalf("the worker said %q", line)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-leader, syscall.SIGKILL)
		_ = os.RemoveAll(profile)
	})
	awaitGone(t, leader)
	next, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = next.Close() })
	if _, err := next.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(profile); !os.IsNotExist(err) {
		t.Errorf("the browser's directory is left after the next browser's start, too: %v", err)
	}
}

// awaitGone waits until no process of a group is left, except unreaped dead ones.
func awaitGone(t *testing.T, leader int) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(30 * time.Second)
	for {
		left := living(leader)
		if len(left) == 0 {
			return
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("processes of the browser are left: %q", left)
		}
	}
}

// profileOf is the profile directory on a browser's command line.
func profileOf(pid int) string {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	for argument := range strings.SplitSeq(string(text), "\x00") {
		if profile, found := strings.CutPrefix(argument, "--user-data-dir="); found {
			return profile
		}
	}
	return ""
}

func living(leader int) []string {
	var left []string
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		name, rest, _ := strings.Cut(string(text), ") ")
		if fields := strings.Fields(rest); len(fields) > 2 && fields[0] != "Z" && fields[2] == strconv.Itoa(leader) {
			left = append(left, name)
		}
	}
	return left
}

// TestCloseLeavesNothing: Close leaves no process and no file, and later jobs get no browser.
func TestCloseLeavesNothing(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	w := newWeb(t)
	r, err := New(Config{NetworkIdle: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	started := make(chan struct{})
	job := w.job("http://site.test/hang")
	job.Dial = func(ctx context.Context, hostPort string) (net.Conn, error) {
		close(started)
		return w.dial(ctx, hostPort)
	}
	failed := make(chan error, 1)
	go func() {
		_, err := r.Render(t.Context(), job)
		failed <- err
	}()
	select {
	case <-started:
	case err := <-failed:
		t.Fatal(err)
	}
	pid := r.pool.members[0].browser.started.Load().PID
	profile := profileOf(pid)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	checkError(t, <-failed, Error{Reason: ReasonCrashed}, "")
	if left := living(pid); len(left) > 0 {
		t.Errorf("processes of the browser are left: %q", left)
	}
	if _, err := os.Stat(profile); !os.IsNotExist(err) {
		t.Errorf("the browser's directory is left: %v", err)
	}
	_, err = r.Render(t.Context(), w.job("http://site.test/boxes"))
	checkError(t, err, Error{Reason: ReasonUnavailable}, "closed")
}

func TestNoBrowser(t *testing.T) {
	t.Parallel()
	w := &web{t: t}
	job := w.job("http://site.test/")
	dir := t.TempDir()
	missing, silent := filepath.Join(dir, "chromium"), filepath.Join(dir, "silent")
	syscall.ForkLock.RLock() // a child forked by another test would keep the file open, and it could not be executed
	err := os.WriteFile(silent, []byte("#!/bin/sh\necho 'cannot open shared object file' >&2\nexit 127\n"), 0o755)
	syscall.ForkLock.RUnlock()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil { // the browser runs as another user
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		config    Config
		available string
		render    string
	}{
		"missing":       {Config{Browser: missing}, "no browser at " + missing, "no browser at " + missing},
		"does not run":  {Config{Browser: silent}, "", "did not start"},
		"bad endpoint":  {Config{Endpoint: "ws://127.0.0.1:1/devtools"}, "", "connecting to the browser's endpoint"},
		"of other kind": {Config{Browser: "/bin/true"}, "", "/bin/true did not start"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := New(c.config)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			if err := r.Available(); (err == nil) != (c.available == "") || err != nil && !strings.Contains(err.Error(), c.available) {
				t.Errorf("got %v, want %q", err, c.available)
			}
			_, err = r.Render(t.Context(), job)
			checkError(t, err, Error{Reason: ReasonUnavailable}, c.render)
		})
	}
}

// TestEndpoint: a browser that runs elsewhere is used like our own, and left running.
func TestEndpoint(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	path, err := chromium.Find("")
	if err != nil {
		t.Fatal(err)
	}
	profile := t.TempDir()
	elsewhere := exec.Command(path, append(chromium.Flags(), "--no-sandbox", "--remote-debugging-port=0", "--user-data-dir="+profile, "about:blank")...)
	elsewhere.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := elsewhere.Start(); err != nil {
		t.Fatal(err)
	}
	leader := elsewhere.Process.Pid
	t.Cleanup(func() {
		_ = syscall.Kill(-leader, syscall.SIGKILL)
		_ = elsewhere.Wait()
		awaitGone(t, leader)
	})
	w := newWeb(t)
	r, err := New(Config{Endpoint: endpoint(t, profile), NetworkIdle: 100 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Available(); err != nil {
		t.Error(err)
	}
	result, err := r.Render(t.Context(), w.job("http://site.test/spa"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(result.HTML), "<h1>Pancakes</h1>") {
		t.Errorf("got:\n%s", result.HTML)
	}
	_, err = r.Render(t.Context(), w.job("http://127.0.0.1/"))
	checkError(t, err, Error{Reason: ReasonNavigation, Fetch: fetch.ReasonBlockedAddress}, "not public")
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if len(living(leader)) == 0 {
		t.Error("a browser that is not ours was ended")
	}
}

// endpoint waits until a browser has written its address.
func endpoint(t *testing.T, profile string) string {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(30 * time.Second)
	for {
		text, _ := os.ReadFile(filepath.Join(profile, "DevToolsActivePort"))
		if port, address, found := strings.Cut(strings.TrimSpace(string(text)), "\n"); found {
			return "ws://127.0.0.1:" + port + address
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatal("the browser has not written down its address")
		}
	}
}
