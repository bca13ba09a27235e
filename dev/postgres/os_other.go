//go:build !unix

package postgres

import (
	"errors"
	"os"
	"runtime"
	"syscall"
)

// checkPlatform fails before any of the functions below is called.
func checkPlatform() error {
	return errors.New("a private postgres needs Unix sockets and process signals, which " + runtime.GOOS +
		" lacks; set DATABASE_URL to the URL of your own server")
}

func tryLock(*os.File) (bool, error)           { return false, checkPlatform() }
func unlock(f *os.File) error                  { return f.Close() }
func fileOwner(os.FileInfo) (uid, gid int)     { return -1, -1 }
func alive(int) bool                           { return false }
func syscallKill(int, syscall.Signal) error    { return checkPlatform() }
func sessionAttr() *syscall.SysProcAttr        { return nil }
func (id identity) attr() *syscall.SysProcAttr { return nil }
func runsIn(int, string) bool                  { return false }
func workingIn(string) []int                   { return nil }
func characterTypes() []string                 { return nil }
