package main

import (
	"context"
	"encoding/json"
	"math/big"
	"net"
	"net/url"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethclient"

	"github.com/turnpike-edge/turnpike/dev/program"
)

// running is `turnpike dev` after its greeting.
type running struct {
	*program.Process

	took       time.Duration
	edge       string
	key        string
	wallet     common.Address
	walletFile string
	chain      string
	sample     string
	// printed are the commands to copy, in order.
	printed []string
}

const lastLineOfGreeting = "Ctrl-C stops everything"

func (c *checkout) startDev(t *testing.T, args ...string) *running {
	t.Helper()
	begin := time.Now()
	p := c.Start(t, lastLineOfGreeting, "bin/turnpike", append([]string{"dev"}, args...)...)
	p.AwaitLine(t)
	r := &running{Process: p, took: time.Since(begin)}
	text := p.Stdout.String()
	read := func(pattern string) string {
		m := regexp.MustCompile(`(?m)` + pattern).FindStringSubmatch(text)
		if m == nil {
			t.Fatalf("the greeting has nothing like %s:\n%s", pattern, text)
		}
		return m[1]
	}
	r.edge = read(`^  edge +(http://\S+)`)
	r.key = read(`^  key +(tp_\S+)$`)
	r.wallet = common.HexToAddress(read(`^  wallet +(0x[0-9a-fA-F]{40}), 1000 USDC`))
	r.walletFile = read(`^ +its key is in (.+)$`)
	r.chain = read(`^  chain +(http://\S+)`)
	r.sample = read(`"url_to_scrape": "(http://[^"]+)"`)
	inCommands := false
	for line := range strings.SplitSeq(text, "\n") {
		command, indented := strings.CutPrefix(line, "  ")
		inCommands = inCommands || strings.HasSuffix(line, ":")
		if inCommands && indented {
			r.printed = append(r.printed, command)
		}
	}
	return r
}

// stopsWithoutTrace stops dev as Ctrl-C does, and checks that no process, file, or listener is left.
func (r *running) stopsWithoutTrace(t *testing.T, data string) {
	t.Helper()
	pids := program.Family(t, r.Cmd.Process.Pid)
	r.Interrupt(t)
	if code := r.Wait(t); code != 0 {
		t.Errorf("exit code after Ctrl-C: got %d, want 0:\n%s", code, r.Stderr)
	}
	if left := program.Alive(pids); len(left) > 0 {
		t.Errorf("processes left after Ctrl-C: %v of %v", left, pids)
	}
	leavesNothing(t, data)
	for _, address := range []string{r.edge, r.chain, r.sample} {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		if conn, err := net.Dial("tcp", u.Host); err == nil {
			conn.Close()
			t.Errorf("%s still answers after Ctrl-C", address)
		}
	}
}

// kill ends dev as the kernel does when memory is short, and waits until its Postgres has ended too.
func (r *running) kill(t *testing.T) {
	t.Helper()
	pids := program.Family(t, r.Cmd.Process.Pid)
	if err := r.Cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	r.Wait(t)
	program.Until(t, "all processes of a killed dev to end", func() bool { return len(program.Alive(pids)) == 0 })
}

// usdc reads a balance from the chain, in millionths of a USDC.
func (r *running) usdc(t *testing.T, token, holder common.Address) int64 {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), program.CommandTimeout)
	defer cancel()
	client, err := ethclient.DialContext(ctx, r.chain)
	if err != nil {
		t.Fatalf("reaching the chain: %v", err)
	}
	defer client.Close()
	return balanceOf(t, client, token, holder)
}

func balanceOf(t *testing.T, client *ethclient.Client, token, holder common.Address) int64 {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), program.CommandTimeout)
	defer cancel()
	selector := crypto.Keccak256([]byte("balanceOf(address)"))[:4]
	call := ethereum.CallMsg{To: &token, Data: append(selector, common.LeftPadBytes(holder.Bytes(), 32)...)}
	answer, err := client.CallContract(ctx, call, nil)
	if err != nil {
		t.Fatalf("reading a balance: %v", err)
	}
	return new(big.Int).SetBytes(answer).Int64()
}

// scraped holds the fields of a scrape that the tests read.
type scraped struct {
	ID         string `json:"id"`
	Object     string `json:"object"`
	RetrieveID string `json:"retrieve_id"`
	Result     struct {
		Markdown    string `json:"markdown_content"`
		MarkdownURL string `json:"markdown_hosted_url"`
	} `json:"result"`
}

const sampleTitle = "# How a toll road works"

// readScrape decodes a scrape and checks that it has the sample page.
func readScrape(t *testing.T, body string) scraped {
	t.Helper()
	var s scraped
	if err := json.Unmarshal([]byte(body), &s); err != nil {
		t.Fatalf("reading a scrape: %v:\n%s", err, body)
	}
	if s.Object != "scrape" || !strings.HasPrefix(s.Result.Markdown, sampleTitle) ||
		!strings.Contains(s.Result.Markdown, "| Horse and rider | 1 penny |") {
		t.Errorf("scrape: got %s, want the sample page as markdown", body)
	}
	return s
}
