//go:build linux

package load

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Plan is the configuration of a load generator, passed as JSON in its argument.
type Plan struct {
	Address string        `json:"address"`
	Conns   int           `json:"conns"` // default: as many as the run has
	WarmUp  time.Duration `json:"warm_up"`
	Turn    time.Duration `json:"turn"`
	// KeysFile has one key per line; each request draws one, or uses the first with Hot.
	KeysFile string `json:"keys_file"`
	Hot      bool   `json:"hot"`
	// Sweep uses each key once and ends: it fills the edge's key cache, as on any edge that has run for a while. The
	// order of keys is random, as with clients: in the order of their accounts, one batch would fill whole pages of them.
	Sweep bool `json:"sweep"`
}

// Result is printed at the end.
type Result struct {
	Total     int           `json:"total"`     // responses in all
	Responses int           `json:"responses"` // responses within the turn
	Took      time.Duration `json:"took"`      // the turn
	CPU       time.Duration `json:"cpu"`       // of the load generator, within the turn
	P50       time.Duration `json:"p50"`
	P99       time.Duration `json:"p99"`
	// Refused is the status line of a refusal, at which the load ends; the turn does not count. Total excludes refusals.
	Refused string `json:"refused,omitempty"`
}

// The lines that mark the begin and the end of the turn for the parent, which then reads the clocks.
const (
	LineBegin = "begin"
	LineEnd   = "end"
)

// stallMax ends a run that gets no response for so long.
const stallMax = 5 * time.Second

func Main(args []string) error {
	if len(args) != 1 {
		return errors.New("load: want one argument, the plan")
	}
	var plan Plan
	if err := json.Unmarshal([]byte(args[0]), &plan); err != nil {
		return fmt.Errorf("load: reading the plan: %w", err)
	}
	text, err := os.ReadFile(plan.KeysFile)
	if err != nil {
		return fmt.Errorf("load: %w", err)
	}
	l := &load{plan: plan, keys: strings.Fields(string(text)), mark: func(line string) { fmt.Println(line) }}
	result, err := l.run()
	if err != nil {
		return fmt.Errorf("load: %w", err)
	}
	return json.NewEncoder(os.Stdout).Encode(result)
}

// load keeps one request in flight on each of its connections.
type load struct {
	plan Plan
	keys []string
	mark func(line string)

	p      *poller
	conns  []client
	flying int

	swept     int
	refused   string
	total     int
	latencies []time.Duration // of the turn
	isTurn    bool
	isOver    bool
}

type client struct {
	fd      int
	request []byte
	buf     [responseBytesMax]byte
	n       int
	sent    time.Time

	isRefused bool
}

const (
	requestHead = "GET /v1/report HTTP/1.1\r\nHost: bench.test\r\nUser-Agent: bench\r\nAuthorization: Bearer "
	requestTail = "\r\n\r\n"
)

func (l *load) run() (Result, error) {
	runtime.LockOSThread()
	var err error
	if l.p, err = newPoller(); err != nil {
		return Result{}, err
	}
	defer l.p.close()
	if err := l.connect(); err != nil {
		return Result{}, err
	}
	defer func() {
		for i := range l.conns {
			_ = syscall.Close(l.conns[i].fd)
		}
	}()
	if l.plan.Sweep {
		rand.Shuffle(len(l.keys), func(i, j int) { l.keys[i], l.keys[j] = l.keys[j], l.keys[i] })
	}
	for i := range l.conns {
		if l.isOver {
			break
		}
		if err := l.send(&l.conns[i]); err != nil {
			return Result{}, err
		}
	}
	if l.plan.Sweep {
		for !l.isOver {
			if err := l.until(time.Now().Add(time.Second)); err != nil {
				return Result{}, err
			}
		}
		return l.finish(0)
	}
	if err := l.until(time.Now().Add(l.plan.WarmUp)); err != nil {
		return Result{}, err
	}
	l.mark(LineBegin)
	begin, usedBefore := time.Now(), cpuUsed()
	l.isTurn = true
	if err := l.until(begin.Add(l.plan.Turn)); err != nil {
		return Result{}, err
	}
	took, used := time.Since(begin), cpuUsed()-usedBefore
	l.mark(LineEnd)
	l.isTurn, l.isOver = false, true
	result, err := l.finish(took)
	result.CPU = used
	return result, err
}

// cpuUsed is the CPU time of this process.
func cpuUsed() time.Duration {
	var usage syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage) // fails only for another argument (getrusage(2))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// finish receives the outstanding responses. took is the length of the turn.
func (l *load) finish(took time.Duration) (Result, error) {
	if err := l.until(time.Now().Add(stallMax)); err != nil {
		return Result{}, err
	}
	if l.flying > 0 {
		return Result{}, fmt.Errorf("%d requests were never answered", l.flying)
	}
	slices.Sort(l.latencies)
	return Result{
		Refused: l.refused, Total: l.total, Responses: len(l.latencies), Took: took,
		P50: Quantile(l.latencies, 0.50), P99: Quantile(l.latencies, 0.99),
	}, nil
}

// Quantile returns the q-quantile of sorted values; 0 if there are none.
func Quantile(sorted []time.Duration, q float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[int(q*float64(len(sorted)-1))]
}

func (l *load) connect() error {
	address, err := netip.ParseAddrPort(l.plan.Address)
	if err != nil {
		return fmt.Errorf("address: %w", err)
	}
	if len(l.keys) == 0 {
		return errors.New("no keys")
	}
	l.conns = make([]client, l.plan.Conns)
	for i := range l.conns {
		fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
		if err != nil {
			return fmt.Errorf("socket: %w", err)
		}
		c := &l.conns[i]
		c.fd = fd
		c.request = []byte(requestHead + l.keys[0] + requestTail)
		if err := syscall.Connect(fd, &syscall.SockaddrInet4{Addr: address.Addr().As4(), Port: int(address.Port())}); err != nil {
			return fmt.Errorf("connecting to %s: %w", address, err)
		}
		_ = syscall.SetsockoptInt(fd, syscall.IPPROTO_TCP, syscall.TCP_NODELAY, 1)
		if err := syscall.SetNonblock(fd, true); err != nil {
			return fmt.Errorf("socket: %w", err)
		}
		if err := l.p.add(fd, int32(i)); err != nil { //nolint:gosec // a few hundred connections
			return err
		}
	}
	return nil
}

// until serves the connections until end, or until none has a request in flight; stallMax without a response is an error.
func (l *load) until(end time.Time) error {
	last := time.Now()
	for l.flying > 0 {
		now := time.Now()
		if !now.Before(end) {
			return nil
		}
		wait := min(end.Sub(now), stallMax)
		ready, err := l.p.wait(int(wait.Milliseconds()) + 1)
		if err != nil {
			return err
		}
		if len(ready) > 0 {
			last = time.Now()
		} else if time.Since(last) > stallMax {
			return fmt.Errorf("no answer for %s", stallMax)
		}
		for _, event := range ready {
			if err := l.receive(&l.conns[event.Fd]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *load) send(c *client) error {
	switch {
	case l.plan.Sweep:
		copy(c.request[len(requestHead):], l.keys[l.swept])
		l.swept++
		l.isOver = l.swept == len(l.keys)
	case !l.plan.Hot:
		copy(c.request[len(requestHead):], l.keys[rand.IntN(len(l.keys))]) //nolint:gosec // a draw, no secret
	}
	c.sent = time.Now()
	l.flying++
	return writeAll(c.fd, c.request)
}

func (l *load) receive(c *client) error {
	if c.isRefused {
		return nil
	}
	n, err := read(c.fd, c.buf[c.n:])
	if err != nil {
		return fmt.Errorf("after %d good responses: %w", l.total, err)
	}
	if n == 0 {
		return nil
	}
	c.n += n
	end, err := parseResponse(c.buf[:c.n], UpstreamBody)
	if no := (*refusal)(nil); errors.As(err, &no) {
		// The requests in flight on the other connections are still completed and counted.
		l.isOver = true
		l.refused = cmp.Or(l.refused, no.line)
		l.flying--
		c.isRefused = true
		return l.p.remove(c.fd)
	}
	if err != nil {
		return fmt.Errorf("after %d good responses: %w: %q", l.total, err, c.buf[:c.n])
	}
	if end == 0 {
		return nil
	}
	if end != c.n {
		return fmt.Errorf("%d bytes follow a response", c.n-end)
	}
	c.n = 0
	l.flying--
	l.total++
	if l.isTurn {
		l.latencies = append(l.latencies, time.Since(c.sent))
	}
	if l.isOver {
		return nil
	}
	return l.send(c)
}
