//go:build unix

package pgtest_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/dev/pgtest"
)

// endEnv makes TestProcess, in a process of its own, create a database, print its address, and end in the named way.
const endEnv = "TURNPIKE_PGTEST_END"

// TestProcess is the body of the processes that the tests below start. Without endEnv it does nothing.
//
//nolint:paralleltest // it is alone in its process, which it may end
func TestProcess(t *testing.T) {
	way := os.Getenv(endEnv)
	if way == "" {
		return
	}
	fmt.Printf("\nURL %s\n", pgtest.New(t, migrate))
	switch way {
	case "panic":
		// In another goroutine nothing recovers the panic, so neither Cleanup nor Main runs.
		go panic("on purpose")
		select {}
	case "hang":
		select {}
	}
}

// process runs TestProcess and returns the address of its database.
func process(t *testing.T, way string, env ...string) (cmd *exec.Cmd, url string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd = exec.Command(self, "-test.run=^TestProcess$", "-test.v")
	cmd.Env = append(append(os.Environ(), endEnv+"="+way), env...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var said []string
	lines := bufio.NewScanner(out)
	for url == "" && lines.Scan() {
		said = append(said, lines.Text())
		url, _ = strings.CutPrefix(lines.Text(), "URL ")
		if url == lines.Text() {
			url = ""
		}
	}
	go func() {
		for lines.Scan() { // drain the output, so that the process never blocks on it
		}
	}()
	if url == "" {
		cmd.Process.Kill()
		cmd.Wait()
		t.Fatalf("the process gave no address but: %s", strings.Join(said, "\n"))
	}
	return cmd, url
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

func TestPrivateServerGoesWithItsProcess(t *testing.T) {
	t.Parallel()
	for _, way := range []string{"return", "panic", "hang"} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			temp, err := os.MkdirTemp("", "tp")
			if err != nil {
				t.Fatal(err)
			}
			defer os.RemoveAll(temp)
			if err := os.Chmod(temp, 0o755); err != nil {
				t.Fatal(err)
			}
			cmd, _ := process(t, way, pgtest.EnvURL+"=", "TMPDIR="+temp)
			left := func() int {
				entries, err := os.ReadDir(temp)
				if err != nil {
					t.Fatal(err)
				}
				return len(entries)
			}
			if way == "hang" {
				if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
					t.Fatal(err)
				}
			}
			err = cmd.Wait()
			if way == "return" {
				if err != nil {
					t.Fatal(err)
				}
				if got := left(); got != 0 {
					t.Errorf("left when the process has ended: got %d, want 0", got)
				}
				return
			}
			// The directory is removed last, after the server in it has ended.
			eventually(t, "the server's directory goes", func() bool { return left() == 0 })
		})
	}
}

func TestSharedServer(t *testing.T) {
	t.Parallel()
	server, err := pgtest.TempServer(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer server.Stop(t.Context())
	admin := connect(t, server.URL("postgres"))
	databases := func() int {
		return count(t, admin, `SELECT count(*) FROM pg_database WHERE datname LIKE 'tptest%'`)
	}
	env := pgtest.EnvURL + "=" + server.URL("postgres")

	living, url := process(t, "hang", env)
	defer func() { living.Process.Kill(); living.Wait() }()
	killed, _ := process(t, "hang", env)
	if got := databases(); got != 4 {
		t.Errorf("two processes with a template and a database each: got %d, want 4", got)
	}
	if err := killed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	killed.Wait()
	// The server notices the client's death when it next uses the socket.
	eventually(t, "the lock of the killed process goes", func() bool {
		return count(t, admin, `SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'`) == 1
	})

	tidy, _ := process(t, "return", env)
	if err := tidy.Wait(); err != nil {
		t.Fatal(err)
	}
	if got := databases(); got != 2 {
		t.Errorf("the next one drops its own and those of the killed: got %d, want the 2 of the living", got)
	}
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatalf("the living process's database: %v", err)
	}
	conn.Close(t.Context())
}

func TestMissingBinariesFailTheTest(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "-test.run=^TestProcess$")
	cmd.Env = append(os.Environ(), endEnv+"=return", pgtest.EnvURL+"=", "PGBIN=/nonexistent")
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "--- FAIL") || !strings.Contains(string(out), "$PGBIN") {
		t.Errorf("got %v and %q, want a failure that names $PGBIN", err, out)
	}
}
