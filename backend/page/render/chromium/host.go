package chromium

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Host starts browsers for renderers. A renderer has one in its own process, or connects through a Unix socket to one that
// runs as another user. Both use the same protocol: connections whose first line states their purpose:
//
//   - A connection for a browser starts one. It carries the DevTools protocol, in messages that end with a zero byte, and
//     between them a few events of the host itself. The browser ends with the connection, and the connection with the
//     browser.
//   - A connection for an egress opens a loopback listener on the host's side and returns its address. Connections of the
//     browsers' user to it are handed over as file descriptors. The listener ends with the connection. So browsers need
//     only loopback, which need not be the renderer's.
//   - A connection for the state returns what prevents browsers from being started, if anything does.
type Host struct {
	config Config

	mu sync.Mutex
	// without starts browsers without their sandbox: it does not work, and the configuration allows that.
	without bool
	// refused is when a browser's sandbox last failed.
	refused time.Time
}

// Config configures a Host. The fields and their defaults are those of the renderer's configuration.
type Config struct {
	Browser   string
	Sandbox   Sandbox
	KillBytes int64
	Logger    *slog.Logger
}

// Sandbox says whether browsers may run without Chromium's sandbox.
type Sandbox int

// What to do if the sandbox does not work.
const (
	// SandboxRequired starts no browser without a sandbox.
	SandboxRequired Sandbox = iota
	// SandboxIfPossible runs without a sandbox if it does not work, and logs that. It is for development.
	SandboxIfPossible
	// SandboxOff runs without a sandbox.
	SandboxOff
)

// NewHost makes a Host.
func NewHost(config Config) *Host {
	config.KillBytes = cmp.Or(config.KillBytes, 2<<30)
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	return &Host{config: config, without: config.Sandbox == SandboxOff}
}

// Purposes of connections.
const (
	forState   = "state"
	ForBrowser = "browser"
	forEgress  = "egress"
)

const (
	lineMax = 16
	timeout = 10 * time.Second
	// refusedFor is how long a failed sandbox is not tried again.
	refusedFor = time.Minute
)

// report is the response to a connection for the state.
type report struct {
	Error string `json:"error,omitempty"`
}

// The host's own events.
const (
	EventStarted = "Turnpike.started"
	EventMemory  = "Turnpike.memory"
	EventEnded   = "Turnpike.ended"
)

// Event holds the parameters of all these events.
type Event struct {
	// PID is the browser's process group leader, User its user; Sandbox says whether it has its sandbox, Confined what
	// other access is restricted.
	PID      int    `json:"pid,omitempty"`
	User     int    `json:"user,omitempty"`
	Sandbox  bool   `json:"sandbox,omitempty"`
	Confined string `json:"confined,omitempty"`
	// Bytes is the private memory of all its processes.
	Bytes int64 `json:"bytes,omitempty"`
	// Error is why it ended or did not start; TooBig says that it used too much memory; Again that another start will
	// succeed.
	Error  string `json:"error,omitempty"`
	TooBig bool   `json:"too_big,omitempty"`
	Again  bool   `json:"again,omitempty"`
}

// Serve serves connections of admitted users until ctx ends, which ends all browsers, too.
func (h *Host) Serve(ctx context.Context, listener *net.UnixListener, admit func(user int) bool) error {
	stop := context.AfterFunc(ctx, func() { _ = listener.Close() })
	defer stop()
	var serving sync.WaitGroup
	defer serving.Wait()
	for {
		conn, err := listener.AcceptUnix()
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		if user, err := peerUser(conn); err != nil || !admit(user) {
			h.config.Logger.Warn("refused a user who may not use the browsers", "user", user, "error", err)
			_ = conn.Close()
			continue
		}
		serving.Go(func() {
			defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
			h.serve(conn)
		})
	}
}

func (h *Host) serve(conn *net.UnixConn) {
	defer conn.Close()
	_ = conn.SetReadDeadline(time.Now().Add(timeout))
	line, err := readLine(conn, lineMax)
	if err != nil {
		return
	}
	_ = conn.SetReadDeadline(time.Time{})
	switch line {
	case forState:
		state := report{}
		if _, _, err := h.ready(); err != nil {
			state.Error = err.Error()
		}
		_ = json.NewEncoder(conn).Encode(state)
	case ForBrowser:
		h.serveBrowser(conn)
	case forEgress:
		h.serveEgress(conn)
	}
}

// readLine reads exactly one line.
func readLine(conn net.Conn, bytesMax int) (string, error) {
	var line []byte
	for one := make([]byte, 1); len(line) < bytesMax; line = append(line, one[0]) {
		if _, err := conn.Read(one); err != nil {
			return "", err
		}
		if one[0] == '\n' {
			return string(line), nil
		}
	}
	return "", errors.New("a line is too long")
}

// noSandbox explains what to do if the sandbox does not work.
const noSandbox = "Chromium's sandbox does not work on this system: the kernel or the container does not allow unprivileged user namespaces. " +
	"Enable them (docs/rendering.md, \"The sandbox\"), or set TURNPIKE_BROWSER_SANDBOX=off: a page that escapes the browser then has all permissions of the browser's user"

// ready returns the browser to start and whether to omit its sandbox, or what prevents its start.
func (h *Host) ready() (path string, without bool, err error) {
	if path, err = Find(h.config.Browser); err != nil {
		return "", false, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.without && time.Since(h.refused) < refusedFor {
		return "", false, errors.New(noSandbox)
	}
	return path, h.without, nil
}

// unsandboxed records that a browser's sandbox failed, and reports whether to start another browser without it.
func (h *Host) unsandboxed(said string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.config.Sandbox == SandboxIfPossible {
		if !h.without {
			h.config.Logger.Warn("the browser's sandbox does not work on this system: PAGES ARE RENDERED WITHOUT IT, "+
				"and a page that escapes the browser has this user's permissions",
				slog.String("said", said))
		}
		h.without = true
		return true
	}
	h.refused = time.Now()
	return false
}

// hosted is a browser in its host, with the client's connection.
type hosted struct {
	*process

	conn *net.UnixConn
	// writing keeps events between messages; between says whether the stream is between two messages.
	writing sync.Mutex
	between bool
	tooBig  atomic.Bool
}

func (h *Host) serveBrowser(conn *net.UnixConn) {
	b := &hosted{conn: conn, between: true}
	path, without, err := h.ready()
	if err == nil {
		removeAbandoned()
		args := Flags()
		if without {
			args = append(args, "--no-sandbox")
		}
		b.process, err = startProcess(path, args)
	}
	if err != nil {
		b.tell(EventEnded, Event{Error: err.Error()})
		return
	}
	h.config.Logger.Info("browser started", slog.Int("pid", b.pid()), slog.Bool("sandbox", !without), slog.String("confined", b.confined))
	b.tell(EventStarted, Event{PID: b.pid(), User: browserUser(), Sandbox: !without, Confined: b.confined})
	go func() { // until the client disconnects
		b.listen()
		b.kill()
	}()
	go b.watch(h.config)
	spoke := b.relay()
	b.kill()
	<-b.ended
	end := Event{TooBig: b.tooBig.Load()}
	if said := b.output.String(); !spoke {
		end.Error = fmt.Sprintf("%s did not start: %.500s", path, said)
		if !without && strings.Contains(strings.ToLower(said), "sandbox") {
			if end.Again = h.unsandboxed(said); !end.Again {
				end.Error = noSandbox
			}
		}
	}
	b.tell(EventEnded, end)
	h.config.Logger.Info("browser exited", slog.Int("pid", b.pid()))
}

// stuckAfter is how long a browser may take to read its input.
const stuckAfter = 30 * time.Second

// listen forwards the client's messages to the browser.
func (b *hosted) listen() {
	buffer := make([]byte, 64<<10)
	for {
		n, err := b.conn.Read(buffer)
		if err != nil {
			return
		}
		_ = b.in.SetWriteDeadline(time.Now().Add(stuckAfter))
		if _, err := b.in.Write(buffer[:n]); err != nil {
			return
		}
	}
}

// relay forwards the browser's messages until it ends, and reports whether there were any.
func (b *hosted) relay() (spoke bool) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := b.out.Read(buffer)
		if n > 0 {
			spoke = true
			b.writing.Lock()
			_, failed := b.conn.Write(buffer[:n])
			b.between = buffer[n-1] == 0
			b.writing.Unlock()
			err = errors.Join(err, failed)
		}
		if err != nil {
			return spoke
		}
	}
}

// tell sends an event of the host. Within a message it cannot be sent and is dropped.
func (b *hosted) tell(method string, params Event) {
	text, err := json.Marshal(map[string]any{"method": method, "params": params})
	if err != nil || !b.writing.TryLock() {
		return
	}
	defer b.writing.Unlock()
	if !b.between {
		return
	}
	_ = b.conn.SetWriteDeadline(time.Now().Add(watchEvery))
	if _, err := b.conn.Write(append(text, 0)); err != nil {
		_ = b.conn.Close() // an incomplete event would corrupt the stream
	}
	_ = b.conn.SetWriteDeadline(time.Time{})
}

// watchEvery is how often a browser's memory is measured: a page needs longer than this to take a gigabyte.
const watchEvery = time.Second

// watch kills the browser if its memory exceeds the limit.
func (b *hosted) watch(config Config) {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		select {
		case <-b.ended:
			return
		case <-tick.C:
			bytes := groupBytes(b.pid())
			if bytes <= config.KillBytes {
				b.tell(EventMemory, Event{Bytes: bytes})
			} else {
				config.Logger.Warn("browser killed: it used too much memory", slog.Int64("bytes", bytes), slog.Int64("bytes_max", config.KillBytes))
				b.tooBig.Store(true)
				b.kill()
				return
			}
		}
	}
}

// serveEgress opens a listener and hands over the connections of the browsers' user.
func (h *Host) serveEgress(conn *net.UnixConn) {
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		h.config.Logger.Error("opening an egress", slog.Any("error", err))
		return
	}
	defer listener.Close()
	go func() { // until the client disconnects
		_, _ = conn.Read(make([]byte, 1))
		_ = listener.Close()
	}()
	if _, err := fmt.Fprintln(conn, listener.Addr()); err != nil {
		return
	}
	for {
		one, err := listener.Accept()
		if err != nil {
			return
		}
		if ownedBy(one.RemoteAddr(), one.LocalAddr(), browserUser()) {
			err = handOver(conn, one)
		}
		_ = one.Close()
		if err != nil {
			return
		}
	}
}
