package main

import (
	"context"
	"crypto/ecdsa"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/params"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/dev/chain"
	"github.com/turnpike-edge/turnpike/dev/postgres"
	"github.com/turnpike-edge/turnpike/dev/rig"
	"github.com/turnpike-edge/turnpike/payments/apikey"
	"github.com/turnpike-edge/turnpike/payments/credits"
	"github.com/turnpike-edge/turnpike/payments/money"
)

const (
	edges = 2
	// lostAfter is short, so that much is swept while the load goes on, and longer than the database is down.
	lostAfter = 10 * time.Second
	// publicURL is the one name under which clients know all edges, as behind a load balancer.
	publicURL  = "https://chaos.example.com"
	priceUnits = 10_000 // of the token's smallest unit, as dev/rig's Caddyfile has it
	granted    = money.Credits(1_000_000)
	walletUSDC = 1_000_000_000
)

var payTo = common.HexToAddress("0x209693Bc6afc0C5328bA36FaF03C514EF312287C")

// team is who pays with one key.
type team struct {
	id      string
	key     string
	account int64
}

// place is an installation on this machine.
type place struct {
	cfg     *config
	service *service
	page    *httptest.Server // nil: nothing is scraped
	out     io.Writer
	dir     string // the processes' files
	data    string // Postgres' directory: apart, since it may belong to another user

	binary string
	chain  *chain.Chain
	teams  []team
	payers []*ecdsa.PrivateKey
	slots  [edges]*slot

	mu       sync.Mutex // guards what restarts change
	postgres *postgres.Server
	upstream *rig.Process
	outages  []outage // of Postgres
	faults   []string // what went wrong and is no matter of bookkeeping

	upstreamAddress string
	databaseURL     string
}

// outage is a time without database.
type outage struct{ from, to time.Time }

func newPlace(ctx context.Context, cfg *config, out io.Writer) (_ *place, err error) {
	p := &place{cfg: cfg, out: out}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.close())
		}
	}()
	if p.dir, err = os.MkdirTemp("", "turnpike-chaos-*"); err != nil {
		return nil, err
	}
	if p.data, err = os.MkdirTemp("", "turnpike-chaos-pg-*"); err != nil {
		return nil, err
	}
	if err := p.chooseService(); err != nil {
		return nil, err
	}
	if p.binary, err = rig.Build(ctx, p.dir); err != nil {
		return nil, err
	}
	settlers, err := p.startChain(ctx)
	if err != nil {
		return nil, err
	}
	if err := p.startPostgres(ctx); err != nil {
		return nil, err
	}
	if err := p.prepareDatabase(ctx); err != nil {
		return nil, err
	}
	if p.upstreamAddress, err = rig.FreeAddress(ctx); err != nil {
		return nil, err
	}
	if err := p.startUpstream(ctx); err != nil {
		return nil, err
	}
	for i := range p.slots {
		p.slots[i] = newSlot(i, settlers[i])
		if err := p.startEdge(ctx, p.slots[i]); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func (p *place) chooseService() (err error) {
	if !p.cfg.backend {
		p.service = trivialService(p.journal())
		return nil
	}
	p.page = newPage()
	p.service, err = scrapeService(p.page.URL)
	return err
}

func (p *place) startChain(ctx context.Context) (settlers []*ecdsa.PrivateKey, err error) {
	newKey := func(account chain.Account, accounts *[]chain.Account) (*ecdsa.PrivateKey, error) {
		key, err := crypto.GenerateKey()
		if err != nil {
			return nil, fmt.Errorf("making a key: %w", err)
		}
		account.Address = chain.AddressOf(key)
		*accounts = append(*accounts, account)
		return key, nil
	}
	var accounts []chain.Account
	for range edges {
		key, err := newKey(chain.Account{Wei: big.NewInt(params.Ether)}, &accounts)
		if err != nil {
			return nil, err
		}
		settlers = append(settlers, key)
	}
	for range p.cfg.payers {
		key, err := newKey(chain.Account{MicroUSDC: walletUSDC}, &accounts)
		if err != nil {
			return nil, err
		}
		p.payers = append(p.payers, key)
	}
	p.chain, err = chain.Start(ctx, chain.Config{Accounts: accounts})
	return settlers, err
}

// startPostgres starts the server on its directory, which outlives it.
func (p *place) startPostgres(ctx context.Context) error {
	server, err := postgres.Start(ctx, postgres.Config{DataDir: p.data})
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.postgres = server
	return nil
}

// prepareDatabase makes the schema and the teams, each with a key and credits.
func (p *place) prepareDatabase(ctx context.Context) error {
	const database = "chaos"
	if err := p.postgres.CreateDatabase(ctx, database); err != nil {
		return err
	}
	p.databaseURL = p.postgres.URL(database)
	if _, err := db.Migrate(ctx, p.databaseURL); err != nil {
		return err
	}
	pool, err := db.Open(ctx, p.databaseURL, nil)
	if err != nil {
		return err
	}
	defer pool.Close()
	for i := range p.cfg.keys {
		t, err := newTeam(ctx, pool, fmt.Sprintf("team_%04d", i))
		if err != nil {
			return err
		}
		p.teams = append(p.teams, t)
	}
	return nil
}

func newTeam(ctx context.Context, pool *pgxpool.Pool, id string) (team, error) {
	if _, err := db.New(pool).CreateTeam(ctx, db.CreateTeamParams{ID: id}); err != nil {
		return team{}, fmt.Errorf("making %s: %w", id, err)
	}
	key, err := apikey.NewStore(pool, time.Now).Create(ctx, apikey.NewKey{TeamID: id})
	if err != nil {
		return team{}, err
	}
	ledger := credits.NewLedger(pool)
	if _, err := ledger.Grant(ctx, credits.Grant{TeamID: id, Amount: granted, Source: credits.SourcePromo, Key: "chaos-" + id}); err != nil {
		return team{}, err
	}
	balance, err := ledger.Balance(ctx, id)
	if err != nil {
		return team{}, err
	}
	return team{id: id, key: key.Key, account: balance.Account}, nil
}

func (p *place) journal() string { return filepath.Join(p.dir, "journal") }

func (p *place) startUpstream(ctx context.Context) error {
	process, err := p.newUpstream(ctx)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.upstream = process
	return nil
}

func (p *place) newUpstream(ctx context.Context) (*rig.Process, error) {
	if p.cfg.backend {
		_, port, err := net.SplitHostPort(p.page.Listener.Addr().String())
		if err != nil {
			return nil, err
		}
		b, err := rig.StartBackend(ctx, rig.BackendConfig{
			Binary: p.binary, Dir: p.dir, DatabaseURL: p.databaseURL, Listen: p.upstreamAddress, IdentitySecret: identitySecret, Port: port,
		})
		if err != nil {
			return nil, err
		}
		return b.Process, nil
	}
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding this program: %w", err)
	}
	cmd := exec.Command(self, upstreamCommand, "-listen", p.upstreamAddress, "-journal", p.journal())
	process, err := rig.Start(cmd, filepath.Join(p.dir, "upstream.log"))
	if err != nil {
		return nil, err
	}
	if err := rig.Await(ctx, p.upstreamAddress, process.Done()); err != nil {
		return nil, errors.Join(fmt.Errorf("starting the upstream: %w", err), process.Kill())
	}
	return process, nil
}

func (p *place) startEdge(ctx context.Context, s *slot) error {
	e, err := rig.StartEdge(ctx, rig.EdgeConfig{
		Binary: p.binary, Dir: p.dir, Caddyfile: p.service.caddyfile, Upstream: p.upstreamAddress, DatabaseURL: p.databaseURL, RPCURL: p.chain.RPCURL(),
		Settler: s.settler, PayTo: payTo, IdentitySecret: identitySecret, PublicURL: publicURL, LostAfter: lostAfter,
	})
	if err != nil {
		return err
	}
	s.take(e)
	return nil
}

// stopEdges ends the edges as an operator does: what they have not written down yet, they write down.
func (p *place) stopEdges(ctx context.Context) error {
	var errs []error
	for _, s := range p.slots {
		if inc := s.release(); inc != nil {
			if err := inc.edge.Stop(ctx); err != nil {
				errs = append(errs, fmt.Errorf("stopping edge %d: %w (see %s)", s.number, err, inc.edge.Log))
			}
		}
	}
	return errors.Join(errs...)
}

// faultf notes what went wrong beside the books.
func (p *place) faultf(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults = append(p.faults, fmt.Sprintf(format, args...))
}

// close ends what still runs and leaves nothing behind.
func (p *place) close() error {
	var errs []error
	for _, s := range p.slots {
		if s == nil {
			continue
		}
		if inc := s.release(); inc != nil {
			errs = append(errs, inc.edge.Kill())
		}
	}
	if p.upstream != nil {
		errs = append(errs, p.upstream.Kill())
	}
	if p.postgres != nil {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		errs = append(errs, p.postgres.Stop(ctx))
	}
	if p.page != nil {
		p.page.Close()
	}
	if p.chain != nil {
		errs = append(errs, p.chain.Close())
	}
	if p.data != "" {
		errs = append(errs, os.RemoveAll(p.data))
	}
	switch {
	case p.dir == "":
	case p.cfg.keep:
		fmt.Fprintln(p.out, "the processes' logs are in", p.dir)
	default:
		errs = append(errs, os.RemoveAll(p.dir))
	}
	return errors.Join(errs...)
}
