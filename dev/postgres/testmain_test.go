//go:build unix

package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// ownerEnv names a directory and makes the test binary a program that owns a server in it until its standard input ends.
// So a test can kill the owner or run it as another user.
const ownerEnv = "TURNPIKE_POSTGRES_TEST_OWNER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(ownerEnv); dir != "" {
		os.Exit(ownServer(dir))
	}
	os.Exit(m.Run())
}

func ownServer(dir string) int {
	ctx := context.Background()
	s, err := Start(ctx, Config{DataDir: dir, Offline: true, Ephemeral: os.Getenv("EPHEMERAL") != ""})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Printf("%d %s\n", s.PID(), s.URL("postgres"))
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		fmt.Println(err)
		return 1
	}
	if err := s.Stop(ctx); err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

// ownerProcess is the running test binary as the owner of a server.
type ownerProcess struct {
	cmd   *exec.Cmd
	stdin io.Closer
	pid   int // of the server
	url   string
}

func startOwner(t *testing.T, dir string, env ...string) *ownerProcess {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return startOwnerAt(t, self, dir, nil, env...)
}

func startOwnerAt(t *testing.T, path, dir string, attr *syscall.SysProcAttr, env ...string) *ownerProcess {
	t.Helper()
	cmd := exec.Command(path)
	cmd.Env = append(append(os.Environ(), env...), ownerEnv+"="+dir)
	cmd.Dir = "/"
	cmd.SysProcAttr = attr
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stdin.Close(); cmd.Wait() })
	buf := make([]byte, 4096)
	n, err := stdout.Read(buf)
	if err != nil {
		t.Fatalf("the owner said nothing: %v", err)
	}
	number, url, ok := strings.Cut(strings.TrimSpace(string(buf[:n])), " ")
	pid, err := strconv.Atoi(number)
	if err != nil || !ok {
		t.Fatalf("the owner failed: %s", buf[:n])
	}
	return &ownerProcess{cmd: cmd, stdin: stdin, pid: pid, url: url}
}

// writeProgram writes a file that will be executed. It blocks forks by other tests meanwhile, because their child would have
// the file open for writing until its own exec, and until then the file cannot be executed ("text file busy").
func writeProgram(t *testing.T, path string, data []byte) {
	t.Helper()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, data, 0o755); err != nil {
		t.Fatal(err)
	}
}

// tempDir is a short directory that other users can reach, unlike t.TempDir.
func tempDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "tp")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Errorf("removing: %v", err)
		}
	})
	return dir
}

func start(t *testing.T, cfg Config) *Server {
	t.Helper()
	cfg.Offline = true
	s, err := Start(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Stop(context.WithoutCancel(t.Context())) })
	return s
}

func stop(t *testing.T, s *Server) {
	t.Helper()
	if err := s.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if running(s.PID()) {
		t.Errorf("server %d is still there after Stop", s.PID())
	}
}

// running is false for a zombie, because when an orphan is reaped does not depend on this package.
func running(pid int) bool {
	if !alive(pid) {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return errors.Is(err, os.ErrNotExist) && !isDir("/proc/self") || err == nil && !strings.Contains(string(stat), ") Z ")
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// eventually polls for what other processes do; nothing signals it.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	deadline := time.NewTimer(30 * time.Second)
	defer deadline.Stop()
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for !condition() {
		select {
		case <-deadline.C:
			t.Fatalf("waited in vain: %s", what)
		case <-ticker.C:
		}
	}
}

func exec1(t *testing.T, url, sql string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

func query1(t *testing.T, url, sql string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	var got string
	if err := conn.QueryRow(t.Context(), sql).Scan(&got); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return got
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func dataIn(t *testing.T) string {
	t.Helper()
	return filepath.Join(tempDir(t), "data")
}
