package crawls

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/backend/page/warc"
	"github.com/turnpike-edge/turnpike/db"
)

// recordsChunk is how many URLs of a crawl are read at once to find their records.
const recordsChunk = 500

// registerWARC adds the route that downloads what a crawl recorded.
func (s *Service) registerWARC(api huma.API) {
	huma.Register(api, huma.Operation{
		OperationID: "getCrawlWARC", Method: http.MethodGet, Path: one + "/warc", Tags: []string{tag},
		Summary: "Download the recorded requests and responses of a crawl",
		Description: "Returns a WARC file (ISO 28500), compressed record by record: the pages in the order in which they were fetched, each with its " +
			"request and redirects. Available for crawls created with record: true, while they run and for seven days after. Requires an API key.",
		Responses: map[string]*huma.Response{"200": {
			Description: "A WARC file.",
			Content:     map[string]*huma.MediaType{warc.MediaType: {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}},
		}},
		Errors: []int{400, 401, 404, 409},
	}, s.warc)
}

func (s *Service) warc(ctx context.Context, in *crawlInput) (*huma.StreamResponse, error) {
	record, err := s.Record(ctx, principal.From(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	return &huma.StreamResponse{Body: func(out huma.Context) {
		out.SetHeader("Content-Type", warc.MediaType)
		out.SetHeader("Content-Disposition", `attachment; filename="`+in.ID+`.warc.gz"`)
		out.SetHeader("Cache-Control", "private, no-store")
		if err := record.Write(out.Context(), out.BodyWriter()); err != nil {
			if out.Context().Err() == nil {
				s.config.Logger.ErrorContext(ctx, "writing the WARC file of a crawl failed", "crawl", in.ID, "error", err)
			}
			panic(http.ErrAbortHandler) // otherwise the client would take the truncated file as complete
		}
	}}, nil
}

// Record is what a crawl sent and received, up to the time when the Record was requested.
type Record struct {
	service *Service
	crawl   *db.Crawl
}

// Record returns the record of a team's crawl. Errors are problems.
func (s *Service) Record(ctx context.Context, c *principal.Caller, id string) (*Record, error) {
	row, err := s.visible(ctx, c, id)
	switch {
	case err != nil:
		return nil, err
	case !row.Record:
		return nil, problem.New(problem.InvalidState, `This crawl was not recorded. Create a crawl with "record": true to record its requests and responses.`)
	}
	return &Record{service: s, crawl: row}, nil
}

// Write writes a WARC file: a warcinfo record, the records of pages and failures by their places in the list, the records
// of duplicates, and a summary. Records past their retention are left out. Memory use is that of one chunk of a record,
// whatever the size of the crawl.
func (r *Record) Write(ctx context.Context, w io.Writer) error {
	out := warc.NewWriter(w)
	info := warc.Fields{
		{Name: "software", Value: "turnpike"},
		{Name: "format", Value: "WARC File Format 1.1"},
		{Name: "conformsTo", Value: "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"},
		{Name: "isPartOf", Value: r.crawl.ID},
		{Name: "description", Value: "crawl of " + r.crawl.StartUrl},
	}
	if err := out.Info(r.crawl.CreatedAt, info); err != nil {
		return err
	}
	written, missing, err := r.writePages(ctx, w)
	if err != nil {
		return err
	}
	if err := r.writeDuplicates(ctx, w); err != nil {
		return err
	}
	return out.Metadata(r.service.config.Now(), r.crawl.StartUrl, warc.Fields{
		{Name: "crawl-status", Value: r.crawl.Status},
		{Name: "pages", Value: strconv.Itoa(written)},
		{Name: "pages-left-out", Value: strconv.Itoa(missing)},
	})
}

// writePages returns how many pages it wrote, and how many have no record (any more).
func (r *Record) writePages(ctx context.Context, w io.Writer) (written, missing int, err error) {
	for after := int32(0); after < r.crawl.Seq; {
		rows, err := r.service.queries.ListRecordedPages(ctx, db.ListRecordedPagesParams{
			CrawlID: r.crawl.ID, AfterSeq: after, LastSeq: r.crawl.Seq, OverBefore: r.overBefore(), RowsMax: recordsChunk,
		})
		if err != nil {
			return 0, 0, fmt.Errorf("listing pages of %s: %w", r.crawl.ID, err)
		}
		if len(rows) == 0 {
			break
		}
		for _, row := range rows {
			after = row.Seq
			there := false
			if !row.Over {
				if there, err = r.writeRecord(ctx, w, row.RetrieveID, row.Attempts); err != nil {
					return 0, 0, err
				}
			}
			switch {
			case row.State != stateDone: // a failed URL may never have got a response
			case there:
				written++
			default:
				missing++
			}
		}
	}
	return written, missing, nil
}

func (r *Record) writeDuplicates(ctx context.Context, w io.Writer) error {
	for after := int32(0); ; {
		rows, err := r.service.queries.ListRecordedDuplicates(ctx, db.ListRecordedDuplicatesParams{
			CrawlID: r.crawl.ID, AfterN: after, LastN: r.crawl.Found, OverBefore: r.overBefore(), RowsMax: recordsChunk,
		})
		if err != nil {
			return fmt.Errorf("listing duplicates of %s: %w", r.crawl.ID, err)
		}
		for _, row := range rows {
			after = row.N
			if _, err := r.writeRecord(ctx, w, row.RetrieveID, row.Attempts); err != nil {
				return err
			}
		}
		if len(rows) < recordsChunk {
			return nil
		}
	}
}

// overBefore returns the time before which a URL must have ended for its content to be past the retention.
func (r *Record) overBefore() time.Time {
	return r.service.config.Now().Add(-r.service.config.Retention)
}

// writeRecord writes a record and reports whether there is one.
func (r *Record) writeRecord(ctx context.Context, w io.Writer, retrieveID string, attempt int32) (bool, error) {
	err := r.service.config.Pages.WriteRecord(ctx, w, retrieveID, int(attempt))
	if errors.Is(err, page.ErrNoRecord) {
		return false, nil
	}
	return err == nil, err
}
