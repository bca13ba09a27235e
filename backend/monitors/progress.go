package monitors

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/turnpike-edge/turnpike/backend/monitors/plan"
	"github.com/turnpike-edge/turnpike/db"
)

// The kinds of events in a stream. Provisioning writes the first three as rows; the last ends the stream with the monitor.
const (
	kindPhase    = "phase"
	kindToken    = "reasoning_token"
	kindError    = "error"
	kindComplete = "complete"
)

// The service's own phases. The planner has the others.
const (
	phaseProvisioning = "provisioning"
	phaseScheduling   = "scheduling"
)

// gatherTokens is how long pieces of reasoning are collected before they are written, since each write is a commit.
const gatherTokens = 100 * time.Millisecond

// tokenBytesMax is the length at which collected pieces of reasoning are written.
const tokenBytesMax = 2048

// phaseData is the data of a phase event.
type phaseData struct {
	Phase   string `json:"phase"`
	Message string `json:"message"`
	At      string `json:"at"`
}

type tokenData struct {
	Token string `json:"token"`
}

// refusal is an error in a stream.
type refusal struct {
	Error     string `json:"error"`
	MonitorID string `json:"monitor_id"`
}

// progress writes the events of provisioning, in order. It is used by one goroutine.
type progress struct {
	s       *Service
	q       *db.Queries
	monitor string

	kinds, data []string
	token       strings.Builder
	flushed     time.Time
	err         error
}

func newProgress(s *Service, q *db.Queries, monitor string) *progress {
	return &progress{s: s, q: q, monitor: monitor}
}

func (p *progress) add(kind string, data any) {
	text, err := json.Marshal(data)
	if err != nil {
		p.err = err
		return
	}
	p.kinds, p.data = append(p.kinds, kind), append(p.data, string(text))
}

func (p *progress) phase(phase, message string) {
	p.endToken()
	p.add(kindPhase, phaseData{Phase: phase, Message: message, At: stamp(p.s.config.Now())})
}

func (p *progress) fail(message string) {
	p.endToken()
	p.add(kindError, refusal{Error: message, MonitorID: p.monitor})
}

func (p *progress) endToken() {
	if p.token.Len() > 0 {
		p.add(kindToken, tokenData{Token: p.token.String()})
		p.token.Reset()
	}
}

// emit takes a planner's events: phases are written at once, pieces of reasoning a few at a time.
func (p *progress) emit(ctx context.Context, e plan.Event) {
	if e.Phase != "" {
		p.phase(string(e.Phase), e.Message)
	} else if p.token.WriteString(e.Token); p.token.Len() > tokenBytesMax {
		p.endToken()
	}
	if e.Phase != "" || p.s.config.Now().Sub(p.flushed) >= gatherTokens {
		if err := p.flush(ctx); err != nil {
			p.err = err
		}
	}
}

// flush writes the collected events. The error is the first that occurred.
func (p *progress) flush(ctx context.Context) error {
	p.endToken()
	if p.err != nil || len(p.kinds) == 0 {
		return p.err
	}
	err := p.q.AddMonitorProgress(ctx, db.AddMonitorProgressParams{MonitorID: p.monitor, Kinds: p.kinds, Data: p.data, Now: p.s.config.Now()})
	if err != nil {
		return fmt.Errorf("writing the progress of %s: %w", p.monitor, err)
	}
	p.kinds, p.data, p.flushed = nil, nil, p.s.config.Now()
	p.s.news.tell()
	return nil
}

// stamp formats a time for clients.
func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// news wakes the streams of this process when this process writes progress. Streams poll for what other processes write.
type news struct {
	mu   sync.Mutex
	next chan struct{}
}

func newNews() *news { return &news{next: make(chan struct{})} }

// wait returns a channel that the next tell closes.
func (n *news) wait() <-chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.next
}

func (n *news) tell() {
	n.mu.Lock()
	defer n.mu.Unlock()
	close(n.next)
	n.next = make(chan struct{})
}
