package sitemap

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/turnpike-edge/turnpike/backend/page/fetch"
)

const (
	// BytesMax is the maximum size of a decompressed sitemap (sitemaps.org, "Sitemap index files").
	BytesMax = 52_428_800
	// EntriesMax is how many URLs a sitemap, or sitemaps an index, may list (ibid.).
	EntriesMax = 50_000

	// tokenBytesMax is the maximum size of a token: a tag, a comment or a text. No field needs as much.
	tokenBytesMax = 256 << 10
	// depthMax is how deep elements may be nested; the protocol and its extensions need five levels.
	depthMax = 32
	// urlBytesMax is the longest URL that can be fetched. The protocol limits URLs to less than 2,048 bytes.
	urlBytesMax = 8192
	// wordsBytesMax is the length at which titles, names and similar texts are cut.
	wordsBytesMax = 1000
	// imagesMax is how many images one entry may have, by the image extension.
	imagesMax = 1000
)

var (
	// ErrTooLarge follows the entries of a sitemap that exceeds the size limit.
	ErrTooLarge = errors.New("exceeds the maximum size of a sitemap")
	// ErrTooMany follows the entries of a sitemap that lists more than the limit.
	ErrTooMany = errors.New("exceeds the maximum number of entries of a sitemap")
	// ErrNoSitemap is the error for anything else: a page, a feed, a picture.
	ErrNoSitemap = errors.New("not a sitemap")
	// ErrMalformed follows the entries of a sitemap that cannot be parsed further.
	ErrMalformed = errors.New("malformed sitemap")
)

// Error says where in a sitemap reading ended. It wraps an error of this package, the context or the reader.
type Error struct {
	// Offset is the approximate number of decompressed bytes read.
	Offset int64
	Err    error
}

func (e *Error) Error() string { return fmt.Sprintf("sitemap at byte %d: %v", e.Offset, e.Err) }
func (e *Error) Unwrap() error { return e.Err }

// Entry is a URL that a sitemap lists.
type Entry struct {
	URL fetch.URL
	// Index reports whether the URL is that of another sitemap.
	Index bool
	// LastMod is when the page was changed; zero if it is missing or not a W3C Datetime.
	LastMod time.Time
	// ChangeFreq is how often the page changes, e.g. "daily", as written.
	ChangeFreq string
	// Priority is from 0.0 to 1.0, as written.
	Priority string
	// News is the data of the news extension; nil if there is none.
	News *News
	// Images are the images of the image extension whose URLs can be fetched.
	Images []Image
}

// News is an article, by the news extension.
type News struct {
	Publication, Language, Title, Keywords string
	// Published is zero if it is missing or not a W3C Datetime.
	Published time.Time
}

// Image is a picture of a page, by the image extension.
type Image struct {
	URL            fetch.URL
	Title, Caption string
}

// Options control how a sitemap is read. The zero value follows the protocol.
type Options struct {
	// Base is the URL of the sitemap, against which relative URLs are resolved: the protocol forbids them, but sites use
	// them. Zero: entries with relative URLs are left out.
	Base fetch.URL
	// UTF8 says that the bytes are UTF-8 whatever they declare, such as text that fetch has decoded.
	UTF8 bool
	// BytesMax is where reading ends, in decompressed bytes. Default and maximum: [BytesMax].
	BytesMax int64
	// EntriesMax is how many entries are read. Default and maximum: [EntriesMax].
	EntriesMax int
}

func (o Options) withDefaults() Options {
	if o.BytesMax <= 0 || o.BytesMax > BytesMax {
		o.BytesMax = BytesMax
	}
	if o.EntriesMax <= 0 || o.EntriesMax > EntriesMax {
		o.EntriesMax = EntriesMax
	}
	return o
}

// Read reads a sitemap or an index of sitemaps, as XML or text, compressed with gzip or not, whatever its name and media
// type. Entries are returned as they are read. Entries without a URL that can be fetched are left out, but count towards
// the limit. An error comes last and is an [*Error]; the entries before it are valid.
//
// Reading keeps only one entry and one token in memory. A sitemap of 50 MB takes about two seconds.
func Read(ctx context.Context, r io.Reader, options Options) iter.Seq2[Entry, error] {
	options = options.withDefaults()
	return func(yield func(Entry, error) bool) {
		s, err := open(ctx, r, options)
		if err == nil {
			if s.isXML {
				err = readXML(s, options, yield)
			} else {
				err = readText(s, options, yield)
			}
		}
		if err != nil && !errors.Is(err, errStopped) {
			yield(Entry{}, &Error{Offset: s.offset(), Err: err})
		}
	}
}

// errStopped means that the consumer stopped the iteration.
var errStopped = errors.New("stopped")

// dateLayouts are the layouts of W3C Datetime (NOTE-datetime), and common deviations.
var dateLayouts = []string{time.RFC3339Nano, time.DateOnly, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05", time.DateTime, "2006-01", "2006"}

func date(text string) time.Time {
	for _, layout := range dateLayouts {
		if t, err := time.Parse(layout, text); err == nil {
			return t
		}
	}
	return time.Time{}
}
