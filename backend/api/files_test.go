package api_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	gocloud "gocloud.dev/blob"
	_ "gocloud.dev/blob/s3blob"

	"github.com/turnpike-edge/turnpike/admission"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/files"
	"github.com/turnpike-edge/turnpike/dev/s3"
)

// onEngines runs a test with content on disk and in a bucket.
func onEngines(t *testing.T, test func(*testing.T, *service)) {
	t.Helper()
	t.Run("disk", func(t *testing.T) {
		t.Parallel()
		test(t, setup(t, options{blobs: t.TempDir()}))
	})
	t.Run("s3", func(t *testing.T) {
		t.Parallel()
		test(t, setup(t, options{blobs: s3.NewBucket(t)}))
	})
}

func (s *service) createFile(team, body string) files.Upload {
	s.t.Helper()
	w := s.post(teamPays(team, 0), "/v1/files", body)
	wantStatus(s.t, w, http.StatusOK)
	wantCost(s.t, w, "0")
	return decoded[files.Upload](s.t, w)
}

// put sends content to an upload URL as a client does, without an identity.
func (s *service) put(uploadURL, contentType, content string) *httptest.ResponseRecorder {
	s.t.Helper()
	return s.sendContent(http.MethodPut, uploadURL, http.Header{"Content-Type": {contentType}}, strings.NewReader(content))
}

func (s *service) sendContent(method, target string, header http.Header, body io.Reader) *httptest.ResponseRecorder {
	s.t.Helper()
	r := httptest.NewRequest(method, strings.TrimPrefix(target, publicURL), body)
	r.Header = header
	w := httptest.NewRecorder()
	s.api.ServeHTTP(w, r)
	return w
}

func (s *service) wantPut(u files.Upload, content string) {
	s.t.Helper()
	w := s.put(u.UploadURL, "application/json", content)
	wantStatus(s.t, w, http.StatusOK)
	if got := strings.TrimSpace(w.Body.String()); got != "{}" {
		s.t.Errorf("got %s, want {}", got)
	}
}

func (s *service) complete(team, id string) *httptest.ResponseRecorder {
	s.t.Helper()
	return s.post(teamPays(team, 0), "/v1/files/"+id+"/complete", "")
}

// newFile makes a completed file.
func (s *service) newFile(team, purpose, content string) files.File {
	s.t.Helper()
	u := s.createFile(team, `{"filename":"a.json","purpose":"`+purpose+`"}`)
	s.wantPut(u, content)
	w := s.complete(team, u.ID)
	wantStatus(s.t, w, http.StatusOK)
	return decoded[files.File](s.t, w)
}

// content lists what the store holds for a file.
func (s *service) content(id string) []string {
	s.t.Helper()
	where := s.where
	if !strings.Contains(where, "://") {
		where = "file://" + where
	}
	bucket, err := gocloud.OpenBucket(s.t.Context(), where)
	must(s.t, err)
	defer bucket.Close()
	objects := bucket.List(&gocloud.ListOptions{Prefix: "files/" + id + "/"})
	keys := []string{}
	for {
		object, err := objects.Next(s.t.Context())
		if errors.Is(err, io.EOF) {
			return keys
		}
		must(s.t, err)
		keys = append(keys, object.Key)
	}
}

func wantWrongState(t *testing.T, w *httptest.ResponseRecorder) {
	t.Helper()
	wantStatus(t, w, http.StatusBadRequest)
	if e := decoded[problem.Object](t, w); e.Code != problem.InvalidState || e.Status != http.StatusBadRequest ||
		!strings.HasSuffix(e.Type, "/bad_request") || e.Title != "Bad Request" {
		t.Errorf("got %+v, want invalid_state as a bad request", e)
	}
	wantCost(t, w, "0")
}

func TestFileIsCreatedUploadedAndCompleted(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, s *service) {
		t.Helper()
		u := s.createFile(s.team, `{"filename":"größe.json","purpose":"batch"}`)
		if !strings.HasPrefix(u.ID, "file_") || u.Object != "file.upload" || u.Created != s.clock.Now().Unix() || u.ExpiresIn != 600 ||
			!strings.HasPrefix(u.UploadURL, publicURL+"/content/files/"+u.ID+"?exp=") {
			t.Errorf("got %+v, want an upload of 600 s", u)
		}
		pending := decoded[files.File](t, s.get(teamPays(s.team, 0), "/v1/files/"+u.ID))
		want := files.File{
			ID: u.ID, Object: "file", Created: u.Created, Filename: "größe.json", Purpose: "batch", Status: "pending",
			Expires: pending.Expires,
		}
		if pending != want {
			t.Errorf("got %+v, want %+v", pending, want)
		}
		const content = `[{"url":"https://example.com/"}, {"url":"https://example.org/"}]`
		s.wantPut(u, content)
		w := s.complete(s.team, u.ID)
		wantStatus(t, w, http.StatusOK)
		done := decoded[files.File](t, w)
		if done.Status != "completed" || done.Bytes != int64(len(content)) || done.Items == nil || *done.Items != 2 ||
			!done.Expires.Equal(s.clock.Now().Add(30*24*time.Hour).Truncate(time.Second)) {
			t.Errorf("got %+v, want it completed with 2 items", done)
		}
		var raw map[string]any
		must(t, json.Unmarshal(w.Body.Bytes(), &raw))
		for _, field := range []string{"id", "object", "created", "filename", "bytes", "purpose", "status"} {
			if raw[field] == nil {
				t.Errorf("got %v, want a field %s", raw, field)
			}
		}

		w = s.get(teamPays(s.team, 0), "/v1/files/"+u.ID+"/content")
		wantStatus(t, w, http.StatusOK)
		download := decoded[files.Download](t, w)
		if download.ID != u.ID || download.Status != "completed" || download.ExpiresIn != 3600 {
			t.Errorf("got %+v, want the file with a URL of an hour", download)
		}
		got := s.sendContent(http.MethodGet, download.DownloadURL, http.Header{}, http.NoBody)
		if got.Code != http.StatusOK || got.Body.String() != content || got.Header().Get("Content-Type") != "application/json" ||
			got.Header().Get("Content-Disposition") != "attachment; filename*=utf-8''gr%C3%B6%C3%9Fe.json" {
			t.Errorf("got %d %s %v, want the content", got.Code, got.Body, got.Header())
		}
	})
}

func TestFileCreationRefuses(t *testing.T) {
	t.Parallel()
	s := setup(t, options{})
	if u := s.createFile(s.team, `{"filename":"a.json"}`); decoded[files.File](t, s.get(teamPays(s.team, 0), "/v1/files/"+u.ID)).Purpose != "context" {
		t.Error("got another purpose than context, which is the default")
	}
	for _, body := range []string{
		`{}`, `{"filename":"a.txt"}`, `{"filename":".json"}`, `{"filename":"a.JSON"}`, `{"filename":"a.json "}`, `{"filename":"../a.json"}`,
		`{"filename":"a\\b.json"}`, `{"filename":"a\u0000.json"}`, `{"filename":"a\nb.json"}`, `{"filename":"` + strings.Repeat("ä", 251) + `.json"}`,
		`{"filename":7}`, `{"filename":"a.json","purpose":"other"}`, `{"filename":"a.json","purpose":""}`, `{"filename":"a.json","size":1}`,
	} {
		w := s.post(teamPays(s.team, 0), "/v1/files", body)
		if e := wantError(t, w, problem.ValidationError); !strings.Contains(e.Detail, "filename") && !strings.Contains(e.Detail, "purpose") &&
			!strings.Contains(e.Detail, "size") {
			t.Errorf("%s: got %s, want it to name the field", body, e.Detail)
		}
	}
	if u := s.createFile(s.team, `{"filename":"`+strings.Repeat("ä", 250)+`.json"}`); u.ID == "" {
		t.Error("a name of 255 characters was refused")
	}
	wantError(t, s.post(nobody(), "/v1/files", `{"filename":"a.json"}`), problem.InvalidAPIKey)
}

func TestFileNeverUploaded(t *testing.T) {
	t.Parallel()
	s := setup(t, options{})
	u := s.createFile(s.team, `{"filename":"a.json"}`)
	if e := wantError(t, s.complete(s.team, u.ID), problem.NotFound); !strings.Contains(e.Detail, "Nothing was uploaded") {
		t.Errorf("got %s, want it to say what is missing", e.Detail)
	}
	wantError(t, s.get(teamPays(s.team, 0), "/v1/files/"+u.ID+"/content"), problem.InvalidState)
	s.wantPut(u, `{}`)
	wantStatus(t, s.complete(s.team, u.ID), http.StatusOK)
}

// Of two uploads, the last complete one counts, and nothing of the first remains.
func TestFileUploadedTwice(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, s *service) {
		t.Helper()
		u := s.createFile(s.team, `{"filename":"a.json","purpose":"batch"}`)
		s.wantPut(u, `[1]`)
		s.wantPut(u, `[1,2,3]`)
		w := s.sendContent(http.MethodPut, u.UploadURL, http.Header{"Content-Type": {"application/json"}}, io.MultiReader(strings.NewReader(`[1,2`), broken{}))
		wantError(t, w, problem.InvalidJSON)
		if got := s.content(u.ID); len(got) != 1 {
			t.Errorf("got the objects %v, want the last upload alone", got)
		}
		w = s.complete(s.team, u.ID)
		wantStatus(t, w, http.StatusOK)
		if f := decoded[files.File](t, w); *f.Items != 3 || f.Bytes != 7 {
			t.Errorf("got %+v, want the second upload", f)
		}
	})
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestFileUploadedOftenAtOnce(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, s *service) {
		t.Helper()
		u := s.createFile(s.team, `{"filename":"a.json","purpose":"batch"}`)
		var wg sync.WaitGroup
		for i := range 6 {
			wg.Go(func() { s.wantPut(u, `[`+strings.Repeat("1,", i)+`1]`) })
		}
		wg.Wait()
		w := s.complete(s.team, u.ID)
		wantStatus(t, w, http.StatusOK)
		f := decoded[files.File](t, w)
		if got := s.content(u.ID); len(got) != 1 || f.Bytes != 2**f.Items+1 {
			t.Errorf("got %+v and the objects %v, want one upload, whole", f, got)
		}
	})
}

func TestFileCompletedTwice(t *testing.T) {
	t.Parallel()
	s := setup(t, options{})
	u := s.createFile(s.team, `{"filename":"a.json"}`)
	s.wantPut(u, `{}`)
	answers := make(chan int, 8)
	var wg sync.WaitGroup
	for range cap(answers) {
		wg.Go(func() { answers <- s.complete(s.team, u.ID).Code })
	}
	wg.Wait()
	close(answers)
	var codes []int
	for code := range answers {
		codes = append(codes, code)
	}
	slices.Sort(codes)
	if codes[0] != http.StatusOK || codes[1] != http.StatusBadRequest {
		t.Errorf("got %v, want 200 once and else 400", codes)
	}
	wantWrongState(t, s.complete(s.team, u.ID))
	if e := wantError(t, s.put(u.UploadURL, "application/json", `[]`), problem.InvalidState); !strings.Contains(e.Detail, "completed") {
		t.Errorf("got %s, want it to say why", e.Detail)
	}
}

func TestInvalidFileNamesThePlace(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, s *service) {
		t.Helper()
		u := s.createFile(s.team, `{"filename":"a.json"}`)
		for content, want := range map[string]string{
			"[1,\n 2,\n  oops]": "line 3, column 3: expected a value, found 'o'",
			"":                  "line 1, column 1: expected a value, found the end of the text",
			"{\"a\": \"\xff\"}": "line 1, column 8: the byte 0xff is not UTF-8 here",
		} {
			s.wantPut(u, content)
			e := wantError(t, s.complete(s.team, u.ID), problem.ValidationError)
			if !strings.Contains(e.Detail, want) || e.Metadata["line"] == nil || e.Metadata["column"] == nil || e.Metadata["errors"] == nil {
				t.Errorf("%q: got %+v, want %s", content, e, want)
			}
		}
		s.wantPut(u, "[1,\n 2,\n 3]")
		wantStatus(t, s.complete(s.team, u.ID), http.StatusOK)
	})
}

func TestUploadURLsHold(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, s *service) {
		t.Helper()
		u, other := s.createFile(s.team, `{"filename":"a.json"}`), s.createFile(s.team, `{"filename":"b.json"}`)
		completed := s.newFile(s.team, "context", `{}`)
		download := decoded[files.Download](t, s.get(teamPays(s.team, 0), "/v1/files/"+completed.ID+"/content"))
		const valid = "application/json"
		for name, target := range map[string]string{
			"another file":    strings.Replace(u.UploadURL, u.ID, other.ID, 1),
			"a later end":     strings.Replace(u.UploadURL, "exp=", "exp=1", 1),
			"no signature":    strings.Replace(u.UploadURL, "&sig=", "&x=", 1),
			"a cut signature": u.UploadURL[:len(u.UploadURL)-1],
			"another's":       mustQuery(t, u.UploadURL, "sig", mustValue(t, other.UploadURL, "sig")),
		} {
			if e := wantError(t, s.put(target, valid, `{}`), problem.AccessDenied); !strings.Contains(e.Detail, "signature of this content URL is not valid") {
				t.Errorf("%s: got %s, want it to say why", name, e.Detail)
			}
		}
		// A URL for reading the content cannot write it, and vice versa.
		w := s.put(download.DownloadURL, valid, `{}`)
		wantError(t, w, problem.MethodNotAllowed)
		w = s.sendContent(http.MethodGet, u.UploadURL, http.Header{}, http.NoBody)
		if wantError(t, w, problem.MethodNotAllowed); w.Header().Get("Allow") != http.MethodPut {
			t.Errorf("got Allow %q, want PUT", w.Header().Get("Allow"))
		}
		key := strings.TrimPrefix(strings.Split(download.DownloadURL, "?")[0], publicURL+"/content/")
		read, err := s.urls.URL("files/"+u.ID, "", "", time.Hour)
		must(t, err)
		wantError(t, s.put(read, valid, `{}`), problem.AccessDenied)
		write, err := s.urls.WriteURL(key, time.Hour)
		must(t, err)
		wantError(t, s.sendContent(http.MethodGet, write, http.Header{}, http.NoBody), problem.AccessDenied)

		for name, header := range map[string]http.Header{
			"no type":          {},
			"a form":           {"Content-Type": {"application/x-www-form-urlencoded"}},
			"text":             {"Content-Type": {"text/json"}},
			"another charset":  {"Content-Type": {"application/json; charset=latin1"}},
			"a broken type":    {"Content-Type": {"application/json;;"}},
			"an encoding":      {"Content-Type": {valid}, "Content-Encoding": {"gzip"}},
			"a part of itself": {"Content-Type": {valid}, "Content-Range": {"bytes 0-1/2"}},
		} {
			w := s.sendContent(http.MethodPut, u.UploadURL, header, strings.NewReader(`{}`))
			if e := wantError(t, w, problem.ValidationError); !strings.Contains(e.Detail, "header.Content-") {
				t.Errorf("%s: got %s, want it to name the header", name, e.Detail)
			}
		}
		wantStatus(t, s.put(u.UploadURL, "application/json; charset=UTF-8", `{}`), http.StatusOK)
		s.clock.Advance(files.UploadTime + time.Second)
		if e := wantError(t, s.put(u.UploadURL, valid, `{}`), problem.AccessDenied); !strings.Contains(e.Detail, "expired") {
			t.Errorf("got %s, want it to say that it has expired", e.Detail)
		}
		if got := s.content(other.ID); len(got) != 0 {
			t.Errorf("got the objects %v of a file that nothing was uploaded for", got)
		}
		// A file that was uploaded in time can be completed for another hour.
		wantStatus(t, s.complete(s.team, u.ID), http.StatusOK)
	})
}

func mustValue(t *testing.T, target, name string) string {
	t.Helper()
	u, err := url.Parse(target)
	must(t, err)
	return u.Query().Get(name)
}

func mustQuery(t *testing.T, target, name, value string) string {
	t.Helper()
	u, err := url.Parse(target)
	must(t, err)
	query := u.Query()
	query.Set(name, value)
	u.RawQuery = query.Encode()
	return u.String()
}

// An upload that is still running when its file is completed, deleted or expired must not become its content.
func TestUploadThatComesTooLate(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		meanwhile func(*service, files.Upload)
		want      problem.Code
	}{
		"completed": {func(s *service, u files.Upload) { wantStatus(s.t, s.complete(s.team, u.ID), http.StatusOK) }, problem.InvalidState},
		"deleted": {func(s *service, u files.Upload) {
			wantStatus(s.t, s.do(call{method: http.MethodDelete, uri: "/v1/files/" + u.ID, identity: teamPays(s.team, 0)}), http.StatusOK)
		}, problem.FileNotFound},
		"over": {func(s *service, _ files.Upload) { s.clock.Advance(files.UploadTime) }, problem.AccessDenied},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := setup(t, options{blobs: t.TempDir()})
			u := s.createFile(s.team, `{"filename":"a.json"}`)
			s.wantPut(u, `{"first":1}`)
			before := s.content(u.ID)
			late := readerFunc(func([]byte) (int, error) {
				tt.meanwhile(s, u)
				return 0, io.EOF
			})
			w := s.sendContent(http.MethodPut, u.UploadURL, http.Header{"Content-Type": {"application/json"}}, io.MultiReader(strings.NewReader(`{"second":2}`), late))
			wantError(t, w, tt.want)
			if got := s.content(u.ID); name != "deleted" && !slices.Equal(got, before) || name == "deleted" && len(got) != 0 {
				t.Errorf("got the objects %v, want nothing of the late upload", got)
			}
		})
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func TestForeignFileIsUnknown(t *testing.T) {
	t.Parallel()
	s := setup(t, options{})
	other := s.newTeam()
	mine := s.newFile(s.team, "batch", `[]`).ID
	pending := s.createFile(s.team, `{"filename":"a.json"}`).ID
	unknown := "file_" + strings.Repeat("0", 24)
	for _, route := range []struct{ method, path string }{
		{http.MethodGet, ""}, {http.MethodGet, "/content"}, {http.MethodPost, "/complete"}, {http.MethodDelete, ""},
	} {
		ask := func(id string) string {
			w := s.do(call{method: route.method, uri: "/v1/files/" + id + route.path, identity: teamPays(other, 0)})
			e := wantError(t, w, problem.FileNotFound)
			e.ID, e.Created = "", 0
			return fmt.Sprint(e)
		}
		want := ask(unknown)
		for _, id := range []string{mine, pending, "file_", "file_" + strings.Repeat("0", 23), "scrape_" + mine[5:], strings.ToUpper(mine), "x"} {
			if got := ask(id); got != want {
				t.Errorf("%s %s: got %s, want %s", route.method, id, got, want)
			}
		}
	}
	if got := decoded[filePage](t, s.get(teamPays(other, 0), "/v1/files")); len(got.Data) != 0 || got.Object != "list" {
		t.Errorf("got %+v, want an empty list", got)
	}
	if err := s.files.Items(t.Context(), other, mine, func(int, []byte) error { return nil }); problem.From(err).Code != problem.FileNotFound {
		t.Errorf("got %v, want file_not_found", err)
	}
	wantStatus(t, s.get(teamPays(s.team, 0), "/v1/files/"+mine), http.StatusOK)
}

type filePage struct {
	Object string       `json:"object"`
	Data   []files.File `json:"data"`
	Cursor *string      `json:"cursor"`
}

func TestFilesAreListedByPage(t *testing.T) {
	t.Parallel()
	s := setup(t, options{})
	var want []string
	for i, purpose := range []string{"context", "batch", "context", "batch", "batch"} {
		want = append(want, s.newFile(s.team, purpose, `[]`).ID)
		if i%2 == 0 { // some have equal times
			s.clock.Advance(time.Second)
		}
	}
	s.createFile(s.team, `{"filename":"pending.json"}`)
	slices.Reverse(want)
	listed := func(query string) []string {
		t.Helper()
		var got []string
		for cursor, pages := "", 0; ; pages++ {
			w := s.get(teamPays(s.team, 0), "/v1/files?"+query+cursor)
			wantStatus(t, w, http.StatusOK)
			page := decoded[filePage](t, w)
			for _, f := range page.Data {
				if f.Status != "completed" {
					t.Errorf("got %+v, want completed files only", f)
				}
				got = append(got, f.ID)
			}
			if page.Cursor == nil || pages > 9 {
				return got
			}
			cursor = "&cursor=" + *page.Cursor
		}
	}
	all := listed("")
	slices.Sort(all)
	sorted := slices.Sorted(slices.Values(want))
	if !slices.Equal(all, sorted) {
		t.Errorf("got %v, want %v", all, sorted)
	}
	for _, query := range []string{"limit=1", "limit=2", "limit=5"} {
		if got := listed(query); !slices.Equal(got, listed("")) {
			t.Errorf("%s: got %v, want %v", query, got, listed(""))
		}
	}
	if got := listed("purpose=batch&limit=2"); len(got) != 3 {
		t.Errorf("got %v, want the 3 for batches", got)
	}
	for _, query := range []string{
		"purpose=other", "limit=0", "limit=101", "limit=x", "limit=1.5", "limit=-1", "cursor=x", "cursor=" + all[0],
		"cursor=" + base64.RawURLEncoding.EncodeToString([]byte("-1."+all[0])),
		"cursor=" + base64.RawURLEncoding.EncodeToString([]byte("9223372036854775807."+all[0])),
		"cursor=" + base64.RawURLEncoding.EncodeToString([]byte("1.scrape_1")),
	} {
		wantError(t, s.get(teamPays(s.team, 0), "/v1/files?"+query), problem.ValidationError)
	}
}

func TestFileIsDeleted(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, s *service) {
		t.Helper()
		f := s.newFile(s.team, "batch", `[]`)
		download := decoded[files.Download](t, s.get(teamPays(s.team, 0), "/v1/files/"+f.ID+"/content"))
		remove := func() *httptest.ResponseRecorder {
			return s.do(call{method: http.MethodDelete, uri: "/v1/files/" + f.ID, identity: teamPays(s.team, 0)})
		}
		w := remove()
		wantStatus(t, w, http.StatusOK)
		if got := strings.TrimSpace(w.Body.String()); got != `{"id":"`+f.ID+`","object":"file","deleted":true}` {
			t.Errorf("got %s", got)
		}
		wantError(t, remove(), problem.FileNotFound)
		wantError(t, s.get(teamPays(s.team, 0), "/v1/files/"+f.ID), problem.FileNotFound)
		wantError(t, s.complete(s.team, f.ID), problem.FileNotFound)
		wantError(t, s.sendContent(http.MethodGet, download.DownloadURL, http.Header{}, http.NoBody), problem.NotFound)
		if got := s.content(f.ID); len(got) != 0 {
			t.Errorf("got the objects %v, want none", got)
		}
		if got := decoded[filePage](t, s.get(teamPays(s.team, 0), "/v1/files")); len(got.Data) != 0 {
			t.Errorf("got %+v, want an empty list", got)
		}
	})
}

// The sweeper deletes completed files after 30 days, pending ones when they can no longer be completed, and the remains
// of an upload whose process died.
func TestFilesExpire(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, s *service) {
		t.Helper()
		ctx := t.Context()
		pending, completed := s.createFile(s.team, `{"filename":"a.json"}`), s.newFile(s.team, "batch", `[1]`)
		s.wantPut(pending, `{}`)
		must(t, s.blobs.Put(ctx, "files/"+completed.ID+"/leftover", "", []byte("half")))
		purge := func(want int64) {
			t.Helper()
			for _, n := range []int64{want, 0} {
				if got, err := s.files.Purge(ctx, 100); err != nil || got != n {
					t.Fatalf("got %d, %v, want %d", got, err, n)
				}
			}
		}
		statusOf := func(id string) string {
			t.Helper()
			return decoded[files.File](t, s.get(teamPays(s.team, 0), "/v1/files/"+id)).Status
		}
		purge(0)
		s.clock.Advance(files.UploadTime + time.Hour)
		if got := statusOf(pending.ID); got != "expired" { // even before the sweeper runs
			t.Errorf("got %s, want expired", got)
		}
		wantWrongState(t, s.complete(s.team, pending.ID))
		purge(1)
		if got := s.content(pending.ID); len(got) != 0 || statusOf(pending.ID) != "expired" {
			t.Errorf("got the objects %v and status %s, want none, expired", got, statusOf(pending.ID))
		}
		wantError(t, s.put(pending.UploadURL, "application/json", `{}`), problem.AccessDenied)

		s.clock.Advance(completed.Expires.Add(-30 * time.Minute).Sub(s.clock.Now()))
		download := decoded[files.Download](t, s.get(teamPays(s.team, 0), "/v1/files/"+completed.ID+"/content"))
		if download.ExpiresIn > 30*60 {
			t.Errorf("got a URL for %d s, want none beyond the file's end", download.ExpiresIn)
		}
		purge(0)
		s.clock.Advance(31 * time.Minute)
		if got := decoded[filePage](t, s.get(teamPays(s.team, 0), "/v1/files")); len(got.Data) != 0 {
			t.Errorf("got %+v, want an empty list", got)
		}
		purge(1)
		if got := s.content(completed.ID); len(got) != 0 || statusOf(completed.ID) != "expired" {
			t.Errorf("got the objects %v and status %s, want none, expired", got, statusOf(completed.ID))
		}
		wantError(t, s.get(teamPays(s.team, 0), "/v1/files/"+completed.ID+"/content"), problem.InvalidState)
		s.clock.Advance(30*24*time.Hour + time.Second)
		purge(2)
		wantError(t, s.get(teamPays(s.team, 0), "/v1/files/"+completed.ID), problem.FileNotFound)
	})
}

func TestItemsOfFiles(t *testing.T) {
	t.Parallel()
	s := setup(t, options{})
	items := func(id string) (got []string, err error) {
		err = s.files.Items(t.Context(), s.team, id, func(i int, raw []byte) error {
			if i != len(got) {
				return errors.New("items do not count on")
			}
			got = append(got, string(raw))
			return nil
		})
		return got, err
	}
	f := s.newFile(s.team, "batch", "[ {\"url\": \"https://a.example/\"} ,\n{\"url\":\"https://b.example/\"}]")
	got, err := items(f.ID)
	if err != nil || !slices.Equal(got, []string{`{"url": "https://a.example/"}`, `{"url":"https://b.example/"}`}) {
		t.Errorf("got %q, %v, want both items", got, err)
	}
	large := `"` + strings.Repeat("a", files.ItemBytesMax-1) + `"`
	for name, tt := range map[string]struct {
		purpose, content, want string
	}{
		"an object":        {"batch", `{}`, "not a JSON list"},
		"for answers":      {"context", `[]`, "purpose context"},
		"a too large item": {"batch", "[1,\n" + large + "]", "item 1, in line 2, is larger than 65536 bytes"},
	} {
		_, err := items(s.newFile(s.team, tt.purpose, tt.content).ID)
		if e := problem.From(err); e.Code != problem.ValidationError || !strings.Contains(e.Detail, "body.file_id: ") || !strings.Contains(e.Detail, tt.want) {
			t.Errorf("%s: got %v, want %s", name, err, tt.want)
		}
	}
	if _, err := items(s.createFile(s.team, `{"filename":"a.json"}`).ID); problem.From(err).Code != problem.InvalidState {
		t.Errorf("pending: got %v, want invalid_state", err)
	}
	own := errors.New("own")
	if err := s.files.Items(t.Context(), s.team, f.ID, func(int, []byte) error { return own }); !errors.Is(err, own) {
		t.Errorf("got %v, want the callee's error", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.files.Items(ended, s.team, f.ID, func(int, []byte) error { return nil }); err == nil {
		t.Error("got nil, want an error for an ended context")
	}
}

// A team that sends slowly uses up only its own share, and refused bodies are not read.
func TestUploadsUnderWayAreBounded(t *testing.T) {
	t.Parallel()
	s := setup(t, options{files: func(c *files.Config) { c.Places = admission.New(admission.Config{Size: 4}) }})
	other := s.newTeam()
	started, release := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	for range 2 { // half of the places
		u := s.createFile(s.team, `{"filename":"a.json"}`)
		var once sync.Once
		slow := readerFunc(func([]byte) (int, error) {
			once.Do(func() { started <- struct{}{} })
			<-release
			return 0, io.EOF
		})
		wg.Go(func() {
			w := s.sendContent(http.MethodPut, u.UploadURL, http.Header{"Content-Type": {"application/json"}}, io.MultiReader(slow, strings.NewReader(`{}`)))
			if w.Code != http.StatusOK {
				t.Errorf("got %d %s, want 200", w.Code, w.Body)
			}
		})
		<-started
	}
	third := s.createFile(s.team, `{"filename":"a.json"}`)
	unread := readerFunc(func([]byte) (int, error) {
		t.Error("the body was read")
		return 0, io.EOF
	})
	w := s.sendContent(http.MethodPut, third.UploadURL, http.Header{"Content-Type": {"application/json"}}, unread)
	if wantError(t, w, problem.Overloaded); w.Header().Get("Retry-After") != "2" {
		t.Errorf("got Retry-After %q, want 2", w.Header().Get("Retry-After"))
	}
	s.newFile(other, "context", `{}`)
	close(release)
	wg.Wait()
	s.wantPut(third, `{}`)
}
