package chromium

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// nobody is the user that owns nothing, by convention of the kernel (its overflow id) and of every distribution.
const nobody = 65534

// browserUser is the user that browsers run as: Chromium refuses its sandbox to root, and a page that breaks out should own
// nothing.
func browserUser() int {
	if os.Getuid() == 0 {
		return nobody
	}
	return os.Getuid()
}

// peerUser returns the user at the other end of a Unix socket.
func peerUser(conn *net.UnixConn) (int, error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return 0, err
	}
	var peer *unix.Ucred
	var failed error
	if err := raw.Control(func(file uintptr) { peer, failed = unix.GetsockoptUcred(int(file), unix.SOL_SOCKET, unix.SO_PEERCRED) }); err != nil {
		return 0, err
	}
	if failed != nil {
		return 0, failed
	}
	return int(peer.Uid), nil
}

// groupAttr makes the browser lead its own process group and die when this process dies for any reason.
func groupAttr() *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if os.Getuid() == 0 {
		attr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
	}
	return attr
}

func giveToBrowser(dir string) error {
	if os.Getuid() != 0 {
		return nil
	}
	return os.Chown(dir, nobody, nobody)
}

// killGroup reports whether there was anything to kill. A group's ID is not reused while it has members, and callers stop
// when it has none.
func killGroup(leader int) bool {
	return syscall.Kill(-leader, syscall.SIGKILL) == nil
}

// groupBytes returns the private memory of a group's processes in bytes: shared pages, such as the browser's code, are not
// counted.
func groupBytes(leader int) int64 {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return 0
	}
	var pages int64
	for _, entry := range entries {
		if name := entry.Name(); name[0] >= '0' && name[0] <= '9' && groupOf(name) == leader {
			pages += privatePages(name)
		}
	}
	return pages * int64(os.Getpagesize())
}

// groupOf reads field 5 of /proc/<pid>/stat. Field 2, the name, may contain anything, so counting starts after it.
func groupOf(pid string) int {
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) < 3 {
		return 0
	}
	group, _ := strconv.Atoi(fields[2])
	return group
}

func privatePages(pid string) int64 {
	statm, err := os.ReadFile("/proc/" + pid + "/statm")
	if err != nil {
		return 0
	}
	var size, resident, shared int64
	if _, err := fmt.Sscan(string(statm), &size, &resident, &shared); err != nil {
		return 0
	}
	return resident - shared
}

// ownedBy reports whether the other end of a loopback connection belongs to a user, by the kernel's socket table. It keeps
// other users of the machine from the egress, whose proxies may cost money.
func ownedBy(peer, local net.Addr, user int) bool {
	from, err := netip.ParseAddrPort(peer.String())
	if err != nil || !from.Addr().Is4() {
		return false
	}
	to, err := netip.ParseAddrPort(local.String())
	if err != nil || !to.Addr().Is4() {
		return false
	}
	table, err := os.Open("/proc/net/tcp")
	if err != nil {
		return false
	}
	defer table.Close()
	local4, remote4 := kernelForm(from), kernelForm(to)
	lines := bufio.NewScanner(table)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) > 7 && fields[1] == local4 && fields[2] == remote4 {
			return fields[7] == strconv.Itoa(user)
		}
	}
	return false
}

// kernelForm writes an address as in /proc/net/tcp: the four bytes as one number in the machine's byte order.
func kernelForm(a netip.AddrPort) string {
	b := a.Addr().As4()
	return fmt.Sprintf("%08X:%04X", binary.NativeEndian.Uint32(b[:]), a.Port())
}
