package rig

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// BackendConfig says what a backend works with. All of it is required but Listen.
type BackendConfig struct {
	// Binary is what Build made, Dir a directory for the backend's files.
	Binary, Dir string
	// DatabaseURL names a migrated database.
	DatabaseURL string
	// Listen is the host and port to serve on. Default: a free one.
	Listen string
	// IdentitySecret is the edge's.
	IdentitySecret string
	// Port of this machine from which pages may be fetched, beside 80 and 443.
	Port string
}

// Backend is a running backend.
type Backend struct {
	*Process

	// Address is the host and port that it serves.
	Address string
	// Log is the file that it logs to.
	Log string
}

// contentSecret signs addresses of pages that end with the test.
const contentSecret = "a secret for the content of tests, 32 bytes"

// StartBackend starts the web data service on a free port and returns when it serves.
func StartBackend(ctx context.Context, cfg BackendConfig) (*Backend, error) {
	address := cfg.Listen
	if address == "" {
		var err error
		if address, err = FreeAddress(ctx); err != nil {
			return nil, err
		}
	}
	cmd := exec.Command(cfg.Binary, "backend", "--listen", address, "--allow-private", "127.0.0.0/8", "--allow-port", cfg.Port)
	cmd.Dir = cfg.Dir
	cmd.Env = append(os.Environ(),
		"HOME="+cfg.Dir, "DATABASE_URL="+cfg.DatabaseURL, "TURNPIKE_IDENTITY_SECRET="+cfg.IdentitySecret,
		"TURNPIKE_CONTENT_SECRET="+contentSecret, "TURNPIKE_BLOB_URL=mem://", "TURNPIKE_BASE_URL=http://"+address,
	)
	log := filepath.Join(cfg.Dir, "backend.log")
	process, err := Start(cmd, log)
	if err != nil {
		return nil, err
	}
	b := &Backend{Process: process, Address: address, Log: log}
	if err := Await(ctx, address, process.Done()); err != nil {
		return nil, errors.Join(fmt.Errorf("starting a backend: %w (see %s)", err, log), process.Kill())
	}
	return b, nil
}
