package main

import (
	"cmp"
	"context"
	"crypto/ecdsa"
	"errors"
	"fmt"
	"io"
	"math/big"
	"math/rand/v2"
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

	"github.com/turnpike-edge/turnpike/dev/chain"
	"github.com/turnpike-edge/turnpike/dev/postgres"
	"github.com/turnpike-edge/turnpike/dev/rig"
	"github.com/turnpike-edge/turnpike/payments/apikey"
	"github.com/turnpike-edge/turnpike/payments/money"
)

const (
	edges = 3
	// lostAfter is short, so that much is swept during the load, but longer than the database is normally down.
	lostAfter = 10 * time.Second
	// publicURL is the one name under which clients know all edges, as behind a load balancer.
	publicURL  = "https://chaos.example.com"
	priceUnits = 10_000 // of the token's smallest unit, as in dev/rig's Caddyfile
	walletUSDC = uint64(1_000_000_000)

	grantedRich = money.Credits(1_000_000_000)
	// Every poorOneIn-th team runs out of credits while the load goes on.
	grantedPoor = money.Credits(500)
	poorOneIn   = 8
	// Teams that buy credits spend the bought ones, too.
	grantedBuyer = money.Credits(1_000)
)

// spends are the scopes of a key that buys work.
const spends = apikey.ScopeRead | apikey.ScopeWrite

var payTo = common.HexToAddress("0x209693Bc6afc0C5328bA36FaF03C514EF312287C")

// team is a customer with one key.
type team struct {
	id      string
	key     string
	account int64
	granted money.Credits
	buys    bool   // buys more credits, with a card
	card    string // the Stripe fake's name for it
}

// place is an installation on this machine.
type place struct {
	cfg       *config
	caddyfile []byte // of the edges; nil: the default of package rig
	// caddyfiles returns the configurations with which the edges of a storm are reloaded.
	caddyfiles func(number, variant int) []byte
	// decisionTimeout of the edges; 0: as shipped.
	decisionTimeout time.Duration
	page            *httptest.Server // the scraped page; nil: none
	stripeFake      *stripeFake      // the Stripe fake; nil: none
	out             io.Writer
	dir             string // the processes' files
	data            string // Postgres' directory; separate because it may belong to another user

	binary string
	chain  *chain.Chain
	base   *chain.Chain // another network, on which some edges settle, too; nil: none
	teams  []team
	payers []*ecdsa.PrivateKey
	// Clients that repeat requests.
	repeaters       []team
	repeatingPayers []*ecdsa.PrivateKey
	slots           [edges]slot
	doors           *doors

	mu       sync.Mutex // guards what restarts change
	postgres *postgres.Server
	pooler   *rig.PgBouncer // between the programs and Postgres; nil: none
	upstream *rig.Process
	backend  *rig.Process
	away     [victims]bool
	absences []absence
	reloads  int
	repeats  *repeating   // nil: none
	locked   [2]time.Time // from when to when an account's row was locked
	faults   []string     // failures that do not concern the books

	upstreamAddress string
	backendAddress  string
	poolerAddress   string
	databaseURL     string // of the database itself
}

// newPlace starts the installation for a storm: the shipped configuration in front of the web data service and this
// program's own upstream.
func newPlace(ctx context.Context, cfg *config, out io.Writer) (_ *place, err error) {
	p := &place{cfg: cfg, out: out}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.close())
		}
	}()
	if err := p.prepare(ctx); err != nil {
		return nil, err
	}
	p.page, p.stripeFake = newPage(), newStripeFake()
	if p.upstreamAddress, err = rig.StableAddress(ctx); err != nil {
		return nil, err
	}
	if p.backendAddress, err = rig.StableAddress(ctx); err != nil {
		return nil, err
	}
	if p.poolerAddress, err = rig.StableAddress(ctx); err != nil {
		return nil, err
	}
	if err := p.startPooler(ctx); err != nil {
		return nil, err
	}
	if p.caddyfiles, err = stormCaddyfiles(p.upstreamAddress, p.base.RPCURL()); err != nil {
		return nil, err
	}
	if err := p.startUpstream(ctx); err != nil {
		return nil, err
	}
	if err := p.startBackend(ctx); err != nil {
		return nil, err
	}
	for number := range edges {
		if p.slots[number].admin, err = rig.StableAddress(ctx); err != nil {
			return nil, err
		}
		if err := p.startEdge(ctx, number); err != nil {
			return nil, err
		}
	}
	return p, p.saveCards(ctx, rand.New(rand.NewPCG(cfg.seed, 0))) //nolint:gosec // no secret
}

// prepare makes what every installation needs: the binary, a chain, a database with teams.
func (p *place) prepare(ctx context.Context) (err error) {
	p.doors = newDoors(edges)
	if p.dir, err = os.MkdirTemp("", "turnpike-chaos-*"); err != nil {
		return err
	}
	if p.data, err = os.MkdirTemp("", "turnpike-chaos-pg-*"); err != nil {
		return err
	}
	if p.binary == "" {
		if p.binary, err = rig.Build(ctx, p.dir, rig.Turnpike); err != nil {
			return err
		}
	}
	if err := p.startChain(ctx); err != nil {
		return err
	}
	if err := p.startPostgres(ctx); err != nil {
		return err
	}
	return p.prepareDatabase(ctx)
}

func (p *place) startChain(ctx context.Context) error {
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
	for number := range edges {
		key, err := newKey(chain.Account{Wei: big.NewInt(params.Ether)}, &accounts)
		if err != nil {
			return err
		}
		p.slots[number] = slot{number: number, settler: key}
	}
	for i := range p.cfg.payers + p.cfg.repeaters {
		key, err := newKey(chain.Account{MicroUSDC: cmp.Or(p.cfg.funds, walletUSDC)}, &accounts)
		switch {
		case err != nil:
			return err
		case i < p.cfg.payers:
			p.payers = append(p.payers, key)
		default:
			p.repeatingPayers = append(p.repeatingPayers, key)
		}
	}
	var err error
	if p.chain, err = chain.Start(ctx, chain.Config{Accounts: accounts}); err != nil || p.cfg.repeaters == 0 {
		return err
	}
	p.base, err = chain.Start(ctx, chain.Config{ChainID: chain.BaseMainnet, Accounts: accounts})
	return err
}

// chains are all chains on which payments are settled.
func (p *place) chains() []*chain.Chain {
	if p.base == nil {
		return []*chain.Chain{p.chain}
	}
	return []*chain.Chain{p.chain, p.base}
}

func (p *place) journal() string { return filepath.Join(p.dir, "journal") }

// startUpstream starts this program's own upstream.
func (p *place) startUpstream(ctx context.Context) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("finding this program: %w", err)
	}
	cmd := exec.Command(self, upstreamCommand, "-listen", p.upstreamAddress, "-journal", p.journal())
	process, err := rig.Start(cmd, filepath.Join(p.dir, "upstream.log"))
	if err != nil {
		return err
	}
	if err := rig.Await(ctx, p.upstreamAddress, process.Done()); err != nil {
		return errors.Join(fmt.Errorf("starting the upstream: %w", err), process.Kill())
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.upstream = process
	return nil
}

// startBackend starts the web data service.
func (p *place) startBackend(ctx context.Context) error {
	_, port, err := net.SplitHostPort(p.page.Listener.Addr().String())
	if err != nil {
		return fmt.Errorf("reading the page's address: %w", err)
	}
	programs, direct := p.databaseURLs()
	b, err := rig.StartBackend(ctx, rig.BackendConfig{
		Binary: p.binary, Dir: p.dir, DatabaseURL: programs, DirectURL: direct, Listen: p.backendAddress, IdentitySecret: identitySecret, Port: port,
		BlobURL: filepath.Join(p.dir, "content"), // responses stored for retries outlive the process
	})
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.backend = b.Process
	return nil
}

// startEdge starts the edge with a number and adds it to the pool.
func (p *place) startEdge(ctx context.Context, number int) error {
	upstream := p.backendAddress
	if upstream == "" {
		upstream = p.upstreamAddress
	}
	var stripe *rig.Stripe
	if p.stripeFake != nil {
		stripe = p.stripeFake.settings()
	}
	dir := filepath.Join(p.dir, fmt.Sprintf("edge-%d", number)) // the data directory is kept for the next process
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	caddyfile := p.caddyfile
	if p.caddyfiles != nil {
		caddyfile = p.caddyfiles(number, 0)
	}
	programs, direct := p.databaseURLs()
	e, err := rig.StartEdge(ctx, rig.EdgeConfig{
		Binary: p.binary, Dir: dir, Caddyfile: caddyfile, Admin: p.slots[number].admin, Upstream: upstream, DatabaseURL: programs, DirectURL: direct,
		RPCURL: p.chain.RPCURL(), Settler: p.slots[number].settler, PayTo: payTo, IdentitySecret: identitySecret, PublicURL: publicURL,
		LostAfter: lostAfter, DecisionTimeout: p.decisionTimeout, Stripe: stripe,
	})
	if err != nil {
		return err
	}
	p.doors.set(number, newIncarnation(number, e))
	return nil
}

// stopEdges stops the edges gracefully, so that they write everything that is pending.
func (p *place) stopEdges(ctx context.Context) error {
	var errs []error
	for number := range edges {
		if inc := p.doors.set(number, nil); inc != nil {
			if err := inc.edge.Stop(ctx); err != nil {
				errs = append(errs, fmt.Errorf("stopping edge %d: %w (see %s)", number, err, inc.edge.Log))
			}
		}
	}
	return errors.Join(errs...)
}

// faultf notes a failure that does not concern the books.
func (p *place) faultf(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults = append(p.faults, fmt.Sprintf(format, args...))
}

// close stops all processes and removes all files.
func (p *place) close() error {
	var errs []error
	for number := range edges {
		if inc := p.doors.set(number, nil); inc != nil {
			errs = append(errs, inc.edge.Kill())
		}
	}
	for _, process := range []*rig.Process{p.upstream, p.backend} {
		if process != nil {
			errs = append(errs, process.Kill())
		}
	}
	if p.pooler != nil {
		errs = append(errs, p.pooler.Kill())
	}
	if p.postgres != nil {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		errs = append(errs, p.postgres.Stop(ctx))
	}
	if p.page != nil {
		p.page.Close()
	}
	if p.stripeFake != nil {
		p.stripeFake.server.Close()
	}
	for _, c := range []*chain.Chain{p.chain, p.base} {
		if c != nil {
			errs = append(errs, c.Close())
		}
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
