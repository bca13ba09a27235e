package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/net/publicsuffix"

	"github.com/turnpike-edge/turnpike/backend/answers/ask"
	"github.com/turnpike-edge/turnpike/backend/answers/reader"
	"github.com/turnpike-edge/turnpike/backend/page/extract"
	"github.com/turnpike-edge/turnpike/backend/websearch"
)

const folds = 5

// page is a page with its tasks.
type page struct {
	ID    string `json:"page"`
	Type  string `json:"type"`
	URL   string `json:"url"`
	Tasks []struct {
		Text   string  `json:"task"`
		Fields []field `json:"fields"`
	} `json:"tasks"`

	fold   int
	source *ask.Source
	read   *reader.Page
}

// field is a field of a result, with its true value; nil if the page does not say it.
type field struct {
	Name        string `json:"name"`
	Kind        string `json:"kind"`
	Type        string `json:"type"`
	Description string `json:"description"`
	Value       any    `json:"value"`
	Also        []any  `json:"also"`
	Quote       string `json:"quote"`
}

func readSet(path string) ([]*page, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	var pages []*page
	for lines.Scan() {
		p := &page{}
		if err := json.Unmarshal(lines.Bytes(), p); err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", path, len(pages)+1, err)
		}
		p.fold = foldOf(p.URL)
		pages = append(pages, p)
	}
	return pages, lines.Err()
}

// foldOf puts all pages of a registrable domain in one fold.
func foldOf(address string) int {
	domain := address
	if u, err := url.Parse(address); err == nil && u.Hostname() != "" {
		if domain, err = publicsuffix.EffectiveTLDPlusOne(u.Hostname()); err != nil {
			domain = u.Hostname()
		}
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(domain))
	return int(h.Sum32() % folds)
}

// sourceOf reads a page as the service does.
func sourceOf(ctx context.Context, dir, id, address string) (*ask.Source, error) {
	file, err := os.Open(filepath.Join(dir, "html", id+".html.gz"))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		return nil, fmt.Errorf("page %s: %w", id, err)
	}
	body, err := io.ReadAll(unzipped)
	if err != nil {
		return nil, fmt.Errorf("page %s: %w", id, err)
	}
	from := extract.Source{URL: address, MediaType: "text/html", Body: bytes.ToValidUTF8(body, []byte("\uFFFD"))}
	document, err := extract.Read(ctx, from, extract.Options{Structured: true})
	if err != nil {
		return nil, fmt.Errorf("page %s: %w", id, err)
	}
	return &ask.Source{URL: address, Title: document.Metadata.Title, Document: document, Page: from, Named: true}, nil
}

// format is the json_format that a customer sends for fields.
func format(fields []field) (*ask.Format, error) {
	written, err := schemaOf(fields, false)
	if err != nil {
		return nil, err
	}
	return ask.ParseFormat(written)
}

// schemaOf is the JSON Schema of fields, with their descriptions or bare.
func schemaOf(fields []field, bare bool) (json.RawMessage, error) {
	var out strings.Builder
	out.WriteString(`{"type":"object","properties":{`)
	for i, f := range fields {
		schema := map[string]any{"type": f.Type}
		if f.Description != "" && !bare {
			schema["description"] = f.Description
		}
		if f.Type == "array" {
			schema["items"] = map[string]any{"type": "string"}
		}
		name, err := json.Marshal(f.Name)
		if err != nil {
			return nil, err
		}
		body, err := json.Marshal(schema)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			out.WriteByte(',')
		}
		fmt.Fprintf(&out, "%s:%s", name, body)
	}
	out.WriteString("}}")
	return json.RawMessage(out.String()), nil
}

// world has one page, and no search finds another.
type world struct{ source *ask.Source }

func (w world) Search(context.Context, string, int) ([]websearch.Result, error) { return nil, nil }

func (w world) Given() []*ask.Source { return nil }

func (w world) Open(_ context.Context, address string) (*ask.Source, error) {
	if address != w.source.URL {
		return nil, errors.New("there is no such page")
	}
	return w.source, nil
}
