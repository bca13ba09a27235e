//go:build linux

package e2e

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/dev/rig"
)

// nobody is the user that runs the browser service when the tests run as root.
const nobody = 65534

// serviceSocket returns a path for the service's socket, in a directory of the service's user.
func serviceSocket(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "turnpike-e2e-browser-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	err = os.Chmod(dir, 0o755)
	if os.Getuid() == 0 {
		err = errors.Join(err, os.Chown(dir, nobody, nobody))
	}
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "socket")
}

// startService starts the browser service, also in place of one that has ended. If the tests run as root, it gets its own
// user and its own network. It is given secrets, which it must drop.
func (e *engine) startService(t *testing.T) {
	t.Helper()
	args := []string{e.binary, "browser", "--socket", e.socket, "--allow-user", fmt.Sprint(os.Getuid())}
	if os.Getuid() == 0 {
		if err := os.Chmod(e.dir, 0o711); err != nil {
			t.Fatal(err)
		}
	}
	args = e.behind(rig.Apart(args...))
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = filepath.Dir(e.socket)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir(), "DATABASE_URL=" + e.databaseURL, "TURNPIKE_IDENTITY_SECRET=" + identitySecret}
	log := filepath.Join(t.TempDir(), "service.log")
	service, err := rig.Start(cmd, log)
	if err != nil {
		t.Fatal(err)
	}
	e.service = service
	t.Cleanup(func() {
		if text, err := os.ReadFile(log); t.Failed() && err == nil {
			t.Logf("end of the service's log:\n%s", text[max(0, len(text)-4000):])
		}
		_ = service.Kill()
	})
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(time.Minute)
	for {
		if conn, err := net.Dial("unix", e.socket); err == nil {
			_ = conn.Close()
			return
		}
		select {
		case <-tick.C:
		case <-service.Done():
			t.Fatal("the browsers' service ended")
		case <-limit:
			t.Fatal("the browsers' service does not start")
		}
	}
}

// TestEngineBrowserService shows that the browser user cannot reach anything of the backend, that a killed service fails
// only requests that need a browser, with an error that names it, and that a restarted service is used again.
func TestEngineBrowserService(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	e := newEngine(t, nil, "TURNPIKE_HOST_RATE=off")
	shell := func(name string) string { return e.site.url + "/article/" + name }
	if got := e.page(t, shell("first"), rendered); !strings.Contains(got.Result.Markdown, "Tides at") {
		t.Errorf("got %s", got)
	}
	e.checkServiceUser(t)

	if err := e.service.Kill(); err != nil {
		t.Fatal(err)
	}
	for render, want := range map[string]int{"always": http.StatusNotImplemented, "auto": http.StatusOK} {
		got, err := e.scrape(t.Context(), "/v1/scrapes", map[string]any{"url_to_scrape": shell(render), "render": render})
		if err != nil || got.Status != want {
			t.Errorf("%s without the service: got %s, %v, want %d", render, got, err, want)
		}
		if want == http.StatusNotImplemented && (got.Code != "renderer_unavailable" || !strings.Contains(got.Detail, "turnpike doctor")) {
			t.Errorf("got %s, want how to get a browser", got)
		}
	}
	e.startService(t)
	if got := e.page(t, shell("again"), rendered); !strings.Contains(got.Result.Markdown, "Tides at") || !got.Result.Metadata.Rendered {
		t.Errorf("after it came back: got %s", got)
	}
}

// checkServiceUser tries what an attacker could do as the browser user.
func (e *engine) checkServiceUser(t *testing.T) {
	t.Helper()
	environment, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", e.service.PID()))
	if err != nil && os.Getuid() == 0 {
		t.Fatal(err)
	}
	for _, secret := range []string{identitySecret, e.databaseURL} {
		if strings.Contains(string(environment), secret) {
			t.Errorf("the service keeps the environment %q", environment)
		}
	}
	if os.Getuid() != 0 {
		t.Skip("only root can become another user")
	}
	worker := e.worker.PID()
	browser := rig.Children(e.service.PID())
	if len(browser) == 0 {
		t.Fatal("there is no browser")
	}
	attempts := map[string]string{
		"the worker's environment":  fmt.Sprintf("cat /proc/%d/environ", worker),
		"the worker's files":        fmt.Sprintf("readlink /proc/%d/fd/*", worker),
		"the worker's memory":       fmt.Sprintf("head -c 1 /proc/%d/maps", worker),
		"the service's environment": fmt.Sprintf("cat /proc/%d/environ", e.service.PID()),
		"the service's memory":      fmt.Sprintf("head -c 1 /proc/%d/maps", e.service.PID()),
		"stored pages":              "ls " + filepath.Join(filepath.Dir(e.log), "blobs"),
		"the worker's log":          "cat " + e.log,
		"to end the worker":         fmt.Sprintf("kill -0 %d && echo could", worker),
		"another's directory":       "ls -d /root/*",
		"the edge's admin socket":   "ls " + filepath.Dir(e.edge.Log),
	}
	if rig.NetworkOfItsOwn() {
		attempts["the network, by loopback"] = "exec 3<>/dev/tcp/" + strings.Replace(strings.TrimPrefix(e.backend, "http://"), ":", "/", 1) + " && echo could"
		attempts["the network, by its device"] = "ip -o link show | grep -v ': lo:'"
	}
	var could []string
	for name, script := range attempts {
		// Run it in the service's own network, like everything that the service starts.
		command := append([]string{"setpriv"}, rig.AsNobody("bash", "-c", script)...)
		if rig.NetworkOfItsOwn() {
			command = append([]string{"nsenter", "--net", "--target", fmt.Sprint(e.service.PID())}, command...)
		}
		cmd := exec.Command(command[0], command[1:]...)
		if out, err := cmd.Output(); err == nil && len(out) > 0 {
			could = append(could, fmt.Sprintf("%s: %.200q", name, out))
		}
	}
	if len(could) > 0 {
		t.Errorf("the browsers' user could read or reach\n%s", strings.Join(could, "\n"))
	}
	// The service does not let another user in either.
	other := exec.Command("setpriv", "--reuid", "65533", "--regid", "65533", "--clear-groups", e.binary, "doctor")
	other.Env = []string{"TURNPIKE_BROWSER_SOCKET=" + e.socket, "PATH=" + os.Getenv("PATH"), "HOME=/nonexistent"}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { _ = other.Process.Signal(syscall.SIGKILL) })
	defer stop()
	out, _ := other.CombinedOutput()
	if !strings.Contains(string(out), "check that this user may use it") {
		t.Errorf("another user was told\n%s", out)
	}
}
