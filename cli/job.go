package main

import (
	"bufio"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	turnpike "github.com/turnpike-edge/turnpike/sdk/go"
)

// job is a crawl or a batch of the service.
type job struct {
	id       string
	total    int // pages, at most
	finished bool
	outcome  string
	credits  *int64
	failed   int
	object   any
}

// jobs is a kind of job.
type jobs struct {
	kind, noun string
	quote      func() (*turnpike.Quote, error)
	create     func(turnpike.Option) (*job, error)
	get        func(id string) (*job, error)
	entries    func(id string) iter.Seq2[*entry, error] // until the job has ended
	body       any
}

// entry is a page of a crawl or an item of a batch whose content can be downloaded.
type entry struct {
	record

	retrieveID string
}

func withOutput(cmd *cobra.Command) *cobra.Command {
	f := cmd.Flags()
	f.String("as", asJSONL, "form of the pages on standard output: markdown, json or jsonl")
	f.StringP("output", "o", "", "where to download the pages to: a folder, or a `file` that ends in .jsonl, .parquet or .warc.gz. "+
		"Run the same command again to continue after an interruption")
	f.Bool("detach", false, "only start the job, and print it")
	return cmd
}

func crawlCommand() *cobra.Command {
	fields := append(contentFields("scrape_options."),
		field{"max-pages", "max_pages", 100, "most pages"},
		field{"max-depth", "max_depth", 0, "most links to follow from the URL; 0 is the page alone (default: no limit)"},
		field{"include", "include_urls", []string(nil), "globs of paths to include, such as /blog/**"},
		field{"exclude", "exclude_urls", []string(nil), "globs of paths to leave out"},
		field{"external", "include_external", false, "also read linked pages of other sites"},
		field{"subdomains", "include_subdomain", false, "also read other hosts of the domain"},
		field{"search", "search_query", "", "follow the most relevant links first"},
		field{"top", "top_n", 0, "follow only this many links of each page"},
		field{"timeout", "timeout", 0, "seconds after which the crawl ends (default: 72 hours)"},
		field{"robots", "follow_robots_txt", true, "obey robots.txt"},
		field{"render", "scrape_options.render", "", "whether to use a browser: auto, never or always"})
	cmd := &cobra.Command{
		Use: "crawl <url | crawl id>", Short: "Reads the pages of a site", Args: cobra.ExactArgs(1),
		Example: "  turnpike crawl https://example.com --max-pages 2000 -o pages.parquet\n  turnpike crawl https://example.com -o site/\n  turnpike crawl crawl_… -o pages.jsonl",
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		s, err := open(cmd)
		if err != nil {
			return err
		}
		body, err := request[turnpike.CrawlRequest](cmd, fields)
		if err != nil {
			return err
		}
		if path, _ := cmd.Flags().GetString("output"); isWARC(path) {
			body.Record = new(true)
		}
		body.StartURL = args[0]
		return s.runJob(s.crawls(body), args[0])
	}
	return withOutput(withFields(cmd, fields...))
}

func (s *session) crawls(body *turnpike.CrawlRequest) *jobs {
	ctx := s.cmd.Context()
	see := func(c *turnpike.Crawl, err error) (*job, error) {
		if err != nil {
			return nil, err
		}
		return &job{
			id: c.ID, total: int(c.MaxPages), finished: c.Status == "completed", outcome: c.Outcome, credits: c.CreditsConsumed, failed: int(c.Failed), object: c,
		}, nil
	}
	return &jobs{
		kind: "crawl", noun: "pages", body: body,
		quote:  func() (*turnpike.Quote, error) { return s.QuoteCrawl(ctx, body) },
		create: func(key turnpike.Option) (*job, error) { return see(s.CreateCrawl(ctx, body, key, s.report())) },
		get:    func(id string) (*job, error) { return see(s.GetCrawl(ctx, id)) },
		entries: entries(func(id string) iter.Seq2[*turnpike.CrawlPage, error] {
			return s.CrawlPages(ctx, id, &turnpike.ListCrawlPagesQuery{Limit: 100})
		}, func(p *turnpike.CrawlPage) *entry {
			e := &entry{retrieveID: p.RetrieveID, record: record{ID: p.ID, URL: p.URL, Title: p.Title, Depth: int(p.Depth)}}
			if p.StatusCode != nil {
				e.StatusCode = int(*p.StatusCode)
			}
			return e
		}),
	}
}

func batchCommand() *cobra.Command {
	fields := append(contentFields(""), field{"country", "country", "", "country from which to fetch, such as DE"})
	cmd := &cobra.Command{
		Use: "batch <url… | file | - | batch id>", Short: "Reads many pages", Args: cobra.MinimumNArgs(1),
		Long: `Reads many pages. A file, or standard input (-), has a URL on each line, or an item as JSON:
{"url": "https://example.com", "custom_id": "a-1", "metadata": {"shelf": "A"}}`,
		Example: "  turnpike batch urls.txt -o pages.jsonl\n  turnpike batch https://example.com https://example.org",
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		s, err := open(cmd)
		if err != nil {
			return err
		}
		if path, _ := cmd.Flags().GetString("output"); isWARC(path) {
			return fmt.Errorf("%w: --output %s: batches are not recorded; want a folder, or a file that ends in .jsonl or .parquet", errUsage, path)
		}
		body, err := request[turnpike.BatchRequest](cmd, fields)
		if err != nil {
			return err
		}
		if !strings.HasPrefix(args[0], "batch_") && body.FileID == "" {
			if body.Items, err = itemsOf(cmd.InOrStdin(), args); err != nil {
				return err
			}
		}
		return s.runJob(s.batches(body), args[0])
	}
	return withOutput(withFields(cmd, fields...))
}

func (s *session) batches(body *turnpike.BatchRequest) *jobs {
	ctx := s.cmd.Context()
	see := func(b *turnpike.Batch, err error) (*job, error) {
		if err != nil {
			return nil, err
		}
		return &job{
			id: b.ID, total: int(b.TotalURLs), finished: b.Status == "completed", outcome: b.Outcome, credits: b.CreditsConsumed, failed: int(b.FailedURLs), object: b,
		}, nil
	}
	return &jobs{
		kind: "batch", noun: "items", body: body,
		quote:  func() (*turnpike.Quote, error) { return s.QuoteBatch(ctx, body) },
		create: func(key turnpike.Option) (*job, error) { return see(s.CreateBatch(ctx, body, key, s.report())) },
		get:    func(id string) (*job, error) { return see(s.GetBatch(ctx, id)) },
		entries: entries(func(id string) iter.Seq2[*turnpike.BatchItem, error] {
			return s.BatchItems(ctx, id, &turnpike.ListBatchItemsQuery{Limit: 50})
		}, func(i *turnpike.BatchItem) *entry {
			e := &entry{retrieveID: i.RetrieveID, record: record{ID: i.CustomID, URL: i.URL, CustomID: i.CustomID}}
			if i.Error != nil {
				e.Error, e.retrieveID = i.Error.Code+": "+i.Error.Detail, ""
			}
			return e
		}),
	}
}

// entries turns the items of a list into entries.
func entries[T any](list func(id string) iter.Seq2[*T, error], see func(*T) *entry) func(id string) iter.Seq2[*entry, error] {
	return func(id string) iter.Seq2[*entry, error] {
		return func(yield func(*entry, error) bool) {
			for item, err := range list(id) {
				if err != nil {
					yield(nil, err)
					return
				}
				if !yield(see(item), nil) {
					return
				}
			}
		}
	}
}

// itemsOf returns the items of a batch: URLs, or the lines of a file.
func itemsOf(stdin io.Reader, args []string) ([]turnpike.BatchRequestItem, error) {
	var items []turnpike.BatchRequestItem
	if len(args) > 1 || strings.Contains(args[0], "://") {
		for _, u := range args {
			items = append(items, turnpike.BatchRequestItem{URL: u})
		}
		return items, nil
	}
	if args[0] != "-" {
		file, err := os.Open(args[0])
		if err != nil {
			return nil, fmt.Errorf("%w: want URLs, a file with a URL on each line, or a batch's id: %w", errUsage, err)
		}
		defer file.Close()
		stdin = file
	}
	lines := bufio.NewScanner(stdin)
	lines.Buffer(nil, lineMax)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		item := turnpike.BatchRequestItem{URL: line}
		if strings.HasPrefix(line, "{") {
			item.URL = ""
			if err := json.Unmarshal([]byte(line), &item); err != nil {
				return nil, fmt.Errorf("%w: %s, line %d: %w", errUsage, args[0], n, err)
			}
		}
		if line != "" && !strings.HasPrefix(line, "#") {
			items = append(items, item)
		}
	}
	return items, lines.Err()
}

// runJob starts a job, or continues with one, and downloads what it reads.
func (s *session) runJob(kind *jobs, argument string) error {
	path, _ := s.cmd.Flags().GetString("output")
	out, err := s.openOutput(path, kind, argument)
	if err != nil {
		return err
	}
	defer out.close()
	if out.started.ID == "" {
		if err := s.start(kind, out); err != nil {
			return err
		}
	}
	started, err := kind.get(out.started.ID)
	if errors.Is(err, turnpike.ErrNotFound) {
		return errors.Join(err, out.forget())
	}
	if err != nil {
		return err
	}
	if detach, _ := s.cmd.Flags().GetBool("detach"); detach {
		return (&printer{form: asJSON, to: s.cmd.OutOrStdout()}).print(started.object, nil)
	}
	if len(out.done) > 0 {
		s.say("%s has %d %s; continuing", path, len(out.done), kind.noun)
	}
	if err := s.download(kind, out, started); err != nil {
		if path != "" && s.cmd.Context().Err() != nil {
			err = fmt.Errorf("interrupted; run the same command again to continue %s", out.started.ID)
		}
		return err
	}
	ended, err := kind.get(out.started.ID)
	if err != nil {
		return err
	}
	if err := out.finish(); err != nil {
		return err
	}
	cost := ""
	if ended.credits != nil && s.wallet == nil {
		cost = fmt.Sprintf(", %d credits", *ended.credits)
	}
	s.say("%s %s: %d %s, %d failed%s", ended.id, ended.outcome, len(out.done)+out.printed, kind.noun, ended.failed, cost)
	if ended.outcome != "succeeded" {
		return fmt.Errorf("%w: %s %s", errJob, ended.id, ended.outcome)
	}
	return nil
}

// start creates the job. Its idempotency key is on the disk before, so that after an interruption the same command finds
// the job that it has created, and pays for it once.
func (s *session) start(kind *jobs, out *output) error {
	if err := s.afford(kind.quote); err != nil {
		return errors.Join(err, out.forget())
	}
	if out.started.Key == "" {
		out.started.Key = rand.Text()
		if err := out.note(out.started); err != nil {
			return err
		}
	}
	created, err := kind.create(turnpike.IdempotencyKey(out.started.Key))
	if err != nil {
		var refused *turnpike.Error
		if errors.As(err, &refused) && refused.Status < 500 || errors.Is(err, turnpike.ErrSpendingCap) {
			err = errors.Join(err, out.forget()) // another command may use the name
		}
		return err
	}
	s.tell()
	out.started.ID = created.id
	s.say("%s started", created.id)
	return out.note(out.started)
}

// progress draws a bar on a terminal.
type progress struct {
	s     *session
	noun  string
	shown time.Time
	width int
}

const (
	progressEvery = 100 * time.Millisecond
	barWidth      = 30
)

func (p *progress) show(n, total int) {
	if !p.s.isTerminal() || time.Since(p.shown) < progressEvery && n < total {
		return
	}
	p.shown = time.Now()
	filled := min(barWidth, barWidth*n/max(1, total))
	line := fmt.Sprintf("[%s%s] %d of %d %s", strings.Repeat("#", filled), strings.Repeat(".", barWidth-filled), n, total, p.noun)
	fmt.Fprintf(p.s.cmd.ErrOrStderr(), "\r%-*s", p.width, line)
	p.width = len(line)
}

func (p *progress) clear() {
	if p.width > 0 {
		fmt.Fprintf(p.s.cmd.ErrOrStderr(), "\r%*s\r", p.width, "")
	}
}
