package sitemap

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/turnpike-edge/turnpike/backend/fetch"
)

const (
	// BytesMax is how large a sitemap may be once decompressed (sitemaps.org, "Sitemap index files").
	BytesMax = 52_428_800
	// EntriesMax is how many URLs a sitemap, or sitemaps an index, may list (ibid.).
	EntriesMax = 50_000

	// tokenBytesMax is how much of a sitemap is held at once: a tag, a comment or a text. No field needs as much.
	tokenBytesMax = 256 << 10
	// depthMax is how deep elements may be nested; the protocol and its extensions need five levels.
	depthMax = 32
	// urlBytesMax is the longest URL that can be fetched. The protocol has them shorter than 2,048 bytes.
	urlBytesMax = 8192
	// wordsBytesMax cuts titles, names and the like.
	wordsBytesMax = 1000
	// imagesMax is how many images one entry may have, by the image extension.
	imagesMax = 1000
)

var (
	// ErrTooLarge is at the end of what was read of a sitemap that is larger than it may be.
	ErrTooLarge = errors.New("larger than a sitemap may be")
	// ErrTooMany is at the end of what was read of a sitemap that lists more than it may.
	ErrTooMany = errors.New("lists more than a sitemap may")
	// ErrNoSitemap is the error of what is something else: a page, a feed, a picture.
	ErrNoSitemap = errors.New("no sitemap")
	// ErrMalformed is at the end of what was read of a sitemap that cannot be read on.
	ErrMalformed = errors.New("malformed sitemap")
)

// Error says where in a sitemap reading ended. It wraps one of this package's errors, the context's or the reader's.
type Error struct {
	// Offset is how many bytes of the decompressed sitemap had been read, about.
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
	// LastMod is when the page was changed; zero where the sitemap does not say, or not in W3C Datetime.
	LastMod time.Time
	// ChangeFreq is how often it changes, e.g. "daily", as written.
	ChangeFreq string
	// Priority is from 0.0 to 1.0, as written.
	Priority string
	// News is what the news extension says; nil for nothing.
	News *News
	// Images are those of the image extension whose URLs can be fetched.
	Images []Image
}

// News is an article, by the news extension.
type News struct {
	Publication, Language, Title, Keywords string
	// Published is zero where it is not said in W3C Datetime.
	Published time.Time
}

// Image is a picture of a page, by the image extension.
type Image struct {
	URL            fetch.URL
	Title, Caption string
}

// Options are how a sitemap is read. The zero value is that of the protocol.
type Options struct {
	// Base is what relative URLs are resolved against, which the protocol does not allow and sites have: where the
	// sitemap came from. Zero: entries with relative URLs are left out.
	Base fetch.URL
	// UTF8 says that the bytes are UTF-8 whatever they declare, as are those of texts that fetch has decoded.
	UTF8 bool
	// BytesMax is where reading ends, in decompressed bytes. Default and most: [BytesMax].
	BytesMax int64
	// EntriesMax is how many entries are read. Default and most: [EntriesMax].
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

// Read reads a sitemap or an index of sitemaps, as XML or text, compressed by gzip or not, whatever its name and media
// type say. Entries come as they are read; entries without a URL that can be fetched are left out, and count. An error
// is the last that comes, an [*Error]; the entries before it hold.
//
// Reading keeps no more than an entry and a token in memory. A sitemap of 50 MB takes about two seconds.
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

// errStopped is that whoever reads wants no more.
var errStopped = errors.New("stopped")

// dateLayouts are W3C Datetime's (NOTE-datetime), and what sites make of it.
var dateLayouts = []string{time.RFC3339Nano, time.DateOnly, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05", time.DateTime, "2006-01", "2006"}

func date(text string) time.Time {
	for _, layout := range dateLayouts {
		if t, err := time.Parse(layout, text); err == nil {
			return t
		}
	}
	return time.Time{}
}
