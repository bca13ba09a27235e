//go:build unix

package rig

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5"
)

// ErrNoPgBouncer is returned if PgBouncer is not installed.
var ErrNoPgBouncer = errors.New("PgBouncer is not installed (scripts/install-needs test installs it)")

// pgbouncerINI is the configuration that docs/pgbouncer.md shows.
//
//go:embed pgbouncer.ini
var pgbouncerINI string

// PgBouncer is a running PgBouncer in transaction mode, with the configuration of the documentation, except for its
// addresses, and for passwords: it asks for none.
type PgBouncer struct {
	*Process

	// URL is the address of the database behind it.
	URL string
	// Log is the file that it logs to.
	Log string
}

// FindPgBouncer returns where PgBouncer is, or ErrNoPgBouncer.
func FindPgBouncer() (path string, err error) {
	for _, path := range []string{"pgbouncer", "/usr/sbin/pgbouncer"} { // Debian does not have it on the PATH of users
		if path, err := exec.LookPath(path); err == nil {
			return path, nil
		}
	}
	return "", ErrNoPgBouncer
}

// StartPgBouncer starts one in front of a database and returns when it serves. It keeps its files in dir.
func StartPgBouncer(ctx context.Context, dir, databaseURL string) (*PgBouncer, error) {
	address, err := StableAddress(ctx)
	if err != nil {
		return nil, err
	}
	return StartPgBouncerAt(ctx, dir, address, databaseURL)
}

// StartPgBouncerAt is StartPgBouncer on a given host and port, such as those of one that has ended.
func StartPgBouncerAt(ctx context.Context, dir, address, databaseURL string) (*PgBouncer, error) {
	path, err := FindPgBouncer()
	if err != nil {
		return nil, err
	}
	to, err := pgx.ParseConfig(databaseURL)
	if err != nil {
		return nil, fmt.Errorf("reading the address of the database: %w", err)
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	server := fmt.Sprintf("host=%s port=%d dbname=%s user=%s", to.Host, to.Port, to.Database, to.User)
	if to.Password != "" {
		server += " password=" + to.Password
	}
	ini := pgbouncerINI
	for _, line := range []struct{ name, is string }{
		{"turnpike", server},
		{"listen_addr", host},
		{"listen_port", port},
		{"auth_type", "any"},
		{"auth_file", ""},
	} {
		ini = regexp.MustCompile(`(?m)^`+line.name+` = .*$`).ReplaceAllLiteralString(ini, line.name+" = "+line.is)
	}
	ini += "unix_socket_dir =\n"
	config, err := writeForAll(ini)
	if err != nil {
		return nil, fmt.Errorf("writing PgBouncer's configuration: %w", err)
	}
	defer os.RemoveAll(filepath.Dir(config)) // it is read once
	cmd := exec.Command(path, config)
	cmd.Dir = "/"
	if os.Geteuid() == 0 { // it refuses to run as root
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: ownerOf(to.Host)}
	}
	log := filepath.Join(dir, "pgbouncer-"+port+".log")
	process, err := Start(cmd, log)
	if err != nil {
		return nil, err
	}
	b := &PgBouncer{Process: process, Log: log}
	u := url.URL{Scheme: "postgres", User: url.User(to.User), Host: address, Path: "/turnpike", RawQuery: "sslmode=disable"}
	b.URL = u.String()
	if err := Await(ctx, address, process.Done()); err != nil {
		text, _ := os.ReadFile(log)
		return nil, errors.Join(fmt.Errorf("starting PgBouncer: %w; its log:\n%s", err, strings.TrimSpace(string(text))), process.Kill())
	}
	return b, nil
}

// writeForAll writes a file that any user can read, in its own directory.
func writeForAll(text string) (path string, err error) {
	dir, err := os.MkdirTemp("", "turnpike-pgbouncer-")
	if err != nil {
		return "", err
	}
	path = filepath.Join(dir, "pgbouncer.ini")
	return path, errors.Join(os.Chmod(dir, 0o755), os.WriteFile(path, []byte(text), 0o644))
}

// ownerOf is the owner of the directory of a socket, or nobody.
func ownerOf(socketDir string) *syscall.Credential {
	const nobody = 65534
	info, err := os.Stat(socketDir)
	if err == nil {
		if stat, ok := info.Sys().(*syscall.Stat_t); ok && stat.Uid != 0 {
			return &syscall.Credential{Uid: stat.Uid, Gid: stat.Gid}
		}
	}
	return &syscall.Credential{Uid: nobody, Gid: nobody}
}
