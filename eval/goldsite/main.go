// Goldsite serves the held-out gold set of answers, and scores the answers that somebody gives to its tasks. `make gold-http`
// has it score a whole service.
//
// It serves each host of the set at a loopback address of its own, and writes a [listing] to standard output as one line of JSON.
// Then it reads a [reply] per line from standard input. When that ends, it writes the scores, and exits with 1 if they are below
// the floors.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/turnpike-edge/turnpike/eval/answersite"
	"github.com/turnpike-edge/turnpike/eval/answersite/heldout"
)

// listing is what is served, and the tasks about it.
type listing struct {
	Port  string   `json:"port"`
	URLs  []string `json:"urls"`
	Tasks []task   `json:"tasks"`
}

// task is a task. Those with a context file have their answers there, not on the served pages.
type task struct {
	Name   string          `json:"name"`
	Mode   answersite.Mode `json:"mode"`
	Text   string          `json:"text"`
	Format json.RawMessage `json:"format,omitempty"`
}

// reply is the answer to a task.
type reply struct {
	Name   string          `json:"name"`
	Answer json.RawMessage `json:"answer"`
}

func main() {
	network := flag.String("network", "91", "serve at 127.0.NETWORK.1 and the following addresses")
	flag.Parse()
	if err := run(*network, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "goldsite:", err)
		os.Exit(1)
	}
}

func run(network string, in io.Reader, out io.Writer) error {
	set, port, err := serve(network)
	if err != nil {
		return err
	}
	l := listing{Port: port}
	for _, page := range set.Pages {
		l.URLs = append(l.URLs, page.URL)
	}
	tasks := map[string]*answersite.Task{}
	for _, t := range set.Tasks {
		tasks[t.Name] = t
		l.Tasks = append(l.Tasks, task{Name: t.Name, Mode: t.Mode, Text: t.Text, Format: t.Format})
	}
	if err := json.NewEncoder(out).Encode(l); err != nil {
		return fmt.Errorf("writing the tasks: %w", err)
	}
	var score answersite.Score
	for replies := json.NewDecoder(bufio.NewReader(in)); ; {
		var r reply
		if err := replies.Decode(&r); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return fmt.Errorf("reading an answer: %w", err)
		}
		if tasks[r.Name] == nil {
			return fmt.Errorf("there is no task %q", r.Name)
		}
		score.Judge(tasks[r.Name], r.Answer)
	}
	if err := score.Write(out); err != nil {
		return err
	}
	return check(&score)
}

// check holds a score to the floors.
func check(score *answersite.Score) error {
	total := score.Total()
	if total.Right == 0 || total.Absences() < answersite.AbsencesMin || len(score.Failed) > 0 {
		return fmt.Errorf("got %d right, absences %.3f, want some, and at least %.2f; failed: %q", total.Right, total.Absences(), answersite.AbsencesMin, score.Failed)
	}
	if total.Known == 0 || total.Absent == 0 {
		return fmt.Errorf("got %d known and %d absent fields, want both", total.Known, total.Absent)
	}
	return nil
}

// serve serves the gold set, each host at an address of its own.
func serve(network string) (*answersite.Set, string, error) {
	var listening net.ListenConfig
	first, err := listening.Listen(context.Background(), "tcp", "127.0."+network+".1:0")
	if err != nil {
		return nil, "", fmt.Errorf("serving the gold set: %w", err)
	}
	_, port, err := net.SplitHostPort(first.Addr().String())
	if err != nil {
		return nil, "", fmt.Errorf("serving the gold set: %w", err)
	}
	addresses := answersite.Loopback(network, port)
	set := heldout.New(addresses.Origin)
	server := &http.Server{Handler: &answersite.Site{Set: set}, ReadHeaderTimeout: time.Minute}
	for i, address := range addresses.All {
		l := first
		if i > 0 {
			if l, err = listening.Listen(context.Background(), "tcp", net.JoinHostPort(address, port)); err != nil {
				return nil, "", fmt.Errorf("serving the gold set: %w", err)
			}
		}
		go func() { _ = server.Serve(l) }()
	}
	return set, port, nil
}
