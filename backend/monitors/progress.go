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

// The kinds of what a stream tells. The first three are rows that provisioning writes, the last is the monitor at the end.
const (
	kindPhase    = "phase"
	kindToken    = "reasoning_token"
	kindError    = "error"
	kindComplete = "complete"
)

// The phases that are the service's own; the others are the planner's.
const (
	phaseProvisioning = "provisioning"
	phaseScheduling   = "scheduling"
)

// gatherTokens is how long pieces of reasoning wait for more: each write is a commit.
const gatherTokens = 100 * time.Millisecond

// tokenBytesMax ends a piece that was put together of several.
const tokenBytesMax = 2048

// phaseData is what is told of a phase.
type phaseData struct {
	Phase   string `json:"phase"`
	Message string `json:"message"`
	At      string `json:"at"`
}

type tokenData struct {
	Token string `json:"token"`
}

// refusal is an error as monitors tell it.
type refusal struct {
	Error     string `json:"error"`
	MonitorID string `json:"monitor_id"`
}

// progress writes down what provisioning tells of itself, in order. It is used by one goroutine.
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

// emit takes what a planner tells: phases are written at once, pieces of reasoning a few at a time.
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

// flush writes what there is. The error is the first of any.
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

// stamp is a time as callers see it.
func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// news wakes the streams of this process when something was written in it. What other processes write is looked for.
type news struct {
	mu   sync.Mutex
	next chan struct{}
}

func newNews() *news { return &news{next: make(chan struct{})} }

// wait returns a channel that is closed by the next tell.
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
