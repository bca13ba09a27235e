package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/google/uuid"

	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

// upstreamCommand is the argument with which this program runs as its own upstream, so that it can be killed.
const upstreamCommand = "upstream"

const (
	identitySecret   = "an identity secret of this program only, 32+"
	identityAudience = "turnpike-upstream"
	workTime         = 3 * time.Millisecond
	// slowTime is how long requests below /…/slow take.
	slowTime = 2 * time.Second
)

// runUpstream serves until a signal. It writes every job to a file, which survives the process, before it responds.
func runUpstream(args []string) error {
	flags := flag.NewFlagSet(upstreamCommand, flag.ContinueOnError)
	listen := flags.String("listen", "", "host and port")
	journal := flags.String("journal", "", "file that jobs are appended to")
	if err := flags.Parse(args); err != nil {
		return err
	}
	file, err := os.OpenFile(*journal, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("opening the journal: %w", err)
	}
	defer file.Close()
	verifier, err := edgewire.NewVerifier([]byte(identitySecret), identityAudience, time.Now)
	if err != nil {
		return err
	}
	var lc net.ListenConfig
	listener, err := lc.Listen(context.Background(), "tcp", *listen)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: &worker{verifier: verifier, journal: file}, ReadHeaderTimeout: time.Minute}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, func() { _ = server.Close() })
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// worker does the work for the identity that the edge passes on.
type worker struct {
	verifier *edgewire.Verifier
	journal  *os.File
}

func (u *worker) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	identity, err := u.verifier.Verify(r, r.URL.RequestURI())
	if err != nil {
		http.Error(w, err.Error(), http.StatusUnauthorized)
		return
	}
	// One write per line: appends of several processes do not mix.
	if _, err := u.journal.WriteString(identity.ID + "\n"); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	takes := workTime
	if strings.HasSuffix(r.URL.Path, "/slow") {
		takes = slowTime
	}
	timer := time.NewTimer(takes)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.Context().Done():
		return
	}
	fmt.Fprintln(w, identity.ID)
}

// jobName reads the job's name from a response of this upstream.
func jobName(body []byte) (string, error) { return strings.TrimSpace(string(body)), nil }

// readJournal returns how often each job was done. A job is named after its payment.
func readJournal(path string) (map[string]*work, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the journal: %w", err)
	}
	jobs := make(map[string]*work)
	for job := range strings.Lines(string(text)) {
		job = strings.TrimSpace(job)
		if jobs[job] == nil {
			payment, err := uuid.Parse(job)
			if err != nil {
				return nil, fmt.Errorf("reading the journal: %w", err)
			}
			jobs[job] = &work{payment: payment}
		}
		jobs[job].times++
	}
	return jobs, nil
}
