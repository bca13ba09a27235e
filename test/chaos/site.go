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

// shipped is the configuration that operators start with.
const shipped = "Caddyfile"

// workRoutes charge for this program's own upstream, beside the web data service.
const workRoutes = `	handle /task/* {
		api_key
		meter {
			price /task/* ` + "`int(query.credits)`" + ` {
				operation work
			}
		}
		reverse_proxy %[1]s {
			transport direct
		}
	}
	handle /paid/* {
		x402 {
			price /paid/before/* 0.01 {
				settle before
				timeout 30s
			}
			price /paid/* 0.01 {
				timeout 30s
			}
		}
		reverse_proxy %[1]s {
			transport direct
		}
	}

`

// settlesOnBase reports whether an edge settles on the second network too.
func settlesOnBase(number int) bool { return number > 0 }

// x402Variants is the number of configurations that differ only in an x402 setting.
const x402Variants = 2

// stormCaddyfiles returns the configurations of the edges: the shipped one with short times and one more upstream,
// and for some edges with one more network.
func stormCaddyfiles(upstream, baseRPC string) (func(number, variant int) []byte, error) {
	text, err := os.ReadFile(shipped)
	if err != nil {
		return nil, fmt.Errorf("run this in the repository's root: %w", err)
	}
	config := string(text)
	const (
		global = "\n{\n"
		ledger = "ledger postgres {env.DATABASE_URL} {\n"
		x402   = "x402 {\n"
		stripe = "{$STRIPE_API_BASE:https://api.stripe.com}\n"
		routes = "\t# Prices and quotes are for edges.\n"
		base   = "\t\t\tnetwork base {\n\t\t\t\tfacilitator local {\n\t\t\t\t\trpc %s\n\t\t\t\t\tsigner {env.SETTLER_KEY}\n\t\t\t\t}\n\t\t\t}\n"
	)
	for old, with := range map[string]string{
		global: global + "\tadmin {$RIG_ADMIN}\n\tpersist_config off\n\tdefault_bind 127.0.0.1\n",
		ledger: ledger + "\t\t\tlost_after {$RIG_LOST_AFTER}\n",
		stripe: stripe + "\t\t\tattempt_every 250ms\n\t\t\tdaily_max 100000 100000000\n\t\t\tsweep_every 1s\n",
		x402:   "x402 {\n\t\t\tpublic_url {$RIG_PUBLIC_URL}\n\t\t\tsuspects_per_minute %d\n%s",
		routes: fmt.Sprintf(workRoutes, upstream) + routes,
	} {
		if !strings.Contains(config, old) {
			return nil, fmt.Errorf("%s has no line %q", shipped, strings.TrimSpace(old))
		}
		config = strings.Replace(config, old, with, 1)
	}
	return func(number, variant int) []byte {
		more := ""
		if settlesOnBase(number) {
			more = fmt.Sprintf(base, baseRPC)
		}
		return fmt.Appendf(nil, config, unverifiedPerMinute+variant, more)
	}, nil
}

// unverifiedPerMinute is in effect no limit on unverified payments, since all clients share one address here.
const unverifiedPerMinute = 1_000_000

// scrapeBody requests a scrape of the page that this process serves.
func (p *place) scrapeBody() string {
	return fmt.Sprintf(`{"url_to_scrape":%q,"formats":["text"]}`, p.page.URL)
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

// work is an upstream's record of a job.
type work struct {
	payment uuid.UUID // the hold or claim that it was done for
	times   int
}

// listScrapes reads the scrapes from the database, whose schema allows only one per payment.
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

// newPage serves the page that is scraped.
func newPage() *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<!doctype html><title>Prices</title><h1>Prices</h1><p>Paid at the gate.</p>")
	}))
}
