package confine

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// childEnv names what the test binary does instead of running tests.
const childEnv = "TURNPIKE_CONFINE_TEST"

func TestMain(m *testing.M) {
	if what := os.Getenv(childEnv); what != "" {
		children[what]()
		return
	}
	os.Exit(m.Run())
}

// report prints the result of an attempt.
func report(what string, err error) {
	said := "done"
	switch {
	case errors.Is(err, syscall.EPERM):
		said = "EPERM"
	case errors.Is(err, syscall.EACCES):
		said = "EACCES"
	case err != nil:
		said = err.Error()
	}
	fmt.Printf("%s: %s\n", what, said)
}

var kept [][]byte

var children = map[string]func(){
	"compute": func() {
		if err := errors.Join(Memory(1<<30), Compute()); err != nil {
			panic(err)
		}
		_, err := os.Open("/etc/hostname")
		report("open", err)
		_, err = net.Dial("tcp", "127.0.0.1:1")
		report("dial", err)
		_, err = net.Dial("udp", "127.0.0.1:1")
		report("udp", err)
		report("start", exec.Command("/bin/true").Start())
		report("ptrace", syscall.PtraceAttach(os.Getppid()))
		report("signal", syscall.Kill(os.Getppid(), 0))
		_, _, errno := syscall.RawSyscall(syscall.SYS_CLONE, uintptr(syscall.SIGCHLD), 0, 0)
		report("fork", errno)
		// All threads are confined, and new ones can be made.
		done := make(chan error)
		for range 20 {
			go func() {
				runtime.LockOSThread()
				_, err := os.Open("/etc/hostname")
				done <- err
			}()
		}
		for range 20 {
			if err := <-done; !errors.Is(err, syscall.EPERM) {
				report("a thread", err)
			}
		}
		for range 40 {
			kept = append(kept, make([]byte, 100<<20))
			fmt.Println("more:", len(kept))
		}
	},
	"files": func() {
		done := make(chan struct{})
		OnThread(func() {
			defer close(done)
			files()
		})
		<-done
	},
	"syscalls": func() {
		runtime.LockOSThread() // the first thread will do: nothing is inspected here
		names := append([]string{"openat", "fstat", "newfstatat", "statx", "getdents64", "lseek", "pread64", "prctl", "ioctl", "socket", "socketpair"}, computing...)
		if err := Syscalls(append(names, "no_such_call")); err != nil {
			panic(err)
		}
		_, err := os.ReadFile("/etc/passwd")
		report("open", err)
		_, err = unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
		report("a socket", err)
		_, err = unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
		report("a Unix socket", err)
		_, err = unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
		report("a pair", err)
		report("chroot", unix.Chroot("/"))
		elsewhere := make(chan error)
		go func() {
			_, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
			elsewhere <- err
		}()
		report("a Unix socket on another thread", <-elsewhere)
	},
}

func files() {
	dir := os.Args[1]
	if err := Files(Paths{Read: []string{"/usr", "/bin", "/lib", "/lib64", "/none"}, Write: []string{dir}, Devices: []string{"/proc", "/dev/null"}}); err != nil {
		panic(err)
	}
	for _, script := range []string{
		"cat /etc/passwd", "ls " + filepath.Dir(dir), "cat " + filepath.Dir(dir) + "/secret", "cat /proc/" + os.Args[2] + "/environ", "cat /proc/$PPID/environ",
		"ls " + dir, "echo x >" + dir + "/own && cat " + dir + "/own && mkdir " + dir + "/d && mv " + dir + "/own " + dir + "/d/own", "echo x >/dev/null", "cat /proc/self/stat",
	} {
		report(strings.NewReplacer(filepath.Dir(dir), "DIR", os.Args[2], "PID").Replace(script), exec.Command("/bin/sh", "-c", script).Run())
	}
	_, err := os.ReadFile("/etc/passwd")
	report("here", err)
	elsewhere := make(chan error)
	go func() {
		_, err := os.ReadFile("/etc/passwd")
		elsewhere <- err
	}()
	report("on another thread", <-elsewhere)
}

// unprivileged makes root become nobody: some rules do not bind root.
func unprivileged() *syscall.SysProcAttr {
	if os.Getuid() != 0 {
		return nil
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
}

const nobody = 65534

func child(t *testing.T, what string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.Command("/proc/self/exe", args...) // nobody may not reach the binary by its path
	cmd.Env = append(os.Environ(), childEnv+"="+what)
	cmd.SysProcAttr = unprivileged()
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func wants(t *testing.T, got string, want ...string) {
	t.Helper()
	for _, line := range want {
		if !strings.Contains(got, line+"\n") {
			t.Errorf("got\n%.3000s\nwant the line %q", got, line)
		}
	}
}

func TestCompute(t *testing.T) {
	t.Parallel()
	got, err := child(t, "compute")
	wants(t, got, "open: EPERM", "dial: EPERM", "udp: EPERM", "start: EPERM", "ptrace: EPERM", "signal: EPERM", "fork: EPERM", "more: 1")
	if strings.Contains(got, "a thread") || strings.Contains(got, "more: 20") {
		t.Errorf("got %.3000s", got)
	}
	if err == nil {
		t.Error("got no error, want it ended for want of memory")
	}
}

func TestFiles(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "turnpike-confine-") // not t.TempDir, which nobody cannot enter
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	own := filepath.Join(dir, "own")
	if err := errors.Join(os.Mkdir(own, 0o700), os.WriteFile(filepath.Join(dir, "secret"), []byte("x"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if os.Getuid() == 0 {
		for _, path := range []string{dir, own, filepath.Join(dir, "secret")} {
			if err := os.Chown(path, nobody, nobody); err != nil {
				t.Fatal(err)
			}
		}
	}
	other := exec.Command("sleep", "60") // of the same user
	other.SysProcAttr = unprivileged()
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = other.Process.Kill(), other.Wait() })
	got, err := child(t, "files", own, fmt.Sprint(other.Process.Pid))
	if err != nil {
		if strings.Contains(got, "unsupported") {
			t.Skip("this kernel has no Landlock")
		}
		t.Fatalf("%v: %s", err, got)
	}
	wants(t, got,
		"cat /etc/passwd: exit status 1", "ls DIR: exit status 2", "cat DIR/secret: exit status 1", "cat /proc/PID/environ: exit status 1", "cat /proc/$PPID/environ: exit status 1",
		"ls DIR/own: done", "echo x >DIR/own/own && cat DIR/own/own && mkdir DIR/own/d && mv DIR/own/own DIR/own/d/own: done", "echo x >/dev/null: done",
		"cat /proc/self/stat: done", "here: EACCES", "on another thread: done")
}

func TestSyscalls(t *testing.T) {
	t.Parallel()
	got, err := child(t, "syscalls")
	if err != nil {
		t.Fatalf("%v: %s", err, got)
	}
	wants(t, got, "open: done", "a socket: done", "a Unix socket: EPERM", "a pair: done", "chroot: EPERM", "a Unix socket on another thread: done")
}
