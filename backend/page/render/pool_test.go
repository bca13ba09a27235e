package render

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"github.com/chromedp/cdproto"

	"github.com/turnpike-edge/turnpike/admission"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
)

// silent is the transport of a browser that sends nothing until it is closed.
type silent struct{ closed chan struct{} }

func (s silent) Read(context.Context, *cdproto.Message) error {
	<-s.closed
	return io.EOF
}

func (s silent) Write(context.Context, *cdproto.Message) error { return nil }

func (s silent) Close() error {
	select {
	case <-s.closed:
	default:
		close(s.closed)
	}
	return nil
}

// fakePool is a pool with fake browsers, which have only their bookkeeping.
func fakePool(t *testing.T, config Config) *pool {
	t.Helper()
	config = config.withDefaults()
	p := newPool(config, func(context.Context) (*browser, error) {
		return &browser{config: config, conn: newConn(silent{make(chan struct{})})}, nil
	})
	t.Cleanup(p.close)
	return p
}

func acquire(t *testing.T, p *pool) *member {
	t.Helper()
	m, err := p.acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func ended(t *testing.T, m *member) {
	t.Helper()
	select {
	case <-m.browser.gone():
	case <-time.After(20 * time.Second):
		t.Fatal("the browser was not ended")
	}
}

func TestPoolShares(t *testing.T) {
	t.Parallel()
	p := fakePool(t, Config{Browsers: 2, PagesPerBrowser: 2})
	a, b, c, d := acquire(t, p), acquire(t, p), acquire(t, p), acquire(t, p)
	if a != b || c != d || a == c {
		t.Error("four pages are not two each of two browsers")
	}
	if got, want := p.stats(), (Stats{Browsers: 2, Pages: 4, Started: 2}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	p.release(a)
	p.release(c)
	p.release(d)
	if got := acquire(t, p); got != b {
		t.Error("a page was given of the empty browser, not of the one in use")
	} else {
		p.release(got)
	}
	p.release(b)
}

func TestPoolRecycles(t *testing.T) {
	t.Parallel()
	for name, wear := range map[string]func(*pool, *member){
		"pages":  func(p *pool, m *member) { m.served = p.config.RecyclePages },
		"memory": func(p *pool, m *member) { m.browser.bytes.Store(p.config.RecycleBytes + 1) },
		"death": func(_ *pool, m *member) {
			m.browser.kill()
			<-m.browser.conn.gone
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := fakePool(t, Config{})
			worn, second := acquire(t, p), acquire(t, p)
			p.mu.Lock()
			wear(p, worn)
			p.mu.Unlock()
			p.release(worn)
			fresh := acquire(t, p)
			if fresh == worn {
				t.Error("a worn browser got another job")
			}
			if name != "death" && !worn.browser.alive() {
				t.Error("a worn browser was ended with a job in it")
			}
			p.release(second)
			ended(t, worn)
			p.release(fresh)
			if got := p.stats(); got.Browsers != 1 || got.Started != 2 || got.Pages != 0 {
				t.Errorf("got %+v, want one of two browsers left", got)
			}
		})
	}
}

// A page that cannot be closed in time does not take others down: its browser gets no new pages, and ends with the existing ones.
func TestPoolKeepsPagesOfStuckBrowsers(t *testing.T) {
	t.Parallel()
	p := fakePool(t, Config{disposeTimeout: time.Millisecond})
	stuck, beside := acquire(t, p), acquire(t, p)
	stuck.browser.dispose(t.Context(), "a context")
	p.release(stuck)
	if stuck != beside || !beside.browser.alive() {
		t.Error("the page beside it has lost its browser")
	}
	if got := acquire(t, p); got == stuck {
		t.Error("a browser that is stuck got another page")
	}
	p.release(beside)
	ended(t, beside)
}

func TestPoolEndsIdleBrowsers(t *testing.T) {
	t.Parallel()
	p := fakePool(t, Config{IdleAfter: time.Millisecond})
	m := acquire(t, p)
	p.release(m)
	ended(t, m)
	if again := acquire(t, p); again == m {
		t.Error("got the browser that was ended")
	} else {
		p.release(again)
	}
}

func TestPoolStartsAnewAfterFailure(t *testing.T) {
	t.Parallel()
	p := fakePool(t, Config{})
	works := p.start
	p.start = func(context.Context) (*browser, error) { return nil, errors.New("no room on the disk") }
	_, err := p.acquire(t.Context())
	checkError(t, err, Error{Reason: ReasonUnavailable}, "no room on the disk")
	p.start = works
	p.release(acquire(t, p))
}

func TestPoolClosed(t *testing.T) {
	t.Parallel()
	p := fakePool(t, Config{})
	m := acquire(t, p)
	p.close()
	ended(t, m)
	p.release(m)
	_, err := p.acquire(t.Context())
	checkError(t, err, Error{Reason: ReasonUnavailable}, "closed")
}

// A job that gets no page in time fails with the reason: its team has its share, or all pages are in use.
func TestRenderWaitsForAPage(t *testing.T) {
	t.Parallel()
	places := admission.New(admission.Config{Size: 4})
	r := &Renderer{config: Config{}.withDefaults(), pool: fakePool(t, Config{}), places: places}
	ctx := admission.With(t.Context(), admission.Holder{Name: "a"})
	for range 2 {
		if _, err := places.Acquire(ctx, 1); err != nil {
			t.Fatal(err)
		}
	}
	u, err := fetch.ParseURL("http://a.test/")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(ctx, time.Millisecond)
	defer cancel()
	_, err = r.Render(ctx, Job{URL: u, Dial: func(context.Context, string) (net.Conn, error) { return nil, io.EOF }})
	checkError(t, err, Error{Reason: ReasonBusy}, "all 4 pages are in use")
}
