package maps

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzip"
)

const (
	chunkType = "application/gzip"
	// bracketsBytes is the overhead of each URL in a response: quotes and a comma.
	bracketsBytes = 3
)

func folder(id string) string { return "maps/" + id }

func chunkKey(id string, k int) string { return folder(id) + "/" + strconv.Itoa(k) + ".gz" }

// divide splits the URLs into chunks, each returned in one response.
func divide(urls []string) []chunk {
	chunks := []chunk{{}}
	for _, u := range urls {
		// A URL is ASCII; JSON escapes two of its characters.
		n := len(u) + bracketsBytes + strings.Count(u, `\`) + strings.Count(u, `"`)
		last := &chunks[len(chunks)-1]
		if last.URLs == PageURLsMax || last.Bytes+n > PageBytesMax && last.URLs > 0 {
			chunks = append(chunks, chunk{})
			last = &chunks[len(chunks)-1]
		}
		last.URLs++
		last.Bytes += n
	}
	return chunks
}

// store writes the URLs of a map, chunk by chunk.
func (s *Service) store(ctx context.Context, id string, urls []string, chunks []chunk) error {
	for k, c := range chunks {
		var out bytes.Buffer
		w := gzip.NewWriter(&out)
		for _, u := range urls[:c.URLs] {
			_, _ = io.WriteString(w, u+"\n") // a buffer never fails
		}
		if err := w.Close(); err != nil {
			return fmt.Errorf("compressing: %w", err)
		}
		if err := s.config.Blobs.Put(ctx, chunkKey(id, k), chunkType, out.Bytes()); err != nil {
			return err
		}
		urls = urls[c.URLs:]
	}
	return nil
}

// load reads the URLs of a chunk.
func (s *Service) load(ctx context.Context, id string, k int, want chunk) ([]string, error) {
	if want.URLs == 0 {
		return []string{}, nil
	}
	stored, err := s.config.Blobs.Read(ctx, chunkKey(id, k))
	if err != nil {
		return nil, err
	}
	r, err := gzip.NewReader(bytes.NewReader(stored))
	if err != nil {
		return nil, fmt.Errorf("reading chunk %d of %s: %w", k, id, err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("reading chunk %d of %s: %w", k, id, err)
	}
	urls := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if len(urls) != want.URLs {
		return nil, fmt.Errorf("reading chunk %d of %s: got %d URLs, want %d", k, id, len(urls), want.URLs)
	}
	return urls, nil
}

var errBeyond = errors.New("the position is beyond the end of the map")

// find returns the chunk that contains the URL at a position, and how many URLs of the chunk precede it.
func find(chunks []chunk, first int) (k, before int, err error) {
	for k, c := range chunks {
		if first < c.URLs || first == 0 && c.URLs == 0 {
			return k, first, nil
		}
		first -= c.URLs
	}
	return 0, 0, errBeyond
}
