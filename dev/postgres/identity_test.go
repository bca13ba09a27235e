//go:build unix

package postgres

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// needRoot skips a test that needs root. The other tests run as any user.
func needRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root changes users")
	}
}

func TestRootDropsToAnotherUser(t *testing.T) {
	t.Parallel()
	needRoot(t)
	dir := dataIn(t)
	s := start(t, Config{DataDir: dir})
	info, err := os.Stat(filepath.Join(dir, "pgdata"))
	if err != nil {
		t.Fatal(err)
	}
	if uid, _ := fileOwner(info); uid == 0 || uid != s.owner.uid {
		t.Errorf("owner of the cluster: got uid %d, want %d", uid, s.owner.uid)
	}
	stop(t, s)
}

func TestOrdinaryUser(t *testing.T) {
	t.Parallel()
	needRoot(t)
	parent := tempDir(t)
	if err := os.Chown(parent, nobody, nobody); err != nil {
		t.Fatal(err)
	}
	// The test binary is in a directory that only root can read, so the user runs a copy.
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(parent, "owner")
	writeProgram(t, path, program)
	attr := &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	dir := filepath.Join(parent, "data")
	owner := startOwnerAt(t, path, dir, attr)
	exec1(t, owner.url, `CREATE TABLE toll (n int); INSERT INTO toll VALUES (3)`)
	owner.stdin.Close()
	if err := owner.cmd.Wait(); err != nil {
		t.Fatalf("the owner failed: %v", err)
	}
	if running(owner.pid) {
		t.Errorf("server %d is still there", owner.pid)
	}

	// Started by root, the server runs as the same user, so that the user can use the directory again.
	s := start(t, Config{DataDir: dir})
	if s.owner.uid != nobody {
		t.Errorf("uid: got %d, want %d", s.owner.uid, nobody)
	}
	if got := query1(t, s.URL("postgres"), `SELECT n::text FROM toll`); got != "3" {
		t.Errorf("n: got %s, want 3", got)
	}
	stop(t, s)
}

func TestRootBelowAPrivateHome(t *testing.T) {
	t.Parallel()
	needRoot(t)
	home := tempDir(t)
	if err := os.Chmod(home, 0o700); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(home, "data")
	for range 2 {
		s := start(t, Config{DataDir: dir})
		if !s.owner.namespace {
			t.Errorf("identity: got %s, want a user namespace", s.owner)
		}
		exec1(t, s.URL("postgres"), `SELECT 1`)
		stop(t, s)
	}
}

func TestReaches(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	inner := filepath.Join(dir, "inner")
	if err := os.Mkdir(inner, 0o700); err != nil {
		t.Fatal(err)
	}
	self := identity{uid: os.Geteuid(), gid: os.Getegid()}
	stranger := identity{uid: 54321, gid: 54321}
	group := identity{uid: 54321, gid: os.Getegid()}
	tests := []struct {
		name string
		id   identity
		mode os.FileMode
		want bool
	}{
		{"owner", self, 0o700, true},
		{"owner without the right", self, 0o077, false},
		{"stranger", stranger, 0o770, false},
		{"stranger with the right", stranger, 0o701, true},
		{"group", group, 0o710, true},
		{"group without the right", group, 0o707, false},
	}
	for _, tt := range tests {
		if err := os.Chmod(inner, tt.mode); err != nil {
			t.Fatal(err)
		}
		if got := reaches(tt.id, inner); got != tt.want {
			t.Errorf("%s: got %t, want %t", tt.name, got, tt.want)
		}
	}
}
