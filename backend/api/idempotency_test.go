package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"github.com/turnpike-edge/turnpike/backend/accounts"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/files"
	"github.com/turnpike-edge/turnpike/payments/apikey"
	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

const replayed = "Idempotent-Replayed"

// keyed is a POST with an Idempotency-Key.
func keyed(uri, key, body string, id *edgewire.Identity) call {
	return call{method: http.MethodPost, uri: uri, body: body, identity: id, header: http.Header{"Idempotency-Key": {key}}}
}

// wantReplay compares a response with the recorded one.
func wantReplay(t *testing.T, got, want *httptest.ResponseRecorder) {
	t.Helper()
	if got.Code != want.Code || got.Body.String() != want.Body.String() {
		t.Errorf("got %d %s, want %d %s", got.Code, got.Body, want.Code, want.Body)
	}
	wantReplayed(t, got, "0")
}

func wantReplayed(t *testing.T, got *httptest.ResponseRecorder, cost string) {
	t.Helper()
	if got.Header().Get(replayed) != "true" || got.Header().Get("Content-Type") != "application/json" {
		t.Errorf("got headers %v, want a replay of JSON", got.Header())
	}
	wantCost(t, got, cost)
}

func wantFresh(t *testing.T, got *httptest.ResponseRecorder) {
	t.Helper()
	if v := got.Header().Get(replayed); v != "" {
		t.Errorf("got %s %q, want none on a first answer", replayed, v)
	}
}

func TestKeyIsAnsweredOnce(t *testing.T) {
	t.Parallel()
	s, f := setupCalls(t)
	const uri, body = "/v1/parsers/a/call", `{"say":"x"}`
	first := s.do(keyed(uri, "k1", body, teamPays(s.team, 3)))
	wantStatus(t, first, http.StatusOK)
	wantCost(t, first, "3")
	wantFresh(t, first)
	wantReplay(t, s.do(keyed(uri, "k1", body, teamPays(s.team, 3))), first)
	wantReplay(t, s.do(keyed(uri, `"k1"`, body, teamPays(s.team, 3))), first)
	wantReplay(t, s.do(keyed(uri+"?dry_run=false", "k1", body, teamPays(s.team, 3))), first)
	if got := f.runs.Load(); got != 1 {
		t.Errorf("got %d runs, want 1", got)
	}
	// A different request with the same key is refused, and leaves the response as it is.
	for _, other := range []call{
		keyed(uri, "k1", `{"say":"y"}`, teamPays(s.team, 3)),
		keyed(uri, "k1", body+" ", teamPays(s.team, 3)),
		keyed(uri+"?x=1", "k1", body, teamPays(s.team, 3)),
	} {
		e := wantError(t, s.do(other), problem.IdempotencyKeyReuse)
		if e.Status != http.StatusUnprocessableEntity {
			t.Errorf("got %d, want 422", e.Status)
		}
	}
	// A key belongs to a team, a route and its path.
	for i, other := range []call{
		keyed(uri, "k2", body, teamPays(s.team, 3)),
		keyed(uri, "K1", body, teamPays(s.team, 3)),
		keyed("/v1/parsers/b/call", "k1", body, teamPays(s.team, 3)),
		keyed(uri+"tx", "k1", body, teamPays(s.team, 3)),
		keyed(uri, "k1", body, teamPays(s.newTeam(), 3)),
	} {
		got := s.do(other)
		wantStatus(t, got, http.StatusOK)
		wantFresh(t, got)
		wantCost(t, got, "3")
		if runs := f.runs.Load(); runs != int64(i+2) {
			t.Errorf("%d: got %d runs, want %d", i, runs, i+2)
		}
	}
	wantReplay(t, s.do(keyed(uri, "k1", body, teamPays(s.team, 3))), first)
}

func TestKeyIsNotForOthers(t *testing.T) {
	t.Parallel()
	s, f := setupCalls(t)
	for range 2 {
		got := s.do(keyed("/v1/parsers/a/callanew", "k", `{"say":"x"}`, teamPays(s.team, 3)))
		wantStatus(t, got, http.StatusOK)
		wantFresh(t, got)
		dry := s.do(keyed("/v1/parsers/test?dry_run=true", "k", `{"parser":"@turnpike/article","html":"<p>x</p>"}`, teamPays(s.team, 0)))
		wantStatus(t, dry, http.StatusOK)
		wantFresh(t, dry)
		read := s.do(call{method: http.MethodGet, uri: "/v1/parsers", identity: teamPays(s.team, 0), header: http.Header{"Idempotency-Key": {"k"}}})
		wantStatus(t, read, http.StatusOK)
		wantFresh(t, read)
	}
	if got := f.runs.Load(); got != 2 {
		t.Errorf("got %d runs, want 2", got)
	}
}

// 64 concurrent requests with one key do the work once. The others are told to retry, and then get its response.
func TestConcurrentKeyIsOneWork(t *testing.T) {
	t.Parallel()
	s, f := setupCalls(t)
	const n = 64
	working, finish := make(chan struct{}), make(chan struct{})
	f.inside = func() {
		close(working)
		<-finish
	}
	const uri, body = "/v1/parsers/a/calltx", `{"say":"crowd"}`
	answers := make(chan *httptest.ResponseRecorder, n)
	var all sync.WaitGroup
	for range n {
		all.Go(func() { answers <- s.do(keyed(uri, "k", body, teamPays(s.team, 3))) })
	}
	<-working
	close(finish)
	all.Wait()
	close(answers)
	var first *httptest.ResponseRecorder
	var replays []*httptest.ResponseRecorder
	for got := range answers {
		switch {
		case got.Code == http.StatusConflict:
			wantInProgress(t, got)
		case got.Header().Get(replayed) == "true": // came after the work
			replays = append(replays, got)
		case first == nil:
			first = got
		default:
			t.Errorf("got a second first answer %d %s", got.Code, got.Body)
		}
	}
	if first == nil {
		t.Fatal("got no first answer")
	}
	wantCost(t, first, "3")
	replays = append(replays, s.do(keyed(uri, "k", body, teamPays(s.team, 3))))
	for _, got := range replays {
		wantReplayed(t, got, "0")
		if want := strings.Replace(first.Body.String(), `,"secret":"the secret"`, "", 1); got.Body.String() != want {
			t.Errorf("got %s, want %s", got.Body, want)
		}
	}
	if runs, works := f.runs.Load(), s.works("crowd"); runs != 1 || works != 1 {
		t.Errorf("got %d runs and %d works, want 1 and 1", runs, works)
	}
}

func wantInProgress(t *testing.T, w *httptest.ResponseRecorder) {
	t.Helper()
	wantError(t, w, problem.IdempotencyKeyInProgress)
	var seconds int
	if _, err := fmt.Sscan(w.Header().Get("Retry-After"), &seconds); err != nil || seconds < 1 || seconds > 60 {
		t.Errorf("got Retry-After %q, want 1 to 60", w.Header().Get("Retry-After"))
	}
}

// Some responses are final; others leave the key unused.
func TestWhatIsRecorded(t *testing.T) {
	t.Parallel()
	s, _ := setupCalls(t)
	for _, tt := range []struct {
		status int
		kept   bool
	}{
		{400, true},
		{403, true},
		{404, true},
		{422, true},
		{402, false},
		{409, false},
		{429, false},
		{500, false},
		{502, false},
		{503, false},
		{504, false},
	} {
		t.Run(fmt.Sprint(tt.status), func(t *testing.T) {
			t.Parallel()
			body := fmt.Sprintf(`{"say":"x","status":%d}`, tt.status)
			first := s.do(keyed("/v1/parsers/a/call", body, body, teamPays(s.team, 3)))
			wantStatus(t, first, tt.status)
			wantCost(t, first, "0")
			wantFresh(t, first)
			second := s.do(keyed("/v1/parsers/a/call", body, body, teamPays(s.team, 3)))
			if tt.kept {
				wantReplay(t, second, first)
				return
			}
			wantStatus(t, second, tt.status)
			wantFresh(t, second)
			if second.Body.String() == first.Body.String() {
				t.Errorf("got the same error %s, want one of its own", second.Body)
			}
		})
	}
	t.Run("not covered", func(t *testing.T) {
		t.Parallel()
		wantError(t, s.do(keyed("/v1/parsers/a/call", "poor", `{"say":"x"}`, teamPays(s.team, 2))), problem.CreditsExhausted)
		wantStatus(t, s.do(keyed("/v1/parsers/a/call", "poor", `{"say":"x"}`, teamPays(s.team, 3))), http.StatusOK)
	})
	t.Run("not as the schema has it", func(t *testing.T) {
		t.Parallel()
		first := s.do(keyed("/v1/parsers/a/call", "schema", `{"say":1}`, teamPays(s.team, 3)))
		wantError(t, first, problem.ValidationError)
		wantReplay(t, s.do(keyed("/v1/parsers/a/call", "schema", `{"say":1}`, teamPays(s.team, 3))), first)
	})
	t.Run("a panic", func(t *testing.T) {
		t.Parallel()
		for range 2 {
			wantError(t, s.do(keyed("/v1/parsers/a/call", "panic", `{"say":"x","panic":true}`, teamPays(s.team, 3))), problem.InternalServerError)
		}
	})
}

// A process ends between the commit of the work and its response: the work exists once, and the next request gets its
// response and pays for it.
func TestKeyOutlivesTheAnswer(t *testing.T) {
	t.Parallel()
	s, f := setupCalls(t)
	const uri, body = "/v1/parsers/a/calltx", `{"say":"lost","panic":true}`
	id := teamPays(s.team, 3)
	func() {
		defer func() {
			if thrown := recover(); thrown != http.ErrAbortHandler { //nolint:errorlint,err113 // as it is
				t.Errorf("got %v thrown, want the connection to end", thrown)
			}
		}()
		s.do(keyed(uri, "k", body, id))
	}()
	got := s.do(keyed(uri, "k", body, teamPays(s.team, 3)))
	wantStatus(t, got, http.StatusOK)
	wantReplayed(t, got, "3")
	if answer := decoded[callAnswer](t, got); answer.Identity != id.ID || answer.Secret != "" {
		t.Errorf("got %+v, want the work of %s without its secret", answer, id.ID)
	}
	if runs, works := f.runs.Load(), s.works("lost"); runs != 1 || works != 1 {
		t.Errorf("got %d runs and %d works, want 1 and 1", runs, works)
	}
	// A response that fails after the commit is not replayed.
	failing := keyed(uri, "k2", `{"say":"late","status":500}`, teamPays(s.team, 3))
	wantError(t, s.do(failing), problem.InternalServerError)
	got = s.do(failing)
	wantStatus(t, got, http.StatusOK)
	wantReplayed(t, got, "3")
	if works := s.works("late"); works != 1 {
		t.Errorf("got %d works, want 1", works)
	}
}

// A dead process keeps its key until its lease ends and it is known that nobody pays for it. The next request continues
// under the first one's identity, finds the existing work, and pays for it.
func TestDeadKeyIsTakenOver(t *testing.T) {
	t.Parallel()
	s, _ := setupCalls(t)
	working, finish := make(chan struct{}), make(chan struct{})
	site := newTarget(t, func(w http.ResponseWriter, r *http.Request) {
		close(working)
		<-finish
		servePage(w, r)
	})
	expire := func() {
		_, err := s.pool.Exec(t.Context(), `update idempotency set locked_until = now() - interval '1 second'`)
		must(t, err)
	}
	first := teamPays(s.team, 1)
	ask := func(path string, id *edgewire.Identity) *httptest.ResponseRecorder {
		return s.do(keyed("/v1/scrapes", "k", bodyFor(site.URL+path), id))
	}
	again := func(path string) *httptest.ResponseRecorder { return ask(path, teamPays(s.team, 1)) }
	slow := make(chan *httptest.ResponseRecorder, 1)
	go func() { slow <- ask("/", first) }()
	<-working
	wantInProgress(t, again("/"))
	wantError(t, again("/other"), problem.IdempotencyKeyReuse)
	expire()
	wantError(t, again("/other"), problem.IdempotencyKeyReuse)
	wantInProgress(t, again("/")) // its edge may still charge for it
	_, err := s.pool.Exec(t.Context(), `update meter_batch set ended = set_bit(ended, 0, 1) where id = $1`, first.ID)
	must(t, err)
	wantError(t, again("/"), problem.InvalidState) // the identity's scrape is running
	close(finish)
	wantInProgress(t, <-slow) // it no longer owns the key
	got := again("/")
	wantStatus(t, got, http.StatusOK)
	wantCost(t, got, "1")
	wantReplay(t, again("/"), got)
	if hits := site.hits.Load(); hits != 1 {
		t.Errorf("got %d fetches, want 1", hits)
	}
}

// Work is done once per identity, and adopts the hold of the current request.
func TestIdentityOfTheFirst(t *testing.T) {
	t.Parallel()
	s, f := setupCalls(t)
	const uri, body = "/v1/parsers/a/calltx", `{"say":"twice"}`
	first := teamPays(s.team, 3)
	f.before = func() { panic(http.ErrAbortHandler) }
	func() {
		defer func() { _ = recover() }()
		s.do(keyed(uri, "k", body, first))
	}()
	// A panic releases the key; a process that dies would not.
	_, err := s.pool.Exec(t.Context(), `insert into idempotency (team_id, route, key, request_sha256, identity, token, locked_until, created_at, expires_at)
		values ($1, 'POST /v1/parsers/a/calltx', 'k', sha256(E'\\x0a'::bytea || convert_to($2, 'UTF8')), $3, gen_random_uuid(), now(), now(), now() + interval '1 day')`,
		s.team, body, first.ID)
	must(t, err)
	f.before = nil
	id := teamPays(s.team, 3)
	got := s.do(keyed(uri, "k", body, id))
	wantStatus(t, got, http.StatusOK)
	wantFresh(t, got)
	wantCost(t, got, "3")
	if answer := decoded[callAnswer](t, got); answer.Identity != first.ID || answer.Hold != id.ID {
		t.Errorf("got %+v, want the identity %s and the hold %s", answer, first.ID, id.ID)
	}
}

// An attempt that was considered dead while it worked cannot commit.
func TestLostKeyUndoesTheWork(t *testing.T) {
	t.Parallel()
	s, f := setupCalls(t)
	const uri, body = "/v1/parsers/a/calltx", `{"say":"fenced"}`
	f.before = func() {
		_, err := s.pool.Exec(t.Context(), `update idempotency set token = gen_random_uuid()`)
		must(t, err)
	}
	wantInProgress(t, s.do(keyed(uri, "k", body, teamPays(s.team, 3))))
	if works := s.works("fenced"); works != 0 || f.runs.Load() != 1 {
		t.Errorf("got %d works of %d runs, want none of 1", works, f.runs.Load())
	}
}

// A response too large to store is made again from the work, and costs nothing.
func TestLargeAnswer(t *testing.T) {
	t.Parallel()
	s, _ := setupCalls(t)
	site := newTarget(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprintf(w, "<title>x</title><p>%s</p>", strings.Repeat("a long page. ", 20_000))
	})
	body := bodyFor(site.URL, `"formats":["html"]`)
	first := s.do(keyed("/v1/scrapes", "k", body, teamPays(s.team, 1)))
	wantStatus(t, first, http.StatusOK)
	wantFresh(t, first)
	wantCost(t, first, "1")
	var kept *int
	must(t, s.pool.QueryRow(t.Context(), `select length(body) from idempotency where state = 'done'`).Scan(&kept))
	if first.Body.Len() < 64<<10 || kept != nil {
		t.Fatalf("got %d bytes of which %v are kept, want a large answer that is not", first.Body.Len(), kept)
	}
	wantReplay(t, s.do(keyed("/v1/scrapes", "k", body, teamPays(s.team, 1))), first)
	if got := site.hits.Load(); got != 1 {
		t.Errorf("got %d fetches, want 1", got)
	}
}

// A wallet's key is its own, whichever payment it sends.
func TestWalletKey(t *testing.T) {
	t.Parallel()
	s, _ := setupCalls(t)
	site := newTarget(t, servePage)
	uri, body := "/x402/v1/scrapes", bodyFor(site.URL)
	payment := walletPays(walletA, 10_000)
	first := s.do(keyed(uri, "k", body, payment))
	wantStatus(t, first, http.StatusOK)
	wantCost(t, first, "10000")
	wantReplay(t, s.do(keyed(uri, "k", body, walletPays(walletA, 10_000))), first)
	other := s.do(keyed(uri, "k", body, walletPays("0x00000000000000000000000000000000000000A1", 10_000)))
	wantStatus(t, other, http.StatusOK)
	wantFresh(t, other)
	if got := site.hits.Load(); got != 2 {
		t.Errorf("got %d fetches, want 2", got)
	}
}

// A key is kept for a day, and then forgotten.
func TestKeyExpires(t *testing.T) {
	t.Parallel()
	s, f := setupCalls(t)
	const uri, body = "/v1/parsers/a/call", `{"say":"x"}`
	first := s.do(keyed(uri, "k", body, teamPays(s.team, 3)))
	wantStatus(t, first, http.StatusOK)
	var hours float64
	must(t, s.pool.QueryRow(t.Context(), `select extract(epoch from expires_at - created_at) / 3600 from idempotency`).Scan(&hours))
	if hours != 24 {
		t.Errorf("got %v hours, want 24", hours)
	}
	_, err := s.pool.Exec(t.Context(), `update idempotency set expires_at = now()`)
	must(t, err)
	id := teamPays(s.team, 3)
	again := s.do(keyed(uri, "k", `{"say":"another"}`, id))
	wantStatus(t, again, http.StatusOK)
	wantFresh(t, again)
	if answer := decoded[callAnswer](t, again); answer.Identity != id.ID || f.runs.Load() != 2 {
		t.Errorf("got %+v after %d runs, want a work of its own", answer, f.runs.Load())
	}
}

// New secrets are in the first response and nowhere else.
func TestKeysOfKeysAreNotStored(t *testing.T) {
	t.Parallel()
	s, _ := setupCalls(t)
	maker := asks(s.team, s.key(apikey.ScopesAll).ID)
	for _, tt := range []struct{ uri, body string }{
		{"/user/keys", `{"name":"a key"}`},
		{"/user/keys/" + maker.Payer.KeyID + "/rotate", `{"overlap_seconds":3600}`},
	} {
		first := s.do(keyed(tt.uri, "k", tt.body, again(maker)))
		wantStatus(t, first, http.StatusOK)
		key := decoded[accounts.Key](t, first)
		second := s.do(keyed(tt.uri, "k", tt.body, again(maker)))
		wantStatus(t, second, http.StatusOK)
		wantReplayed(t, second, "0")
		if cached := second.Header().Get("Cache-Control"); cached != "no-store" {
			t.Errorf("got Cache-Control %q, want no-store", cached)
		}
		repeated := decoded[accounts.Key](t, second)
		if key.Key == nil || repeated.Key != nil {
			t.Fatalf("got keys %v and %v, want one and then none", key.Key, repeated.Key)
		}
		repeated.Key = key.Key
		if got, want := text(t, repeated), text(t, key); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		var stored int
		must(t, s.pool.QueryRow(t.Context(), `select count(*) from idempotency where position(convert_to($1, 'UTF8') in body) > 0`, *key.Key).Scan(&stored))
		if stored != 0 {
			t.Errorf("the key of %s is stored", tt.uri)
		}
	}
	if list := s.listed(again(maker)); len(list) != 3 {
		t.Errorf("got %d keys, want 3: the maker, one made and one rotated", len(list))
	}
}

// A file is created and completed once.
func TestKeysOfFiles(t *testing.T) {
	t.Parallel()
	s, _ := setupCalls(t)
	const body = `{"filename":"a.json","purpose":"batch"}`
	first := s.do(keyed("/v1/files", "k", body, teamPays(s.team, 0)))
	wantStatus(t, first, http.StatusOK)
	wantReplay(t, s.do(keyed("/v1/files", "k", body, teamPays(s.team, 0))), first)
	file := decoded[files.Upload](t, first)
	var n int
	must(t, s.pool.QueryRow(t.Context(), `select count(*) from file`).Scan(&n))
	if n != 1 {
		t.Errorf("got %d files, want 1", n)
	}
	_, err := s.pool.Exec(t.Context(), `update file set upload_key = id || '/x', bytes = 2`)
	must(t, err)
	must(t, s.blobs.Put(t.Context(), file.ID+"/x", "application/json", []byte(`[1]`)))
	complete := keyed("/v1/files/"+file.ID+"/complete", "k", "", teamPays(s.team, 0))
	done := s.do(complete)
	wantStatus(t, done, http.StatusOK)
	complete.identity = teamPays(s.team, 0)
	wantReplay(t, s.do(complete), done)
}

func text(t *testing.T, value any) string {
	t.Helper()
	data, err := json.Marshal(value)
	must(t, err)
	return string(data)
}

// again is the same principal with a hold of its own.
func again(id *edgewire.Identity) *edgewire.Identity {
	other := *id
	other.ID = uuid.NewString()
	return &other
}
