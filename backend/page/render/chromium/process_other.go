//go:build !unix

package chromium

import (
	"context"
	"errors"
	"net"
	"os"
	"syscall"
)

// Pair is not supported: browsers are started only on Unix.
func (h *Host) Pair(context.Context) (*net.UnixConn, error) { return nil, errors.ErrUnsupported }

func handOver(*net.UnixConn, net.Conn) error { return errors.ErrUnsupported }

func takeOver(*net.UnixConn) (net.Conn, error) { return nil, errors.ErrUnsupported }

func browserUser() int { return 0 }

func peerUser(*net.UnixConn) (int, error) { return 0, errors.ErrUnsupported }

func groupAttr() *syscall.SysProcAttr { return nil }

func giveToBrowser(string) error { return nil }

func killGroup(leader int) bool {
	p, err := os.FindProcess(leader)
	return err == nil && p.Kill() == nil
}

// groupBytes is not supported, so browsers are recycled only by pages.
func groupBytes(int) int64 { return 0 }

func ownedBy(net.Addr, net.Addr, int) bool { return true }
