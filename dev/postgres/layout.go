package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// layout is a data directory: all files of one server are below base.
type layout struct{ base string }

const lockName = "turnpike.lock"

func (l layout) pgdata() string  { return filepath.Join(l.base, "pgdata") }
func (l layout) unmade() string  { return filepath.Join(l.base, "pgdata.new") }
func (l layout) logFile() string { return filepath.Join(l.base, "postgres.log") }
func (l layout) pidFile() string { return filepath.Join(l.pgdata(), "postmaster.pid") }

// LockedError says that another live process runs a server in the directory.
type LockedError struct {
	// DataDir is the directory in question.
	DataDir string
	// PID is the process that holds it, 0 if unknown.
	PID int
}

func (e *LockedError) Error() string {
	holder := "another process"
	if e.PID != 0 {
		holder = fmt.Sprintf("process %d", e.PID)
	}
	return fmt.Sprintf("%s is in use by %s; stop that one or choose another data directory", e.DataDir, holder)
}

// claimDir creates the directory, or checks that an existing one is ours: later steps change its owner and mode, which
// would be a disaster on, say, a home directory named by mistake.
func claimDir(path string) (layout, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return layout{}, err
	}
	if err := os.Mkdir(path, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return layout{}, err
	}
	// The path as the server will see it; needed to recognise our server by its working directory.
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return layout{}, err
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return layout{}, err
	}
	if len(entries) == 0 {
		return layout{path}, nil
	}
	for _, entry := range entries {
		if entry.Name() == lockName {
			return layout{path}, nil
		}
	}
	return layout{}, errors.New("the directory contains other files (it is not empty and has no " + lockName +
		"); choose an empty or new directory")
}

// acquire takes the lock that makes this process the only one to run a server here. The kernel releases it with the
// process, so it is never stale. The file is opened close-on-exec: the server must not inherit it.
func (l layout) acquire() (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(l.base, lockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening the lock file: %w", err)
	}
	ok, err := tryLock(f)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("locking %s: %w", f.Name(), err)
	}
	if !ok {
		defer f.Close()
		return nil, &LockedError{DataDir: l.base, PID: readPID(f.Name())}
	}
	// The content is only for the error message of a second process.
	if err = f.Truncate(0); err == nil {
		_, err = f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("writing %s: %w", lockName, err)
	}
	return f, nil
}

// readPID reads the number in the first line of a file, 0 if there is none.
func readPID(path string) int {
	data, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	line, _, _ := strings.Cut(string(data), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil || pid <= 0 {
		return 0
	}
	return pid
}

// clusterMajor is the major version of the existing cluster, 0 if there is none yet.
func (l layout) clusterMajor() (int, error) {
	if _, err := os.Stat(l.pgdata()); errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	path := filepath.Join(l.pgdata(), "PG_VERSION")
	data, err := os.ReadFile(path)
	if err != nil {
		return 0, fmt.Errorf("reading the version of the cluster (restore the directory, or move it away to create a new cluster): %w", err)
	}
	major, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil || major <= 0 {
		return 0, fmt.Errorf("%s: want a major version such as 17, got %q; restore the directory, or move it away to create a new cluster",
			path, strings.TrimSpace(string(data)))
	}
	return major, nil
}

// handTo makes the directory the private property of the user that the server runs as.
func (l layout) handTo(owner identity) error {
	if owner.drop {
		if err := os.Chown(l.base, owner.uid, owner.gid); err != nil {
			return fmt.Errorf("changing the owner of the data directory to %s: %w", owner, err)
		}
	}
	if err := os.Chmod(l.base, 0o700); err != nil {
		return fmt.Errorf("making the data directory private: %w", err)
	}
	return nil
}

const (
	// socketPathMax is below the limit of sun_path on any system (104 bytes on macOS).
	socketPathMax   = 99
	shortSocketRoot = "/tmp" // not os.TempDir: on macOS it takes half of the limit
)

// plainPath needs no quoting in unix_socket_directories, which is a list.
var plainPath = regexp.MustCompile(`^[A-Za-z0-9/._+~-]+$`)

// socketDir is the directory of the unix socket: below base if the path is short and plain, else a private directory in
// /tmp whose name is derived from base, so that URL is the same after a restart.
func (l layout) socketDir(owner identity) (dir string, outside bool, err error) {
	dir = filepath.Join(l.base, "socket")
	if len(socketFile(dir)) > socketPathMax || !plainPath.MatchString(dir) {
		sum := sha256.Sum256([]byte(l.base))
		dir, outside = filepath.Join(shortSocketRoot, "turnpike-"+hex.EncodeToString(sum[:8])), true
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return "", false, fmt.Errorf("creating the socket directory: %w", err)
	}
	// In /tmp anyone may have created this name before, even as a link; only our own directory is accepted.
	info, err := os.Lstat(dir)
	if err != nil {
		return "", false, fmt.Errorf("creating the socket directory: %w", err)
	}
	uid, _ := fileOwner(info)
	if !info.IsDir() || (uid != os.Geteuid() && uid != owner.uid) {
		return "", false, fmt.Errorf("socket directory %s exists and belongs to another user (uid %d); remove it", dir, uid)
	}
	if err := (layout{dir}).handTo(owner); err != nil {
		return "", false, fmt.Errorf("socket directory %s: %w", dir, err)
	}
	return dir, outside, nil
}

// logTail is the end of the server's log, to be appended to an error.
func (l layout) logTail() string {
	data, err := os.ReadFile(l.logFile())
	if err != nil || len(data) == 0 {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	return "; its log ends with:\n\t" + strings.Join(lines[max(0, len(lines)-8):], "\n\t")
}

// initCluster creates a cluster. It gets its name only when it is complete, so a crash half-way does no harm.
func (l layout) initCluster(ctx context.Context, inst Installation, owner identity, throwaway bool) error {
	var errs []error
	for _, ctype := range characterTypes() {
		if err := os.RemoveAll(l.unmade()); err != nil {
			return err
		}
		// Sort by bytes, the same on every system; classify characters (upper, lower, full-text) by Unicode.
		args := []string{
			"-D", l.unmade(), "-U", User, "--encoding=UTF8", "--locale=C", "--lc-ctype=" + ctype,
			"--auth-local=trust", "--auth-host=reject", "--data-checksums",
		}
		if throwaway {
			args = append(args, "--no-sync")
		}
		out, err := runQuietly(ctx, filepath.Join(inst.Dir, "initdb"), args, owner)
		if err == nil {
			return l.publish()
		}
		errs = append(errs, fmt.Errorf("initdb: %w: %s", err, strings.TrimSpace(out)))
		if ctx.Err() != nil {
			break
		}
	}
	return errors.Join(append(errs, os.RemoveAll(l.unmade()))...)
}

// copyCluster creates a cluster that is a standby of a server.
func (l layout) copyCluster(ctx context.Context, inst Installation, owner identity, primary string) error {
	if err := os.RemoveAll(l.unmade()); err != nil {
		return err
	}
	args := []string{"--dbname=" + primary, "--pgdata=" + l.unmade(), "--wal-method=stream", "--checkpoint=fast", "--write-recovery-conf", "--no-sync"}
	out, err := runQuietly(ctx, filepath.Join(inst.Dir, "pg_basebackup"), args, owner)
	if err == nil {
		return l.publish()
	}
	return errors.Join(fmt.Errorf("pg_basebackup: %w: %s", err, strings.TrimSpace(out)), os.RemoveAll(l.unmade()))
}

// publish gives the finished cluster its name, durably.
func (l layout) publish() error {
	if err := os.Rename(l.unmade(), l.pgdata()); err != nil {
		return err
	}
	dir, err := os.Open(l.base)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
