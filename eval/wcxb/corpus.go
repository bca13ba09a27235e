package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// sample is a page of the benchmark with its ground truth.
type sample struct {
	ID    string `json:"id"`
	URL   string `json:"url"`
	Type  string `json:"page_type"`
	Truth string `json:"main_content"`

	dir string
}

// html reads the page's source.
func (s *sample) html() ([]byte, error) {
	source, err := gunzip(filepath.Join(s.dir, "html", s.ID+".html.gz"))
	if err != nil {
		return nil, err
	}
	return bytes.ToValidUTF8(source, []byte("\uFFFD")), nil
}

// corpusIn returns the corpus below a directory for test data, or the directory itself if it is one.
func corpusIn(dir string) string {
	within := filepath.Join(dir, "wcxb-dev")
	if _, err := os.Stat(within); err == nil {
		return within
	}
	return dir
}

// truthLineMax bounds a line of the ground truth.
const truthLineMax = 128 << 20

// readCorpus reads the ground truth of a directory in the form of wcxb-dev.
func readCorpus(dir string) ([]*sample, error) {
	lines, err := gunzip(filepath.Join(dir, "ground-truth.jsonl.gz"))
	if err != nil {
		return nil, err
	}
	var samples []*sample
	scanner := bufio.NewScanner(bytes.NewReader(lines))
	scanner.Buffer(nil, truthLineMax)
	for scanner.Scan() {
		s := &sample{dir: dir}
		if err := json.Unmarshal(scanner.Bytes(), s); err != nil {
			return nil, fmt.Errorf("ground truth, line %d: %w", len(samples)+1, err)
		}
		samples = append(samples, s)
	}
	if err := scanner.Err(); err != nil {
		return nil, fmt.Errorf("ground truth: %w", err)
	}
	if len(samples) == 0 {
		return nil, fmt.Errorf("no pages in %s", dir)
	}
	return samples, nil
}

func gunzip(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	content, err := io.ReadAll(unzipped)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return content, nil
}
