//go:build unix

package postgres

import (
	"errors"
	"os"
	"syscall"
)

func checkPlatform() error { return nil }

// tryLock takes an exclusive lock without waiting; it reports false if another open file has it.
func tryLock(f *os.File) (bool, error) {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, syscall.EWOULDBLOCK):
			return false, nil
		case !errors.Is(err, syscall.EINTR):
			return false, err
		}
	}
}

// unlock releases the lock and closes f. Closing alone is not enough: a child that is just being forked has a copy of the
// descriptor until it execs, and the lock lives as long as any copy.
func unlock(f *os.File) error {
	return errors.Join(syscall.Flock(int(f.Fd()), syscall.LOCK_UN), f.Close())
}

func fileOwner(info os.FileInfo) (uid, gid int) {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(st.Uid), int(st.Gid)
	}
	return -1, -1
}

func alive(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}

func syscallKill(pid int, sig syscall.Signal) error { return syscall.Kill(pid, sig) }

func sessionAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// attr gives the process its own group, so that a ^C at the terminal reaches only the owner, which then stops the server
// when it no longer needs it.
func (id identity) attr() *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setpgid: true}
	if id.drop {
		attr.Credential = &syscall.Credential{Uid: uint32(id.uid), Gid: uint32(id.gid)}
	}
	id.addSystemAttr(attr)
	return attr
}
