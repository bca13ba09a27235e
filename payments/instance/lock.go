package instance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/uuid"

	"github.com/turnpike-edge/turnpike/db"
)

// lock is a file that this process holds exclusively until it ends, and in which it writes its instance's id.
type lock struct {
	f *os.File
	// host is the kernel that keeps the lock; file is device and inode, so a copy of the file is a different lock.
	host, file string
}

// openLock locks the file at path and creates it if needed. It returns nil if another process holds the lock.
func openLock(path string) (*lock, error) {
	host := bootID()
	if host == "" || !canLock {
		return nil, errors.New("this system does not support the lock, or does not report its boot id")
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	l := &lock{f: f, host: host}
	if isFree, err := flock(f); err != nil || !isFree {
		return nil, errors.Join(err, f.Close())
	}
	locked, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	// If the file was replaced meanwhile, the path names another file, which another process may have locked.
	if there, err := os.Stat(path); err != nil || !os.SameFile(locked, there) {
		return nil, errors.Join(err, f.Close())
	}
	l.file = inode(locked)
	return l, nil
}

// place returns the values of the lock for the instance's row; empty without a lock.
func (l *lock) place() (host, file string) {
	if l == nil {
		return "", ""
	}
	return l.host, l.file
}

func (l *lock) free() {
	if l != nil {
		_ = l.f.Close() // this frees the lock
	}
}

// holder returns the instance that held the lock last, and false if there is none.
func (l *lock) holder() (uuid.UUID, bool) {
	text, err := io.ReadAll(io.NewSectionReader(l.f, 0, 64))
	if err != nil {
		return uuid.Nil, false
	}
	id, err := uuid.Parse(strings.TrimSpace(string(text)))
	return id, err == nil
}

// hold writes durably who holds the lock.
func (l *lock) hold(id uuid.UUID) error {
	_, err := l.f.WriteAt([]byte(id.String()+"\n"), 0) // all ids have the same length
	if err == nil {
		err = l.f.Sync()
	}
	if err != nil {
		return fmt.Errorf("recording the holder of the lock: %w", err)
	}
	return nil
}

// tryLock takes the lock, if it is wanted and free, and reports whether it took it now. The mutex must be held.
func (i *Instance) tryLock() bool {
	if i.lock != nil || i.cfg.File == "" {
		return false
	}
	got, err := openLock(i.cfg.File)
	if err != nil {
		i.cfg.Logger.Warn("a successor will not notice at once if this process exits: its file cannot be locked", "file", i.cfg.File, "error", err)
		i.cfg.File = ""
	}
	i.lock = got
	return got != nil
}

// lacksLock reports whether the lock must be tried again.
func (i *Instance) lacksLock() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.lock == nil && i.cfg.File != ""
}

// succeed ends the instance that held the lock last, and only then writes this instance's id. In the other order, the
// predecessor would be forgotten if this process were killed in between. The mutex must be held.
func (i *Instance) succeed(ctx context.Context) error {
	if i.lock == nil || i.succeeded {
		return nil
	}
	if predecessor, ok := i.lock.holder(); ok {
		ended, err := i.q.EndPredecessor(ctx, db.EndPredecessorParams{ID: predecessor, Host: i.lock.host, File: i.lock.file})
		if err != nil {
			return fmt.Errorf("ending the predecessor %s: %w", predecessor, err)
		}
		if ended > 0 {
			i.cfg.Logger.Info("the previous holder of this instance's lock has exited; taking over its work", "predecessor", predecessor)
			i.ring()
		}
	}
	i.succeeded = true
	if err := i.lock.hold(i.id); err != nil {
		i.cfg.Logger.Warn("a successor will not notice at once if this process exits", "file", i.cfg.File, "error", err)
	}
	return nil
}
