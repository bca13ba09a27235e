package main

import (
	"bytes"
	"context"
	"fmt"
	"net/url"
	"runtime"
	"syscall"
	"time"

	"github.com/markusmobius/go-trafilatura"

	"github.com/turnpike-edge/turnpike/backend/page/extract"
)

// turnPages is how many pages one side reads before the other's turn: few enough that other load affects both alike.
const turnPages = 50

// reading is one side's result for a page.
type reading struct {
	score   score
	quality float64
	kind    string
}

// side is one of the two that are compared.
type side struct {
	name     string
	read     func(s *sample, source []byte) (reading, string)
	readings []reading
	took     time.Duration // CPU time, including the garbage collector's
}

// pagesPerSecond is on one core.
func (s *side) pagesPerSecond() float64 { return float64(len(s.readings)) / s.took.Seconds() }

// evaluate has both sides read all samples, in turns on one core. It measures only reading, not gunzip and scoring.
func evaluate(samples []*sample) (ours, theirs *side, err error) {
	runtime.GOMAXPROCS(1)
	ours, theirs = &side{name: "Turnpike", read: readOurs}, &side{name: "go-trafilatura", read: readTheirs}
	sides := []*side{ours, theirs}
	for begin := 0; begin < len(samples); begin += turnPages {
		part := samples[begin:min(begin+turnPages, len(samples))]
		sources := make([][]byte, len(part))
		for i, s := range part {
			if sources[i], err = s.html(); err != nil {
				return nil, nil, err
			}
		}
		for _, side := range sides {
			if err := side.turn(part, sources); err != nil {
				return nil, nil, err
			}
		}
		sides[0], sides[1] = sides[1], sides[0]
	}
	return ours, theirs, nil
}

func (s *side) turn(samples []*sample, sources [][]byte) error {
	texts := make([]string, len(samples))
	readings := make([]reading, len(samples))
	runtime.GC() // neither side pays for the other's garbage
	begin, err := processorTime()
	if err != nil {
		return err
	}
	for i, sample := range samples {
		readings[i], texts[i] = s.read(sample, sources[i])
	}
	end, err := processorTime()
	if err != nil {
		return err
	}
	s.took += end - begin
	for i := range readings {
		readings[i].score = scoreOf(words(texts[i]), words(samples[i].Truth))
	}
	s.readings = append(s.readings, readings...)
	return nil
}

// readOurs reads as a scrape with {"transformer":"postlight","formats":["text"]} does. An unreadable page has no text.
func readOurs(s *sample, source []byte) (reading, string) {
	options := extract.Options{BaseURL: s.URL, Transformer: extract.TransformerPostlight}
	document, err := extract.Page(context.Background(), source, options)
	if err != nil {
		return reading{}, ""
	}
	return reading{quality: document.Quality, kind: document.Type}, document.Text
}

// readTheirs reads as the benchmark's author prescribes for go-trafilatura. An unreadable page has no text.
func readTheirs(s *sample, source []byte) (r reading, text string) {
	defer func() {
		if recover() != nil {
			text = ""
		}
	}()
	address, err := url.Parse(s.URL)
	if err != nil {
		address = nil
	}
	result, err := trafilatura.Extract(bytes.NewReader(source), trafilatura.Options{
		EnableFallback: true, ExcludeComments: true, OriginalURL: address,
	})
	if err != nil {
		return reading{}, ""
	}
	return reading{}, result.ContentText + "\n" + result.CommentsText
}

// processorTime is the CPU time that this process has used so far.
func processorTime() (time.Duration, error) {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0, fmt.Errorf("reading the processor time: %w", err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()), nil
}
