package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"runtime"
	"runtime/pprof"

	"github.com/spf13/cobra"
	_ "gocloud.dev/blob/s3blob" // content in a bucket: TURNPIKE_BLOB_URL=s3://…

	"github.com/turnpike-edge/turnpike/backend/app"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/page/membudget"
)

const backendHelp = `Runs the web data API behind an edge. It accepts only requests with an identity that the edge has signed, so let it
listen on a private address.

Environment variables:
  DATABASE_URL                URL of the Postgres database; run "turnpike migrate" on it first
  DATABASE_DIRECT_URL         URL of the database itself, if DATABASE_URL leads to a pooler (see docs/pgbouncer.md)
  TURNPIKE_IDENTITY_SECRET    secret that is shared with the edge, at least 32 bytes
  TURNPIKE_IDENTITY_SECRET_PREVIOUS
                              previous secret that is still accepted during a rotation (default: none)
  TURNPIKE_CONTENT_SECRET     secret that signs the URLs of stored pages, at least 32 bytes
  TURNPIKE_WEBHOOK_SECRET     secret from which the teams' webhook secrets are derived, at least 32 bytes
                              (default: TURNPIKE_CONTENT_SECRET)
  TURNPIKE_SMTP_URL           mail server: smtp://user:password@host:587 (STARTTLS, or ?starttls=optional or off)
                              or smtps://user:password@host:465 (default: mail is only written to the log)
  TURNPIKE_MAIL_FROM          sender of mail, such as Turnpike <monitors@example.com>
  TURNPIKE_SLACK_HOSTS        hosts[:port] that accept Slack's webhooks, besides hooks.slack.com, separated by commas
  TURNPIKE_BLOB_URL           where pages and files are stored: a directory, file:///dir, s3://bucket?region=… or mem://
  TURNPIKE_BASE_URL           public URL of the service, such as https://api.example.com
  TURNPIKE_API_URL            URL at which the console at /console reaches the edge (default: TURNPIKE_BASE_URL)
  TURNPIKE_IDENTITY_AUDIENCE  audience that identities must have (default: turnpike-upstream)
  TURNPIKE_DOCS_URL           URL of the documentation that errors link to (default: TURNPIKE_BASE_URL/docs)
  TURNPIKE_PROXIES            proxies by country, DE=http://user:password@host:port,…, or @file (default: none)
  TURNPIKE_HOST_CONNECTIONS   most requests at once to one host and port, by all backends (default: 2)
  TURNPIKE_HOST_RATE          most requests per second to one host and port, by all backends, or off (default: 5)
  TURNPIKE_BROWSER            browser that renders pages: a path, the ws:// address of a remote browser, or off
                              (default: the first that is found)
  TURNPIKE_BROWSER_SOCKET     Unix socket of a "turnpike browser" service, which starts browsers as a separate user
                              (default: the backend starts them)
  TURNPIKE_BROWSER_SANDBOX    off: runs browsers without Chromium's sandbox where the sandbox does not work
                              (default: pages are not rendered there)
  TURNPIKE_BROWSERS           most browsers at once (default: 2)
  TURNPIKE_BROWSER_PAGES      most pages at once in each browser (default: 2)
  TURNPIKE_BROWSER_EGRESS     IP address at which a remote browser reaches this backend (default: 127.0.0.1)
  TURNPIKE_PAGE_MEMORY        memory budget for work on pages, in MiB, by estimates (default: 512)
  TURNPIKE_SCRAPES            most scrapes at once; one team gets at most half of them (default: 128)
  TURNPIKE_JOB_SLOTS          most pages of batches and crawls that a worker processes at once (default: 64)
  TURNPIKE_TEAM_RUNNING       most pages of one team's batches and crawls at once, in all workers (default: 12)
  TURNPIKE_JOB_LEASE          how long a worker that does not respond keeps its tasks (default: 60s)
  TURNPIKE_LLM_PROVIDER       language model for llm_extract and answers: openai (or a compatible server) or anthropic
                              (default: no model)
  TURNPIKE_LLM_URL            base URL of the model's API (default: the provider's own)
  TURNPIKE_LLM_KEY            key for the model's API
  TURNPIKE_LLM_MODEL          name of the model
  TURNPIKE_LLM_PRICE_IN       price of a million input tokens in USD, to record costs (default: none)
  TURNPIKE_LLM_PRICE_OUT      price of a million output tokens in USD (default: none)
  TURNPIKE_LLM_TOKENS         most tokens that one llm_extract may use, input and output (default: 100000)
  TURNPIKE_LLM_WALLET_TOKENS  the same for an llm_extract that is paid with x402 (default: 16000)
  TURNPIKE_MONITOR_PLANS      most plans that the model makes per day for one team's monitors, apart from plans that
                              a run has paid for (default: 20)
  TURNPIKE_SEARCH_PROVIDERS   search providers, in order of use: searxng, brave, serper, local
                              (default: all that are configured)
  TURNPIKE_SEARXNG_URL        URL of your own SearXNG server
  TURNPIKE_BRAVE_KEY          key for Brave's Search API
  TURNPIKE_SERPER_KEY         key for serper.dev
  TURNPIKE_SEARCH_SHARED      whether teams find public pages that other teams have fetched: true or false
                              (default: false)
  TURNPIKE_RECONCILE_EVERY    how often to compare the ledger with Stripe and with the chains of BASE_RPC_URL and
                              X402_RPC_URL_<chain id>, or off (default: 1h)
  TURNPIKE_STREAM_HEARTBEAT   time between the comments that keep a monitor's stream alive (default: 15s)
  TURNPIKE_CPU_PROFILE        file for a CPU profile, which is written when the backend exits (default: none)`

func backendCommand(cmd *cobra.Command) {
	cmd.Long = backendHelp
	cmd.Args = cobra.NoArgs
	f := cmd.Flags()
	f.String("listen", "localhost:8081", "address to listen on")
	f.String("role", string(app.RoleAll), "what to run: api, worker or all")
	f.String("metrics", "", "private address for /metrics and /healthz (default: none)")
	f.StringSlice("allow-private", nil, "private address ranges that may be fetched, such as 10.1.0.0/16 (do not use on a public service)")
	f.IntSlice("allow-port", nil, "ports that may be fetched, besides 80 and 443")
	f.StringArray("replay", nil, "WARC file to read pages from instead of the network; may be repeated")
	cmd.RunE = func(cmd *cobra.Command, _ []string) (err error) {
		stopProfile, err := profile()
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, stopProfile()) }()
		listen, _ := cmd.Flags().GetString("listen")
		metrics, _ := cmd.Flags().GetString("metrics")
		cfg, err := app.FromEnv()
		err = errors.Join(err, roleFlag(cmd, &cfg.Role), allowances(cmd, &cfg.Fetch))
		if err != nil {
			return err
		}
		ctx, stop := untilInterrupted(cmd.Context())
		defer stop()
		closeArchive, err := replay(ctx, cmd, &cfg)
		if err != nil {
			return err
		}
		defer closeArchive()
		cfg.Rendering.LimitMemory()
		b, err := app.New(ctx, cfg)
		if err != nil {
			return err
		}
		defer b.Close()
		if err := b.OpenMetrics(ctx, metrics); err != nil {
			return err
		}
		if os.Getenv("GOMAXPROCS") == "" { // pool sizes use GOMAXPROCS, so change it only after they are created
			runtime.GOMAXPROCS(membudget.AsideProcessors(runtime.GOMAXPROCS(0)))
		}
		return listenAndRun(ctx, b, &cfg, listen)
	}
}

// listenAndRun runs the parts of the backend's role until the context ends: the API at an address, jobs, or both.
func listenAndRun(ctx context.Context, b *app.Backend, cfg *app.Config, listen string) error {
	if !cfg.Role.Serves() {
		return b.Run(ctx, nil)
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", listen)
	if err != nil {
		return err
	}
	cfg.Logger.Info("serving the web data API", "address", listener.Addr().String())
	return b.Run(ctx, listener)
}

func roleFlag(cmd *cobra.Command, to *app.Role) error {
	text, _ := cmd.Flags().GetString("role")
	switch r := app.Role(text); r {
	case app.RoleAll, app.RoleAPI, app.RoleWorker:
		*to = r
		return nil
	default:
		return fmt.Errorf("--role %q: want api, worker or all", text)
	}
}

// allowances reads what the fetcher may reach besides the public internet.
func allowances(cmd *cobra.Command, cfg *fetch.Config) error {
	ranges, _ := cmd.Flags().GetStringSlice("allow-private")
	for _, text := range ranges {
		prefix, err := netip.ParsePrefix(text)
		if err != nil {
			return fmt.Errorf("--allow-private %q: want an address range such as 10.1.0.0/16", text)
		}
		cfg.AllowPrivate = append(cfg.AllowPrivate, prefix)
	}
	ports, _ := cmd.Flags().GetIntSlice("allow-port")
	for _, port := range ports {
		if port < 1 || port > 65535 {
			return fmt.Errorf("--allow-port %d: want 1 to 65535", port)
		}
		cfg.AllowPorts = append(cfg.AllowPorts, uint16(port))
	}
	return nil
}

// cpuProfileName is the variable with the file for a CPU profile of the whole run.
const cpuProfileName = "TURNPIKE_CPU_PROFILE"

// profile writes a CPU profile to the file that the environment names, from now until stop is called. Without such a
// file it does nothing.
func profile() (stop func() error, err error) {
	name := os.Getenv(cpuProfileName)
	if name == "" {
		return func() error { return nil }, nil
	}
	f, err := os.Create(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", cpuProfileName, err)
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", cpuProfileName, err), f.Close())
	}
	return func() error {
		pprof.StopCPUProfile()
		return f.Close()
	}, nil
}
