// Package chromium starts the processes of browsers, gives them nothing but what they need, and ends them. Its Host does that
// in the renderer's process or, better, in a service of another user without network access (turnpike browser).
package chromium

import (
	_ "embed" // the profile
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/turnpike-edge/turnpike/backend/confine"
)

// process is a browser with all its child processes, which form one process group.
type process struct {
	cmd     *exec.Cmd
	profile string
	// in takes commands of the DevTools protocol, out returns its responses and events.
	in, out *os.File
	output  *tail
	// confined lists the confinements besides its own sandbox, for the log.
	confined string
	// lock marks profile as in use.
	lock *os.File
	// ended is closed once the whole group is gone and its files are removed.
	ended chan struct{}
}

// profilePrefix begins the names of browsers' directories.
const profilePrefix = "turnpike-browser-"

// startProcess starts a browser with a directory of its own.
func startProcess(path string, args []string) (*process, error) {
	profile, err := os.MkdirTemp("", profilePrefix)
	if err != nil {
		return nil, fmt.Errorf("creating the browser's directory: %w", err)
	}
	if err := giveToBrowser(profile); err != nil {
		_ = os.RemoveAll(profile)
		return nil, fmt.Errorf("changing the owner of the browser's directory: %w", err)
	}
	lock, err := lockProfile(profile)
	if err != nil {
		_ = os.RemoveAll(profile)
		return nil, fmt.Errorf("locking the browser's directory: %w", err)
	}
	p := &process{profile: profile, lock: lock, output: &tail{done: make(chan struct{})}, ended: make(chan struct{})}
	p.cmd = exec.Command(path, append(args, "--remote-debugging-pipe", "--user-data-dir="+profile, "about:blank")...) //nolint:noctx // it outlives the job that starts it
	p.cmd.Dir = profile
	// Nothing of our environment: it contains secrets, which a page that breaks out could read.
	p.cmd.Env = []string{"HOME=" + profile, "TMPDIR=" + profile, "XDG_CONFIG_HOME=" + profile, "XDG_CACHE_HOME=" + profile, "PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8"}
	p.cmd.SysProcAttr = groupAttr()
	if err := p.start(); err != nil {
		p.remove()
		return nil, fmt.Errorf("starting %s: %w", path, err)
	}
	return p, nil
}

func (p *process) start() error {
	var ours, theirs []*os.File
	pipe := func(child func(r, w *os.File) (keep, give *os.File)) error {
		r, w, err := os.Pipe()
		if err != nil {
			return err
		}
		keep, give := child(r, w)
		ours, theirs = append(ours, keep), append(theirs, give)
		return nil
	}
	readEnd := func(r, w *os.File) (keep, give *os.File) { return r, w }
	writeEnd := func(r, w *os.File) (keep, give *os.File) { return w, r }
	err := errors.Join(pipe(writeEnd), pipe(readEnd), pipe(readEnd))
	if err == nil {
		p.in, p.out = ours[0], ours[1]
		p.cmd.ExtraFiles = theirs[:2] // its file descriptors 3, for commands, and 4
		p.cmd.Stdout, p.cmd.Stderr = theirs[2], theirs[2]
		err = p.run()
	}
	closeAll(theirs)
	if err != nil {
		closeAll(ours)
		return err
	}
	go p.output.fill(ours[2])
	return nil
}

// run starts the process on a thread that has the browser's confinement and lasts until the process has ended: the kernel
// sends the parent death signal when the forking thread ends, not the process (golang/go issue 27505).
func (p *process) run() error {
	started, waited := make(chan error, 1), make(chan struct{})
	confine.OnThread(func() {
		defer close(waited)
		err := p.confine()
		if err == nil {
			err = p.cmd.Start()
		}
		started <- err
		if err == nil {
			_ = p.cmd.Wait()
		}
	})
	err := <-started
	if err == nil {
		go func() {
			<-waited
			p.sweep()
			select { // wait for its last output
			case <-p.output.done:
			case <-time.After(time.Second):
			}
			closeAll([]*os.File{p.in, p.out})
			close(p.ended)
		}()
	}
	return err
}

// confine restricts the calling thread, and so the browser, to its own files, the system files that browsers read, and the
// system calls that browsers use. What the system does not support is skipped.
func (p *process) confine() error {
	program, err := filepath.EvalSymlinks(p.cmd.Path)
	if err != nil {
		return err
	}
	var have []string
	for _, part := range []struct {
		name string
		err  error
	}{
		{"files", confine.Files(confine.Paths{
			Read:  append([]string{filepath.Dir(p.cmd.Path), filepath.Dir(program)}, readPaths...),
			Write: []string{p.profile}, Devices: devicePaths,
		})},
		{"system calls", confine.Syscalls(syscalls())},
	} {
		switch {
		case part.err == nil:
			have = append(have, part.name)
		case !errors.Is(part.err, errors.ErrUnsupported):
			return part.err
		}
	}
	p.confined = strings.Join(have, ", ")
	return nil
}

// System files that a browser reads: itself, its libraries, fonts, certificates and the time zone.
var (
	readPaths = []string{
		"/bin", "/lib", "/lib32", "/lib64", "/nix/store", "/opt", "/snap", "/usr", "/var/cache/fontconfig", "/var/lib/ca-certificates",
		"/etc/alternatives", "/etc/ca-certificates", "/etc/chromium", "/etc/chromium.d", "/etc/fonts", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d",
		"/etc/localtime", "/etc/nsswitch.conf", "/etc/pki", "/etc/ssl",
		"/sys/devices/system/cpu", "/sys/fs/cgroup",
	}
	devicePaths = []string{"/dev/full", "/dev/null", "/dev/random", "/dev/urandom", "/dev/zero", "/proc"}
)

// seccompJSON is the system calls that browsers and their host use, as a container profile. It is Docker's default, without
// what is not needed here, and with what Chromium's sandbox needs: its own namespaces, and chroot within them.
//
//go:embed seccomp.json
var seccompJSON []byte

// syscalls returns the system calls in seccompJSON.
var syscalls = sync.OnceValue(func() []string {
	var profile struct {
		Syscalls []struct {
			Names []string `json:"names"`
		} `json:"syscalls"`
	}
	if err := json.Unmarshal(seccompJSON, &profile); err != nil {
		panic(err) // it is embedded, and a test reads it
	}
	var names []string
	for _, group := range profile.Syscalls {
		names = append(names, group.Names...)
	}
	return names
})

func (p *process) pid() int { return p.cmd.Process.Pid }

// kill kills the group without waiting for its end.
func (p *process) kill() { killGroup(p.cmd.Process.Pid) }

// sweep runs after the end of the browser's first process: it kills the remaining processes and removes the files.
func (p *process) sweep() {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	limit := time.NewTimer(5 * time.Second)
	defer limit.Stop()
	for killGroup(p.cmd.Process.Pid) {
		select {
		case <-tick.C:
		case <-limit.C: // the rest are zombies that are never reaped
			p.remove()
			return
		}
	}
	p.remove()
}

func (p *process) remove() {
	_ = os.RemoveAll(p.profile)
	_ = p.lock.Close()
}

func closeAll(files []*os.File) {
	for _, f := range files {
		_ = f.Close()
	}
}

// tail keeps the end of a browser's output, to explain a failed start.
type tail struct {
	mu   sync.Mutex
	text []byte
	// done is closed at the end of the output.
	done chan struct{}
}

const tailMax = 4 << 10

func (t *tail) fill(from io.ReadCloser) {
	defer close(t.done)
	defer from.Close()
	buffer := make([]byte, tailMax)
	for {
		n, err := from.Read(buffer)
		t.mu.Lock()
		t.text = append(t.text, buffer[:n]...)
		t.text = t.text[max(0, len(t.text)-tailMax):]
		t.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.text))
}

// Flags are the command line flags of every browser. Only the sandbox is decided elsewhere.
func Flags() []string {
	return []string{
		"--headless", "--disable-gpu", "--mute-audio", "--hide-scrollbars", "--no-first-run", "--no-default-browser-check",
		// Pages check for a mouse with the media features hover and pointer; servers have none.
		"--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4",
		"--force-color-profile=srgb", "--disable-dev-shm-usage", "--password-store=basic", "--use-mock-keychain",
		"--disable-extensions", "--disable-default-apps", "--disable-breakpad", "--disable-crash-reporter", "--noerrdialogs",

		// No network traffic of the browser itself.
		"--disable-background-networking", "--disable-component-update", "--disable-domain-reliability", "--disable-sync",
		"--disable-client-side-phishing-detection", "--metrics-recording-only", "--no-pings",

		// No traffic of a page past the proxy of its context. Outside of a context, the proxy is an address where nothing
		// listens, no name is resolved here, and protocols other than HTTP are off. <-loopback> removes the default
		// exception of loopback and link-local addresses from the proxy (net/docs/proxy.md).
		"--proxy-server=http://127.0.0.1:9", "--proxy-bypass-list=<-loopback>",
		"--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--dns-prefetch-disable", "--disable-quic",
		"--force-webrtc-ip-handling-policy=disable_non_proxied_udp", "--webrtc-ip-handling-policy=disable_non_proxied_udp",
		"--disable-features=" + strings.Join([]string{
			"AsyncDns", "DnsOverHttps", "DialMediaRouteProvider", "MediaRouter", "OptimizationHints", "Prerender2", "Translate",
			"AutofillServerCommunication", "CertificateTransparencyComponentUpdater", "WebTransport",
			// One process for all frames of a job: a job shares no process with others, and its frames need no isolation
			// from each other.
			"IsolateOrigins", "site-per-process",
		}, ","),
		"--disable-site-isolation-trials", "--block-new-web-contents", "--deny-permission-prompts",

		"--js-flags=--max-old-space-size=512",
		"--disable-background-timer-throttling", "--disable-backgrounding-occluded-windows", "--disable-renderer-backgrounding",
		"--disable-hang-monitor", "--disable-prompt-on-repost",
	}
}

// browserPaths are the known locations of browsers, the smallest first. Debian's commands are shell scripts that keep
// running in front of the browser, so the program itself is preferred.
func browserPaths() []string {
	return []string{
		"/usr/lib/chromium/chromium-headless-shell", "chromium-headless-shell", "headless-shell", "chrome-headless-shell",
		"/usr/lib/chromium/chromium", "chromium", "chromium-browser",
		"/opt/google/chrome/chrome", "google-chrome-stable", "google-chrome",
		"/Applications/Chromium.app/Contents/MacOS/Chromium", "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
	}
}

// NotFoundError says that no browser is installed, and how to get one.
type NotFoundError struct {
	// Name is the requested browser; "" for any.
	Name string
}

func (e *NotFoundError) Error() string {
	if e.Name != "" {
		return fmt.Sprintf("no browser at %s", e.Name)
	}
	return "no Chromium or Chrome is installed (Debian, Ubuntu: apt install chromium-headless-shell or chromium; Alpine: apk add chromium; " +
		"Fedora: dnf install chromium-headless; macOS: brew install --cask chromium)"
}

// Find returns the path of a browser: of name, a path or the name of a program, or if that is "" of the first known one.
// Its error is a *NotFoundError.
func Find(name string) (string, error) {
	names := browserPaths()
	if name != "" {
		names = []string{name}
	}
	for _, candidate := range names {
		path, err := exec.LookPath(candidate)
		if err != nil {
			continue
		}
		if absolute, err := filepath.Abs(path); err == nil {
			return absolute, nil
		}
	}
	return "", &NotFoundError{Name: name}
}
