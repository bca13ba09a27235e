package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	turnpike "github.com/turnpike-edge/turnpike/sdk/go"
)

// contentFields are the flags for what to keep of a page.
func contentFields(prefix string) []field {
	return []field{
		{"formats", prefix + "formats", []string{"markdown"}, "what to keep of a page: markdown, html, text, json, raw_pdf, screenshot"},
		{"parser", prefix + "parser", "", "parser that makes JSON of a page, such as @turnpike/article"},
	}
}

// The forms of output.
const (
	asMarkdown = "markdown"
	asJSON     = "json"
	asJSONL    = "jsonl"
)

// withForm adds the flags that say how a result is shown, and where.
func withForm(cmd *cobra.Command, form string) *cobra.Command {
	cmd.Flags().String("as", form, "form of the output: markdown, json or jsonl")
	cmd.Flags().StringP("output", "o", "", "`file` to write to (default: standard output)")
	return cmd
}

// printer writes results in a form.
type printer struct {
	form string
	to   io.Writer
	n    int
}

func newPrinter(cmd *cobra.Command, to io.Writer) (*printer, error) {
	form, _ := cmd.Flags().GetString("as")
	if !slices.Contains([]string{asMarkdown, asJSON, asJSONL}, form) {
		return nil, fmt.Errorf("%w: --as %q: want markdown, json or jsonl", errUsage, form)
	}
	return &printer{form: form, to: to}, nil
}

// print writes one result: as JSON, or the text that people read.
func (p *printer) print(result any, text func() string) error {
	p.n++
	if p.form == asMarkdown && text != nil {
		separator := ""
		if p.n > 1 {
			separator = "\n"
		}
		_, err := io.WriteString(p.to, separator+strings.TrimRight(text(), "\n")+"\n")
		return err
	}
	line := json.NewEncoder(p.to)
	line.SetEscapeHTML(false)
	if p.form == asJSON {
		line.SetIndent("", "  ")
	}
	return line.Encode(result)
}

// toOutput calls write with standard output, or with the file of --output, which exists only if everything succeeded.
func toOutput(cmd *cobra.Command, write func(*printer) error) error {
	path, _ := cmd.Flags().GetString("output")
	var written bytes.Buffer
	to := cmd.OutOrStdout()
	if path != "" {
		to = &written
	}
	p, err := newPrinter(cmd, to)
	if err != nil {
		return err
	}
	if err := write(p); err != nil || path == "" {
		return err
	}
	return replaceFile(path, written.Bytes())
}

// replaceFile writes a file whole or not at all.
func replaceFile(path string, content []byte) error {
	if err := os.WriteFile(path+".part", content, 0o644); err != nil { //nolint:gosec // the user's own file
		return err
	}
	return os.Rename(path+".part", path)
}

func scrapeCommand() *cobra.Command {
	fields := append(contentFields(""),
		field{"country", "country", "", "country from which to fetch, such as DE"},
		field{"render", "render", "", "whether to use a browser: auto, never or always"},
		field{"wait", "wait_before_scraping", 0, "milliseconds to wait before reading a rendered page"},
		field{"remove", "remove_css_selectors", []string(nil), "CSS selectors of elements to leave out"},
		field{"max-age", "max_age", 0, "take a copy of yours that is at most so many seconds old, at the same price"})
	cmd := &cobra.Command{
		Use: "scrape <url>…", Short: "Reads pages", Args: cobra.MinimumNArgs(1),
		Example: "  turnpike scrape https://example.com\n  turnpike scrape https://example.com --formats html,text --as json",
	}
	cmd.RunE = func(cmd *cobra.Command, urls []string) error {
		s, err := open(cmd)
		if err != nil {
			return err
		}
		body, err := request[turnpike.ScrapeRequest](cmd, fields)
		if err != nil {
			return err
		}
		return toOutput(cmd, func(p *printer) error {
			var failed []error
			for _, u := range urls {
				if err := s.scrape(p, u, body); err != nil {
					failed = append(failed, fmt.Errorf("%s: %w", u, err))
				}
				if errors.Is(errors.Join(failed...), turnpike.ErrAuthentication) || cmd.Context().Err() != nil {
					break
				}
			}
			return errors.Join(failed...)
		})
	}
	return withForm(withFields(cmd, fields...), asMarkdown)
}

func (s *session) scrape(p *printer, pageURL string, body *turnpike.ScrapeRequest) error {
	ctx := s.cmd.Context()
	body.URLToScrape = pageURL
	if err := s.afford(func() (*turnpike.Quote, error) { return s.QuoteScrape(ctx, body) }); err != nil {
		return err
	}
	result, err := s.Scrape(ctx, pageURL, body, s.report())
	if err != nil {
		return err
	}
	s.tell()
	if result.Result.SizeExceeded && result.Result.MarkdownContent+result.Result.HTMLContent+result.Result.TextContent == "" {
		whole, err := s.Retrieve(ctx, result.RetrieveID)
		if err != nil {
			return err
		}
		r := &result.Result
		r.MarkdownContent, r.HTMLContent, r.TextContent, r.JSONContent = whole.MarkdownContent, whole.HTMLContent, whole.TextContent, whole.JSONContent
	}
	return p.print(result, func() string {
		r := result.Result
		return first(r.MarkdownContent, r.TextContent, r.HTMLContent, r.JSONContent, r.ScreenshotHostedURL, r.RawPDFHostedURL)
	})
}

// first returns the first text that is not empty.
func first(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}

func searchCommand() *cobra.Command {
	fields := []field{
		{"limit", "limit", 0, "most results (default: the service's)"},
		{"formats", "scrape_options.formats", []string(nil), "also read the pages, as markdown, html or text"},
		{"include-domains", "include_domains", []string(nil), "only these hosts"},
		{"exclude-domains", "exclude_domains", []string(nil), "not these hosts"},
	}
	return paidCommand("search <query>", "Searches the web", asMarkdown, fields,
		func(s *session, query string, body *turnpike.SearchRequest) (*turnpike.Quote, error) {
			body.Query = query
			return s.QuoteSearch(s.cmd.Context(), body)
		},
		func(s *session, query string, body *turnpike.SearchRequest) (*turnpike.Search, error) {
			return s.Search(s.cmd.Context(), query, body, s.report())
		},
		func(found *turnpike.Search) string {
			var text strings.Builder
			for i, link := range found.Result.Links {
				fmt.Fprintf(&text, "%d. [%s](%s)\n   %s\n", i+1, link.Title, link.URL, strings.Join(strings.Fields(link.Description), " "))
				if page := first(link.MarkdownContent, link.TextContent, link.HTMLContent); page != "" {
					fmt.Fprintf(&text, "\n%s\n\n", page)
				}
			}
			return text.String()
		})
}

func askCommand() *cobra.Command {
	fields := []field{{"files", "file_ids", []string(nil), "ids of uploaded files to read"}}
	cmd := paidCommand("ask <task>", "Answers a question from the web, with its sources", asMarkdown, fields,
		func(s *session, task string, body *turnpike.AnswerRequest) (*turnpike.Quote, error) {
			body.Task = task
			if err := form(s.cmd, body); err != nil {
				return nil, err
			}
			return s.QuoteAnswer(s.cmd.Context(), body)
		},
		func(s *session, task string, body *turnpike.AnswerRequest) (*turnpike.Answer, error) {
			if err := form(s.cmd, body); err != nil {
				return nil, err
			}
			return s.Answer(s.cmd.Context(), task, body, s.report())
		},
		func(answer *turnpike.Answer) string {
			text := answer.Result.JSONContent
			var plain struct {
				Result any `json:"result"`
			}
			if json.Unmarshal([]byte(text), &plain) == nil && plain.Result != nil {
				if s, ok := plain.Result.(string); ok {
					text = s
				}
			}
			for _, source := range answer.Result.Sources {
				text += "\n- " + source
			}
			return text
		})
	cmd.Flags().String("form", "", `form of the answer, as JSON: {"price": "", "currency": ""}, or in words`)
	return cmd
}

// form reads --form, which is JSON or words.
func form(cmd *cobra.Command, body *turnpike.AnswerRequest) error {
	text, _ := cmd.Flags().GetString("form")
	switch {
	case text == "":
	case strings.HasPrefix(strings.TrimSpace(text), "{"):
		if err := json.Unmarshal([]byte(text), &body.JSONFormat); err != nil {
			return fmt.Errorf("%w: --form: %w", errUsage, err)
		}
	default:
		body.JSONFormat = text
	}
	return nil
}

func mapCommand() *cobra.Command {
	fields := []field{
		{"search", "search_query", "", "the most relevant URLs first"},
		{"top", "top_n", 0, "most URLs"},
		{"include", "include_urls", []string(nil), "globs of URLs to include"},
		{"exclude", "exclude_urls", []string(nil), "globs of URLs to leave out"},
		{"subdomains", "include_subdomain", true, "also list other hosts of the domain"},
	}
	return paidCommand("map <url>", "Lists the URLs of a site", asMarkdown, fields,
		func(s *session, site string, body *turnpike.MapRequest) (*turnpike.Quote, error) {
			body.URL = site
			return s.QuoteMap(s.cmd.Context(), body)
		},
		func(s *session, site string, body *turnpike.MapRequest) (*turnpike.Map, error) {
			all, err := s.Map(s.cmd.Context(), site, body, s.report())
			for err == nil && all.Cursor != "" { // further parts are free
				var part *turnpike.Map
				if part, err = s.GetMap(s.cmd.Context(), all.ID, &turnpike.GetMapQuery{Cursor: all.Cursor}); err == nil {
					all.URLs, all.Cursor = append(all.URLs, part.URLs...), part.Cursor
				}
			}
			return all, err
		},
		func(all *turnpike.Map) string { return strings.Join(all.URLs, "\n") })
}

// paidCommand makes the command of an operation with one argument and one result.
func paidCommand[B, R any](use, short, form string, fields []field,
	quote func(*session, string, *B) (*turnpike.Quote, error), run func(*session, string, *B) (*R, error), text func(*R) string,
) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short, Args: cobra.ExactArgs(1)}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		s, err := open(cmd)
		if err != nil {
			return err
		}
		body, err := request[B](cmd, fields)
		if err != nil {
			return err
		}
		return toOutput(cmd, func(p *printer) error {
			if err := s.afford(func() (*turnpike.Quote, error) { return quote(s, args[0], body) }); err != nil {
				return err
			}
			result, err := run(s, args[0], body)
			if err != nil {
				return err
			}
			s.tell()
			return p.print(result, func() string { return text(result) })
		})
	}
	return withForm(withFields(cmd, fields...), form)
}
