package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	turnpike "github.com/turnpike-edge/turnpike/sdk/go"
)

func mcpCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "mcp", Short: "Gives the service's tools to an MCP client on standard input and output", Args: cobra.NoArgs,
		Long: `Connects an MCP client that starts programs (stdio) to the service's MCP server at /mcp. Calls are paid for by the API
key, or by the wallet: then at most --max-cost in all, 1 USD by default.`,
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		s, err := open(cmd)
		if err != nil {
			return err
		}
		b := &bridge{s: s, to: cmd.OutOrStdout(), http: &http.Client{}, running: map[string]context.CancelFunc{}}
		return b.run(cmd.Context(), cmd.InOrStdin())
	}
	return cmd
}

// bridge forwards the messages of an MCP client to a server (Streamable HTTP), and back. It knows nothing of tools.
type bridge struct {
	s    *session
	to   io.Writer
	http *http.Client

	mu      sync.Mutex
	version string                        // of the protocol, as initialize agreed
	id      string                        // of the server's session, if it has any
	running map[string]context.CancelFunc // by the request's id
}

// text is a part of a tool's result.
type text struct {
	Text string `json:"text"`
}

// message is what the bridge reads of a JSON-RPC message.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name      string                     `json:"name"`
		URI       string                     `json:"uri"`
		RequestID json.RawMessage            `json:"requestId"`
		Meta      map[string]json.RawMessage `json:"_meta"`
	} `json:"params"`
	Result *struct {
		ProtocolVersion   string                     `json:"protocolVersion"`
		IsError           bool                       `json:"isError"`
		StructuredContent json.RawMessage            `json:"structuredContent"`
		Content           []text                     `json:"content"`
		Meta              map[string]json.RawMessage `json:"_meta"`
	} `json:"result"`
}

const (
	codeInternal = -32603 // of JSON-RPC
	codeParse    = -32700
	tries        = 3 // of a request that carries a payment, which is charged once
)

// run forwards until the input ends, and then waits for the responses.
func (b *bridge) run(ctx context.Context, from io.Reader) error {
	var requests sync.WaitGroup
	defer requests.Wait()
	lines := bufio.NewReader(from)
	for {
		line, err := lines.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) > 0 {
			var m message
			switch parsed := json.Unmarshal(line, &m); {
			case parsed != nil:
				b.fail(json.RawMessage("null"), codeParse, "the message is not a JSON-RPC request: batches are not supported")
			case m.Method == "initialize" || m.Method == "notifications/initialized": // before anything else
				b.forward(ctx, line, &m)
			default:
				requests.Go(func() { b.forward(ctx, line, &m) })
			}
		}
		if errors.Is(err, io.EOF) || ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// forward sends one message, and writes what the server answers.
func (b *bridge) forward(ctx context.Context, line []byte, m *message) {
	if m.Method == "notifications/cancelled" { // the server learns it from the connection
		b.mu.Lock()
		cancel := b.running[string(m.Params.RequestID)]
		b.mu.Unlock()
		if cancel != nil {
			cancel()
		}
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if m.ID != nil {
		b.mu.Lock()
		b.running[string(m.ID)] = cancel
		b.mu.Unlock()
		defer func() {
			b.mu.Lock()
			delete(b.running, string(m.ID))
			b.mu.Unlock()
		}()
	}
	challenge, err := b.send(ctx, line, m, nil)
	if err == nil && challenge != nil {
		err = b.pay(ctx, line, m, challenge)
	}
	if err != nil && m.ID != nil && ctx.Err() == nil {
		b.fail(m.ID, codeInternal, err.Error())
	}
}

// pay pays for a tool and calls it again. The response is that of the server, or what the wallet says against it.
func (b *bridge) pay(ctx context.Context, line []byte, m *message, challenge json.RawMessage) error {
	payment, err := b.s.wallet.Sign(challenge, "mcp_"+rand.Text())
	if err != nil {
		b.write(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": map[string]any{
			"isError": true, "content": []any{map[string]string{"type": "text", "text": err.Error()}},
		}})
		return nil //nolint:nilerr // it is the result of the tool
	}
	var request, params map[string]json.RawMessage
	if err := errors.Join(json.Unmarshal(line, &request), json.Unmarshal(request["params"], &params)); err != nil {
		return err
	}
	meta := maps.Clone(m.Params.Meta)
	if meta == nil {
		meta = map[string]json.RawMessage{}
	}
	meta["x402/payment"] = payment.JSON()
	params["_meta"], _ = json.Marshal(meta)
	request["params"], _ = json.Marshal(params)
	paid, err := json.Marshal(request)
	for left := tries; err == nil && left > 0; left-- {
		if _, err = b.send(ctx, paid, m, payment); err == nil || left == 1 || ctx.Err() != nil {
			return err
		}
		err = nil // the connection broke: the same payment gets the same response
	}
	return err
}

// send sends a message and writes the answers. If one is a demand for payment that the wallet may meet, it is returned
// instead.
func (b *bridge) send(ctx context.Context, line []byte, m *message, payment *turnpike.Payment) (challenge json.RawMessage, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimSuffix(b.s.url, "/")+"/mcp", bytes.NewReader(line))
	if err != nil {
		return nil, err
	}
	b.setHeader(req.Header, m)
	resp, err := b.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if id := resp.Header.Get("Mcp-Session-Id"); id != "" {
		b.mu.Lock()
		b.id = id
		b.mu.Unlock()
	}
	answered := false
	answer := func(raw []byte) {
		var a message
		if json.Unmarshal(raw, &a) != nil {
			return
		}
		if a.Result != nil && string(a.ID) == string(m.ID) {
			answered = true
			if challenge = b.learn(m, &a, payment); challenge != nil {
				return
			}
		}
		answered = answered || string(a.ID) == string(m.ID) && a.Method == ""
		b.write(json.RawMessage(raw))
	}
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		for event, err := range turnpike.Events(resp.Body) {
			if err != nil {
				return nil, err
			}
			answer([]byte(event.Data))
			if challenge != nil {
				return challenge, nil
			}
		}
	} else {
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			return nil, err
		}
		var rpc struct {
			JSONRPC string `json:"jsonrpc"`
		}
		if json.Unmarshal(body, &rpc) == nil && rpc.JSONRPC != "" {
			answer(body)
		} else if resp.StatusCode >= http.StatusBadRequest {
			return nil, fmt.Errorf("%s: %s %s", req.URL, resp.Status, bytes.TrimSpace(body[:min(len(body), 500)]))
		}
	}
	if m.ID != nil && !answered {
		return nil, fmt.Errorf("%s: the connection ended without a response", req.URL)
	}
	return challenge, nil
}

// setHeader sets the headers by which the server routes and prices a message before it reads it.
func (b *bridge) setHeader(header http.Header, m *message) {
	b.mu.Lock()
	version, id := b.version, b.id
	b.mu.Unlock()
	if own := m.Params.Meta["io.modelcontextprotocol/protocolVersion"]; own != nil { // since 2026-07-28, each request has it
		_ = json.Unmarshal(own, &version)
	}
	header.Set("Content-Type", "application/json")
	header.Set("Accept", "application/json, text/event-stream")
	header.Set("User-Agent", "turnpike-cli/"+turnpike.Version)
	for name, value := range map[string]string{
		"Mcp-Protocol-Version": version, "Mcp-Session-Id": id, "Mcp-Method": m.Method, "Mcp-Name": orElse(m.Params.Name, m.Params.URI),
	} {
		if value != "" {
			header.Set(name, value)
		}
	}
	if b.s.key != "" {
		header.Set("Authorization", "Bearer "+b.s.key)
	}
}

// learn reads the version of the protocol from a response, and whether it has to be, or was, paid for.
func (b *bridge) learn(m, a *message, payment *turnpike.Payment) (challenge json.RawMessage) {
	if m.Method == "initialize" {
		b.mu.Lock()
		b.version = a.Result.ProtocolVersion
		b.mu.Unlock()
	}
	if payment != nil {
		var receipt struct {
			Success bool `json:"success"`
		}
		if json.Unmarshal(a.Result.Meta["x402/payment-response"], &receipt) != nil || !receipt.Success {
			payment.Release()
		}
		return nil
	}
	if !a.Result.IsError || b.s.wallet == nil {
		return nil
	}
	candidates := []json.RawMessage{a.Result.StructuredContent}
	if len(a.Result.Content) > 0 { // some servers have it only here
		candidates = append(candidates, json.RawMessage(a.Result.Content[0].Text))
	}
	for _, raw := range candidates {
		var required struct {
			X402Version int               `json:"x402Version"`
			Accepts     []json.RawMessage `json:"accepts"`
		}
		if json.Unmarshal(raw, &required) == nil && required.X402Version == 2 && len(required.Accepts) > 0 {
			return raw
		}
	}
	return nil
}

func (b *bridge) fail(id json.RawMessage, code int, text string) {
	b.write(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": text}})
}

// write writes a message as one line.
func (b *bridge) write(m any) {
	line, err := json.Marshal(m)
	if err != nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	_, _ = b.to.Write(append(line, '\n')) // a client that is gone closes the input, too
}
