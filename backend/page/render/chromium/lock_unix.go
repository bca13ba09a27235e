//go:build unix

package chromium

import (
	"os"
	"path/filepath"
	"syscall"
)

const lockName = "turnpike.lock"

// lockProfile marks a browser's directory as in use while the returned file is open, that is, until we close it or die. The
// file is locked before it gets its final name: unlocked, the directory would look abandoned.
func lockProfile(dir string) (*os.File, error) {
	file, err := os.CreateTemp(dir, "lock-")
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = file.Close()
		return nil, err
	}
	if err := os.Rename(file.Name(), filepath.Join(dir, lockName)); err != nil {
		_ = file.Close()
		return nil, err
	}
	return file, nil
}

// removeAbandoned removes the directories of browsers whose worker was killed before it could do so.
func removeAbandoned() {
	locks, err := filepath.Glob(filepath.Join(os.TempDir(), profilePrefix+"*", lockName))
	if err != nil {
		return
	}
	for _, name := range locks {
		file, err := os.Open(name)
		if err != nil {
			continue // another user's, or just removed
		}
		if syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
			_ = os.RemoveAll(filepath.Dir(name))
		}
		_ = file.Close()
	}
}
