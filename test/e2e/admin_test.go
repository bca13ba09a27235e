package e2e

import (
	"bufio"
	"context"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/dev/rig"
)

// listensAt returns the TCP addresses on which a process listens, in the kernel's notation.
func listensAt(t *testing.T, pid int) []string {
	t.Helper()
	proc := "/proc/" + strconv.Itoa(pid)
	sockets := map[string]bool{}
	files, err := os.ReadDir(proc + "/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if target, err := os.Readlink(proc + "/fd/" + f.Name()); err == nil {
			sockets[strings.TrimSuffix(strings.TrimPrefix(target, "socket:["), "]")] = true
		}
	}
	var addresses []string
	for _, table := range []string{"tcp", "tcp6"} {
		file, err := os.Open(proc + "/net/" + table)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		const local, state, inode, listen = 1, 3, 9, "0A"
		for lines := bufio.NewScanner(file); lines.Scan(); {
			fields := strings.Fields(lines.Text())
			if len(fields) > inode && fields[state] == listen && sockets[fields[inode]] {
				addresses = append(addresses, fields[local])
			}
		}
	}
	return addresses
}

// TestAdminAddress shows that an edge whose admin API is off or on a socket listens on its site address only, and that
// the operator can do everything through the socket. TestQuickstart shows that a socket is the default.
func TestAdminAddress(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("what a process listens at is read from Linux's /proc")
	}
	shared := setup(t)
	s := shared.on(t, shared.databaseURL)
	config, err := os.ReadFile("../../Caddyfile")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	socket := filepath.Join(dir, "admin.sock")
	settler := s.smallChain(t)
	start := func(admin string) *rig.Edge {
		t.Helper()
		edge, err := rig.StartEdge(t.Context(), rig.EdgeConfig{
			Binary: s.binary, Dir: dir, Caddyfile: config, Admin: admin, Upstream: strings.TrimPrefix(shared.backend, "http://"),
			DatabaseURL: s.databaseURL, RPCURL: s.chain.RPCURL(), Settler: settler, PayTo: payTo, IdentitySecret: identitySecret,
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = edge.Kill() })
		if at := listensAt(t, edge.PID()); len(at) != 1 {
			t.Errorf("admin %q: got an edge that listens at %v, want its site's address alone", admin, at)
		}
		return edge
	}
	if err := start("").Kill(); err != nil {
		t.Fatal(err)
	}
	admin := "unix/" + socket + "|0600"
	edge := start(admin)
	if info, err := os.Stat(socket); err != nil || info.Mode().Type() != fs.ModeSocket || info.Mode().Perm() != 0o600 {
		t.Fatalf("got %v, %v, want a socket of mode 0600", info, err)
	}
	operator := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}}}
	looks := func() {
		t.Helper()
		for path, want := range map[string]string{
			"/turnpike/health": `"status":"ok"`, "/turnpike/payments": `"status":"ok"`, "/metrics": "turnpike_meter_decisions_total", "/config/": `"turnpike"`,
		} {
			req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost"+path, http.NoBody)
			resp, err := operator.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(resp.Body)
			_ = resp.Body.Close()
			if err != nil || resp.StatusCode != http.StatusOK || !strings.Contains(string(body), want) {
				t.Errorf("%s: got %s %.300s, want %s in it", path, resp.Status, body, want)
			}
		}
	}
	looks()
	reload := exec.Command(s.binary, "reload", "--config", filepath.Join(dir, "Caddyfile-"+edge.Address), "--adapter", "caddyfile", "--force")
	reload.Env = append(os.Environ(), "RIG_ADMIN="+admin, "TURNPIKE_SITE=http://"+edge.Address, "BACKEND="+strings.TrimPrefix(shared.backend, "http://"), "X402_NETWORK=base-sepolia")
	if out, err := reload.CombinedOutput(); err != nil {
		t.Fatalf("reloading: %v: %s", err, out)
	}
	looks()
	// A killed edge leaves its socket behind. The next edge replaces it.
	if err := edge.Kill(); err != nil {
		t.Fatal(err)
	}
	start(admin)
	looks()
}
