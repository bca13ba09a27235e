//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// self starts this program again as one of its parts, which ends with ctx.
func self(ctx context.Context, args ...string) (*exec.Cmd, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stderr = os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	return cmd, nil
}

// siteProcess is a site in a process of its own.
type siteProcess struct {
	siteHello

	cmd *exec.Cmd
}

func startSite(ctx context.Context, pages int) (*siteProcess, error) {
	cmd, err := self(ctx, siteArg, strconv.Itoa(pages))
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting the site: %w", err)
	}
	s := &siteProcess{cmd: cmd}
	if err := json.NewDecoder(out).Decode(&s.siteHello); err != nil {
		s.stop()
		return nil, fmt.Errorf("starting the site: %w", err)
	}
	return s, nil
}

func (s *siteProcess) url() string { return "http://" + s.Address + "/" }

func (s *siteProcess) stop() {
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	_ = s.cmd.Wait()
}

// hits returns the requests that the site counted since the last call.
func (s *siteProcess) hits(ctx context.Context) (h hits, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.Control+hitsPath, http.NoBody)
	if err != nil {
		return h, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return h, fmt.Errorf("asking the site what it was asked for: %w", err)
	}
	defer resp.Body.Close()
	return h, json.NewDecoder(resp.Body).Decode(&h)
}

// count adds to t how often pages were requested, and how many of them: a page that is fetched twice counts once.
func (s *siteProcess) count(ctx context.Context, t *turn) error {
	h, err := s.hits(ctx)
	if err != nil {
		return err
	}
	t.Pages = 0
	for _, n := range h.Pages {
		t.Fetches += int(n)
		if n > 0 {
			t.Pages++
		}
		if n != 1 {
			t.Wrong++
		}
	}
	return nil
}

// runColly crawls the site with colly, in a process of its own.
func runColly(ctx context.Context, s *siteProcess, parallelism int, markdown bool) (t turn, err error) {
	plan, err := json.Marshal(collyPlan{URL: s.url(), Parallelism: parallelism, Markdown: markdown})
	if err != nil {
		return t, err
	}
	cmd, err := self(ctx, collyArg, string(plan))
	if err != nil {
		return t, err
	}
	var out bytes.Buffer
	cmd.Stdout = &out
	if err := cmd.Run(); err != nil {
		return t, fmt.Errorf("colly: %w", err)
	}
	if err := json.Unmarshal(out.Bytes(), &t); err != nil {
		return t, fmt.Errorf("reading what colly did: %w", err)
	}
	return t, s.count(ctx, &t)
}
