package parsers

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/turnpike-edge/turnpike/admission"
	"github.com/turnpike-edge/turnpike/backend/page/extract"
	"github.com/turnpike-edge/turnpike/backend/parsers/rules"
)

func TestMain(m *testing.M) {
	if IsWorker() {
		os.Exit(Work())
	}
	os.Exit(m.Run())
}

func pool(t testing.TB) *workers {
	t.Helper()
	w := newWorkers(slog.New(slog.NewTextHandler(t.Output(), nil)))
	t.Cleanup(w.close)
	return w
}

func members(n int) string {
	var m []string
	for i := range n {
		m = append(m, fmt.Sprintf(`"m%d":{"const":1}`, i))
	}
	return strings.Join(m, ",")
}

// bombs are definitions that once crashed the service or exceeded the time limit of a run, each with a page.
func bombs() map[string]struct{ field, html string } {
	many := strings.Repeat("<p>x", 60_000)
	long := "<p>" + strings.Repeat("abcdefghij", 100_000)
	foreign := strings.Repeat("äöü日本語", 600_000)
	quote := strings.Repeat("y", 50_000)
	var ids, patterns strings.Builder
	for i := range 66_000 {
		fmt.Fprintf(&ids, "<i id='x%d(a|b)*'></i>", i)
	}
	for i := range 150 {
		fmt.Fprintf(&patterns, `,"p%d":{"css":"p","transforms":[%s]}`, i, strings.Repeat(`{"regex":"[^a]{1000}"},`, 11)+`"trim"`)
	}
	replace := func(s string) string { return "replace(" + s + `,'.','` + strings.Repeat("$0", 60) + `')` }
	return map[string]struct{ field, html string }{
		"nested replace":              {`{"xpath":"` + replace(replace(replace(replace(replace(`'aaaaaaaaaaaaaaaaaaaa'`))))) + `"}`, "<p>x"},
		"65,536 patterns":             {`{"xpath":"//i[string-length(replace('a', string(@id), 'b')) > 5]"}`, ids.String()},
		"string-join":                 {`{"xpath":"string-join(//p, string(//b))"}`, many + "<b>" + strings.Repeat("z", 200_000)},
		"concat":                      {`{"xpath":"string-length(concat(//p` + strings.Repeat(",//p", 150) + `))"}`, long},
		"nested concat":               {`{"xpath":"string-length(` + strings.Repeat("concat(", 60) + "//p" + strings.Repeat(",//p)", 60) + `)"}`, long},
		"translate":                   {`{"xpath":"string-length(translate(//p, //p, //p))"}`, "<p>" + foreign},
		"texts of all nodes":          {`{"xpath":"//*[contains(string(/), 'q')]"}`, many},
		"join":                        {`{"css":"p","all":true,"transforms":[{"join":"` + quote + `"}]}`, many},
		"a default in a list":         {`{"css":"p","all":true,"fields":{"a":{"css":"b","default":"` + quote + `"}}}`, many},
		"a list in a list":            {`{"css":"p","all":true,"fields":{"a":{"const":[` + strings.Repeat("1,", 15_000) + `1]}}}`, many},
		"a map to long texts":         {`{"css":"p","all":true,"transforms":[{"map":{"*":"` + quote + `"}}]}`, many},
		"a map to long numbers":       {`{"css":"p","all":true,"transforms":[{"map":{"*":` + strings.Repeat("7", 50_000) + `}}]}`, many},
		"objects of 190 members":      {`{"css":"p","all":true,"fields":{` + members(190) + `}}`, many},
		"large patterns":              {`{"fields":{"a":{"css":"p"}` + patterns.String() + `}}`, long},
		"a slow pattern":              {`{"css":"p","transforms":[{"replace":{"pattern":"(x*)*([a-w]{0,900}z|[a-v]{0,700}j[^j]{1,500}y)","with":"q"}}]}`, long},
		"a table by its header":       {`{"table":{"header":["` + strings.Repeat(`a","`, 49) + `a"]}}`, strings.Repeat("<table><tr>"+strings.Repeat("<th>b", 500)+"<tr><td>1</table>", 30)},
		"nodes of nodes of nodes":     {`{"xpath":"//*[//*[//*[not(.)]]]","all":true}`, many},
		"predicates in predicates":    {`{"xpath":"//p` + strings.Repeat("[following::p", 60) + strings.Repeat("]", 60) + `"}`, many},
		"unions":                      {`{"xpath":"` + strings.Repeat("//*|", 200) + `//*","all":true}`, many},
		"siblings with regexes":       {`{"css":"p:matches((.{30}){30}) ~ p"}`, many},
		"texts within texts":          {`{"css":"p:contains('q') p:contains('q')"}`, strings.Repeat("<div>", 400) + many},
		"an enum for each value":      {`{"css":"p","all":true}`, many},
		"what a page takes to itself": {`{"css":"nothing"}`, strings.Repeat("<a b c d e f g h>", 390_000)},
	}
}

// BenchmarkParseInWorker is the work of BenchmarkParse of package rules, done by a worker.
func BenchmarkParseInWorker(b *testing.B) {
	definition := []byte(define(`{"type":"object"}`, `{"css":"b","all":true}`))
	run := &own{pool(b), definition}
	for name, source := range map[string]extract.Source{
		"short": page("<b>a</b>"), "200 KB": page(strings.Repeat("<p>Ein <b>langer</b> Text <a href=x>mit</a> Verweisen.", 4000)),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := run.Do(b.Context(), source, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestBombs: each bomb ends only its own run, within the time limit.
func TestBombs(t *testing.T) {
	t.Parallel()
	w := pool(t)
	read := &extract.Document{}
	for name, bomb := range bombs() {
		schema := `{"type":"object"}`
		if strings.HasPrefix(name, "an enum") {
			schema = `{"type":"object","properties":{"v":{"items":{"enum":[` + strings.Repeat(`1,`, 15_000) + `2]}}}}`
		}
		definition := []byte(define(schema, bomb.field))
		if len(definition) > rules.DefinitionBytesMax {
			t.Errorf("%s: has %d bytes: it shows nothing", name, len(definition))
		}
		start := time.Now()
		head, err := w.check(t.Context(), definition)
		switch {
		case err != nil:
			t.Errorf("%s: checking it: got %v, want it taken or its faults", name, err)
			continue
		case len(head.Faults) > 0:
			t.Logf("%-28s refused after %s: %.100s", name, time.Since(start).Round(time.Millisecond), head.Faults[0])
			continue
		}
		out, err := (&own{w, definition}).Do(t.Context(), page(bomb.html), read)
		known := false
		for _, limit := range []error{rules.ErrSteps, rules.ErrValues, rules.ErrText, errEnded} {
			known = known || errors.Is(err, limit)
		}
		if err != nil && !known {
			t.Errorf("%s: got %v, want a result or that it takes too much", name, err)
		}
		size := 0
		if out != nil {
			size = len(out.JSON)
		}
		t.Logf("%-28s %d bytes, %v after %s", name, size, err, time.Since(start).Round(time.Millisecond))
		if took := time.Since(start); took > 3*hangAfter {
			t.Errorf("%s: took %s", name, took)
		}
	}
}

// A worker gives the same result for a page as the definition does in this process.
func TestWorkersAnswerAsTheServiceWould(t *testing.T) {
	t.Parallel()
	w := pool(t)
	definition := []byte(define(`{"type":"object","properties":{"v":{"properties":{"p":{"type":"integer"}}}}}`,
		`{"fields":{"t":{"css":"li","all":true},"p":{"page":"markdown"},"n":{"table":{},"all":true},"m":{"meta":"none"},"d":{"css":"b","transforms":["date"]},"s":{"css":"i","all":true,"fields":{"c":{"css":"u","required":true}}}}}`))
	source := page(`<ul><li>Stahl<li>Holz</ul><b>morgen</b><i>ohne</i><table><tr><th>Breite<th>Preis<tr><td>S<td>10</table>`)
	source.Header = map[string][]string{"Content-Language": {"de"}}
	read, err := extract.Read(t.Context(), source, extract.Options{Structured: true})
	if err != nil {
		t.Fatal(err)
	}
	here, faults := rules.Compile(definition, nil)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	for _, document := range []*extract.Document{nil, read} {
		want, err := here.Do(t.Context(), source, document)
		if err != nil {
			t.Fatal(err)
		}
		got, err := (&own{w, definition}).Do(t.Context(), source, document)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.JSON, want.JSON) || fmt.Sprint(got.Faults, got.Notes) != fmt.Sprint(want.Faults, want.Notes) || len(want.Faults)+len(want.Notes) < 2 {
			t.Errorf("got %s %v %v, want %s %v %v", got.JSON, got.Faults, got.Notes, want.JSON, want.Faults, want.Notes)
		}
	}
	head, err := w.check(t.Context(), []byte(`{"name":"x","fields":{"a":{"css":"("}}}`), "body", "parser")
	_, faults = rules.Compile([]byte(`{"name":"x","fields":{"a":{"css":"("}}}`), []any{"body", "parser"})
	if err != nil || !reflect.DeepEqual(head.Faults, faults) {
		t.Errorf("got %v, %v, want %v", head, err, faults)
	}
	if _, err := (&own{w, definition}).Do(t.Context(), extract.Source{MediaType: "application/json", Body: []byte("{}")}, nil); !errors.Is(err, rules.ErrNoPage) {
		t.Errorf("got %v, want %v", err, rules.ErrNoPage)
	}
}

// A worker that is killed, stopped or canceled fails only its own task, and the next task gets another worker.
func TestFailingWorkers(t *testing.T) {
	t.Parallel()
	slow := &own{nil, []byte(define(`{"type":"object"}`, `{"xpath":"//*[//*[//*[not(.)]]]"}`))}
	fast := &own{nil, []byte(define(`{"type":"object"}`, `{"css":"p"}`))}
	body := page(strings.Repeat("<p>x", 100_000))
	for name, c := range map[string]struct {
		harm func(*process, context.CancelFunc)
		want error
	}{
		"killed":  {func(p *process, _ context.CancelFunc) { _ = p.cmd.Process.Kill() }, errEnded},
		"stopped": {func(p *process, _ context.CancelFunc) { _ = p.cmd.Process.Signal(syscall.SIGSTOP) }, rules.ErrSteps},
		"out of memory": {func(p *process, _ context.CancelFunc) {
			// Enough to read the task, but not for the page's elements.
			has, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", p.cmd.Process.Pid))
			if err != nil || len(strings.Fields(string(has))) < 6 {
				t.Errorf("got %q, %v", has, err)
				return
			}
			pages, err := strconv.ParseUint(strings.Fields(string(has))[5], 10, 64)
			limit := pages*uint64(os.Getpagesize()) + 8<<20
			if err := errors.Join(err, unix.Prlimit(p.cmd.Process.Pid, unix.RLIMIT_DATA, &unix.Rlimit{Cur: limit, Max: limit}, nil)); err != nil {
				t.Error(err)
			}
		}, errEnded},
		"left alone": {func(_ *process, leave context.CancelFunc) { leave() }, context.Canceled},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := pool(t)
			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			slow, fast := &own{w, slow.definition}, &own{w, fast.definition}
			if _, err := fast.Do(ctx, body, &extract.Document{}); err != nil {
				t.Fatal(err)
			}
			p := w.idle[0]
			if name == "stopped" || name == "out of memory" {
				c.harm(p, leave)
			} else {
				before := ticks(t, p)
				watch := make(chan struct{})
				defer close(watch)
				go func() { // once it has read the task and computes
					tick := time.NewTicker(time.Millisecond)
					defer tick.Stop()
					for ticks(t, p) < before+3 {
						select {
						case <-tick.C:
						case <-watch:
							return
						}
					}
					c.harm(p, leave)
				}()
			}
			_, err := slow.Do(ctx, body, &extract.Document{})
			if !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
			if _, err := fast.Do(t.Context(), body, &extract.Document{}); err != nil {
				t.Errorf("after it: %v", err)
			}
		})
	}
}

// Idle workers that are killed fail no run, even if they have not quite ended when it comes.
func TestWorkersThatEndedWhileTheyWaited(t *testing.T) {
	t.Parallel()
	w := pool(t)
	one := &own{w, []byte(define(`{"type":"object"}`, `{"css":"p"}`))}
	for i := range 30 {
		if _, err := one.Do(t.Context(), page("<p>x"), &extract.Document{}); err != nil {
			t.Fatalf("run %d: %v", i, err)
		}
		if err := w.idle[0].cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
	}
}

// A worker inherits nothing from the service, and may use almost no system calls.
func TestWorkersAreConfined(t *testing.T) {
	t.Parallel()
	w := pool(t)
	if _, err := w.check(t.Context(), []byte(define(`{"type":"object"}`, `{"css":"p"}`))); err != nil {
		t.Fatal(err)
	}
	if w.warned {
		t.Error("workers are not confined")
	}
	at := fmt.Sprintf("/proc/%d/", w.idle[0].cmd.Process.Pid)
	status, err := os.ReadFile(at + "status")
	if err != nil || !bytes.Contains(status, []byte("\nSeccomp:\t2\n")) || !bytes.Contains(status, []byte("\nNoNewPrivs:\t1\n")) {
		t.Errorf("got %s, %v, want a filter of system calls", status, err)
	}
	limits, err := os.ReadFile(at + "limits")
	if err != nil || regexp.MustCompile(`Max data size\s+unlimited`).Match(limits) {
		t.Errorf("got %s, %v, want a limit for data", limits, err)
	}
	environment, err := os.ReadFile(at + "environ")
	if err != nil || string(environment) != "GOTRACEBACK=none\x00" {
		t.Errorf("got the environment %q, %v, want nothing of ours", environment, err)
	}
	files, err := os.ReadDir(at + "fd")
	harmless := regexp.MustCompile(`^(pipe:|anon_inode:|/dev/null$|/sys/fs/cgroup/)`) // the last is the Go runtime's
	for _, file := range files {
		if to, err := os.Readlink(at + "fd/" + file.Name()); err == nil && !harmless.MatchString(to) {
			t.Errorf("got the file %s open: %s", file.Name(), to)
		}
	}
	if err != nil || len(files) < 3 {
		t.Errorf("got %d files open, %v", len(files), err)
	}
}

// ticks is a worker's processor time, in hundredths of a second.
func ticks(t *testing.T, p *process) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	if err != nil {
		t.Error(err)
		return 0
	}
	const utime = 11 // of the fields after the name (proc_pid_stat(5))
	n, err := strconv.Atoi(strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))[utime])
	if err != nil {
		t.Error(err)
	}
	return n
}

func TestWorkersSideBySide(t *testing.T) {
	t.Parallel()
	w := pool(t)
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			one := &own{w, []byte(define(`{"type":"object"}`, `{"const":`+fmt.Sprint(i)+`}`))}
			for range 5 {
				out, err := one.Do(t.Context(), page("<p>x"), &extract.Document{})
				if want := fmt.Sprintf(`{"v":%d}`, i); err != nil || string(out.JSON) != want {
					t.Errorf("got %v, %v, want %s", out, err, want)
					return
				}
			}
		})
	}
	group.Wait()
	if n := len(w.idle); n == 0 || int64(n) > w.places.Size() {
		t.Errorf("got %d workers that wait, want 1 to %d", n, w.places.Size())
	}
}

// A team whose parsers use their full time does not block another team.
func TestWorkersOfOneTeam(t *testing.T) {
	t.Parallel()
	w := pool(t)
	ctx, cancel := context.WithCancel(admission.With(t.Context(), admission.Holder{Name: "hostile"}))
	const runs = 32
	bomb := bombs()["nodes of nodes of nodes"]
	long := &own{w, []byte(define(`{"type":"object"}`, bomb.field))}
	var running sync.WaitGroup
	var ended atomic.Int64
	for range runs {
		running.Go(func() {
			_, _ = long.Do(ctx, page(bomb.html), &extract.Document{})
			ended.Add(1)
		})
	}
	defer running.Wait()
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for w.places.Stats().Keyed.Waiting == 0 {
		<-tick.C
	}
	short := &own{w, []byte(define(`{"type":"object"}`, `{"const":1}`))}
	out, err := short.Do(admission.With(t.Context(), admission.Holder{Name: "another"}), page("<p>x"), &extract.Document{})
	if err != nil || string(out.JSON) != `{"v":1}` {
		t.Errorf("another team's parser: got %v, %v, want 1", out, err)
	}
	if n := ended.Load(); n > runs/2 {
		t.Errorf("another team's parser waited for %d of %d runs of the first", n, runs)
	}
}

// FuzzFrames: the output of a worker is read within bounds, or refused.
func FuzzFrames(f *testing.F) {
	seed := func(head any, parts ...[]byte) {
		var b bytes.Buffer
		if err := writeFrame(&b, head, parts...); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	seed(&reply{Name: "x", Lacks: []told{{[]any{"a", 1}, "is none"}}}, []byte(`{"a":1}`))
	seed(&reply{Kind: "steps", Error: "too many"}, nil)
	f.Add([]byte("\x01\x00\x00\x00\x02\xff\xff\xff\xff{}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		head := &reply{}
		parts, err := readFrame(bytes.NewReader(data), head, replyParts, 1<<16)
		if err != nil {
			return
		}
		_ = head.failure()
		var b bytes.Buffer
		if err := writeFrame(&b, head, parts...); err != nil {
			t.Fatal(err)
		}
		again := &reply{}
		if _, err := readFrame(&b, again, replyParts, 1<<20); err != nil {
			t.Fatal(err)
		}
		if a, b := mustJSON(t, head), mustJSON(t, again); a != b {
			t.Errorf("got %s, want %s again", b, a)
		}
	})
}

// FuzzTasks: for any input, a worker sends a readable reply or stops reading.
func FuzzTasks(f *testing.F) {
	source := page("<p>x")
	product := &extract.Item{Types: []string{"Product"}, Properties: map[string][]any{"name": {"Kettle"}}}
	for _, document := range []*extract.Document{nil, {Structured: &extract.Structured{JSONLD: []*extract.Item{product}}}} {
		t, parts := pack([]byte(define(`{"type":"object"}`, `{"structured":"Product","all":true,"fields":{"n":{"path":"name"}}}`)), source, document)
		var b bytes.Buffer
		if err := writeFrame(&b, t, parts...); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Add([]byte("\x05\x00\x00\x00\x0c\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00{\"run\":true}{}"))
	w := newWorker()
	f.Fuzz(func(t *testing.T, data []byte) {
		next := received{}
		var err error
		if next.parts, err = readFrame(bytes.NewReader(data), &next.task, taskParts, 1<<20); err != nil {
			return
		}
		head, result := w.do(&next.task, next.parts)
		if head.Kind == kindPanic {
			t.Fatal(head.Error)
		}
		var b bytes.Buffer
		if err := writeFrame(&b, head, result); err != nil {
			t.Fatal(err)
		}
		if _, err := readFrame(&b, &reply{}, replyParts, replyBytesMax); err != nil {
			t.Fatal(err)
		}
	})
}

func mustJSON(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
