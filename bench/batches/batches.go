//go:build linux

package batches

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/turnpike-edge/turnpike/bench/stand"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/payments/money"
)

const (
	itemsMost  = 10_000
	itemsShort = 1_000
	// timeout bounds a run; poll is the interval of status requests, which count in the cost.
	timeout = 15 * time.Minute
	poll    = 250 * time.Millisecond
	// pageParagraphs give a page about 10 kB.
	pageParagraphs = 40
)

// run is the result of one batch.
type run struct {
	items    int
	accepted time.Duration // until POST /v1/batches was answered
	took     time.Duration // from then on, until all items had ended
	worker   time.Duration // CPU
	postgres time.Duration // CPU
	commits  int64
	memory   int64 // peak resident memory of the worker, in bytes
}

func (r run) perSecond() float64 { return float64(r.items) / r.took.Seconds() }

// per1000 is CPU time in milliseconds per 1,000 items.
func (r run) per1000(cpu time.Duration) float64 { return cpu.Seconds() * 1e6 / float64(r.items) }

// place is the whole product on this machine, and the pages to fetch.
type place struct {
	*stand.Stand

	pages *pages
}

// Measure has a team buy one batch of local pages, and checks the result against the pages' hits and the ledger.
func Measure(ctx context.Context, o stand.Options) (err error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	r := run{items: itemsMost}
	if o.Short {
		r.items = itemsShort
	}
	product, err := stand.Open(ctx, money.Credits(r.items), nil)
	defer func() { err = errors.Join(err, product.Close()) }()
	if err != nil {
		return err
	}
	p := &place{Stand: product}
	if p.pages, err = serve(ctx, r.items); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.pages.server.Close()) }()
	if err := p.measure(ctx, o.Binary, &r); err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, "bench: batch:", r)
	return report(o, r, p.Postgres.Installation())
}

// measure runs the batch and counts transactions.
func (p *place) measure(ctx context.Context, binary string, r *run) error {
	commits, err := db.New(p.Pool).CommittedTransactions(ctx)
	if err != nil {
		return fmt.Errorf("counting transactions: %w", err)
	}
	if err := p.start(ctx, binary); err != nil {
		return err
	}
	id, err := p.run(ctx, r)
	if err != nil {
		return err
	}
	if r.memory, err = p.Memory(); err != nil {
		return err
	}
	// Postgres processes report their transaction counts with a delay, and at their end.
	if err := p.Stop(ctx); err != nil {
		return err
	}
	after, err := db.New(p.Pool).CommittedTransactions(ctx)
	if err != nil {
		return fmt.Errorf("counting transactions: %w", err)
	}
	r.commits = after - commits
	return p.Audit(ctx, id, money.Credits(r.items), money.Credits(r.items))
}

// start starts the processes of the product.
func (p *place) start(ctx context.Context, binary string) error {
	_, port, err := net.SplitHostPort(p.pages.listener.Addr().String())
	if err != nil {
		return err
	}
	return p.Start(ctx, stand.Config{Binary: binary, Port: port, Apart: true})
}

// run buys the batch and waits for its end.
func (p *place) run(ctx context.Context, r *run) (id string, err error) {
	body, err := p.pages.batch(r.items)
	if err != nil {
		return "", err
	}
	before, err := p.CPU()
	if err != nil {
		return "", err
	}
	begun := time.Now()
	var b batchAnswer
	if err := p.Ask(ctx, http.MethodPost, "/v1/batches", body, &b); err != nil {
		return "", err
	}
	r.accepted = time.Since(begun)
	begun = time.Now()
	tick := time.NewTicker(poll)
	defer tick.Stop()
	for b.Status != "completed" {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return "", fmt.Errorf("%d of %d items have ended: %w", b.Completed+b.Failed, r.items, ctx.Err())
		}
		if err := p.Ask(ctx, http.MethodGet, "/v1/batches/"+b.ID, nil, &b); err != nil {
			return "", err
		}
	}
	r.took = time.Since(begun)
	after, err := p.CPU()
	if err != nil {
		return "", err
	}
	r.worker, r.postgres = after.Less(before).Worker, after.Less(before).Postgres
	if b.Completed != r.items {
		return "", fmt.Errorf("%d of %d items were completed, %d failed", b.Completed, r.items, b.Failed)
	}
	return b.ID, p.pages.check()
}

// batchAnswer holds the fields of a batch that are used here.
type batchAnswer struct {
	ID        string `json:"id"`
	Status    string `json:"status"`
	Completed int    `json:"completed_urls"`
	Failed    int    `json:"failed_urls"`
}

// pages are local pages, each of which is to be requested once.
type pages struct {
	listener net.Listener
	server   *http.Server
	hits     []atomic.Int64
}

func serve(ctx context.Context, n int) (*pages, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("serving pages: %w", err)
	}
	p := &pages{listener: listener, hits: make([]atomic.Int64, n)}
	p.server = &http.Server{Handler: p, ReadHeaderTimeout: time.Minute}
	go func() { _ = p.server.Serve(listener) }()
	return p, nil
}

// ServeHTTP implements http.Handler.
func (p *pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(filepath.Base(r.URL.Path))
	if err != nil || n < 0 || n >= len(p.hits) {
		http.NotFound(w, r)
		return
	}
	p.hits[n].Add(1)
	var page bytes.Buffer
	fmt.Fprintf(&page, `<!doctype html><html lang="en"><head><title>Tides, part %[1]d</title></head><body><nav><a href="/">Home</a></nav><main><h1>Tides, part %[1]d</h1>`, n)
	for i := range pageParagraphs {
		fmt.Fprintf(&page, `<p>On day %d of part %d the water stood %d centimetres above the mark at <a href="/day/%[1]d">nine in the morning</a>, and fell `+
			`slowly after noon, when the wind turned to the west and the boats that had waited could leave the harbour.</p>`, i, n, (i*7+n)%90)
	}
	page.WriteString(`</main><footer>Imprint</footer></body></html>`)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(page.Bytes())
}

// batch returns the request body that lists the pages.
func (p *pages) batch(n int) ([]byte, error) {
	type item struct {
		CustomID string `json:"custom_id"`
		URL      string `json:"url"`
	}
	items := make([]item, n)
	for i := range items {
		items[i] = item{strconv.Itoa(i), fmt.Sprintf("http://%s/pages/%d", p.listener.Addr(), i)}
	}
	return json.Marshal(map[string]any{"items": items, "formats": []string{"html", "markdown"}})
}

// check reports an error unless each page was requested exactly once.
func (p *pages) check() error {
	wrong := 0
	for i := range p.hits {
		if p.hits[i].Load() != 1 {
			wrong++
		}
	}
	if wrong > 0 {
		return fmt.Errorf("%d of %d pages were not asked for once", wrong, len(p.hits))
	}
	return nil
}
