package main

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/netip"
	"path"
	"strings"
	"time"
)

//go:embed sample
var sampleFiles embed.FS

// startSample serves a few pages on this machine, so that the first scrape, crawl and map work without a network. A
// POST to it counts as a webhook, and is printed.
func (d *devServer) startSample(ctx context.Context) error {
	listener, err := d.listen(ctx, partSample)
	if err != nil {
		return fmt.Errorf("serving the sample pages: %w", err)
	}
	addr := netip.MustParseAddrPort(listener.Addr().String())
	d.samplePort = addr.Port()
	d.sampleURL = "http://" + addr.String() + "/"
	server := &http.Server{ReadHeaderTimeout: 5 * time.Second, Handler: http.HandlerFunc(
		func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				d.tellWebhook(r)
				return
			}
			serveSample(w, r)
		})}
	go func() { _ = server.Serve(listener) }()
	d.onStop(func(context.Context) error { return server.Close() })
	return nil
}

// serveSample serves a page by its name without .html, or robots.txt.
func serveSample(w http.ResponseWriter, r *http.Request) {
	name := path.Join("sample", path.Clean("/"+r.URL.Path))
	mediaType := "text/plain; charset=utf-8"
	if name == "sample" {
		name += "/index"
	}
	if path.Ext(name) == "" {
		name, mediaType = name+".html", "text/html; charset=utf-8"
	}
	content, err := fs.ReadFile(sampleFiles, name)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", mediaType)
	_, _ = w.Write(content)
}

// webhookBytesMax is more than any event sent here has.
const webhookBytesMax = 64 << 10

// tellWebhook prints any POST on one line.
func (d *devServer) tellWebhook(r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, webhookBytesMax))
	if err != nil {
		return // it is sent again
	}
	var event struct {
		ID     string          `json:"id"`
		Object string          `json:"object"`
		Data   json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(body, &event); err != nil || !strings.HasPrefix(event.Object, "event.") {
		fmt.Fprintf(d.cmd.OutOrStdout(), "\nThe sample site received a POST request that is not a webhook: %.200q\n", body)
		return
	}
	fmt.Fprintf(d.cmd.OutOrStdout(), "\nThe sample site received a webhook: %.60q %.60q\n%s\n", event.Object, event.ID, oneLine(event.Data))
}

// oneLine replaces control characters, which the terminal would act on, by spaces; JSON strings have them escaped.
func oneLine(text json.RawMessage) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, string(text))
}
