//go:build linux

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	htmltomarkdown "github.com/JohannesKaufmann/html-to-markdown/v2"
	"github.com/gocolly/colly/v2"
)

const collyArg = "colly"

// collyPlan is the configuration of a colly run, passed as JSON in its argument.
type collyPlan struct {
	URL         string `json:"url"`
	Parallelism int    `json:"parallelism"`
	// Markdown has html-to-markdown convert each page, besides reading its links.
	Markdown bool `json:"markdown"`
}

// turn is the result of one side in one turn.
type turn struct {
	Pages int           `json:"pages"`
	Took  time.Duration `json:"took"`
	// CPU is that of the side's process; for the product also that of Postgres and the edge.
	CPU time.Duration `json:"cpu"`
	// Postgres and Edge are their shares of CPU.
	Postgres time.Duration `json:"postgres,omitempty"`
	Edge     time.Duration `json:"edge,omitempty"`
	// Wrong is how many pages were not requested exactly once.
	Wrong int `json:"-"`
	// Fetches is how often pages were requested.
	Fetches int `json:"-"`
}

func (t turn) perCPU() float64 { return float64(t.Pages) / t.CPU.Seconds() }

func (t turn) perSecond() float64 { return float64(t.Pages) / t.Took.Seconds() }

// perPage is a time divided by the pages, in milliseconds.
func (t turn) perPage(of time.Duration) float64 { return of.Seconds() * 1e3 / float64(t.Pages) }

// collyMain crawls a site with colly, as its own examples do, and prints the turn.
func collyMain(args []string) error {
	if len(args) != 1 {
		return errors.New("colly: want one argument, the plan")
	}
	var plan collyPlan
	if err := json.Unmarshal([]byte(args[0]), &plan); err != nil {
		return fmt.Errorf("colly: reading the plan: %w", err)
	}
	t, err := plan.run()
	if err != nil {
		return fmt.Errorf("colly: %w", err)
	}
	return json.NewEncoder(os.Stdout).Encode(t)
}

func (plan *collyPlan) run() (t turn, err error) {
	c := colly.NewCollector(colly.Async(true))
	if err := c.Limit(&colly.LimitRule{DomainGlob: "*", Parallelism: plan.Parallelism}); err != nil {
		return t, err
	}
	// Keep as many connections as there are concurrent fetches: with Go's default of two, most would be dialled anew.
	transport := http.DefaultTransport.(*http.Transport).Clone() //nolint:forcetypeassert // the standard library's
	transport.MaxIdleConns, transport.MaxIdleConnsPerHost = plan.Parallelism, plan.Parallelism
	c.WithTransport(transport)
	var pages atomic.Int64
	var fault atomic.Pointer[error]
	c.OnError(func(_ *colly.Response, err error) { fault.Store(&err) })
	c.OnHTML("a[href]", func(e *colly.HTMLElement) {
		_ = e.Request.Visit(e.Attr("href")) // an error usually says that the page is known
	})
	c.OnResponse(func(r *colly.Response) {
		if plan.Markdown {
			if _, err := htmltomarkdown.ConvertString(string(r.Body)); err != nil {
				fault.Store(&err)
			}
		}
		pages.Add(1)
	})
	begun, before := time.Now(), ownCPU()
	if err := c.Visit(plan.URL); err != nil {
		return t, err
	}
	c.Wait()
	t = turn{Pages: int(pages.Load()), Took: time.Since(begun), CPU: ownCPU() - before}
	if err := fault.Load(); err != nil {
		return t, *err
	}
	return t, nil
}

// ownCPU is the CPU time of this process.
func ownCPU() time.Duration {
	var usage syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage) // cannot fail with this argument
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
