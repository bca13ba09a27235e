//go:build interop

package interop

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"
	"time"
)

// askTimeout limits one order to a program, which signs and waits for blocks.
const askTimeout = time.Minute

// program is a running Node process around one published package. It takes orders, each a line of JSON, and handles
// several at a time.
type program struct {
	name string
	cmd  *exec.Cmd
	in   io.WriteCloser
	done chan struct{} // closed when it has ended

	mu      sync.Mutex
	stderr  bytes.Buffer
	next    int
	waiting map[int]chan<- []byte
}

// startProgram starts a program of this directory. The program ends when its input is closed, so it cannot outlive this
// process.
func startProgram(t *testing.T, name string) *program {
	t.Helper()
	p := &program{name: name, cmd: exec.Command("node", name), done: make(chan struct{}), waiting: make(map[int]chan<- []byte)}
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C reaches only the test, which ends its programs
	p.cmd.Stderr = p
	// The environment's proxies must not be used for this machine.
	p.cmd.Env = append(os.Environ(), "NO_PROXY=127.0.0.1", "no_proxy=127.0.0.1", "NODE_USE_ENV_PROXY=0")
	in, err := p.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatalf("starting %s: %v", name, err)
	}
	p.in = in
	go p.read(out)
	t.Cleanup(func() { p.stop(t) })
	return p
}

// Write keeps what the program writes to its standard error.
func (p *program) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stderr.Write(text)
}

func (p *program) read(out io.Reader) {
	defer close(p.done)
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break
		}
		var head struct{ ID int }
		if err := json.Unmarshal(line, &head); err != nil {
			_, _ = p.Write(append([]byte("not an answer: "), line...))
			continue
		}
		p.mu.Lock()
		reply := p.waiting[head.ID]
		delete(p.waiting, head.ID)
		p.mu.Unlock()
		if reply != nil {
			reply <- line
		}
	}
	_ = p.cmd.Wait() // stop reports how it ended
}

// stop closes the program's input, and kills the program if it does not end then.
func (p *program) stop(t *testing.T) {
	t.Helper()
	_ = p.in.Close()
	select {
	case <-p.done:
	case <-time.After(stopTimeout):
		t.Errorf("%s did not end with its input", p.name)
		_ = p.cmd.Process.Kill()
		<-p.done
	}
	if state := p.cmd.ProcessState; state == nil || !state.Success() {
		t.Errorf("%s ended with %v", p.name, state)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if t.Failed() && p.stderr.Len() > 0 {
		t.Logf("%s wrote:\n%s", p.name, &p.stderr)
	}
}

// ask sends the program an order and decodes its reply into answer.
func (p *program) ask(ctx context.Context, order map[string]any, answer any) error {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	reply := make(chan []byte, 1)
	p.mu.Lock()
	p.next++
	id := p.next
	p.waiting[id] = reply
	p.mu.Unlock()
	order = maps.Clone(order)
	order["id"] = id
	line, err := json.Marshal(order)
	if err != nil {
		return fmt.Errorf("%s: %w", p.name, err)
	}
	if _, err := p.in.Write(append(line, '\n')); err != nil { // one write, so orders do not mix
		return fmt.Errorf("%s: %w", p.name, err)
	}
	select {
	case line := <-reply:
		if err := json.Unmarshal(line, answer); err != nil {
			return fmt.Errorf("%s answered %q: %w", p.name, line, err)
		}
		return nil
	case <-p.done:
		return fmt.Errorf("%s: %w", p.name, errors.New("it has ended"))
	case <-ctx.Done():
		return fmt.Errorf("%s: %w", p.name, ctx.Err())
	}
}
