package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/turnpike-edge/turnpike/backend/app"
	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/backend/page/extract"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/page/warc"
)

func warcCommand(cmd *cobra.Command) {
	cmd.Long = `Records pages to WARC files (ISO 28500), and reads WARC files from any tool, with or without gzip compression.
"turnpike backend --replay FILE" serves pages from WARC files. For details, see docs/warc.md.`
	cmd.Example = `  turnpike warc get https://example.com/ -o example.warc.gz
  turnpike warc extract example.warc.gz --formats markdown`
	group(cmd)

	get := &cobra.Command{
		Use: "get <url>…", Short: "Fetches URLs and records the requests and responses", Args: cobra.MinimumNArgs(1), RunE: runWarcGet,
	}
	get.Flags().StringSlice("allow-private", nil, "private address ranges that may be fetched, such as 10.1.0.0/16")
	get.Flags().IntSlice("allow-port", nil, "ports that may be fetched, besides 80 and 443")
	list := &cobra.Command{
		Use: "list <file>…", Short: "Lists the responses in files: date, status, type, URL", Args: cobra.MinimumNArgs(1), RunE: runWarcList,
	}
	verify := &cobra.Command{
		Use: "verify <file>…", Short: "Reads files completely, and checks the digests of their records", Args: cobra.MinimumNArgs(1), RunE: runWarcVerify,
	}
	again := &cobra.Command{
		Use: "extract <file>…", Short: "Extracts the pages in files as scrapes do, as a line of JSON for each", Args: cobra.MinimumNArgs(1), RunE: runWarcExtract,
	}
	again.Flags().StringSlice("formats", []string{string(page.FormatMarkdown)}, "formats to extract: markdown, text, html")
	for _, c := range []*cobra.Command{get, again} {
		c.Flags().StringP("output", "o", "", "file to write to (default: standard output)")
	}
	cmd.AddCommand(get, list, verify, again)
}

// replay makes cfg read pages from the files that --replay names. closeArchive must be called at the end.
func replay(ctx context.Context, cmd *cobra.Command, cfg *app.Config) (closeArchive func(), err error) {
	paths, _ := cmd.Flags().GetStringArray("replay")
	if len(paths) == 0 {
		return func() {}, nil
	}
	archive, err := warc.OpenArchive(ctx, paths...)
	if err != nil {
		return nil, err
	}
	for _, fault := range archive.Faults() {
		cfg.Logger.WarnContext(ctx, "part of an archive is damaged", "error", fault)
	}
	cfg.Logger.InfoContext(ctx, "pages are read from an archive, not from the network", "urls", archive.Len())
	cfg.Fetch.Archive = archive
	return func() { _ = archive.Close() }, nil
}

// toOutput calls write with standard output, or with the file of --output, which exists only if everything succeeded.
func toOutput(cmd *cobra.Command, write func(w io.Writer) error) error {
	path, _ := cmd.Flags().GetString("output")
	if path == "" {
		w := bufio.NewWriter(cmd.OutOrStdout())
		return errors.Join(write(w), w.Flush())
	}
	part := path + ".part"
	file, err := os.OpenFile(part, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o644) //nolint:gosec // the operator chose the file, and may share it
	if err != nil {
		return err
	}
	w := bufio.NewWriter(file)
	if err := errors.Join(write(w), w.Flush(), file.Close()); err != nil {
		_ = os.Remove(part)
		return err
	}
	return os.Rename(part, path)
}

func runWarcGet(cmd *cobra.Command, args []string) error {
	var urls []fetch.URL
	for _, text := range args {
		u, err := fetch.ParseURL(text)
		if err != nil {
			return err
		}
		urls = append(urls, u)
	}
	cfg := fetch.Config{UserAgent: fetch.UserAgent(app.Version(), "https://github.com/turnpike-edge/turnpike")}
	if err := allowances(cmd, &cfg); err != nil {
		return err
	}
	client, err := fetch.New(cfg)
	if err != nil {
		return err
	}
	defer client.Close()
	ctx, stop := untilInterrupted(cmd.Context())
	defer stop()
	failed := 0
	err = toOutput(cmd, func(out io.Writer) error {
		w := warc.NewWriter(out)
		if err := w.Info(time.Now(), warc.Fields{
			{Name: "software", Value: "turnpike/" + app.Version()},
			{Name: "format", Value: "WARC File Format 1.1"},
			{Name: "http-header-user-agent", Value: cfg.UserAgent},
		}); err != nil {
			return err
		}
		for _, u := range urls {
			response, err := client.Get(ctx, fetch.Request{URL: u, Record: true})
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil {
				failed++
				fmt.Fprintln(cmd.ErrOrStderr(), err)
				continue
			}
			for i := range response.Exchanges {
				if err := w.Exchange(&response.Exchanges[i], time.Now()); err != nil {
					return err
				}
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "%d %s\n", response.StatusCode, response.URL)
		}
		return nil
	})
	if err == nil && failed > 0 {
		err = fmt.Errorf("%d of %d URLs could not be fetched; the others are written", failed, len(urls))
	}
	return err
}

// eachRecord calls see for the records of files, and damaged for each damaged part between them.
func eachRecord(ctx context.Context, paths []string, see func(path string, r *warc.Record) error, damaged func(path string, err error)) error {
	for _, path := range paths {
		if err := eachRecordOf(ctx, path, see, damaged); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

func eachRecordOf(ctx context.Context, path string, see func(path string, r *warc.Record) error, damaged func(path string, err error)) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	for record, err := range warc.Records(file) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if _, ok := errors.AsType[*warc.DamageError](err); ok {
			damaged(path, err)
			continue
		}
		if err != nil {
			return err
		}
		if err := see(path, record); err != nil {
			return err
		}
	}
	return nil
}

func runWarcList(cmd *cobra.Command, args []string) error {
	ctx, stop := untilInterrupted(cmd.Context())
	defer stop()
	out := bufio.NewWriter(cmd.OutOrStdout())
	err := eachRecord(ctx, args, func(_ string, r *warc.Record) error {
		response, err := r.Response()
		if err != nil {
			return nil
		}
		defer response.Body.Close()
		mediaType, _, _ := strings.Cut(response.Header.Get("Content-Type"), ";")
		_, err = fmt.Fprintf(out, "%s\t%d\t%s\t%s\n", r.Date().Format(time.RFC3339), response.StatusCode, orDash(strings.TrimSpace(mediaType)), r.TargetURI())
		return err
	}, func(path string, err error) { fmt.Fprintf(cmd.ErrOrStderr(), "%s: %v\n", path, err) })
	return errors.Join(err, out.Flush())
}

func runWarcVerify(cmd *cobra.Command, args []string) error {
	ctx, stop := untilInterrupted(cmd.Context())
	defer stop()
	records, digests, faults := 0, 0, 0
	wrong := func(path string, err error) {
		faults++
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: %v\n", path, err)
	}
	err := eachRecord(ctx, args, func(path string, r *warc.Record) error {
		checked, err := r.Verify()
		records, digests = records+1, digests+checked
		if errors.Is(err, warc.ErrDigest) { // other errors are found when reading on
			wrong(path, &warc.DamageError{Offset: r.Place.Offset, Err: err})
		}
		return nil
	}, wrong)
	if err != nil {
		return err
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%d records, %d digests, %d faults\n", records, digests, faults)
	if faults > 0 {
		return errors.New("the files are damaged")
	}
	return nil
}

// extracted is one line of the output of `turnpike warc extract`.
type extracted struct {
	URL        string `json:"url"`
	StatusCode int    `json:"status_code"`
	Title      string `json:"title"`
	Markdown   string `json:"markdown,omitempty"`
	Text       string `json:"text,omitempty"`
	HTML       string `json:"html,omitempty"`
}

func runWarcExtract(cmd *cobra.Command, args []string) error {
	formats, _ := cmd.Flags().GetStringSlice("formats")
	for _, format := range formats {
		if !slices.Contains([]page.Format{page.FormatMarkdown, page.FormatText, page.FormatHTML}, page.Format(format)) {
			return fmt.Errorf("--formats %q: want markdown, text or html", format)
		}
	}
	ctx, stop := untilInterrupted(cmd.Context())
	defer stop()
	archive, err := warc.OpenArchive(ctx, args...)
	if err != nil {
		return err
	}
	defer archive.Close()
	for _, fault := range archive.Faults() {
		fmt.Fprintln(cmd.ErrOrStderr(), fault)
	}
	client, err := fetch.New(fetch.Config{Archive: archive})
	if err != nil {
		return err
	}
	return toOutput(cmd, func(out io.Writer) error {
		lines := json.NewEncoder(out)
		lines.SetEscapeHTML(false)
		for u, err := range archive.Answers(ctx) {
			if err != nil {
				return err
			}
			line, err := extractRecorded(ctx, client, u, formats)
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case err != nil:
				fmt.Fprintf(cmd.ErrOrStderr(), "%s: %v\n", u, err)
			case line != nil:
				if err := lines.Encode(line); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// extractRecorded reads one page. The line is nil if there is no page to read: redirects, errors, pictures.
func extractRecorded(ctx context.Context, client *fetch.Client, u fetch.URL, formats []string) (*extracted, error) {
	response, err := client.Get(ctx, fetch.Request{URL: u, NoRedirects: true})
	if err != nil {
		return nil, err
	}
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return nil, nil //nolint:nilnil // no page, and no error
	}
	document, err := extract.Read(ctx, extract.Source{
		URL: response.URL.String(), MediaType: response.MediaType, Header: response.Header, Body: response.Body,
	}, extract.Options{})
	if errors.Is(err, extract.ErrUnsupportedContent) {
		return nil, nil //nolint:nilnil // no page, and no error
	}
	if err != nil {
		return nil, err
	}
	line := &extracted{URL: u.String(), StatusCode: response.StatusCode, Title: document.Metadata.Title}
	for _, format := range formats {
		switch page.Format(format) { //nolint:exhaustive // checked before
		case page.FormatMarkdown:
			line.Markdown = document.Markdown
		case page.FormatText:
			line.Text = document.Text
		case page.FormatHTML:
			line.HTML = document.HTML
		}
	}
	return line, nil
}
