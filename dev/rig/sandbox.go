package rig

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"
)

// Sandbox returns why Chromium's sandbox cannot work on this machine, or nil: on Linux ordinary users must be able to
// create user namespaces.
var Sandbox = sync.OnceValue(func() error {
	if runtime.GOOS != "linux" {
		return nil
	}
	if out, err := exec.Command("setpriv", AsNobody("unshare", "--user", "--map-root-user", "true")...).CombinedOutput(); err != nil {
		return fmt.Errorf("users other than root cannot create user namespaces on this machine, which browsers need: %w: %s", err, out)
	}
	return nil
})

// NetworkOfItsOwn reports whether a command can be given its own network, which has only a loopback interface.
var NetworkOfItsOwn = sync.OnceValue(func() bool {
	return os.Getuid() == 0 && exec.Command("unshare", "--net", "ip", "link", "set", "lo", "up").Run() == nil
})

// AsNobody returns arguments for setpriv with which root runs a command as the user nobody, and others as themselves.
func AsNobody(command ...string) []string {
	if os.Getuid() == 0 {
		return append([]string{"--reuid", "65534", "--regid", "65534", "--clear-groups"}, command...)
	}
	return append([]string{"--no-new-privs"}, command...)
}

// Apart returns a command as another user if the tests run as root, and in its own network if possible.
func Apart(command ...string) []string {
	switch {
	case os.Getuid() != 0:
		return command
	case !NetworkOfItsOwn():
		return append([]string{"setpriv"}, AsNobody(command...)...)
	}
	return append([]string{"unshare", "--net", "sh", "-c", `ip link set lo up && exec setpriv "$@"`, "sh"}, AsNobody(command...)...)
}
