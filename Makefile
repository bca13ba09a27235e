# One target for each thing that a person or CI runs. `make help` lists them.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

# Caddy's own tags, which leave out three databases of its certificate authority.
TAGS ?= nobadger,nomysql,nopgx
GO ?= go
# Arguments for the program of a target, as in: make run ARGS="--port 9000"
ARGS ?=
# The programs of make build: turnpike is what one deploys, turnpike-dev is everything on one machine (turnpike dev), and
# turnpike-cli is the client (turnpike scrape and so on), a module of its own.
PROGRAMS ?= turnpike turnpike-dev turnpike-cli
# How long each fuzz target runs.
FUZZTIME ?= 30s
# Without symbol tables and debugging information, which are a quarter of a program and of the time that it takes to link. Stack
# traces and profiles do not need them; LDFLAGS= keeps them for a debugger.
LDFLAGS ?= -s -w
# The profile for compiling the programs (`make pgo` writes it), or off. It makes an
# edge a few per cent faster, but every package is compiled a second time. So builds
# for tests and for `make run` do not use it.
EDGE_PROFILE := $(CURDIR)/cmd/turnpike/edge.pgo
PGO ?= $(EDGE_PROFILE)
# The packages and further flags of `make test`.
PKGS ?= ./...
TESTFLAGS ?=

# The tools, at the same versions for everybody. They are built into .tools when
# first needed, and again when the version changes.
SQLC_VERSION := v1.31.1
GOLANGCI_LINT_VERSION := v2.7.2
GOFUMPT_VERSION := v0.9.2
STRIPE_MOCK_VERSION := v0.203.0
CYCLONEDX_GOMOD_VERSION := v1.10.0
GO_LICENSES_VERSION := v1.6.0
GOVULNCHECK_VERSION := v1.9.0

TOOLS := $(CURDIR)/.tools
SQLC := $(TOOLS)/sqlc
GOLANGCI_LINT := $(TOOLS)/golangci-lint
GOFUMPT := $(TOOLS)/gofumpt
STRIPE_MOCK := $(TOOLS)/stripe-mock
CYCLONEDX_GOMOD := $(TOOLS)/cyclonedx-gomod
GO_LICENSES := $(TOOLS)/go-licenses
GOVULNCHECK := $(TOOLS)/govulncheck

# tool: name, package, version
define tool
$(TOOLS)/.$(1)-$(3):
	@echo "installing $(1) $(3) into .tools"
	@mkdir -p $(TOOLS)
	@GOBIN=$(TOOLS) GOFLAGS= $(GO) install $(2)@$(3)
	@rm -f $(TOOLS)/.$(1)-*
	@touch $$@
endef
$(eval $(call tool,sqlc,github.com/sqlc-dev/sqlc/cmd/sqlc,$(SQLC_VERSION)))
$(eval $(call tool,golangci-lint,github.com/golangci/golangci-lint/v2/cmd/golangci-lint,$(GOLANGCI_LINT_VERSION)))
$(eval $(call tool,gofumpt,mvdan.cc/gofumpt,$(GOFUMPT_VERSION)))
$(eval $(call tool,stripe-mock,github.com/stripe/stripe-mock,$(STRIPE_MOCK_VERSION)))
$(eval $(call tool,cyclonedx-gomod,github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod,$(CYCLONEDX_GOMOD_VERSION)))
$(eval $(call tool,go-licenses,github.com/google/go-licenses,$(GO_LICENSES_VERSION)))
$(eval $(call tool,govulncheck,golang.org/x/vuln/cmd/govulncheck,$(GOVULNCHECK_VERSION)))

need-sqlc: $(TOOLS)/.sqlc-$(SQLC_VERSION)
need-golangci-lint: $(TOOLS)/.golangci-lint-$(GOLANGCI_LINT_VERSION)
need-gofumpt: $(TOOLS)/.gofumpt-$(GOFUMPT_VERSION)
need-stripe-mock: $(TOOLS)/.stripe-mock-$(STRIPE_MOCK_VERSION)
need-cyclonedx-gomod: $(TOOLS)/.cyclonedx-gomod-$(CYCLONEDX_GOMOD_VERSION)
need-go-licenses: $(TOOLS)/.go-licenses-$(GO_LICENSES_VERSION)
need-govulncheck: $(TOOLS)/.govulncheck-$(GOVULNCHECK_VERSION)

##@ Everyday

.PHONY: help
help: ## Show this list
	@awk 'BEGIN { FS = ":.*## "; print "usage: make <target> [NAME=value]" } \
		/^##@ / { printf "\n%s\n", substr($$0, 5) } \
		/^[a-z][a-z-]*:.*## / { printf "  %-16s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))
	@printf '\nvariables: ARGS="%s" TAGS=%s PKGS=%s TESTFLAGS="%s" FUZZTIME=%s\n' \
		'$(ARGS)' '$(TAGS)' '$(PKGS)' '$(TESTFLAGS)' '$(FUZZTIME)'

.PHONY: run
run: ## Install what is missing, build, and run everything on this machine (Ctrl-C stops it)
	@scripts/install-needs run
	@$(MAKE) --no-print-directory build PGO=off
	@exec bin/turnpike dev $(ARGS)

# The packages tested without the race detector: tests that start processes, which their detector cannot see into, and text
# extraction, which is single-threaded and takes ten times as long with it. `make test RACE_ALL=1` uses it everywhere.
RACE_ALL ?=
UNRACED := $(if $(RACE_ALL),^$$,/turnpike(-dev)?$$|/(e2e|chaos|contract|interop)$$|/bench(/|$$)|/backend/answers/reader|/backend/page/(extract|pdf)(/|$$))
# The drills of ./test/chaos check latency limits, so they run alone. -vet=off because golangci-lint vets.
RUN_TESTS = $(GO) run ./dev/pgtest/withpg -- $(GO) test -vet=off -timeout 30m -tags $(TAGS) $(TESTFLAGS)

.PHONY: test
test: ## Install what the tests need, run all tests with the race detector, and count the contract's proven rows
	@scripts/install-needs test
	@$(GO) mod download # one test builds without a network, and needs modules that nothing else here does
	@worst=0; table=(); group() { \
		local from=$$SECONDS status=0; "$${@:2}" || status=$$?; worst=$$((status > worst ? status : worst)); \
		table+=("$$(printf '%-9s %5d s  %s' "$$1" $$((SECONDS - from)) "$$( ((status)) && echo failed || echo passed)")"); }; \
	all=$$($(GO) list -tags $(TAGS) $(PKGS)); \
	raced=$$(grep -vE '$(UNRACED)' <<<"$$all" || true); unraced=$$(grep -E '$(UNRACED)' <<<"$$all" | grep -v '/chaos$$' || true); \
	alone=$$(grep '/chaos$$' <<<"$$all" || true); \
	[[ -z $$raced ]] || group raced $(RUN_TESTS) -race $$raced; \
	[[ -z $$unraced ]] || group unraced $(RUN_TESTS) $$unraced; \
	[[ -z $$alone ]] || group alone $(RUN_TESTS) $$alone; \
	[[ '$(PKGS)' != ./... ]] || group eval $(GO) -C eval test -vet=off -timeout 30m -tags $(TAGS) $(TESTFLAGS) ./...; \
	[[ '$(PKGS)' != ./... ]] || group sdk-go $(GO) -C sdk/go test -race -vet=off $(TESTFLAGS) ./...; \
	[[ '$(PKGS)' != ./... ]] || group cli $(GO) -C cli test -race -vet=off $(TESTFLAGS) ./...; \
	group contract $(GO) run ./test/contract/count; \
	printf '%s\n' "$${table[@]}"; exit $$worst

# Browsers, whole services and drills take minutes.
SLOW := /turnpike(-dev)?$$|/(e2e|chaos|contract|interop)$$|/bench(/|$$)|/(render|console|stripe|reader)$$
.PHONY: test-quick
test-quick: ## Test what needs no browser, no whole service and no drill, for the loop of an edit (PKGS=./payments/... for a part)
	@scripts/install-needs test
	@$(RUN_TESTS) $$($(GO) list -tags $(TAGS) $(PKGS) | grep -vE '$(SLOW)')

.PHONY: lint
lint: need-golangci-lint need-sqlc ## Check words, formatting, the linters, the floors, and that sqlc's output is current
	scripts/lint-words
	$(GOLANGCI_LINT) fmt --diff
	$(GOLANGCI_LINT) run --allow-parallel-runners ./...
	cd eval && $(GOLANGCI_LINT) run --allow-parallel-runners --config ../.golangci.yaml ./...
	cd sdk/go && $(GOLANGCI_LINT) run --allow-parallel-runners --config ../../.golangci.yaml ./...
	cd cli && $(GOLANGCI_LINT) run --allow-parallel-runners --config ../.golangci.yaml ./...
	$(SQLC) diff

.PHONY: size
size: ## Print how much Go is written by hand, by folder
	@scripts/size

.PHONY: fmt
fmt: need-golangci-lint ## Format all Go code (gofumpt, imports in three groups)
	$(GOLANGCI_LINT) fmt

.PHONY: generate
generate: need-sqlc need-gofumpt ## Generate db/ from queries/ and the migrations with sqlc, and db/schema.txt
	$(SQLC) generate
	$(GOFUMPT) -w db
	@scripts/install-needs test
	$(GO) test ./db -run TestMigrationsGiveTheSchema -update

##@ Building

.PHONY: build
build: ## Build bin/turnpike (Caddy, our modules and the subcommands), bin/turnpike-dev and bin/turnpike-cli (PROGRAMS=turnpike for the first alone)
	$(if $(filter-out turnpike-cli,$(PROGRAMS)),$(GO) build -pgo=$(PGO) -trimpath -ldflags '$(LDFLAGS)' -tags $(TAGS) -o bin/ $(patsubst %,./cmd/%,$(filter-out turnpike-cli,$(PROGRAMS))))
	$(if $(filter turnpike-cli,$(PROGRAMS)),CGO_ENABLED=0 $(GO) -C cli build -trimpath -ldflags '$(LDFLAGS)' -o $(CURDIR)/bin/turnpike-cli .)

# The systems for which make cli builds, and the size that none may exceed.
CLI_SYSTEMS ?= linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64
CLI_BYTES_MAX := 25000000

.PHONY: cli
cli: ## Build the command-line client for all systems into bin/cli, and check its size
	@for system in $(CLI_SYSTEMS); do \
		file=$(CURDIR)/bin/cli/turnpike-cli-$${system/\//-}; [[ $$system != windows/* ]] || file+=.exe; \
		CGO_ENABLED=0 GOOS=$${system%/*} GOARCH=$${system#*/} $(GO) -C cli build -trimpath -ldflags '$(LDFLAGS)' -o "$$file" .; \
		bytes=$$(wc -c <"$$file"); echo "$$bytes $$file"; \
		((bytes <= $(CLI_BYTES_MAX))) || { echo "cli: it has more than $(CLI_BYTES_MAX) bytes" >&2; exit 1; }; \
	done

.PHONY: sdk-go
sdk-go: ## Generate the Go SDK's types from the OpenAPI document, and test the SDK and the command-line client
	$(GO) -C sdk/go generate ./...
	$(GO) -C sdk/go vet ./...
	$(GO) -C sdk/go test -count=1 $(TESTFLAGS) ./...
	$(GO) -C cli test -count=1 $(TESTFLAGS) ./...

.PHONY: xcaddy
xcaddy: ## Build bin/caddy, the edge alone, with xcaddy from xcaddy.json
	@command -v xcaddy >/dev/null || { \
		echo "xcaddy is not installed: go install github.com/caddyserver/xcaddy/cmd/xcaddy@latest" >&2; \
		echo "(make build gives a server with the same modules and needs no xcaddy)" >&2; exit 1; }
	@mkdir -p bin
	$(GO) run ./scripts/xcaddy -output bin/caddy

.PHONY: sbom
sbom: need-cyclonedx-gomod ## Build bin/turnpike, write its bill of materials to bin/turnpike.cdx.json, and compare the two
	@$(MAKE) --no-print-directory build PROGRAMS=turnpike
	@$(GO) mod download # licences are read in the modules
	$(CYCLONEDX_GOMOD) bin -json -licenses -std -version "$$(git describe --tags --always --dirty 2>/dev/null || echo unknown)" -output bin/turnpike.cdx.json bin/turnpike
	$(GO) run ./scripts/sbom bin/turnpike.cdx.json bin/turnpike

# Licences under which a binary may be distributed: with notices and, for MPL-2.0, with the source of the files it covers.
LICENSES := Apache-2.0,BSD-2-Clause,BSD-3-Clause,CC0-1.0,ISC,MIT,MPL-2.0
# Modules whose licence the tool gets wrong. bloomfilter has no licence file; each of its files says MIT. The licence
# file of segmentio/asm, which the MCP SDK uses, is MIT No Attribution, which the tool does not know. go-ethereum has two
# licences: the tool applies the GPL of its programs to its library, which has the LGPL. So no compiled-in file may have a GPL
# header, except one in a library folder, which go-ethereum's README puts under the LGPL.
UNTOLD := github.com/ethereum/go-ethereum,github.com/holiman/bloomfilter/v2,github.com/segmentio/asm
GPL_BY_HEADER := trie/bintrie/bitarray.go

.PHONY: licenses
licenses: need-go-licenses ## Check that the licences of everything compiled into the programs allow distributing them
	@files=$$($(GO) list -deps -tags $(TAGS) -f '{{$$d := .Dir}}{{range .GoFiles}}{{$$d}}/{{.}}{{"\n"}}{{end}}' ./cmd/... | grep '/ethereum/go-ethereum@'); \
	gpl=$$(xargs grep -l 'the GNU General Public License as published' <<<"$$files" | grep -v '/$(GPL_BY_HEADER)$$' || true); \
	[[ -z $$gpl ]] || { echo "licenses: these files are under the GPL and are compiled in: $$gpl" >&2; exit 1; }
	GOROOT="$$($(GO) env GOROOT)" GOFLAGS="$$($(GO) env GOFLAGS) -tags=$(TAGS)" $(GO_LICENSES) check --stderrthreshold ERROR --logtostderr=false \
		--ignore $(UNTOLD) --allowed_licenses $(LICENSES) ./cmd/...
	cd cli && GOROOT="$$($(GO) env GOROOT)" $(GO_LICENSES) check --stderrthreshold ERROR --logtostderr=false \
		--ignore github.com/turnpike-edge/turnpike --allowed_licenses $(LICENSES) .

.PHONY: vulncheck
vulncheck: need-govulncheck ## Check bin/turnpike for known vulnerabilities (needs Go's database: https://vuln.go.dev, or another in GOVULNDB)
	@status=0; $(GOVULNCHECK) -tags $(TAGS) ./cmd/turnpike || status=$$?; \
	if ((status != 0 && status != 3)); then \
		echo "vulncheck: nothing was checked. It needs Go's vulnerability database: https://vuln.go.dev, or a copy whose URL is in GOVULNDB" >&2; \
	fi; exit $$status

.PHONY: clean
clean: ## Remove what builds have written (the data of make run stays)
	rm -rf bin .tools

##@ Further checks

# The number of clones that make test-busy tests, and of runs of each test that failed now and then.
CLONES ?= 2
RUNS ?= 100

.PHONY: test-busy
test-busy: ## Run make test in CLONES fresh clones of the last commit, and flaky tests RUNS times, on busy processors
	@scripts/without-autogroup scripts/test-busy $(CLONES) $(RUNS)

# With the tag interop, the settlement tests use anvil as their chain.
RUN_INTEROP = $(GO) run ./dev/pgtest/withpg -- $(GO) test -count=1 -vet=off -timeout 20m -tags $(TAGS),interop $(TESTFLAGS)

.PHONY: interop
interop: ## Test the edge with x402 packages from npm and with anvil, the service with a client from PyPI and our SDKs, and our WARC files and OpenAPI document with public tools
	@scripts/install-needs interop
	$(RUN_INTEROP) -parallel 8 ./dev/anvil ./payments/x402/...
	$(RUN_INTEROP) -v -parallel 2 -run 'TestStock|TestSDK|TestMCP' ./test/interop

.PHONY: sdk
sdk: sdk-go sdk-typescript sdk-python ## Build all SDKs: the Go module, the npm package and the wheel

.PHONY: sdk-typescript
sdk-typescript: ## Build the npm package of sdk/typescript: bin/turnpike-edge-sdk-<version>.tgz
	@scripts/install-needs sdk-typescript
	@mkdir -p bin
	cd sdk/typescript && npm pack --pack-destination ../../bin

# bin/python has one wheel, that of the last build. The tests of make interop install it.
.PHONY: sdk-python
sdk-python: ## Check the Python package of sdk/python, and build it: bin/python/turnpike_edge-<version>-py3-none-any.whl
	@scripts/install-needs sdk-python
	cd sdk/python && .venv/bin/python generate.py --check && .venv/bin/mypy && .venv/bin/ruff check .
	@rm -rf bin/python
	cd sdk/python && .venv/bin/python -m build --wheel --no-isolation --outdir ../../bin/python .

.PHONY: sdk-python-generate
sdk-python-generate: ## Generate the types of sdk/python from the OpenAPI document, and its sync client from the async one
	@scripts/install-needs sdk-python
	cd sdk/python && .venv/bin/python generate.py

# Caddy built as its own releases are, at the version and with the dependencies of our go.mod.
CADDY_LDFLAGS := -s -w

.PHONY: bench-binaries
bench-binaries:
	@scripts/install-needs test
	@$(MAKE) --no-print-directory build PROGRAMS=turnpike
	$(GO) build -pgo=off -trimpath -ldflags '$(CADDY_LDFLAGS)' -tags $(TAGS) -o bin/caddy-stock github.com/caddyserver/caddy/v2/cmd/caddy
	CGO_ENABLED=0 $(GO) build -trimpath -tags $(TAGS) -o bin/bench-nocgo ./bench

.PHONY: bench
bench: bench-binaries ## Compare the metered edge with stock Caddy and write bench/README.md
	$(GO) run -tags $(TAGS) ./bench $(ARGS)

# bench/crawl is a module of its own, so that the crawler it compares with stays out of our go.mod.
.PHONY: bench-crawl
bench-crawl: ## Crawl a site on this machine, in turns with colly, and write bench/README.md (ARGS=-short: a small site, for CI)
	@scripts/install-needs test
	@$(MAKE) --no-print-directory build PGO=off PROGRAMS=turnpike
	cd bench/crawl && $(GO) test . && $(GO) run . $(ARGS)

.PHONY: bench-crawl-long
bench-crawl-long: ## Crawl a site of 100,000 pages and check limits for memory, speed and the statements on the crawl frontier (ARGS=-short: 5,000)
	@scripts/install-needs test
	@$(MAKE) --no-print-directory build PGO=off PROGRAMS=turnpike
	$(GO) run -tags $(TAGS) ./bench -only crawl-long $(ARGS)

.PHONY: bench-search
bench-search: ## Search 1,000,000 pages of a Zipf corpus, require a p95 of 100 ms, and write bench/README.md (ARGS=-short: 50,000, for CI)
	@scripts/install-needs test
	$(GO) run -tags $(TAGS) ./bench/search $(ARGS)

.PHONY: bench-schedules
bench-schedules: ## Claim due runs of 1,000,000 schedules, require 10,000 per second and connection, kill claimers and the database meanwhile, and write bench/README.md (ARGS=-short: 50,000, for CI)
	@scripts/install-needs test
	$(GO) run -tags $(TAGS) ./bench/schedules $(ARGS)

.PHONY: pgo
pgo: bench-binaries ## Profile the edge under load and write the profile that make build uses
	@profiles=$$(mktemp -d) && trap 'rm -rf "$$profiles"' EXIT && \
		$(GO) run -tags $(TAGS) ./bench -rounds 2 -turn 15s -profile "$$profiles" -pgo '$(EDGE_PROFILE)' $(ARGS)

.PHONY: chaos
chaos: ## Kill a random process every few seconds under load for 10 minutes, and compare the ledger with what was served
	@scripts/install-needs test
	$(GO) run -tags $(TAGS) ./test/chaos $(ARGS)

# The number of payments that make copies uses.
ROUNDS ?= 200

.PHONY: schemathesis
schemathesis: ## Send EXAMPLES generated requests of each operation, with a key, without and by wallet: the OpenAPI document describes all responses
	@scripts/install-needs interop
	SCHEMATHESIS_EXAMPLES=$(or $(EXAMPLES),100) $(GO) run ./dev/pgtest/withpg -- $(GO) test -count=1 -vet=off -v -timeout 60m -run 'TestSchemathesis$$' -tags $(TAGS),interop $(TESTFLAGS) ./test/interop

.PHONY: copies
copies: ## Send each of ROUNDS payments a hundred times at once, over two routes and three edges, and kill an edge in every tenth round
	@scripts/install-needs test
	$(GO) run ./dev/pgtest/withpg -- $(GO) test -count=1 -v -timeout 30m -run 'TestCopiesOfOnePayment$$' -tags $(TAGS) $(TESTFLAGS) ./test/chaos -rounds $(ROUNDS) $(ARGS)

.PHONY: faults
faults: ## Test every row of the fault tables in docs/x402-operation.md, with an API that really takes two minutes
	@scripts/install-needs test
	$(GO) run ./dev/pgtest/withpg -- $(GO) test -count=1 -v -timeout 15m -run 'TestFaults$$' -tags $(TAGS) $(TESTFLAGS) ./test/e2e -long

# The number of scrapes and renders of make soak-pages, and of workers killed during a render.
SCRAPES ?= 10000
RENDERS ?= 1000
KILLS ?= 10

.PHONY: soak-pages
soak-pages: ## Make SCRAPES scrapes and RENDERS renders in a row, and compare memory, files and browsers of the last quarter with the second
	@scripts/install-needs test
	$(GO) run ./dev/pgtest/withpg -- $(GO) test -count=1 -v -timeout 90m -run 'TestEngineSoak$$|TestEngineKilledInARender$$' -tags $(TAGS) $(TESTFLAGS) ./test/e2e \
		-scrapes $(SCRAPES) -renders $(RENDERS) -kills $(KILLS) $(ARGS)

.PHONY: hostile
hostile: ## Fetch every hostile page eight times at once, plain and rendered, and check that the worker stays below a gigabyte
	@scripts/install-needs test
	$(GO) run ./dev/pgtest/withpg -- $(GO) test -count=1 -v -timeout 90m -run 'TestEngineHostile(Pages|Files)$$' -tags $(TAGS) $(TESTFLAGS) ./test/e2e -hostile $(ARGS)

# The number of pages in the batch of make drill-batches, and of pages processed at once.
ITEMS ?= 5000
RUNNING ?= 12

.PHONY: drill-batches
drill-batches: ## Kill workers during a batch of ITEMS pages, restart Postgres in the middle, and check that every item finishes and is charged once
	@scripts/install-needs test
	$(GO) run ./dev/pgtest/withpg -- $(GO) test -count=1 -v -timeout 30m -run 'TestBatchOfKilledWorkers$$' -tags $(TAGS) $(TESTFLAGS) ./test/e2e \
		-items $(ITEMS) -running $(RUNNING) $(ARGS)

# The number of pages of the site of make drill-crawls, of worker kills, and of pages processed at once.
CRAWL_PAGES ?= 2000
CRAWL_KILLS ?= 10
CRAWL_RUNNING ?= 6

.PHONY: drill-crawls
drill-crawls: ## Kill workers CRAWL_KILLS times during a crawl of CRAWL_PAGES pages, and check that each page is listed and charged once, and fetched again only after a kill
	@scripts/install-needs test
	$(GO) run ./dev/pgtest/withpg -- $(GO) test -count=1 -v -timeout 30m -run 'TestCrawlOfKilledWorkers$$' -tags $(TAGS) $(TESTFLAGS) ./test/e2e \
		-crawl-pages $(CRAWL_PAGES) -crawl-kills $(CRAWL_KILLS) -crawl-running $(CRAWL_RUNNING) $(ARGS)

# make drill-polite: the number of hosts crawled at once, the requests per second allowed to each, and the duration; the
# number of slots of each worker, and of a team's pages processed at once. A page takes a fifth of a second from its
# promotion until it is stored.
POLITE_HOSTS ?= 50
POLITE_RATE ?= 2
POLITE_SLOTS ?= 16
POLITE_RUNNING ?= 48
POLITE_FOR ?= 30s

.PHONY: drill-polite
drill-polite: ## Crawl one host and then POLITE_HOSTS at once with two workers, as root, and compare the hosts' own logs with their limits (needs an otherwise idle machine)
	@scripts/install-needs test
	$(GO) run ./dev/pgtest/withpg -- $(GO) test -count=1 -v -timeout 30m -run 'TestCrawlsArePolite$$' -tags $(TAGS) $(TESTFLAGS) ./test/e2e \
		-polite-hosts $(POLITE_HOSTS) -polite-rate $(POLITE_RATE) -polite-for $(POLITE_FOR) -polite-share 0.9 -polite-slots $(POLITE_SLOTS) -polite-running $(POLITE_RUNNING) $(ARGS)

# The number of measuring windows of make drill-shares, with and without an attack.
SHARES_ROUNDS ?= 8

.PHONY: drill-shares
drill-shares: ## Run a hostile team and 100 slow clients without a key at their limits, and check that another team's p99 at most doubles
	@scripts/install-needs test
	scripts/without-autogroup $(GO) run ./dev/pgtest/withpg -- $(GO) test -count=1 -v -timeout 30m -run 'TestSharesDrill$$' -tags $(TAGS) $(TESTFLAGS) ./test/e2e \
		-shares-rounds $(SHARES_ROUNDS) $(ARGS)

# The number of events that make deliveries delivers.
EVENTS ?= 10000

.PHONY: deliveries
deliveries: ## Deliver EVENTS events to fifty receivers, of which fifteen fail at first and five hang
	@scripts/install-needs test
	$(GO) run ./dev/pgtest/withpg -- $(GO) test -count=1 -v -timeout 30m -run 'TestCrowd$$' -tags $(TAGS) $(TESTFLAGS) ./backend/webhooks \
		-deliveries $(EVENTS) $(ARGS)

# The number of histories that make topups plays.
HISTORIES ?= 10000

.PHONY: topups
topups: ## Play HISTORIES seeded histories of top-ups and compare the credits granted with the charges
	@scripts/install-needs test
	$(GO) test -count=1 -v -run 'TestHistories$$' -tags $(TAGS) $(TESTFLAGS) ./payments/stripe -histories $(HISTORIES) $(ARGS)

.PHONY: stripe-mock
stripe-mock: need-stripe-mock ## Check the parameters of our requests to Stripe with Stripe's own mock
	@scripts/install-needs test
	STRIPE_MOCK=$(STRIPE_MOCK) $(GO) test -count=1 -v -run TestStripeMock -tags $(TAGS),stripemock $(TESTFLAGS) ./payments/stripe

# Test data outside the repository. The tests that need it skip, and say so, if it is absent.
DATA ?= $(realpath ../shared/data)

.PHONY: corpus
corpus: ## Test the page readers on the data in DATA, if there is any: real pages, which of them need a browser, and robots.txt cases (without the race detector, which takes minutes)
	TURNPIKE_DATA='$(DATA)' $(GO) test -count=1 -v -run 'TestCorpus|TestConformance' ./backend/page/extract ./backend/scrapes/shell ./backend/page/fetch/robots

.PHONY: answers-real
answers-real: ## Answer the tasks about real pages in DATA without a model, out of fold, with a baseline, and require the minimum scores (ARGS=-show=20: also show fields with errors)
	$(GO) -C eval run -tags $(TAGS) ./real -data '$(DATA)' $(ARGS)

.PHONY: train-answers
train-answers: ## Train the model for answers without a language model on the labelled pages in DATA, cross-validate it, and write its weights
	$(GO) -C eval run -tags $(TAGS) ./real -data '$(DATA)' -train $(CURDIR)/backend/answers/reader/weights.bin.gz $(ARGS)

.PHONY: monitors-real
monitors-real: ## Monitor real pages in DATA that are edited and have noise, out of fold, and require the minimum scores (ARGS=-seeds=3: more draws of noise; -strict: with noise that was not learned)
	$(GO) -C eval run -tags $(TAGS) ./real/monitors/measure -data '$(DATA)' $(ARGS)

.PHONY: train-monitors
train-monitors: ## Train the model for monitors on the labelled pages in DATA, and write its weights
	$(GO) -C eval run -tags $(TAGS) ./real/monitors/measure -data '$(DATA)' -seeds 3 -train $(CURDIR)/backend/compare/weights.bin $(ARGS)

.PHONY: bench-extract
bench-extract: ## Read the pages of WCXB in DATA and compare F1 and speed with go-trafilatura (ARGS=-short: a seventh of the pages)
	$(GO) -C eval run -tags $(TAGS) ./wcxb -data '$(DATA)' $(ARGS)

.PHONY: train-extract
train-extract: ## Train the model for reading pages on WCXB in DATA, cross-validate it, and write its weights
	$(GO) -C eval run -tags $(TAGS) ./wcxb -train -data '$(DATA)' $(ARGS)

.PHONY: fuzz
fuzz: ## Run each fuzz target for FUZZTIME
	@GO='$(GO)' TAGS='$(TAGS)' scripts/fuzz $(FUZZTIME)

.PHONY: contracts
contracts: ## Compile the dev chain's Solidity again with npm's solc and write the artifacts
	@scripts/install-needs contracts
	cd dev/chain/contracts && node compile.mjs

.PHONY: contracts-check
contracts-check: ## Compile the dev chain's Solidity and compare with the committed artifacts
	@scripts/install-needs contracts
	cd dev/chain/contracts && node compile.mjs --check
