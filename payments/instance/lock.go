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

// lock is a file that this process has to itself until it ends, and in which it writes its instance's id.
type lock struct {
	f *os.File
	// host is the kernel that keeps the lock, file the device and inode: a copy of the file is another.
	host, file string
}

// openLock locks the file at a path, which it makes if it is not there. It returns nil if another process has it.
func openLock(path string) (*lock, error) {
	host := bootID()
	if host == "" || !canLock {
		return nil, errors.New("this system does not say which kernel would keep the lock")
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
	// What has been put in its place since is another file, which another may have locked.
	if there, err := os.Stat(path); err != nil || !os.SameFile(locked, there) {
		return nil, errors.Join(err, f.Close())
	}
	l.file = inode(locked)
	return l, nil
}

// place is what the row of the instance that has the lock says of it; nothing of none.
func (l *lock) place() (host, file string) {
	if l == nil {
		return "", ""
	}
	return l.host, l.file
}

func (l *lock) free() {
	if l != nil {
		_ = l.f.Close() // which frees it
	}
}

// holder returns the instance that had the lock last, and false for none.
func (l *lock) holder() (uuid.UUID, bool) {
	text, err := io.ReadAll(io.NewSectionReader(l.f, 0, 64))
	if err != nil {
		return uuid.Nil, false
	}
	id, err := uuid.Parse(strings.TrimSpace(string(text)))
	return id, err == nil
}

// hold writes down who has the lock, durably.
func (l *lock) hold(id uuid.UUID) error {
	_, err := l.f.WriteAt([]byte(id.String()+"\n"), 0) // all ids are of one length
	if err == nil {
		err = l.f.Sync()
	}
	if err != nil {
		return fmt.Errorf("writing down who has the lock: %w", err)
	}
	return nil
}

// tryLock gets the lock, if it is wanted and free, and reports whether it has got it now. The caller holds the mutex.
func (i *Instance) tryLock() bool {
	if i.lock != nil || i.cfg.File == "" {
		return false
	}
	got, err := openLock(i.cfg.File)
	if err != nil {
		i.cfg.Logger.Warn("no successor will know at once that this process is gone: its file cannot be locked", "file", i.cfg.File, "error", err)
		i.cfg.File = ""
	}
	i.lock = got
	return got != nil
}

// lacksLock reports whether the lock is to be tried again.
func (i *Instance) lacksLock() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.lock == nil && i.cfg.File != ""
}

// succeed ends the instance that had the lock last, and then writes this one down in its place: not before, or it would
// be forgotten if this process were killed in between. The caller holds the mutex.
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
			i.cfg.Logger.Info("the process that had this instance's lock is gone; what it left is taken on", "predecessor", predecessor)
			i.ring()
		}
	}
	i.succeeded = true
	if err := i.lock.hold(i.id); err != nil {
		i.cfg.Logger.Warn("no successor will know at once that this process is gone", "file", i.cfg.File, "error", err)
	}
	return nil
}
