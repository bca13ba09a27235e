package render

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/turnpike-edge/turnpike/backend/page/render/chromium"
	"github.com/turnpike-edge/turnpike/dev/rig"
)

// hostEnv makes the test binary a service on the named socket. probeEnv makes it render with the named browser and
// print the result.
const (
	hostEnv  = "TURNPIKE_RENDER_TEST_HOST"
	probeEnv = "TURNPIKE_RENDER_TEST_PROBE"
)

// nobody is the user of browsers if the tests run as root.
const nobody = 65534

func runHost() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: os.Getenv(hostEnv)})
	if err != nil {
		panic(err)
	}
	if err := os.Chmod(os.Getenv(hostEnv), 0o666); err != nil {
		panic(err)
	}
	owner := os.Getenv("OWNER")
	host := chromium.NewHost(chromium.Config{Logger: slog.New(slog.NewTextHandler(os.Stderr, nil))})
	if err := host.Serve(ctx, listener, func(user int) bool { return fmt.Sprint(user) == owner }); err != nil {
		panic(err)
	}
}

func runProbe() {
	r, err := New(Config{Browser: os.Getenv(probeEnv)})
	if err != nil {
		panic(err)
	}
	_, err = r.Check(context.Background())
	fmt.Println(err)
	_ = r.Close()
}

// script is a fake browser that runs a shell script, at a path that every user can reach.
func script(t *testing.T, text string) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "turnpike-fake-browser-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	path := filepath.Join(dir, "chromium")
	syscall.ForkLock.RLock() // a concurrently forked process would keep it open for writing
	defer syscall.ForkLock.RUnlock()
	if err := errors.Join(os.Chmod(dir, 0o755), os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o755)); err != nil {
		t.Fatal(err)
	}
	return path
}

// If the sandbox does not work, the browser does not start without it, unless configured.
func TestSandbox(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	path, err := chromium.Find("")
	if err != nil {
		t.Fatal(err)
	}
	fake := script(t, `case "$*" in *--no-sandbox*) exec `+path+` "$@";; esac
echo "[0101/000000.000000:FATAL:zygote_host_impl_linux.cc(128)] No usable sandbox! " >&2
exit 1
`)
	for name, c := range map[string]struct {
		sandbox chromium.Sandbox
		works   bool
		warns   bool
	}{
		"required":    {chromium.SandboxRequired, false, false},
		"if possible": {chromium.SandboxIfPossible, true, true},
		"off":         {chromium.SandboxOff, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			r, err := New(Config{Browser: fake, Sandbox: c.sandbox, Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn}))})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = r.Close() })
			if err := r.Available(); err != nil {
				t.Errorf("before it was tried: got %v", err)
			}
			state, err := r.Check(t.Context())
			if c.works {
				if err != nil || state.Sandbox {
					t.Errorf("got %+v, %v, want a browser without its sandbox", state, err)
				}
			} else {
				checkError(t, err, Error{Reason: ReasonUnavailable}, "TURNPIKE_BROWSER_SANDBOX=off")
				checkError(t, r.Available(), Error{Reason: ReasonUnavailable}, "user namespaces")
			}
			if said := strings.Contains(log.String(), "WITHOUT"); said != c.warns {
				t.Errorf("got the log %q, want a warning: %v", log.String(), c.warns)
			}
		})
	}
	// If it works, it is used.
	state, err := renderer(t).Check(t.Context())
	if err != nil || !state.Sandbox {
		t.Errorf("got %+v, %v, want a browser with its sandbox", state, err)
	}
}

// Code that escapes from a browser reaches nothing of the backend or of other browsers, even if all have the same user.
func TestWhatABrowserCanReach(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "turnpike-render-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	for _, path := range []string{"blobs/page", "profile/Cookies"} {
		path = filepath.Join(dir, path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte("stored"), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	// Each attempt that prints a line succeeded.
	attempts := map[string]string{
		"environment": "tr '\\0' '\\n' </proc/$PPID/environ | grep SECRET",
		"memory":      "head -c1 /proc/$PPID/maps",
		"open files":  "readlink /proc/$PPID/fd/*",
		"blob":        "cat " + dir + "/blobs/page",
		"profile":     "cat " + dir + "/profile/Cookies",
		"directories": "ls /tmp",
		"passwords":   "cat /etc/passwd",
		"write":       "echo x >" + dir + "/written && echo written",
		"signal":      "kill -0 $PPID && echo signalled",
		"unfiltered":  "grep '^Seccomp:.*[01]$' /proc/self/status",
		"privileges":  "grep '^NoNewPrivs:.*0$' /proc/self/status",
		"own":         "echo x >$HOME/x && cat $HOME/x && cat /proc/self/comm",
	}
	version, _, _ := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	switch {
	case int(version) <= 0: // an errno is negative
		t.Skip("this kernel has no Landlock")
	case version < 6: // before Linux 6.12
		delete(attempts, "signal")
	}
	var text strings.Builder
	for name, attempt := range attempts {
		fmt.Fprintf(&text, "if out=$({ %s; } 2>/dev/null) && [ -n \"$out\" ]; then echo 'could: %s' >&2; fi\n", attempt, name)
	}
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), probeEnv+"="+script(t, text.String()), "TURNPIKE_CONTENT_SECRET=secret", "TMPDIR="+dir)
	if os.Getuid() == 0 { // with root, browsers have another user anyway
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if got := strings.Count(string(out), "could: "); got != 1 || !strings.Contains(string(out), "could: own") {
		t.Errorf("got %s\nwant what is its own, and nothing else", out)
	}
}

// service is a host with another user, and, if the tests run as root, its own network.
type service struct {
	socket string
	cmd    *exec.Cmd
}

func newService(t *testing.T) *service {
	t.Helper()
	dir, err := os.MkdirTemp("", "turnpike-render-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if os.Getuid() == 0 {
		if err := os.Chown(dir, nobody, nobody); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	s := &service{socket: filepath.Join(dir, "socket")}
	s.start(t)
	t.Cleanup(s.kill)
	return s
}

func (s *service) start(t *testing.T) {
	t.Helper()
	apart := rig.Apart("/proc/" + fmt.Sprint(os.Getpid()) + "/exe")
	s.cmd = exec.Command(apart[0], apart[1:]...)
	s.cmd.Env = []string{hostEnv + "=" + s.socket, fmt.Sprint("OWNER=", os.Getuid()), "PATH=" + os.Getenv("PATH")}
	s.cmd.Stderr = t.Output()
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	_ = os.Remove(s.socket)
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(30 * time.Second)
	for {
		if conn, err := net.Dial("unix", s.socket); err == nil {
			_ = conn.Close()
			return
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatal("the service does not start")
		}
	}
}

func (s *service) kill() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

// TestService: a service with another user and network renders pages, which reach no more than elsewhere.
func TestService(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	s := newService(t)
	r, err := New(Config{Socket: s.socket, NetworkIdle: 250 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	if err := r.Available(); err != nil {
		t.Fatal(err)
	}
	state, err := r.Check(t.Context())
	if err != nil || !state.Sandbox || os.Getuid() == 0 && state.User != nobody {
		t.Errorf("got %+v, %v, want a browser of another user with its sandbox", state, err)
	}
	checkCanary(t, r)

	// The service is killed during a render, and comes back.
	w := newWeb(t)
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
	<-started
	r.pool.mu.Lock()
	pid := r.pool.members[0].browser.started.Load().PID
	r.pool.mu.Unlock()
	profile := profileOf(pid)
	s.kill()
	checkError(t, <-failed, Error{Reason: ReasonCrashed}, "")
	awaitGone(t, pid)
	checkError(t, r.Available(), Error{Reason: ReasonUnavailable}, "turnpike browser --socket")
	_, err = r.Render(t.Context(), w.job("http://site.test/boxes"))
	checkError(t, err, Error{Reason: ReasonUnavailable}, "service does not answer")
	s.start(t)
	if err := r.Available(); err != nil {
		t.Error(err)
	}
	result, err := r.Render(t.Context(), w.job("http://site.test/spa"))
	if err != nil || !strings.Contains(string(result.HTML), "<h1>Pancakes</h1>") {
		t.Errorf("after it came back: got %v, %v", result, err)
	}
	if _, err := os.Stat(profile); profile == "" || !os.IsNotExist(err) {
		t.Errorf("the directory %q of a browser whose service was killed is left: %v", profile, err)
	}

	// A browser ends with its client.
	pid = r.pool.members[0].browser.started.Load().PID
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if left := living(pid); len(left) > 0 {
		t.Errorf("processes of the browser are left: %q", left)
	}
}

// Users that are not allowed get no browsers and no information.
func TestServiceTurnsOthersAway(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(dir, "socket")})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	asked := make(chan int, 10)
	go func() {
		done <- chromium.NewHost(chromium.Config{}).Serve(ctx, listener, func(user int) bool {
			asked <- user
			return false
		})
	}()
	r, err := New(Config{Socket: filepath.Join(dir, "socket")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	checkError(t, r.Available(), Error{Reason: ReasonUnavailable}, "this user may use it")
	if got := <-asked; got != os.Getuid() {
		t.Errorf("got user %d, want %d", got, os.Getuid())
	}
	_, err = r.Check(t.Context())
	checkError(t, err, Error{Reason: ReasonUnavailable}, "")
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// FuzzHost: whatever is sent to a host or by a host, the exchange ends.
func FuzzHost(f *testing.F) {
	f.Add([]byte("state\n"))
	f.Add([]byte("egress\nx"))
	f.Add([]byte("127.0.0.1:80\n\x00\x00"))
	f.Add([]byte("{\"error\":\"none\"}"))
	host := chromium.NewHost(chromium.Config{Browser: "/none"})
	f.Fuzz(func(t *testing.T, data []byte) {
		conn, err := host.Pair(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		_, _ = conn.Write(data)
		_ = conn.CloseWrite()
		_, _ = conn.Read(make([]byte, 100))
		_ = conn.Close()
		dial := func(context.Context) (*net.UnixConn, error) {
			ours, theirs := socketPair(t)
			go func() {
				defer theirs.Close()
				_, _ = theirs.Write(data)
				_ = theirs.CloseWrite()
				_, _ = theirs.Read(make([]byte, 100))
			}()
			return ours, nil
		}
		_ = chromium.Ready(dial)
		if listener, err := chromium.Egress(t.Context(), dial); err == nil {
			for range len(data) + 1 {
				if conn, err := listener.Accept(); err == nil {
					_ = conn.Close()
				}
			}
			_ = listener.Close()
		}
		_, _ = startBrowser(t.Context(), Config{}.withDefaults(), dial)
	})
}

func socketPair(t *testing.T) (ours, theirs *net.UnixConn) {
	t.Helper()
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(t.TempDir(), "socket")})
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	if ours, err = chromium.Dial(t.Context(), listener.Addr().String()); err != nil {
		t.Fatal(err)
	}
	if theirs, err = listener.AcceptUnix(); err != nil {
		t.Fatal(err)
	}
	return ours, theirs
}
