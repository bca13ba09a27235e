package scrapes

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/blob"
	"github.com/turnpike-edge/turnpike/backend/page"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/page/warc"
)

// recordName is the name of an attempt's recording: WARC records, each a gzip member, so that the concatenated records
// of many pages are a valid file.
const recordName = "page.warc.gz"

// recording holds the exchanges for a page, in the form in which they are stored. It has only those of the fetcher, not
// a browser's own traffic.
type recording struct{ records bytes.Buffer }

// add records the exchanges that led to a response.
func (r *recording) add(response *fetch.Response, at time.Time) error {
	w := warc.NewWriter(&r.records)
	for i := range response.Exchanges {
		if err := w.Exchange(&response.Exchanges[i], at); err != nil {
			return err
		}
	}
	response.Exchanges = nil // keep only one copy of the bodies
	return nil
}

// bytes returns how much memory the recording takes.
func (r *recording) bytes() int64 {
	if r == nil {
		return 0
	}
	return int64(r.records.Len())
}

// record adds a response to the recording, if there is one.
func (e *Engine) record(p *plan, response *fetch.Response) error {
	if p.recording == nil {
		return nil
	}
	if err := p.recording.add(response, e.config.Now()); err != nil {
		return problem.Internal(fmt.Errorf("recording a page: %w", err))
	}
	return nil
}

// keepRecord stores the recording of o's attempt next to its content, with which it is deleted.
func (e *Engine) keepRecord(ctx context.Context, retrieveID string, o *outcome, p *plan) error {
	if p.recording.bytes() == 0 {
		return nil
	}
	if err := e.config.Blobs.Put(ctx, contentKey(retrieveID, o.Attempt, recordName), warc.MediaType, p.recording.records.Bytes()); err != nil {
		return fmt.Errorf("storing the record: %w", err)
	}
	o.HasRecord = true
	return nil
}

// WriteRecord writes to w the WARC records that an attempt has stored under a retrieve_id, as requested by
// page.Job.Record. The error is page.ErrNoRecord if there are none, and then nothing is written.
func (e *Engine) WriteRecord(ctx context.Context, w io.Writer, retrieveID string, attempt int) error {
	records, err := e.config.Blobs.Open(ctx, contentKey(retrieveID, int32(attempt), recordName)) //nolint:gosec // as many as were made
	switch {
	case errors.Is(err, blob.ErrNotFound):
		return page.ErrNoRecord
	case err != nil:
		return fmt.Errorf("reading the record of %s: %w", retrieveID, err)
	}
	defer records.Close()
	if _, err := io.Copy(w, records); err != nil {
		return fmt.Errorf("writing the record of %s: %w", retrieveID, err)
	}
	return nil
}
