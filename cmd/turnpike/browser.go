package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"os/user"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/turnpike-edge/turnpike/backend/app"
	"github.com/turnpike-edge/turnpike/backend/confine"
	"github.com/turnpike-edge/turnpike/backend/page/render/chromium"
)

const browserHelp = `Starts browsers for backends on this machine. Backends connect by a Unix socket (TURNPIKE_BROWSER_SOCKET).

Run it as a separate user that owns nothing: a page that breaks out of its browser gets the rights of this user.
It needs no network except loopback (PrivateNetwork=yes, docker run --network none), because pages reach the
internet only through the backend. It clears its own environment. It requires Linux.

Environment variables:
  TURNPIKE_BROWSER            path of the browser (default: the first that is found)
  TURNPIKE_BROWSER_SANDBOX    off: runs browsers without Chromium's sandbox where the sandbox does not work
  TMPDIR                      directory for the browsers' files (default: /tmp)

dist/turnpike-browser.service is a unit for systemd, and backend/page/render/chromium/seccomp.json is a profile for containers.`

func browserCommand(cmd *cobra.Command) {
	cmd.Long = browserHelp
	cmd.Args = cobra.NoArgs
	f := cmd.Flags()
	f.String("socket", "/run/turnpike-browser/socket", "Unix `socket` to listen on")
	f.StringSlice("allow-user", nil, "`user` that may connect, by name or id, such as the backend's; may be repeated (default: the user of this process)")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		err := confine.Environment("TURNPIKE_BROWSER", "TURNPIKE_BROWSER_SANDBOX", "TMPDIR", "PATH", "HOME", "LANG")
		if err == nil {
			err = confine.Unreadable()
		}
		if err != nil {
			return fmt.Errorf("protecting the process from other programs of its user: %w", err)
		}
		cfg := chromium.Config{Browser: os.Getenv(app.BrowserName), Logger: slog.New(slog.NewJSONHandler(os.Stderr, nil))}
		if err := app.SandboxFromEnv(&cfg.Sandbox); err != nil {
			return err
		}
		admit, err := admittedUsers(cmd)
		if err != nil {
			return err
		}
		ctx, stop := untilInterrupted(cmd.Context())
		defer stop()
		path, _ := cmd.Flags().GetString("socket")
		listener, err := browserListener(ctx, path)
		if err != nil {
			return err
		}
		cfg.Logger.Info("serving browsers", "socket", listener.Addr().String())
		return chromium.NewHost(cfg).Serve(ctx, listener, admit)
	}
}

// admittedUsers returns a check of which users may start browsers.
func admittedUsers(cmd *cobra.Command) (func(int) bool, error) {
	names, _ := cmd.Flags().GetStringSlice("allow-user")
	admitted := map[int]bool{}
	for _, name := range names {
		id, err := strconv.Atoi(name)
		if err != nil {
			found, err := user.Lookup(name)
			if err != nil {
				return nil, fmt.Errorf("--allow-user: %w", err)
			}
			if id, err = strconv.Atoi(found.Uid); err != nil {
				return nil, fmt.Errorf("--allow-user %q: %w", name, err)
			}
		}
		admitted[id] = true
	}
	if len(admitted) == 0 {
		admitted[os.Getuid()] = true
	}
	return func(id int) bool { return admitted[id] }, nil
}

// browserListener opens the socket. Everyone may connect; the user of the connecting process decides who is admitted.
func browserListener(ctx context.Context, path string) (*net.UnixListener, error) {
	if conn, err := new(net.Dialer).DialContext(ctx, "unix", path); err == nil {
		return nil, errors.Join(fmt.Errorf("another process already listens on %s", path), conn.Close())
	}
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSocket != 0 {
		_ = os.Remove(path) // left by a service that was killed
	}
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o666); err != nil { //nolint:gosec // see above
		return nil, errors.Join(err, listener.Close())
	}
	return listener, nil
}
