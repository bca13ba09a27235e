package warc

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"net/http"
	"os"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/page/fetch"
)

// faultsMax is how many faults of an archive are reported.
const faultsMax = 100

// Archive returns responses from WARC files. It implements fetch.Archive and is safe for concurrent use.
type Archive struct {
	files   []*os.File
	answers map[key]entry
	// payloads are the records with a payload, by its digest. Revisit records refer to them.
	payloads map[key]location
	// others are the IDs of requests with other methods than GET, and of records concurrent to them.
	others map[key]bool
	faults []error
}

type key [16]byte

func keyOf(text string) key {
	sum := sha256.Sum256([]byte(text))
	return key(sum[:16])
}

type location struct {
	file  int
	place Place
}

// entry is the response to a GET.
type entry struct {
	location

	at int64 // Unix time in microseconds
	id key
}

// OpenArchive reads the files once to build an index. Of several responses for a URL the latest counts; of equals the one
// that comes last. Damaged parts of files are skipped: see [Archive.Faults].
func OpenArchive(ctx context.Context, paths ...string) (*Archive, error) {
	a := &Archive{answers: map[key]entry{}, payloads: map[key]location{}, others: map[key]bool{}}
	for _, path := range paths {
		if err := a.add(ctx, path); err != nil {
			_ = a.Close()
			return nil, fmt.Errorf("reading archive %s: %w", path, err)
		}
	}
	a.others = nil
	return a, nil
}

// Close closes the files.
func (a *Archive) Close() error {
	var errs []error
	for _, file := range a.files {
		errs = append(errs, file.Close())
	}
	return errors.Join(errs...)
}

// Len is the number of URLs with a response.
func (a *Archive) Len() int { return len(a.answers) }

// Faults returns the faults in the files, the first hundred.
func (a *Archive) Faults() []error { return a.faults }

func (a *Archive) add(ctx context.Context, path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	a.files = append(a.files, file)
	for record, err := range Records(file) {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if damage, ok := errors.AsType[*DamageError](err); ok {
			if len(a.faults) < faultsMax {
				a.faults = append(a.faults, fmt.Errorf("%s: %w", path, damage))
			}
			continue
		}
		if err != nil {
			return err
		}
		a.index(record, location{file: len(a.files) - 1, place: record.Place})
	}
	return nil
}

func (a *Archive) index(r *Record, at location) {
	switch r.Type {
	case TypeRequest:
		a.indexRequest(r)
		return
	case TypeResponse, TypeResource:
	case TypeRevisit:
		if strings.Contains(r.Fields.Value(fieldProfile), "server-not-modified") {
			return // the response it refers to is unchanged and complete
		}
	default:
		return
	}
	u, err := fetch.ParseURL(r.TargetURI())
	if err != nil || (r.Type != TypeResource && !r.isHTTP()) {
		return // DNS records and others
	}
	if a.isOther(r) {
		return
	}
	if payload := r.Fields.Value(fieldPayloadDigest); payload != "" && r.Type != TypeRevisit {
		a.payloads[keyOf(payload)] = at
	}
	e := entry{location: at, id: keyOf(r.ID())}
	if date := r.Date(); !date.IsZero() {
		e.at = date.UnixMicro()
	}
	k := keyOf(u.WithoutFragment())
	if had, found := a.answers[k]; !found || e.at >= had.at {
		a.answers[k] = e
	}
}

// indexRequest drops the response to a request other than GET: the response itself does not state the method.
func (a *Archive) indexRequest(r *Record) {
	u, err := fetch.ParseURL(r.TargetURI())
	if err != nil || !r.isHTTP() {
		return
	}
	line := make([]byte, 4)
	if _, err := io.ReadFull(r.Block, line); err != nil || string(line) == "GET " {
		return
	}
	k := keyOf(u.WithoutFragment())
	for _, id := range append(r.ConcurrentTo(), r.ID()) {
		a.others[keyOf(id)] = true
		if e, found := a.answers[k]; found && e.id == keyOf(id) {
			delete(a.answers, k)
		}
	}
}

func (a *Archive) isOther(r *Record) bool {
	for _, id := range append(r.ConcurrentTo(), r.ID()) {
		if a.others[keyOf(id)] {
			return true
		}
	}
	return false
}

// Answers yields the URLs with a response, in the order of the files, which are read once more.
func (a *Archive) Answers(ctx context.Context) iter.Seq2[fetch.URL, error] {
	return func(yield func(fetch.URL, error) bool) {
		for i, file := range a.files {
			info, err := file.Stat()
			if err != nil {
				yield(fetch.URL{}, err)
				return
			}
			for record, err := range Records(io.NewSectionReader(file, 0, info.Size())) {
				if ctx.Err() != nil {
					yield(fetch.URL{}, context.Cause(ctx))
					return
				}
				if err != nil {
					continue // it is among the faults
				}
				u, err := fetch.ParseURL(record.TargetURI())
				if err != nil || a.answers[keyOf(u.WithoutFragment())].location != (location{file: i, place: record.Place}) {
					continue
				}
				if !yield(u, nil) {
					return
				}
			}
		}
	}
}

// Recorded implements fetch.Archive.
func (a *Archive) Recorded(ctx context.Context, method string, u fetch.URL) (*http.Response, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	e, found := a.answers[keyOf(u.WithoutFragment())]
	if !found || (method != http.MethodGet && method != http.MethodHead) {
		return nil, fs.ErrNotExist
	}
	r, err := a.open(e.location)
	if err != nil {
		return nil, err
	}
	response, err := a.answer(r)
	if err == nil && method == http.MethodHead {
		response.Body = http.NoBody
	}
	return response, err
}

// open reads up to the record at l.
func (a *Archive) open(l location) (*Record, error) {
	file := a.files[l.file]
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	reader := NewReader(io.NewSectionReader(file, l.place.Offset, info.Size()-l.place.Offset))
	for {
		r, err := reader.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil, fmt.Errorf("%s has changed since it was opened", file.Name())
		case err != nil:
			return nil, fmt.Errorf("%s, from byte %d: %w", file.Name(), l.place.Offset, err)
		case r.Place.Inner == l.place.Inner:
			return r, nil
		}
	}
}

// answer returns the response in r. A revisit takes its body, and the fields about it, from the record referred to.
func (a *Archive) answer(r *Record) (*http.Response, error) {
	if r.Type != TypeRevisit {
		return r.Response()
	}
	l, found := a.payloads[keyOf(r.Fields.Value(fieldPayloadDigest))]
	if !found {
		return nil, fmt.Errorf("%w: it is a revisit of %s, which is not in these files", fs.ErrNotExist, r.Fields.Value(fieldRefersToURI))
	}
	first, err := a.open(l)
	if err != nil {
		return nil, err
	}
	was, err := first.Response()
	if err != nil || r.Length == 0 {
		return was, err
	}
	response, err := r.Response()
	if err != nil {
		return nil, err
	}
	if response.Header.Del("Content-Encoding"); was.Header.Get("Content-Encoding") != "" {
		response.Header["Content-Encoding"] = was.Header["Content-Encoding"]
	}
	response.Body, response.ContentLength = was.Body, was.ContentLength
	return response, nil
}

var _ fetch.Archive = (*Archive)(nil)
