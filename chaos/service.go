package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/db"
)

// service is what is sold: how it is asked for, and how an answer names the work that was done for it.
type service struct {
	metered string   // the path by key
	paid    []string // the paths by x402
	body    string
	jobFunc func(body []byte) (string, error)
	// jobsFunc returns all work that was done, by its name.
	jobsFunc func(ctx context.Context, pool *pgxpool.Pool) (map[string]*work, error)
	// caddyfile is nil for the rig's own.
	caddyfile []byte
}

// work is what the upstream says of a job.
type work struct {
	payment uuid.UUID // the hold or claim that it was done for
	times   int
}

// trivialService is this program's own upstream, which does next to nothing.
func trivialService(journal string) *service {
	return &service{
		metered: "/metered/work",
		paid:    []string{"/paid/work", "/paid/before/work"},
		jobFunc: func(body []byte) (string, error) { return strings.TrimSpace(string(body)), nil },
		jobsFunc: func(context.Context, *pgxpool.Pool) (map[string]*work, error) {
			return readJournal(journal)
		},
	}
}

// scrapeService is the web data service behind the shipped Caddyfile, which scrapes a page of this process.
func scrapeService(page string) (*service, error) {
	const shipped, ledger = "Caddyfile", "ledger postgres {env.DATABASE_URL}\n"
	text, err := os.ReadFile(shipped)
	if err != nil {
		return nil, fmt.Errorf("run this in the repository's root: %w", err)
	}
	config := string(text)
	for old, with := range map[string]string{
		ledger:     "ledger postgres {env.DATABASE_URL} {\n\t\t\tlost_after {$RIG_LOST_AFTER}\n\t\t}\n",
		"x402 {\n": "x402 {\n\t\t\tpublic_url {$RIG_PUBLIC_URL}\n",
	} {
		if !strings.Contains(config, old) {
			return nil, fmt.Errorf("%s has no line %q", shipped, strings.TrimSpace(old))
		}
		config = strings.Replace(config, old, with, 1)
	}
	return &service{
		metered:   "/v1/scrapes",
		paid:      []string{"/x402/v1/scrapes"},
		body:      fmt.Sprintf(`{"url_to_scrape":%q,"formats":["text"]}`, page),
		jobFunc:   scrapeOf,
		jobsFunc:  listScrapes,
		caddyfile: []byte(config),
	}, nil
}

func scrapeOf(body []byte) (string, error) {
	var scrape struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(body, &scrape); err != nil {
		return "", fmt.Errorf("reading a scrape: %w", err)
	}
	return scrape.ID, nil
}

// listScrapes reads the scrapes from the database, whose schema lets no two be done for one payment.
func listScrapes(ctx context.Context, pool *pgxpool.Pool) (map[string]*work, error) {
	rows, err := db.New(pool).ListScrapeJobs(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading the scrapes: %w", err)
	}
	jobs := make(map[string]*work, len(rows))
	for _, row := range rows {
		payment, err := uuid.Parse(row.Jti)
		if err != nil {
			return nil, fmt.Errorf("scrape %s: %w", row.ID, err)
		}
		jobs[row.ID] = &work{payment: payment, times: 1}
	}
	return jobs, nil
}

// newPage serves what is scraped.
func newPage() *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<!doctype html><title>Tolls</title><h1>Tolls</h1><p>Paid at the gate.</p>")
	}))
}
