//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/turnpike-edge/turnpike/dev/pgtest"
)

// asMain makes the test binary run as the command itself.
const asMain = "TURNPIKE_WITHPG_TEST"

func TestMain(m *testing.M) {
	if os.Getenv(asMain) != "" {
		os.Unsetenv(asMain)
		main()
	}
	os.Exit(m.Run())
}

func withpg(t *testing.T, temp string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), asMain+"=1", pgtest.EnvURL+"=", "TMPDIR="+temp)
	return cmd
}

func tempDir(t *testing.T) string {
	t.Helper()
	temp, err := os.MkdirTemp("", "tp")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.Remove(temp); err != nil {
			t.Errorf("something is left: %v", err)
		}
	})
	if err := os.Chmod(temp, 0o755); err != nil {
		t.Fatal(err)
	}
	return temp
}

func TestExitCode(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		args []string
		want int
		out  string
	}{
		{"success", []string{"--", "sh", "-c", `echo "$TURNPIKE_TEST_POSTGRES_URL"`}, 0, "postgres:///postgres?host="},
		{"failure", []string{"sh", "-c", "exit 7"}, 7, ""},
		{"signal", []string{"--", "sh", "-c", "kill -TERM $$"}, 128 + int(syscall.SIGTERM), ""},
		{"no such command", []string{"--", "no-such-command"}, exitCannotStart, "no-such-command"},
		{"nothing to run", []string{"--"}, exitUsage, "usage:"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			cmd := withpg(t, tempDir(t), tt.args...)
			out, _ := cmd.CombinedOutput()
			if got := cmd.ProcessState.ExitCode(); got != tt.want {
				t.Errorf("exit code: got %d, want %d; it said %s", got, tt.want, out)
			}
			if !strings.Contains(string(out), tt.out) {
				t.Errorf("got %q, want it to contain %q", out, tt.out)
			}
		})
	}
}

func TestSignalsArePassedOn(t *testing.T) {
	t.Parallel()
	temp := tempDir(t)
	cmd := withpg(t, temp, "--", "sh", "-c", `trap 'exit 9' TERM; echo ready; while :; do read x || exit 3; done`)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 16)
	if n, err := stdout.Read(buf); err != nil || !bytes.HasPrefix(buf[:n], []byte("ready")) {
		t.Fatalf("got %q, %v, want ready", buf[:n], err)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	if got := cmd.ProcessState.ExitCode(); got != 9 {
		t.Errorf("exit code: got %d, want 9", got)
	}
}
