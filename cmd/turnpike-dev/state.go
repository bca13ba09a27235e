package main

import (
	"crypto/ecdsa"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ethereum/go-ethereum/crypto"
)

// state is what `turnpike dev` keeps between starts besides the database: its secrets, the demo team's key (the
// database has only its hash), and ports. None of it has any value outside this machine.
type state struct {
	IdentitySecret string `json:"identity_secret"`
	ContentSecret  string `json:"content_secret"`
	SettlerKey     string `json:"settler_key"`
	TeamID         string `json:"team_id,omitempty"`
	APIKey         string `json:"api_key,omitempty"`
	// Ports are the ports of the parts besides the edge, by name.
	Ports map[string]uint16 `json:"ports,omitempty"`

	dir string
}

const (
	stateFile     = "dev.json"
	walletKeyFile = "wallet.key"
)

// loadState reads the state in dir, or creates it.
func loadState(dir string) (*state, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // Postgres's user must be able to pass through; the files in it are private
		return nil, fmt.Errorf("making the data directory: %w", err)
	}
	s := &state{dir: dir}
	b, err := os.ReadFile(filepath.Join(dir, stateFile))
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, fmt.Errorf("reading the dev state: %w", err)
	default:
		if err := json.Unmarshal(b, s); err != nil {
			return nil, fmt.Errorf("reading %s: %w (delete the file to start over)", filepath.Join(dir, stateFile), err)
		}
	}
	if s.Ports == nil {
		s.Ports = map[string]uint16{}
	}
	for _, secret := range []*string{&s.IdentitySecret, &s.ContentSecret, &s.SettlerKey} {
		if *secret == "" {
			*secret = randomHex()
		}
	}
	return s, s.save()
}

// save replaces the file by renaming, so that a crash leaves either the old or the new state.
func (s *state) save() error {
	b, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return fmt.Errorf("writing the dev state: %w", err)
	}
	return writePrivate(filepath.Join(s.dir, stateFile), append(b, '\n'))
}

// wallet returns the demo wallet's key. It has its own file so that `turnpike pay --key-file` can read it.
func (s *state) wallet() (key *ecdsa.PrivateKey, file string, err error) {
	file = filepath.Join(s.dir, walletKeyFile)
	key, err = crypto.LoadECDSA(file)
	if errors.Is(err, fs.ErrNotExist) {
		if key, err = crypto.GenerateKey(); err == nil {
			err = writePrivate(file, []byte(hex.EncodeToString(crypto.FromECDSA(key))))
		}
	}
	if err != nil {
		return nil, "", fmt.Errorf("demo wallet: %w", err)
	}
	return key, file, nil
}

func writePrivate(file string, b []byte) error {
	temp := file + ".new"
	if err := os.WriteFile(temp, b, 0o600); err != nil {
		return err
	}
	return os.Rename(temp, file)
}

func randomHex() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	return hex.EncodeToString(b[:])
}
