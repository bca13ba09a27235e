package chromium

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// A host may hang up before the client has sent anything.
func TestHostThatHangsUpAtOnce(t *testing.T) {
	t.Parallel()
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(t.TempDir(), "socket")})
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	err = Ready(func(ctx context.Context) (*net.UnixConn, error) {
		conn, err := Dial(ctx, listener.Addr().String())
		if err != nil {
			return nil, err
		}
		other, err := listener.Accept()
		if err != nil {
			return nil, err
		}
		return conn, other.Close()
	})
	if !errors.Is(err, syscall.EPIPE) || !strings.Contains(err.Error(), "this user may use it") {
		t.Errorf("got %v, want a broken pipe, and what it may mean", err)
	}
}

func TestEgressPeers(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	client, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	server, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	if !ownedBy(server.RemoteAddr(), server.LocalAddr(), os.Getuid()) {
		t.Error("a connection of our own is not seen as ours")
	}
	if ownedBy(server.RemoteAddr(), server.LocalAddr(), os.Getuid()+1) {
		t.Error("a connection of our own is seen as another's")
	}
}

// The shipped profile allows what a browser needs for its sandbox, and no calls that can break out of containers.
func TestSeccompProfile(t *testing.T) {
	t.Parallel()
	names := syscalls()
	for _, needed := range []string{"clone", "unshare", "chroot", "seccomp", "execve", "landlock_restrict_self"} {
		if !slices.Contains(names, needed) {
			t.Errorf("%s is not allowed, and browsers or their host call it", needed)
		}
	}
	for _, refused := range []string{
		"add_key", "bpf", "delete_module", "finit_module", "fsopen", "init_module", "io_uring_setup", "kcmp", "kexec_load", "keyctl", "mknod", "mount",
		"move_mount", "name_to_handle_at", "open_by_handle_at", "open_tree", "perf_event_open", "personality", "pidfd_getfd", "pivot_root",
		"process_madvise", "process_vm_readv", "process_vm_writev", "ptrace", "reboot", "request_key", "setns", "swapon", "syslog", "umount2", "userfaultfd",
	} {
		if slices.Contains(names, refused) {
			t.Errorf("%s is allowed", refused)
		}
	}
	if !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) != len(names) {
		t.Error("the names are not sorted, or one stands there twice")
	}
}
