package render

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// pool keeps browsers: started when a job needs one, shared by as many jobs as allowed, ended when idle or used up.
type pool struct {
	config Config
	// start makes a browser within the context's time.
	start func(context.Context) (*browser, error)

	mu      sync.Mutex
	closed  bool
	members []*member
	// ending counts browsers that are killed and not yet gone.
	ending  sync.WaitGroup
	started atomic.Int64
	ended   atomic.Int64
}

// member is a browser of the pool, or one that is starting. Its fields but ready, and browser and err once ready is
// closed, belong to the pool's mutex.
type member struct {
	ready   chan struct{}
	browser *browser
	err     error

	active, served int
	// retiring: it gets no more jobs and ends with those it has.
	retiring bool
	idle     *time.Timer
}

func newPool(config Config, start func(context.Context) (*browser, error)) *pool {
	return &pool{config: config, start: start}
}

// acquire returns a browser with a free page, of which there must be one. Every member it returns must be released.
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

// choose returns the fullest browser with room, so that others may fall idle, or starts one. There is always room for
// one: Renderer lets in no more jobs than all browsers have pages.
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
		// Its own time: the job that happens to be first may have little left, and others wait for this browser, too.
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

// end takes a member without jobs out of the pool and kills its browser, if need be once it has started. The mutex is
// held; ending twice is ending once.
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
		pages := m.served // jobs that are cut off still count
		p.mu.Unlock()
		p.config.Logger.Info("browser ended", slog.String("why", why), slog.Int("pages", pages))
	})
}

// close ends every browser, with the jobs that run, and returns once they are gone.
func (p *pool) close() {
	p.mu.Lock()
	p.closed = true
	for _, m := range slices.Clone(p.members) {
		p.end(m, "closed")
	}
	p.mu.Unlock()
	p.ending.Wait()
}

// Stats is what a renderer has going.
type Stats struct {
	// Browsers run or start, with Pages in use.
	Browsers, Pages int
	// Started and Ended count browsers since the beginning.
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
