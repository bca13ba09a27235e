//go:build unix && !linux

package chromium

import (
	"errors"
	"net"
	"os"
	"syscall"
)

func browserUser() int { return os.Getuid() }

func peerUser(*net.UnixConn) (int, error) { return 0, errors.ErrUnsupported }

// groupAttr makes the browser lead its own process group. When this process dies, the browser's pipe ends, and it exits.
func groupAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func giveToBrowser(string) error { return nil }

func killGroup(leader int) bool { return syscall.Kill(-leader, syscall.SIGKILL) == nil }

// groupBytes is not supported, so browsers are recycled only by pages.
func groupBytes(int) int64 { return 0 }

func ownedBy(net.Addr, net.Addr, int) bool { return true }
