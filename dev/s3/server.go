package s3

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/turnpike-edge/turnpike/dev/rig"
)

// The account of every server here. It only protects directories of tests.
const (
	accessKey = "turnpike-test"
	secretKey = "a-secret-key-of-the-tests"
	region    = "us-east-1"
)

const (
	startTimeout = time.Minute
	stopTimeout  = 5 * time.Second
)

// Server is a running S3 server.
type Server struct {
	process *rig.Process
	// Address is the host and port that it serves, by plain HTTP.
	Address string
	// Dir has its files: below buckets/, one directory for each bucket.
	Dir string
}

// Start starts a server that keeps its buckets in dir, and returns when it serves. The error is ErrNotInstalled if the
// server is missing. Stop it.
func Start(ctx context.Context, dir string) (*Server, error) {
	path, err := binary()
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return nil, ErrNotInstalled
	}
	s := &Server{Dir: dir}
	for _, sub := range []string{s.buckets(), s.attributes()} {
		if err := os.MkdirAll(sub, 0o700); err != nil {
			return nil, fmt.Errorf("making the S3 server's directories: %w", err)
		}
	}
	if s.Address, err = rig.StableAddress(ctx); err != nil {
		return nil, err
	}
	// Attributes are stored beside the objects: not every file system for temporary files supports extended ones.
	cmd := exec.Command(path, "--port", s.Address, "--region", region, "--quiet", "posix", "--sidecar", s.attributes(), s.buckets())
	cmd.Env = append(os.Environ(), "ROOT_ACCESS_KEY_ID="+accessKey, "ROOT_SECRET_ACCESS_KEY="+secretKey)
	log := filepath.Join(dir, "server.log")
	if s.process, err = rig.Start(cmd, log); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	if err := rig.Await(ctx, s.Address, s.process.Done()); err != nil {
		return nil, errors.Join(fmt.Errorf("starting the S3 server: %w (see %s)", err, log), s.process.Kill())
	}
	return s, nil
}

func (s *Server) buckets() string    { return filepath.Join(s.Dir, "buckets") }
func (s *Server) attributes() string { return filepath.Join(s.Dir, "attributes") }

// Bucket creates a bucket, if there is none with this name, and returns its URL in the format of package blob.
func (s *Server) Bucket(name string) (string, error) {
	if err := os.MkdirAll(filepath.Join(s.buckets(), name), 0o700); err != nil {
		return "", fmt.Errorf("making bucket %s: %w", name, err)
	}
	query := url.Values{"region": {region}, "endpoint": {"http://" + s.Address}, "use_path_style": {"true"}}
	return "s3://" + name + "?" + query.Encode(), nil
}

// Env is the environment that a process needs to use the server.
func Env() []string {
	return []string{"AWS_ACCESS_KEY_ID=" + accessKey, "AWS_SECRET_ACCESS_KEY=" + secretKey}
}

// Stop ends the server.
func (s *Server) Stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	return s.process.Stop(ctx)
}
