package sitemap

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/fetch"
)

// junkLinesMax is how many lines without a URL a text may begin with and still be a sitemap.
const junkLinesMax = 100

// readText reads one URL from each line (sitemaps.org, "Text file"). Lines that hold none are left out; a text that
// begins with too many of them, or has no others, is no sitemap.
func readText(s *source, o Options, yield func(Entry, error) bool) error {
	entries, junk := 0, 0
	for {
		line, err := s.line()
		if err != nil && !errors.Is(err, io.EOF) {
			return classify(err)
		}
		ended := err != nil
		switch u, isURL := address(line); {
		case line == "":
		case !isURL:
			if junk++; entries == 0 && junk > junkLinesMax {
				return fmt.Errorf("%w: no URL in the first %d lines", ErrNoSitemap, junkLinesMax)
			}
		case entries == o.EntriesMax:
			return fmt.Errorf("%w: more than %d URLs", ErrTooMany, o.EntriesMax)
		default:
			entries++
			if !yield(Entry{URL: u}, nil) {
				return errStopped
			}
		}
		if ended {
			if entries == 0 {
				return fmt.Errorf("%w: no URL in any line", ErrNoSitemap)
			}
			return nil
		}
	}
}

// address is the URL that a line is. Only absolute ones are: any word would do for a relative one.
func address(line string) (fetch.URL, bool) {
	if scheme, _, ok := strings.Cut(line, "://"); !ok || !strings.EqualFold(scheme, "http") && !strings.EqualFold(scheme, "https") {
		return fetch.URL{}, false
	}
	u, err := fetch.ParseURL(line)
	return u, err == nil
}

// line returns the next line without space around it, "" for one that is too long to be a URL. With the last comes
// io.EOF.
func (s *source) line() (string, error) {
	var line []byte
	tooLong := false
	for {
		part, err := s.out.ReadSlice('\n')
		if tooLong = tooLong || len(line)+len(part) > urlBytesMax+2; !tooLong {
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if tooLong {
			line = nil
		}
		return strings.TrimSpace(string(line)), err
	}
}
