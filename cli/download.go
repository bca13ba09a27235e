package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"sync"

	"golang.org/x/term"

	turnpike "github.com/turnpike-edge/turnpike/sdk/go"
)

// downloads is how many pages are downloaded at once.
const downloads = 8

// download downloads the pages of a job that the output does not have yet, as the job finds them, until it has ended.
func (s *session) download(kind *jobs, out *output, started *job) error {
	ctx, cancel := context.WithCancelCause(s.cmd.Context())
	defer cancel(nil)
	bar := &progress{s: s, noun: kind.noun}
	defer bar.clear()
	found, ready := make(chan *entry), make(chan *record)
	listed := maps.Clone(out.done)
	go func() {
		defer close(found)
		for e, err := range kind.entries(out.started.ID) {
			if err != nil {
				cancel(err)
				return
			}
			if listed[e.ID] {
				continue
			}
			listed[e.ID] = true
			select {
			case found <- e:
			case <-ctx.Done():
				return
			}
		}
	}()
	var workers sync.WaitGroup
	for range downloads {
		workers.Go(func() {
			for e := range found {
				if err := s.read(ctx, e, out.form); err != nil {
					cancel(fmt.Errorf("%s: %w", e.URL, err))
					return
				}
				select {
				case ready <- &e.record:
				case <-ctx.Done():
					return
				}
			}
		})
	}
	go func() {
		workers.Wait()
		close(ready)
	}()
	for n := len(out.done); ; n++ {
		bar.show(n, started.total)
		r, more := <-ready
		if !more {
			return context.Cause(ctx)
		}
		if err := out.put(r); err != nil {
			cancel(err)
		}
	}
}

// read downloads the content of an entry.
func (s *session) read(ctx context.Context, e *entry, form string) error {
	if e.retrieveID == "" {
		return nil
	}
	content, err := s.Retrieve(ctx, e.retrieveID)
	if errors.Is(err, turnpike.ErrNotFound) { // older than seven days
		e.Error = err.Error()
		return nil
	}
	if err != nil {
		return err
	}
	if form == toWARC {
		if content.WARCHostedURL == "" { // only a browser fetched it
			return nil
		}
		e.warc, err = s.Download(ctx, content.WARCHostedURL)
		return err
	}
	e.Markdown, e.Text, e.HTML, e.JSON = content.MarkdownContent, content.TextContent, content.HTMLContent, content.JSONContent
	e.Screenshot, e.PDF = content.ScreenshotHostedURL, content.RawPDFHostedURL
	return nil
}

// isTerminal returns whether somebody sees the progress.
func (s *session) isTerminal() bool {
	file, ok := s.cmd.ErrOrStderr().(*os.File)
	quiet, _ := s.cmd.Flags().GetBool("quiet")
	return ok && !quiet && term.IsTerminal(int(file.Fd()))
}
