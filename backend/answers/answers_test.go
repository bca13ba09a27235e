package answers_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/admission"
	"github.com/turnpike-edge/turnpike/backend/answers"
	"github.com/turnpike-edge/turnpike/backend/answers/ask"
	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/blob"
	"github.com/turnpike-edge/turnpike/backend/websearch"
)

const berths = `{"berths":"","operator":""}`

func page(lines ...string) string {
	return "<html><head><title>Elmsworth</title></head><body><h1>Elmsworth</h1><p>" + strings.Join(lines, "</p><p>") + "</p></body></html>"
}

// The same task, format and web: facts that are found are cited, others are NOT_FOUND, and an identity pays once.
func TestTaskIsAnsweredOnce(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.web.pages[pageURL(1)] = page("berths: 24", "The harbour of Elmsworth.")
	r := answers.Request{Task: " The harbour of Elmsworth ", Format: format(berths), Metadata: map[string]json.RawMessage{"order": json.RawMessage(`7`)}}
	c := p.subscriber()
	a := p.create(c, r)
	if got, want := jsonOf(t, a), `{"berths":"24","operator":"NOT_FOUND"}`; got != want || c.Cost() != price || a.CreditsConsumed != price {
		t.Errorf("got %s at %d (%d), want %s at %d", got, c.Cost(), a.CreditsConsumed, want, price)
	}
	want := []answers.Citation{{Field: "/berths", URL: pageURL(1), Quote: "berths: 24"}}
	if !slices.Equal(a.Result.Citations, want) || !slices.Equal(a.Result.Sources, []string{pageURL(1)}) {
		t.Errorf("got %+v of %q, want %+v", a.Result.Citations, a.Result.Sources, want)
	}
	if !strings.HasPrefix(a.ID, "answer_") || a.Object != "answer" || a.Task != r.Task || a.Metadata["order"] != "7" || a.Created != p.clock.Now().Unix() || a.Result.Truncated {
		t.Errorf("got %+v, want what was asked", a)
	}
	queries, fetches := p.web.asked()
	again := p.create(c, r)
	read, err := p.service.Answer(t.Context(), c, a.ID)
	must(t, err)
	a.Result.JSONHostedURL, again.Result.JSONHostedURL, read.Result.JSONHostedURL = nil, nil, nil // they differ by the time of signing
	if !reflect.DeepEqual(again, a) || !reflect.DeepEqual(read, a) || c.Cost() != price {
		t.Errorf("again: got %+v and %+v at %d, want %+v at %d", again, read, c.Cost(), a, price)
	}
	p.refused(c, answers.Request{Task: "Another"}, problem.InvalidState, "different request")
	if q, f := p.web.asked(); q != queries || f != fetches {
		t.Errorf("got %d queries and %d fetches more, want none", q-queries, f-fetches)
	}
	if got := p.states(); !maps.Equal(got, map[string]int{"succeeded  20": 1}) {
		t.Errorf("got %v, want one answer at 20", got)
	}
}

// Concurrent requests of one identity do the work once.
func TestOneIdentityAtOnce(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.web.pages[pageURL(1)] = page("berths: 24")
	p.web.waiting = make(chan struct{})
	c := p.subscriber()
	r := answers.Request{Task: "berths", Format: format(berths)}
	first := make(chan error, 1)
	go func() {
		_, err := p.service.Create(t.Context(), c, &r)
		first <- err
	}()
	p.await(func() bool { _, fetches := p.web.asked(); return fetches > 0 })
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			twin := &principal.Caller{Kind: c.Kind, TeamID: c.TeamID, IdentityID: c.IdentityID, Unit: c.Unit, Credits: c.Credits}
			if _, err := p.service.Create(t.Context(), twin, &answers.Request{Task: r.Task, Format: r.Format}); problem.From(err).Code != problem.InvalidState {
				t.Errorf("got %v, want invalid_state while it is under way", err)
			}
		})
	}
	wg.Wait()
	close(p.web.waiting)
	must(t, <-first)
	if got := p.states(); !maps.Equal(got, map[string]int{"succeeded  20": 1}) {
		t.Errorf("got %v, want one answer", got)
	}
}

// A team's answer is readable by that team only; a wallet's by the wallet and by clients without a key.
func TestWhoReadsAnswers(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	a := p.create(p.subscriber(), answers.Request{Task: "berths"})
	nobody := principal.From(t.Context())
	other := p.subscriber()
	other.TeamID = p.newTeam()
	read := func(c *principal.Caller, id string) problem.Code {
		_, err := p.service.Answer(t.Context(), c, id)
		if err == nil {
			return ""
		}
		return problem.From(err).Code
	}
	for _, id := range []string{a.ID, "answer_000000000000000000000000", "answer_x", "", "\x00"} {
		if got := read(other, id); got != problem.AnswerNotFound {
			t.Errorf("another team's %q: got %q, want answer_not_found", id, got)
		}
		if got := read(nobody, id); got != problem.InvalidAPIKey {
			t.Errorf("nobody's %q: got %q, want invalid_api_key", id, got)
		}
	}
	_, err := p.pool.Exec(t.Context(), `update team set kind = 'wallet', network = 'eip155:84532', address = '0x00' where id = $1`, p.team)
	must(t, err)
	if got := read(nobody, a.ID) + read(p.subscriber(), a.ID); got != "" {
		t.Errorf("a wallet's: got %q, want it to be read by all", got)
	}
	if got := read(other, a.ID); got != problem.AnswerNotFound {
		t.Errorf("a wallet's by a team: got %q, want answer_not_found", got)
	}
}

// "Nothing found" is an answer, at the normal price.
func TestNothingFound(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	c := p.subscriber()
	a := p.create(c, answers.Request{Task: "berths", Format: format(berths)})
	if got, want := jsonOf(t, a), `{"berths":"NOT_FOUND","operator":"NOT_FOUND"}`; got != want || c.Cost() != price {
		t.Errorf("got %s at %d, want %s at %d", got, c.Cost(), want, price)
	}
	if len(a.Result.Citations) != 0 || a.Result.Citations == nil || a.Result.Sources == nil {
		t.Errorf("got %+v, want empty lists", a.Result)
	}
}

// If every fetch failed, there is no answer and no charge.
func TestNothingCouldBeRead(t *testing.T) {
	t.Parallel()
	away := errors.New("away")
	for _, tt := range []struct {
		name string
		web  func(*web)
		task string
		code problem.Code
		part string
	}{
		{"no search", func(w *web) { w.failing[""] = away }, "berths", problem.Overloaded, "search provider"},
		{"search that is used up", func(w *web) {
			w.failing[""] = &websearch.Error{Provider: "double", Reason: websearch.ReasonQuota}
		}, "berths", problem.Overloaded, "search provider"},
		{"pages that fail", func(w *web) {
			w.pages[pageURL(1)], w.failing[pageURL(1)] = page("berths: 24"), problem.New(problem.FetchFailed, "No.")
		}, "berths", problem.FetchFailed, "None of the pages"},
		{"a named page that fails", func(w *web) {
			w.failing["https://a.example/"] = problem.New(problem.BlockedAddress, "The page is not at a public address. Nothing was charged.")
		}, "berths of https://a.example/", problem.BlockedAddress, "not at a public address"},
		{"a named page that answers 404", func(*web) {}, "berths of https://a.example/", problem.FetchFailed, "returns status 404"},
		{"a named picture", func(w *web) { w.pages["https://a.example/"] = "application/zip|PK\x03\x04" }, "berths of https://a.example/", problem.UnsupportedFileType, "no text"},
		{"a named page that fails in our own", func(w *web) { w.failing["https://a.example/"] = away }, "berths of https://a.example/", problem.InternalServerError, ""},
		{"no search and a named page that fails", func(w *web) {
			w.failing[""], w.failing["https://a.example/"] = away, problem.New(problem.FetchFailed, "No connection.")
		}, "berths of https://a.example/", problem.FetchFailed, "No connection"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			tt.web(p.web)
			c := p.subscriber()
			r := answers.Request{Task: tt.task, Format: format(berths)}
			e := p.refused(c, r, tt.code, tt.part)
			if tt.code == problem.Overloaded && e.RetryAfter == 0 {
				t.Error("got no Retry-After, want one")
			}
			if got := p.states(); !maps.Equal(got, map[string]int{"failed " + string(tt.code) + " 0": 1}) {
				t.Errorf("got %v, want one that failed at 0", got)
			}
			// The same identity may try again, and then succeeds.
			p.web.mu.Lock()
			clear(p.web.failing)
			p.web.pages["https://a.example/"], p.web.pages[pageURL(1)] = page("berths: 7"), page("berths: 7")
			p.web.mu.Unlock()
			if got := jsonOf(t, p.create(c, r)); !strings.Contains(got, `"berths":"7"`) || c.Cost() != price {
				t.Errorf("tried again: got %s at %d, want it answered", got, c.Cost())
			}
		})
	}
}

// Sources that fail are left out if others can be read.
func TestSomeFail(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.web.failing[""] = errors.New("away")
	p.web.pages["https://a.example/x"] = page("berths: 24")
	r := answers.Request{Task: "Read https://a.example/x and https://a.example/gone", Format: format(berths)}
	if got := jsonOf(t, p.create(p.subscriber(), r)); got != `{"berths":"24","operator":"NOT_FOUND"}` {
		t.Errorf("got %s, want what could be read", got)
	}
}

// When the time limit is reached, the answer holds what is supported so far, and says that time ran out.
func TestTimeIsOver(t *testing.T) {
	t.Parallel()
	limit := func(c *answers.Config) { c.TimeLimit = 50 * time.Millisecond }
	p := newPlace(t, limit, func(c *answers.Config) {
		c.Answerer = answererFunc(func(ctx context.Context, task ask.Task, world ask.World) (ask.Answer, error) {
			a, err := reader{}.Answer(ctx, task, world)
			<-ctx.Done()
			return a, err
		})
	})
	p.shelf["file_1"] = shelved{p.team, `{"berths": 24}`}
	a := p.create(p.subscriber(), answers.Request{Task: "berths", Format: format(berths), FileIDs: []string{"file_1"}})
	if got := jsonOf(t, a); got != `{"berths":"24","operator":"NOT_FOUND"}` || !a.Result.Truncated {
		t.Errorf("got %s, truncated %t, want what is supported", got, a.Result.Truncated)
	}
	read, err := p.service.Answer(t.Context(), p.subscriber(), a.ID)
	must(t, err)
	if !read.Result.Truncated {
		t.Error("read again: got a whole answer, want it truncated")
	}
	// If nothing was read by then, there is no answer.
	p = newPlace(t, limit)
	p.web.waiting = make(chan struct{})
	p.web.pages[pageURL(1)] = page("berths: 24")
	p.refused(p.subscriber(), answers.Request{Task: "berths", Format: format(berths)}, problem.RequestTimeout, "time limit", "Nothing was charged")
}

// A canceled request has no answer, whatever was found by then.
func TestRequestIsGone(t *testing.T) {
	t.Parallel()
	gone, leave := context.WithCancel(t.Context())
	p := newPlace(t, func(c *answers.Config) {
		c.Answerer = answererFunc(func(ctx context.Context, task ask.Task, world ask.World) (ask.Answer, error) {
			a, err := reader{}.Answer(ctx, task, world)
			leave()
			return a, err
		})
	})
	p.web.pages[pageURL(1)] = page("berths: 24")
	_, err := p.service.Create(gone, p.subscriber(), &answers.Request{Task: "berths", Format: format(berths)})
	if problem.From(err).Code != problem.RequestTimeout {
		t.Errorf("got %v, want request_timeout", err)
	}
	if got := p.states(); !maps.Equal(got, map[string]int{"failed request_timeout 0": 1}) {
		t.Errorf("got %v, want one that failed", got)
	}
}

// Errors of an answerer are internal errors, and do not block the identity.
func TestAnswerersThatFail(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		answer answererFunc
		code   problem.Code
	}{
		"an error": {func(context.Context, ask.Task, ask.World) (ask.Answer, error) {
			return ask.Answer{}, errors.New("out of order")
		}, problem.InternalServerError},
		"a problem": {func(context.Context, ask.Task, ask.World) (ask.Answer, error) {
			return ask.Answer{}, problem.New(problem.Overloaded, "Busy.")
		}, problem.Overloaded},
		"no JSON": {func(context.Context, ask.Task, ask.World) (ask.Answer, error) {
			return ask.Answer{JSON: []byte(`{"a":`)}, nil
		}, problem.InternalServerError},
		"nothing": {func(context.Context, ask.Task, ask.World) (ask.Answer, error) {
			return ask.Answer{}, nil
		}, problem.InternalServerError},
	} {
		p := newPlace(t, func(c *answers.Config) { c.Answerer = tt.answer })
		p.refused(p.subscriber(), answers.Request{Task: "berths"}, tt.code)
		if got := p.states(); !maps.Equal(got, map[string]int{"failed " + string(tt.code) + " 0": 1}) {
			t.Errorf("%s: got %v, want one that failed", name, got)
		}
	}
	p := newPlace(t, func(c *answers.Config) {
		c.Answerer = answererFunc(func(context.Context, ask.Task, ask.World) (ask.Answer, error) { panic("on purpose") })
	})
	func() {
		defer func() { _ = recover() }()
		_, _ = p.service.Create(t.Context(), p.subscriber(), &answers.Request{Task: "berths"})
	}()
	if got := p.states(); !maps.Equal(got, map[string]int{"failed internal_server_error 0": 1}) {
		t.Errorf("a panic: got %v, want one that failed", got)
	}
}

// An attempt that died is taken over. What it does afterwards does not count.
func TestTakenOver(t *testing.T) {
	t.Parallel()
	var p *place
	c := &principal.Caller{}
	r := answers.Request{Task: "berths", Format: format(berths)}
	first := true
	p = newPlace(t, func(config *answers.Config) {
		config.Answerer = answererFunc(func(ctx context.Context, task ask.Task, world ask.World) (ask.Answer, error) {
			if first {
				first = false
				p.clock.Advance(answers.TimeLimitDefault + 2*time.Minute)
				p.create(c, r)
			}
			return reader{}.Answer(ctx, task, world)
		})
	})
	p.web.pages[pageURL(1)] = page("berths: 24")
	*c = *p.subscriber()
	p.refused(c, r, problem.RequestTimeout, "another attempt")
	if got := p.states(); !maps.Equal(got, map[string]int{"succeeded  20": 1}) {
		t.Errorf("got %v, want one answer", got)
	}
}

func TestPurge(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.web.pages[pageURL(1)] = page("berths: 24")
	c := p.subscriber()
	a := p.create(c, answers.Request{Task: "berths", Format: format(berths)})
	p.web.failing[""] = errors.New("away")
	p.refused(p.subscriber(), answers.Request{Task: "berths"}, problem.Overloaded)
	purge := func() int {
		n, err := p.service.Purge(t.Context(), 10)
		must(t, err)
		return n
	}
	key := "answers/" + a.ID + "/1/answer.json"
	if _, err := p.blobs.Read(t.Context(), key); err != nil || purge() != 0 {
		t.Errorf("got %v, want the content there until its time is over", err)
	}
	p.clock.Advance(answers.RetentionDefault + time.Second)
	for range 2 {
		read, err := p.service.Answer(t.Context(), c, a.ID)
		must(t, err)
		if read.Result.JSON != nil || read.Result.JSONHostedURL != nil || read.Task != "berths" || len(read.Result.Citations) != 0 {
			t.Errorf("got %+v, want an answer without its content", read)
		}
		purge()
	}
	if _, err := p.blobs.Read(t.Context(), key); !errors.Is(err, blob.ErrNotFound) || purge() != 0 {
		t.Errorf("got %v, want the content gone, and nothing left to purge", err)
	}
}

// Content that is too large for the response is available at its URL only.
func TestLargeAnswers(t *testing.T) {
	t.Parallel()
	p := newPlace(t, func(c *answers.Config) { c.InlineBytesMax = 30 })
	p.web.pages[pageURL(1)] = page("berths: 24")
	c := p.subscriber()
	a := p.create(c, answers.Request{Task: "berths", Format: format(berths)})
	again := p.create(c, answers.Request{Task: "berths", Format: format(berths)})
	for _, a := range []*answers.Answer{a, again} {
		if a.Result.JSON != nil || !a.Result.SizeExceeded || a.Result.JSONHostedURL == nil || len(a.Result.Sources) != 1 {
			t.Errorf("got %+v, want it hosted alone", a.Result)
		}
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.shelf["file_mine"] = shelved{p.team, `{}`}
	p.shelf["file_theirs"] = shelved{"team_other", `{}`}
	p.shelf["file_pending"] = shelved{p.team, "pending"}
	p.shelf["file_batch"] = shelved{p.team, "batch"}
	p.shelf["file_large"] = shelved{p.team, `"` + strings.Repeat("x", answers.ContextBytesMax-3) + `"`}
	for _, tt := range []struct {
		name string
		r    answers.Request
		code problem.Code
		part string
	}{
		{"no task", answers.Request{}, problem.ValidationError, "body.task"},
		{"white space", answers.Request{Task: " \n"}, problem.ValidationError, "body.task"},
		{"a long task", answers.Request{Task: strings.Repeat("ü", answers.TaskCharsMax+1)}, problem.ValidationError, "body.task"},
		{"NUL", answers.Request{Task: "a\x00b"}, problem.ValidationError, "body.task"},
		{"a list as format", answers.Request{Task: "a", Format: format(`[]`)}, problem.ValidationError, "body.json_format"},
		{"a number as format", answers.Request{Task: "a", Format: format(`7`)}, problem.ValidationError, "body.json_format"},
		{"a schema that is none", answers.Request{Task: "a", Format: format(`{"type":"object","properties":{"a":{"type":"strange"}}}`)}, problem.ValidationError, "body.json_format.properties.a"},
		{"metadata", answers.Request{Task: "a", Metadata: map[string]json.RawMessage{"a": json.RawMessage(`[]`)}}, problem.InvalidMetadata, "metadata"},
		{"an unknown file", answers.Request{Task: "a", FileIDs: []string{"file_mine", "file_x"}}, problem.FileNotFound, "file_x"},
		{"another team's file", answers.Request{Task: "a", FileIDs: []string{"file_theirs"}}, problem.FileNotFound, "file_theirs"},
		{"a pending file", answers.Request{Task: "a", FileIDs: []string{"file_mine", "file_pending"}}, problem.ValidationError, "body.file_ids.1: this file is not completed"},
		{"a batch's file", answers.Request{Task: "a", FileIDs: []string{"file_batch"}}, problem.ValidationError, "body.file_ids.0: names a file with the purpose batch"},
		{"files too large", answers.Request{Task: "a", FileIDs: []string{"file_large", "file_mine"}}, problem.ValidationError, "body.file_ids.1"},
		{"one twice", answers.Request{Task: "a", FileIDs: []string{"file_mine", "file_mine"}}, problem.ValidationError, "body.file_ids.1"},
		{"many files", answers.Request{Task: "a", FileIDs: make([]string, answers.FilesMax+1)}, problem.ValidationError, "body.file_ids"},
	} {
		for _, dry := range []bool{false, true} {
			c := p.subscriber()
			if dry {
				c.DryRun = &principal.Quote{Credits: price}
			}
			e := p.refused(c, tt.r, tt.code, tt.part)
			if tt.code == problem.FileNotFound {
				if faults, _ := e.Metadata["errors"].([]problem.Fault); len(faults) != 1 || !strings.HasPrefix(faults[0].String(), "body.file_ids.") || e.Kind().Status != http.StatusNotFound {
					t.Errorf("%s: got %v, want its place", tt.name, e.Metadata)
				}
			}
		}
	}
	dry := p.subscriber()
	dry.DryRun = &principal.Quote{Credits: price}
	if a, err := p.service.Create(t.Context(), dry, &answers.Request{Task: "a"}); a != nil || err != nil {
		t.Errorf("a dry run: got %v and %v, want nothing done", a, err)
	}
	if q, f := p.web.asked(); q+f > 0 || len(p.states()) > 0 {
		t.Errorf("got %d queries, %d fetches and %v, want nothing done", q, f, p.states())
	}
}

// A process works on a limited number of tasks at once. Further requests are told to retry.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	p := newPlace(t, func(c *answers.Config) { c.Places = admission.New(admission.Config{Size: 1}) })
	p.web.pages[pageURL(1)] = page("berths: 24")
	p.web.waiting = make(chan struct{})
	first := make(chan error, 1)
	go func() {
		_, err := p.service.Create(t.Context(), p.subscriber(), &answers.Request{Task: "berths"})
		first <- err
	}()
	p.await(func() bool { _, fetches := p.web.asked(); return fetches > 0 })
	if e := p.refused(p.subscriber(), answers.Request{Task: "berths"}, problem.Overloaded); e.RetryAfter == 0 {
		t.Error("got no Retry-After, want one")
	}
	close(p.web.waiting)
	must(t, <-first)
}

func TestConfigNamesAllFaults(t *testing.T) {
	t.Parallel()
	_, err := answers.New(answers.Config{TimeLimit: -1})
	for _, name := range []string{"Queries", "Searcher", "Pages", "Files", "Answerer", "Blobs", "Signer", "Memory", "Logger", "Now", "negative"} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("got %v, want %s in it", err, name)
		}
	}
}
