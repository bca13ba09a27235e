package sitemap

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/page/fetch"
)

// junkLinesMax is how many lines without a URL may come before the first URL of a sitemap.
const junkLinesMax = 100

// readText reads one URL per line (sitemaps.org, "Text file"). Lines without a URL are skipped. A text that begins with too
// many of them, or has no URL, is not a sitemap.
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

// address parses a line as a URL. It must be absolute: any word would be a valid relative URL.
func address(line string) (fetch.URL, bool) {
	if scheme, _, ok := strings.Cut(line, "://"); !ok || !strings.EqualFold(scheme, "http") && !strings.EqualFold(scheme, "https") {
		return fetch.URL{}, false
	}
	u, err := fetch.ParseURL(line)
	return u, err == nil
}

// line returns the next line without surrounding space, "" if it is too long for a URL. The last line comes with io.EOF.
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
