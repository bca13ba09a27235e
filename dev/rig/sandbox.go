package rig

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"
)

// Sandbox returns why Chromium's sandbox cannot work on this machine, if it cannot: on Linux it needs that ordinary users
// can make user namespaces.
var Sandbox = sync.OnceValue(func() error {
	if runtime.GOOS != "linux" {
		return nil
	}
	if out, err := exec.Command("setpriv", AsNobody("unshare", "--user", "--map-root-user", "true")...).CombinedOutput(); err != nil {
		return fmt.Errorf("ordinary users cannot make user namespaces here, which browsers need: %w: %s", err, out)
	}
	return nil
})

// NetworkOfItsOwn reports whether a command can be given a network of its own, which has loopback alone.
var NetworkOfItsOwn = sync.OnceValue(func() bool {
	return os.Getuid() == 0 && exec.Command("unshare", "--net", "ip", "link", "set", "lo", "up").Run() == nil
})

// AsNobody is arguments for setpriv by which root runs a command as the user nobody, and others as themselves.
func AsNobody(command ...string) []string {
	if os.Getuid() == 0 {
		return append([]string{"--reuid", "65534", "--regid", "65534", "--clear-groups"}, command...)
	}
	return append([]string{"--no-new-privs"}, command...)
}

// Apart is a command as another user where the tests are root's, and in a network of its own where that can be had.
func Apart(command ...string) []string {
	switch {
	case os.Getuid() != 0:
		return command
	case !NetworkOfItsOwn():
		return append([]string{"setpriv"}, AsNobody(command...)...)
	}
	return append([]string{"unshare", "--net", "sh", "-c", `ip link set lo up && exec setpriv "$@"`, "sh"}, AsNobody(command...)...)
}
