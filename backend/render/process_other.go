//go:build !unix

package render

import (
	"net"
	"os"
	"syscall"
)

func browserUser() int { return 0 }

func groupAttr() *syscall.SysProcAttr { return nil }

func giveToBrowser(string) error { return nil }

func killGroup(leader int) bool {
	p, err := os.FindProcess(leader)
	return err == nil && p.Kill() == nil
}

// groupBytes is not known here, so browsers are recycled by pages alone.
func groupBytes(int) int64 { return 0 }

func ownedBy(net.Addr, net.Addr, int) bool { return true }
