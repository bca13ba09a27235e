package rig

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// BackendConfig configures a backend. All fields are required except DirectURL, Listen, Role, BlobURL, PublicURL, Args,
// Env and Under.
type BackendConfig struct {
	// Binary is the result of Build, Dir a directory for the backend's files. Backends may share both.
	Binary, Dir string
	// Role is api, worker or all. Default: all.
	Role string
	// DatabaseURL names a migrated database. DirectURL bypasses the pooler, if there is one.
	DatabaseURL, DirectURL string
	// Listen is the host and port to serve on; a worker serves its metrics there. Default: a free one.
	Listen string
	// IdentitySecret is the edge's.
	IdentitySecret string
	// Port of this machine from which pages may be fetched, and to which webhooks may be sent, besides 80 and 443.
	Port string
	// BlobURL is where content is kept. Default: the process's own memory, which no other backend reads.
	BlobURL string
	// PublicURL is how clients reach the service. Default: the backend's own address.
	PublicURL string
	// Args are further arguments of the command.
	Args []string
	// Env has further settings, each as NAME=value.
	Env []string
	// Under is a command that runs the backend, whose command line follows it: sudo, nice.
	Under []string
}

// Backend is a running backend.
type Backend struct {
	*Process

	// Address is the host and port that it serves.
	Address string
	// Log is the file that it logs to.
	Log string
}

// contentSecret signs page addresses that are valid for a test only.
const contentSecret = "a secret for the content of tests, 32 bytes"

// StartBackend starts the web data service on a free port and returns when it serves.
func StartBackend(ctx context.Context, cfg BackendConfig) (*Backend, error) {
	address := cfg.Listen
	if address == "" {
		var err error
		if address, err = StableAddress(ctx); err != nil {
			return nil, err
		}
	}
	log := filepath.Join(cfg.Dir, "backend.log")
	process, err := Start(cfg.command(address), log)
	if err != nil {
		return nil, err
	}
	b := &Backend{Process: process, Address: address, Log: log}
	if err := Await(ctx, address, process.Done()); err != nil {
		return nil, errors.Join(fmt.Errorf("starting a backend: %w (see %s)", err, log), process.Kill())
	}
	return b, nil
}

func (cfg *BackendConfig) command(address string) *exec.Cmd {
	role, serve := cmp.Or(cfg.Role, "all"), "--listen"
	if role == "worker" {
		serve = "--metrics"
	}
	args := append(slices.Clone(cfg.Under), cfg.Binary, "backend", "--role", role, serve, address, "--allow-private", "127.0.0.0/8", "--allow-port", cfg.Port)
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Args = append(cmd.Args, cfg.Args...)
	cmd.Dir = cfg.Dir
	cmd.Env = append(os.Environ(),
		"HOME="+cfg.Dir, "DATABASE_URL="+cfg.DatabaseURL, "DATABASE_DIRECT_URL="+cfg.DirectURL, "TURNPIKE_IDENTITY_SECRET="+cfg.IdentitySecret,
		"TURNPIKE_CONTENT_SECRET="+contentSecret, "TURNPIKE_BLOB_URL="+cmp.Or(cfg.BlobURL, "mem://"),
		"TURNPIKE_BASE_URL="+cmp.Or(cfg.PublicURL, "http://"+address),
	)
	cmd.Env = append(cmd.Env, cfg.Env...)
	return cmd
}
