package render

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// pool manages browsers: it starts them when a job needs one, shares them among jobs, and ends idle and worn ones.
type pool struct {
	config Config
	// start starts a browser within the context's time.
	start func(context.Context) (*browser, error)

	mu      sync.Mutex
	closed  bool
	members []*member
	// ending counts browsers that are killed but not yet gone.
	ending  sync.WaitGroup
	started atomic.Int64
	ended   atomic.Int64
}

// member is a browser of the pool, possibly still starting. The pool's mutex protects its fields, except ready, and except
// browser and err once ready is closed.
type member struct {
	ready   chan struct{}
	browser *browser
	err     error

	active, served int
	// retiring: it gets no more jobs, and ends when its present ones have ended.
	retiring bool
	idle     *time.Timer
}

func newPool(config Config, start func(context.Context) (*browser, error)) *pool {
	return &pool{config: config, start: start}
}

// acquire returns a browser with a free page; the caller guarantees that there is one. Every returned member must be
// released.
func (p *pool) acquire(ctx context.Context) (*member, error) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, &Error{Reason: ReasonUnavailable, Err: errClosed}
	}
	m := p.choose()
	m.active++
	if m.idle != nil {
		m.idle.Stop()
	}
	p.mu.Unlock()

	select {
	case <-m.ready:
	case <-ctx.Done():
		p.release(m)
		return nil, fail(ctx, context.Cause(ctx))
	}
	if m.err != nil {
		p.release(m)
		return nil, &Error{Reason: ReasonUnavailable, Err: m.err}
	}
	return m, nil
}

// choose returns the fullest browser with a free page, so that others may become idle, or starts one. There is always room:
// Renderer admits no more jobs than all browsers have pages.
func (p *pool) choose() *member {
	var best *member
	for _, m := range p.members {
		if m.worn(p.config) {
			m.retiring = true
		}
		if !m.retiring && m.active < p.config.PagesPerBrowser && (best == nil || m.active > best.active) {
			best = m
		}
	}
	if best != nil {
		return best
	}
	m := &member{ready: make(chan struct{})}
	p.members = append(p.members, m)
	go func() {
		// A separate time limit: the first job may have little time left, and other jobs wait for this browser, too.
		ctx, cancel := context.WithTimeout(context.Background(), p.config.StartTimeout)
		defer cancel()
		m.browser, m.err = p.start(ctx)
		if m.err == nil {
			p.started.Add(1)
		}
		close(m.ready)
	}()
	return m
}

// worn reports whether a browser that has started should get no more jobs.
func (m *member) worn(config Config) bool {
	select {
	case <-m.ready:
	default:
		return false
	}
	return m.err != nil || !m.browser.alive() || m.browser.stuck.Load() ||
		m.served >= config.RecyclePages || m.browser.bytes.Load() > config.RecycleBytes
}

// release gives a page back.
func (p *pool) release(m *member) {
	p.mu.Lock()
	defer p.mu.Unlock()
	m.active--
	m.served++
	m.retiring = m.retiring || p.closed || m.worn(p.config)
	if m.active > 0 {
		return
	}
	if m.retiring {
		p.end(m, "used up")
		return
	}
	if m.idle != nil {
		m.idle.Stop()
	}
	m.idle = time.AfterFunc(p.config.IdleAfter, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if m.active == 0 {
			p.end(m, "idle")
		}
	})
}

// end removes a member without jobs from the pool and kills its browser, after its start if it is still starting. The mutex
// is held. A second call has no effect.
func (p *pool) end(m *member, why string) {
	at := slices.Index(p.members, m)
	if at < 0 {
		return
	}
	p.members = slices.Delete(p.members, at, at+1)
	if m.idle != nil {
		m.idle.Stop()
	}
	p.ending.Go(func() {
		<-m.ready
		if m.err != nil {
			return
		}
		m.browser.kill()
		<-m.browser.gone()
		p.ended.Add(1)
		p.mu.Lock()
		pages := m.served // aborted jobs still count
		p.mu.Unlock()
		p.config.Logger.Info("browser ended", slog.String("why", why), slog.Int("pages", pages))
	})
}

// close ends every browser, with its running jobs, and returns once they are gone.
func (p *pool) close() {
	p.mu.Lock()
	p.closed = true
	for _, m := range slices.Clone(p.members) {
		p.end(m, "closed")
	}
	p.mu.Unlock()
	p.ending.Wait()
}

// Stats is the present load of a renderer.
type Stats struct {
	// Browsers are running or starting, Pages are in use.
	Browsers, Pages int
	// Started and Ended count browsers since the start of the process.
	Started, Ended int64
	// Bytes is the memory of all browsers, as last measured.
	Bytes int64
}

func (p *pool) stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := Stats{Browsers: len(p.members), Started: p.started.Load(), Ended: p.ended.Load()}
	for _, m := range p.members {
		s.Pages += m.active
		select {
		case <-m.ready:
			if m.err == nil {
				s.Bytes += m.browser.bytes.Load()
			}
		default:
		}
	}
	return s
}
