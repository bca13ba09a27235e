package postgres

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"time"
)

// MinimumMajor is the oldest major version of PostgreSQL that the schema works on.
const MinimumMajor = 14

// User is the superuser of the cluster and the name that URL connects with.
const User = "turnpike"

const (
	port                = "5432" // names the socket file; nothing listens on TCP
	defaultStartTimeout = 60 * time.Second
)

// Config says where the cluster lives and how it is run.
type Config struct {
	// DataDir is the directory of this server: cluster, log, lock file and, if its path is short enough, the socket. It
	// is created with mode 0700. An existing directory must be empty or an earlier DataDir. Required; DefaultDataDir is a
	// good choice.
	DataDir string
	// Logger gets starts, stops and retries. Nil: nothing is logged.
	Logger *slog.Logger
	// Notices receives the line that announces a download. Nil: standard error.
	Notices io.Writer
	// Offline forbids installing binaries; if this machine has none, Start fails with a *NotFoundError.
	Offline bool
	// Settings are server parameters (postgresql.conf names) that override the defaults, fsync and
	// max_connections among them. Those that keep the server private cannot be set.
	Settings map[string]string
	// StartTimeout bounds initdb, recovery and waiting for an earlier server to die. Default 60 s.
	StartTimeout time.Duration
	// StandbyOf is the URL of a server that a new cluster is copied from and then follows, as an asynchronous standby.
	// Empty: a new cluster is an empty one.
	StandbyOf string
	// Ephemeral removes DataDir when the server has stopped or its owner has died. For tests.
	Ephemeral bool
	// Search says where binaries are looked for. The zero value means SystemSearch().
	Search Search
}

// fixedSettings keep the server private; they cannot be changed.
var fixedSettings = []string{
	"config_file", "data_directory", "external_pid_file", "hba_file", "ident_file", "listen_addresses",
	"log_destination", "logging_collector", "port", "unix_socket_directories", "unix_socket_permissions",
}

var settingName = regexp.MustCompile(`^[a-z_][a-z0-9_]*(\.[a-z_][a-z0-9_]*)?$`)

// withDefaults fills in unset fields and reports all faults of c at once.
func (c Config) withDefaults() (Config, error) {
	var faults []error
	if c.DataDir == "" {
		faults = append(faults, errors.New("DataDir: is empty; want a directory that only this server uses"))
	} else if abs, err := filepath.Abs(c.DataDir); err != nil {
		faults = append(faults, fmt.Errorf("DataDir: %w", err))
	} else {
		c.DataDir = abs
	}
	for name := range c.Settings {
		switch {
		case !settingName.MatchString(name):
			faults = append(faults, fmt.Errorf("Settings: %q is not the name of a server parameter", name))
		case slices.Contains(fixedSettings, name):
			faults = append(faults, fmt.Errorf("Settings: %s cannot be changed, because it keeps the server private", name))
		}
	}
	if c.StartTimeout < 0 {
		faults = append(faults, fmt.Errorf("StartTimeout: %s is negative", c.StartTimeout))
	}
	if c.StartTimeout == 0 {
		c.StartTimeout = defaultStartTimeout
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Notices == nil {
		c.Notices = os.Stderr
	}
	if c.Search == (Search{}) {
		c.Search = SystemSearch()
	}
	if len(faults) > 0 {
		return c, fmt.Errorf("configuring private postgres: %w", errors.Join(faults...))
	}
	return c, nil
}

// serverArgs are the command-line parameters of the server: the name of its directory, the defaults, c.Settings over
// them, and last the fixed settings.
func (c Config) serverArgs(pgdata, socketDir string) []string {
	settings := map[string]string{
		"cluster_name":     "turnpike",
		"fsync":            "on",
		"lc_messages":      "C", // the start loop parses the log
		"log_min_messages": "warning",
		"max_connections":  "100",
		"timezone":         "UTC",
		"log_timezone":     "UTC",
		"log_line_prefix":  "%m [%p] ",
	}
	maps.Copy(settings, c.Settings)
	settings["listen_addresses"] = ""
	settings["logging_collector"] = "off"
	settings["unix_socket_directories"] = socketDir
	settings["unix_socket_permissions"] = "0700"

	args := []string{"-D", pgdata, "-p", port}
	for _, name := range sortedKeys(settings) {
		args = append(args, "-c", name+"="+settings[name])
	}
	return args
}

func sortedKeys(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// DefaultDataDir is where a program of this user keeps its cluster: /var/lib/turnpike/postgres for root (root's home is
// closed to the user that the server has to run as), else the user's data directory.
func DefaultDataDir() (string, error) {
	const leaf = "turnpike/postgres"
	if os.Geteuid() == 0 {
		return "/var/lib/" + leaf, nil
	}
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, leaf), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("finding the user's data directory: %w", err)
	}
	if runtime.GOOS == "darwin" {
		return filepath.Join(home, "Library", "Application Support", leaf), nil
	}
	return filepath.Join(home, ".local", "share", leaf), nil
}
