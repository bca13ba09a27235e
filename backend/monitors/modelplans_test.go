package monitors_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/backend/llm"
	"github.com/turnpike-edge/turnpike/backend/monitors"
	"github.com/turnpike-edge/turnpike/backend/monitors/plan"
	"github.com/turnpike-edge/turnpike/backend/monitors/run"
)

// refusing is a model that never plans, and counts its calls.
type refusing struct{ asked atomic.Int64 }

func (m *refusing) Chat(context.Context, llm.ChatRequest) (llm.ChatReply, error) {
	m.asked.Add(1)
	return llm.ChatReply{}, &llm.Error{Reason: llm.ReasonContentFiltered}
}

const plansMax = 3

// modelled is a place whose planner uses a model.
func modelled(t *testing.T, now func() time.Time) (*place, *refusing) {
	t.Helper()
	p, model := newPlace(t), &refusing{}
	p.work(func(c *monitors.Config) {
		c.Planner = plan.NewPlanner(model, plan.Options{}, newLogger())
		c.ModelPlansMax, c.Now = plansMax, now
	})
	return p, model
}

// watch creates n monitors, runs each once, and deletes every other one.
func (p *place) watch(n int) monitors.Monitor {
	p.t.Helper()
	var m monitors.Monitor
	for i := range n {
		m = p.create(fmt.Sprintf(`{"query":"the price on https://example.com/%d"}`, i))
		p.untilRuns(m.ID, 1)
		if i%2 == 0 && i < n-1 {
			p.send(http.MethodDelete, "/v1/monitors/"+m.ID, "")
		}
	}
	return m
}

// Model plans that no run has paid for are limited per team and day. Beyond that, the rules make the plan.
func TestModelPlansThatNobodyPaysFor(t *testing.T) {
	t.Parallel()
	later := atomic.Int64{}
	p, model := modelled(t, func() time.Time { return time.Now().Add(time.Duration(later.Load())) })
	p.runner.does(func(context.Context, int, run.Previous) (run.Outcome, error) {
		return run.Outcome{}, errors.New("away")
	})
	m := p.watch(8)
	if got := model.asked.Load(); got != plansMax {
		t.Errorf("got a model asked for %d plans that cost nothing, want %d", got, plansMax)
	}
	planning := decode[monitors.Planning](t, p.send(http.MethodGet, "/v1/monitors/"+m.ID+"/planning", ""))
	history := planning.DAG.Validation.History
	if len(history) != 2 || history[0].By != plan.ByModel || !strings.Contains(history[0].Errors[0], "was not asked") || history[1].By != plan.ByRules || !history[1].IsValid {
		t.Errorf("got the history %+v, want that the model was not asked, and the rules' plan", history)
	}
	// Another team has its own limit, and the next day a new one.
	first := p.team
	p.team = p.newTeam(1000)
	p.watch(1)
	p.team = first
	later.Store(int64(25 * time.Hour))
	p.watch(1)
	if got := model.asked.Load(); got != plansMax+2 {
		t.Errorf("got a model asked for %d plans, want one more for another team and one for another day: %d", got, plansMax+2)
	}
	if _, err := p.newService(func(c *monitors.Config) { c.Now = func() time.Time { return time.Now().Add(60 * time.Hour) } }).Purge(t.Context(), 10); err != nil {
		t.Fatal(err)
	}
	if n := p.count(`select count(*) from monitor_unpaid_plan`); n != 0 {
		t.Errorf("got %d plans kept for ever, want none", n)
	}
}

// The baseline run pays for the plan, as the contract says: paid plans are not limited.
func TestModelPlansThatRunsPayFor(t *testing.T) {
	t.Parallel()
	p, model := modelled(t, time.Now)
	p.watch(2 * plansMax)
	if got := model.asked.Load(); got != 2*plansMax {
		t.Errorf("got a model asked for %d plans, want all %d", got, 2*plansMax)
	}
}

// The limit also holds for concurrent plans.
func TestModelPlansAtOnce(t *testing.T) {
	t.Parallel()
	p, model := modelled(t, time.Now)
	p.runner.does(func(context.Context, int, run.Previous) (run.Outcome, error) {
		return run.Outcome{}, errors.New("away")
	})
	for range 3 {
		p.work(func(c *monitors.Config) {
			c.Planner = plan.NewPlanner(model, plan.Options{}, newLogger())
			c.ModelPlansMax = plansMax
		})
	}
	made := make([]monitors.Monitor, 24)
	for i := range made {
		made[i] = p.create(`{"query":"the price on https://example.com/"}`)
	}
	for _, m := range made {
		p.untilRuns(m.ID, 1)
	}
	if got := model.asked.Load(); got != plansMax {
		t.Errorf("got a model asked for %d plans at once, want %d", got, plansMax)
	}
}
