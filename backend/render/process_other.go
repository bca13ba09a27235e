//go:build !unix

package render

import (
	"context"
	"errors"
	"net"
	"os"
	"syscall"
)

// pair is not known here: browsers are started on Unix alone.
func (h *Host) pair(context.Context) (*net.UnixConn, error) { return nil, errors.ErrUnsupported }

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

// groupBytes is not known here, so browsers are recycled by pages alone.
func groupBytes(int) int64 { return 0 }

func ownedBy(net.Addr, net.Addr, int) bool { return true }
