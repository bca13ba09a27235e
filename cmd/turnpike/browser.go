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

	"github.com/turnpike-edge/turnpike/backend/confine"
	"github.com/turnpike-edge/turnpike/backend/render"
)

const browserHelp = `Starts browsers for backends on this machine, which reach it by a Unix socket (TURNPIKE_BROWSER_SOCKET).

Run it as a user of its own that owns nothing: what a page does that breaks out of its browser, it does as this user. It
needs no network but loopback, so that it can be given none (PrivateNetwork=yes, docker run --network none): pages
reach the internet through the backend alone. It empties its own environment. It needs Linux.

The environment:
  TURNPIKE_BROWSER            the browser's path (default: the first found)
  TURNPIKE_BROWSER_SANDBOX    off: lets browsers go without Chromium's sandbox where that does not work
  TMPDIR                      where browsers have their files (default: /tmp)

dist/turnpike-browser.service is a unit for systemd, backend/render/seccomp.json a profile for containers.`

func browserCommand(cmd *cobra.Command) {
	cmd.Long = browserHelp
	cmd.Args = cobra.NoArgs
	f := cmd.Flags()
	f.String("socket", "/run/turnpike-browser/socket", "the Unix `socket` to serve on; one that systemd hands over goes before it")
	f.StringSlice("allow-user", nil, "the `user`, by name or id, who may connect: the backend's; may be repeated (default: the service's own)")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		err := confine.Environment("TURNPIKE_BROWSER", "TURNPIKE_BROWSER_SANDBOX", "TMPDIR", "PATH", "HOME", "LANG", "LISTEN_PID", "LISTEN_FDS")
		if err == nil {
			err = confine.Unreadable()
		}
		if err != nil {
			return fmt.Errorf("closing the service to its own user: %w", err)
		}
		cfg := render.Config{Browser: os.Getenv(browserName), Logger: slog.New(slog.NewJSONHandler(os.Stderr, nil))}
		if err := sandboxFromEnv(&cfg); err != nil {
			return err
		}
		admit, err := admittedUsers(cmd)
		if err != nil {
			return err
		}
		ctx, stop := untilInterrupted(cmd.Context())
		defer stop()
		listener, err := browserListener(ctx, cmd)
		if err != nil {
			return err
		}
		cfg.Logger.Info("serving browsers", "socket", listener.Addr().String())
		return render.NewHost(cfg).Serve(ctx, listener, admit)
	}
}

// admittedUsers are who may have browsers started.
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

// browserListener opens the socket, or takes the one that systemd has opened (sd_listen_fds(3)). Everyone may connect to
// ours: who is let in is decided by the user at the other end.
func browserListener(ctx context.Context, cmd *cobra.Command) (*net.UnixListener, error) {
	var listener net.Listener
	var err error
	if os.Getenv("LISTEN_PID") == strconv.Itoa(os.Getpid()) && os.Getenv("LISTEN_FDS") == "1" {
		const first = 3
		file := os.NewFile(first, "socket")
		defer file.Close()
		listener, err = net.FileListener(file)
	} else {
		path, _ := cmd.Flags().GetString("socket")
		if conn, err := new(net.Dialer).DialContext(ctx, "unix", path); err == nil {
			return nil, errors.Join(fmt.Errorf("something serves on %s already", path), conn.Close())
		}
		if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSocket != 0 {
			_ = os.Remove(path) // of one that was killed
		}
		if listener, err = new(net.ListenConfig).Listen(ctx, "unix", path); err == nil {
			err = os.Chmod(path, 0o666) //nolint:gosec // see above
		}
	}
	if err != nil {
		return nil, err
	}
	unixListener, ok := listener.(*net.UnixListener)
	if !ok {
		return nil, errors.Join(errors.New("the socket that was handed over is no Unix socket"), listener.Close())
	}
	return unixListener, nil
}
