//go:build unix && !linux

package render

import (
	"errors"
	"net"
	"os"
	"syscall"
)

func browserUser() int { return os.Getuid() }

func peerUser(*net.UnixConn) (int, error) { return 0, errors.ErrUnsupported }

// groupAttr has the browser lead a process group of its own. When we die it reads the end of its pipe, and ends too.
func groupAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func giveToBrowser(string) error { return nil }

func killGroup(leader int) bool { return syscall.Kill(-leader, syscall.SIGKILL) == nil }

// groupBytes is not known here, so browsers are recycled by pages alone.
func groupBytes(int) int64 { return 0 }

func ownedBy(net.Addr, net.Addr, int) bool { return true }
