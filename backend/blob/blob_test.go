package blob

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	_ "gocloud.dev/blob/s3blob"

	"github.com/turnpike-edge/turnpike/dev/s3"
)

// stores opens one store of each engine.
func stores(t *testing.T) map[string]*Store {
	t.Helper()
	out := map[string]*Store{}
	for name, location := range map[string]string{
		"directory": filepath.Join(t.TempDir(), "a", "b"),
		"file":      "file://" + filepath.ToSlash(t.TempDir()),
		"memory":    "mem://",
	} {
		out[name] = opened(t, location)
	}
	return out
}

func opened(t *testing.T, location string) *Store {
	t.Helper()
	store, err := Open(t.Context(), location)
	if err != nil {
		t.Fatalf("opening %s: %v", location, err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}

// conform runs a test of the conformance suite on each engine, S3 included.
func conform(t *testing.T, test func(*testing.T, *Store)) {
	t.Helper()
	for name, store := range stores(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, store)
		})
	}
	t.Run("s3", func(t *testing.T) {
		t.Parallel()
		test(t, opened(t, s3.NewBucket(t)))
	})
}

func TestStore(t *testing.T) {
	t.Parallel()
	conform(t, func(t *testing.T, store *Store) {
		t.Helper()
		ctx := t.Context()
		if err := store.Ready(ctx); err != nil {
			t.Fatal(err)
		}
		const key = "team_1/scrape_2/page.html"
		if _, err := store.Open(ctx, key); !errors.Is(err, ErrNotFound) {
			t.Fatalf("got %v, want ErrNotFound", err)
		}
		if _, err := store.Read(ctx, key); !errors.Is(err, ErrNotFound) {
			t.Fatalf("got %v, want ErrNotFound", err)
		}
		for _, content := range []string{"first", "the second", ""} {
			if err := store.Put(ctx, key, "text/html; charset=utf-8", []byte(content)); err != nil {
				t.Fatal(err)
			}
			checkObject(t, store, key, content)
		}
		const other = "team_1/scrape_3/page.html"
		if err := store.Put(ctx, key, "text/html; charset=utf-8", []byte("to copy")); err != nil {
			t.Fatal(err)
		}
		if err := store.Copy(ctx, other, key); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := store.Delete(ctx, key); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := store.Open(ctx, key); !errors.Is(err, ErrNotFound) {
			t.Fatalf("after deleting: got %v, want ErrNotFound", err)
		}
		checkObject(t, store, other, "to copy")
		if err := store.Copy(ctx, other, key); !errors.Is(err, ErrNotFound) {
			t.Errorf("copying what is not there: got %v, want ErrNotFound", err)
		}
		checkObject(t, store, other, "to copy")
	})
}

func checkObject(t *testing.T, store *Store, key, want string) {
	t.Helper()
	object, err := store.Open(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	defer object.Close()
	got, err := io.ReadAll(object)
	if err != nil || string(got) != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	if object.Info.Size != int64(len(want)) || object.Info.ContentType != "text/html; charset=utf-8" || object.Info.Key != key {
		t.Errorf("got %+v, want size %d and the type as written", object.Info, len(want))
	}
	if !strings.HasPrefix(object.Info.ETag, `"`) || object.Info.ModTime.IsZero() {
		t.Errorf("got %+v, want a quoted tag and a time", object.Info)
	}
}

type brokenReader struct{ first bool }

func (b *brokenReader) Read(p []byte) (int, error) {
	if !b.first {
		b.first = true
		return copy(p, "half"), nil
	}
	return 0, io.ErrUnexpectedEOF
}

func TestFailedWriteLeavesWhatWas(t *testing.T) {
	t.Parallel()
	conform(t, func(t *testing.T, store *Store) {
		t.Helper()
		if err := store.Put(t.Context(), "k", "text/plain", []byte("whole")); err != nil {
			t.Fatal(err)
		}
		if err := store.PutFrom(t.Context(), "k", "text/plain", &brokenReader{}); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatalf("got %v, want the reader's error", err)
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if err := store.Put(ended, "k", "text/plain", []byte("other")); err == nil {
			t.Fatal("got nil, want an error for an ended context")
		}
		if got, err := store.Read(t.Context(), "k"); err != nil || string(got) != "whole" {
			t.Errorf("got %q, %v, want what was there", got, err)
		}
	})
}

func TestConcurrentWritesAreWhole(t *testing.T) {
	t.Parallel()
	conform(t, func(t *testing.T, store *Store) {
		t.Helper()
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				if err := store.Put(t.Context(), "k", "", bytes.Repeat([]byte{byte(i)}, 100_000)); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		got, err := store.Read(t.Context(), "k")
		if err != nil || len(got) != 100_000 || bytes.Count(got, got[:1]) != len(got) {
			t.Errorf("got %d bytes, %v, want one writer's, whole", len(got), err)
		}
	})
}

func TestDeleteAll(t *testing.T) {
	t.Parallel()
	conform(t, func(t *testing.T, store *Store) {
		t.Helper()
		ctx := t.Context()
		for _, key := range []string{"a/b/1", "a/b/2", "a/b/c/3", "a/bc", "a/b2/4"} {
			if err := store.Put(ctx, key, "", []byte(key)); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 {
			if err := store.DeleteAll(ctx, "a/b"); err != nil {
				t.Fatal(err)
			}
		}
		for key, want := range map[string]error{"a/b/1": ErrNotFound, "a/b/2": ErrNotFound, "a/b/c/3": ErrNotFound, "a/bc": nil, "a/b2/4": nil} {
			if _, err := store.Read(ctx, key); !errors.Is(err, want) {
				t.Errorf("%s: got %v, want %v", key, err, want)
			}
		}
		for _, segments := range []string{"", "a/", "../a"} {
			if err := store.DeleteAll(ctx, segments); !errors.Is(err, ErrInvalidKey) {
				t.Errorf("%q: got %v, want ErrInvalidKey", segments, err)
			}
		}
	})
}

// An object of several parts, and one that fails in its second part: engines that write in parts must not leave half an
// object.
func TestLargeObjects(t *testing.T) {
	t.Parallel()
	conform(t, func(t *testing.T, store *Store) {
		t.Helper()
		const size = 11 << 20
		content := io.LimitReader(rand.NewChaCha8([32]byte{1}), size)
		sum := sha256.New()
		if err := store.PutFrom(t.Context(), "large", "", io.TeeReader(content, sum)); err != nil {
			t.Fatal(err)
		}
		broken := io.MultiReader(io.LimitReader(rand.NewChaCha8([32]byte{2}), size-1), &brokenReader{})
		if err := store.PutFrom(t.Context(), "large", "", broken); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatalf("got %v, want the reader's error", err)
		}
		object, err := store.Open(t.Context(), "large")
		if err != nil {
			t.Fatal(err)
		}
		defer object.Close()
		got := sha256.New()
		if n, err := io.Copy(got, object); err != nil || n != size || !bytes.Equal(got.Sum(nil), sum.Sum(nil)) {
			t.Errorf("got %d bytes, %v, want the %d that were written whole", n, err, size)
		}
		if _, err := object.Seek(-1, io.SeekEnd); err != nil {
			t.Fatal(err)
		}
		if last, err := io.ReadAll(object); err != nil || len(last) != 1 {
			t.Errorf("got %d bytes, %v, want the last one", len(last), err)
		}
	})
}

func TestWriteURL(t *testing.T) {
	t.Parallel()
	b := setup(t, "https://example.com")
	read := mustSign(t, b, "k", "", "")
	write, err := b.signer.WriteURL("k", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	verify := func(target string) error {
		_, err := b.signer.VerifyWrite(httptest.NewRequest(http.MethodPut, target, http.NoBody))
		return err
	}
	for target, want := range map[string]error{
		write: nil, write + "&utm_source=mail": nil, read: ErrBadSignature, read + "&op=put": ErrBadSignature,
		strings.Replace(write, "/k?", "/l?", 1):       ErrBadSignature,
		strings.Replace(write, "exp=1", "exp=2", 1):   ErrBadSignature,
		strings.Replace(write, "op=put", "op=get", 1): nil, // it only names what is signed
		write + "&sig=x":                                ErrBadSignature,
		"https://example.com/content/k?op=put":          ErrBadSignature,
		strings.Replace(write, "/content/k", "/x/k", 1): ErrBadSignature,
	} {
		if err := verify(target); !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", target, err, want)
		}
	}
	if b.request(http.MethodGet, write, nil); !errors.Is(b.failed, ErrBadSignature) {
		t.Errorf("reading by it: got %v, want ErrBadSignature", b.failed)
	}
	b.now = start.Add(time.Hour)
	if err := verify(write); !errors.Is(err, ErrExpired) {
		t.Errorf("at its end: got %v, want ErrExpired", err)
	}
	if _, err := b.signer.WriteURL("../k", time.Hour); !errors.Is(err, ErrInvalidKey) {
		t.Errorf("got %v, want ErrInvalidKey", err)
	}
	if _, err := b.signer.WriteURL("k", 0); err == nil {
		t.Error("got nil, want an error for no time to live")
	}
}

func TestCheckKey(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"a", "a/b", "scrape_1/page.html", "A-b_c.d/" + Digest(nil), strings.Repeat("a", 512)} {
		if err := CheckKey(key); err != nil {
			t.Errorf("%q: got %v, want nil", key, err)
		}
	}
	store := stores(t)["directory"]
	for _, key := range []string{
		"", "/", "/a", "a/", "a//b", ".", "..", "../a", "a/../b", "a/./b", ".hidden", "a/.b", `a\b`, "a b", "a%2fb", "ä", "a\x00",
		"a\n", "a?b", "a:b", "a.attrs", "1/2/3/4/5/6/7/8/9", strings.Repeat("a", 513),
	} {
		for name, err := range map[string]error{
			"CheckKey": CheckKey(key),
			"Put":      store.Put(t.Context(), key, "", nil),
			"Delete":   store.Delete(t.Context(), key),
		} {
			if !errors.Is(err, ErrInvalidKey) {
				t.Errorf("%s(%q): got %v, want ErrInvalidKey", name, key, err)
			}
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, location := range []string{"", "file://host/path", "file://", "ftp://x", file} {
		if store, err := Open(t.Context(), location); err == nil {
			_ = store.Close()
			t.Errorf("%q: got nil, want an error", location)
		}
	}
}

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

type bundle struct {
	store  *Store
	signer *Signer
	now    time.Time
	failed error
	http.Handler
}

func setup(t testing.TB, base string) *bundle {
	t.Helper()
	b := &bundle{now: start}
	store, err := Open(t.Context(), "mem://")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	b.store = store
	b.signer, err = NewSigner(SignerConfig{
		Secret: bytes.Repeat([]byte{7}, 32), BaseURL: base, Now: func() time.Time { return b.now },
	})
	if err != nil {
		t.Fatal(err)
	}
	b.Handler = Handler(b.store, b.signer, func(w http.ResponseWriter, _ *http.Request, err error) {
		b.failed = err
		w.WriteHeader(http.StatusForbidden)
	})
	return b
}

func (b *bundle) request(method, target string, header http.Header) *httptest.ResponseRecorder {
	b.failed = nil
	r := httptest.NewRequest(method, target, http.NoBody)
	maps.Copy(r.Header, header)
	w := httptest.NewRecorder()
	b.ServeHTTP(w, r)
	return w
}

func mustSign(t testing.TB, b *bundle, key, name, contentType string) string {
	t.Helper()
	signed, err := b.signer.URL(key, name, contentType, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	return signed
}

func TestHandler(t *testing.T) {
	t.Parallel()
	for _, base := range []string{"https://content.example.com", "https://example.com/deep/er/"} {
		b := setup(t, base)
		const evil = "<script>alert(1)</script>"
		if err := b.store.Put(t.Context(), "s/page.html", "text/html; charset=utf-8", []byte(evil)); err != nil {
			t.Fatal(err)
		}
		signed := mustSign(t, b, "s/page.html", "", "")
		if !strings.HasPrefix(signed, strings.TrimSuffix(base, "/")+"/content/s/page.html?exp=1767326645&sig=") {
			t.Fatalf("got %s", signed)
		}
		w := b.request(http.MethodGet, signed, nil)
		if w.Code != http.StatusOK || w.Body.String() != evil {
			t.Fatalf("got %d %q (%v), want the content", w.Code, w.Body, b.failed)
		}
		for name, want := range map[string]string{
			"Content-Type":                 "text/html; charset=utf-8",
			"Content-Disposition":          "attachment; filename=page.html",
			"Content-Security-Policy":      "sandbox; default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
			"X-Content-Type-Options":       "nosniff",
			"Cross-Origin-Resource-Policy": "cross-origin",
			"Referrer-Policy":              "no-referrer",
			"Cache-Control":                "private, max-age=3600",
			"Content-Length":               strconv.Itoa(len(evil)),
		} {
			if got := w.Header().Get(name); got != want {
				t.Errorf("got %s %q, want %q", name, got, want)
			}
		}

		head := b.request(http.MethodHead, signed, nil)
		if head.Code != http.StatusOK || head.Body.Len() != 0 || head.Header().Get("Content-Length") != strconv.Itoa(len(evil)) {
			t.Errorf("HEAD: got %d, %d bytes, %v", head.Code, head.Body.Len(), head.Header())
		}
		part := b.request(http.MethodGet, signed, http.Header{"Range": {"bytes=1-6"}})
		if part.Code != http.StatusPartialContent || part.Body.String() != "script" {
			t.Errorf("range: got %d %q", part.Code, part.Body)
		}
		same := b.request(http.MethodGet, signed, http.Header{"If-None-Match": {w.Header().Get("Etag")}})
		if same.Code != http.StatusNotModified || same.Header().Get("Content-Security-Policy") == "" {
			t.Errorf("conditional: got %d %v", same.Code, same.Header())
		}
	}
}

func TestHandlerNamesAndTypes(t *testing.T) {
	t.Parallel()
	b := setup(t, "https://example.com")
	if err := b.store.Put(t.Context(), "k", "", []byte("x")); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, contentType, wantName, wantType string }{
		{"", "", "attachment; filename=k", "application/octet-stream"},
		{"report 1.md", "text/markdown; charset=utf-8", `attachment; filename="report 1.md"`, "text/markdown; charset=utf-8"},
		{"../../etc/passwd", "", "attachment; filename=_.._etc_passwd", "application/octet-stream"},
		{"a\r\nX-Evil: 1", "text/html\r\nX-Evil: 1", `attachment; filename="a__X-Evil_ 1"`, "application/octet-stream"},
		{"größe.txt", "nonsense", "attachment; filename*=utf-8''gr%C3%B6%C3%9Fe.txt", "application/octet-stream"},
		{"a\u202egpj.exe", "image/png", "attachment; filename=a_gpj.exe", "image/png"},
		{"..", "text/plain", "attachment; filename=k", "text/plain"},
		{"\xff", "text/plain", "attachment; filename=_", "text/plain"},
	}
	for _, tt := range tests {
		w := b.request(http.MethodGet, mustSign(t, b, "k", tt.name, tt.contentType), nil)
		if w.Code != http.StatusOK {
			t.Errorf("%q: got %d, %v", tt.name, w.Code, b.failed)
		}
		if got := w.Header().Get("Content-Disposition"); got != tt.wantName {
			t.Errorf("%q: got %s, want %s", tt.name, got, tt.wantName)
		}
		if got := w.Header().Get("Content-Type"); got != tt.wantType {
			t.Errorf("%q: got %s, want %s", tt.name, got, tt.wantType)
		}
		if w.Header().Get("X-Evil") != "" {
			t.Errorf("%q: a header was injected", tt.name)
		}
	}
}

func TestHandlerRefuses(t *testing.T) {
	t.Parallel()
	b := setup(t, "https://example.com")
	for _, key := range []string{"mine", "other"} {
		if err := b.store.Put(t.Context(), key, "", []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	good := mustSign(t, b, "mine", "n", "text/plain")
	parsed, err := url.Parse(good)
	if err != nil {
		t.Fatal(err)
	}
	with := func(name, value string) string {
		query := parsed.Query()
		query.Set(name, value)
		return parsed.Path + "?" + query.Encode()
	}
	tests := []struct {
		name, method, target string
		want                 error
	}{
		{"as it is", "GET", good, nil},
		{"with a foreign parameter", "GET", good + "&utm_source=mail", nil},
		{"write", "PUT", good, ErrMethodNotAllowed},
		{"no signature", "GET", "/content/mine", ErrBadSignature},
		{"other key", "GET", strings.Replace(good, "/mine?", "/other?", 1), ErrBadSignature},
		{"escaped key", "GET", strings.Replace(good, "/mine?", "/%6dine?", 1), ErrBadSignature},
		{"traversal", "GET", strings.Replace(good, "/mine?", "/../mine?", 1), ErrBadSignature},
		{"later end", "GET", with("exp", "9999999999"), ErrBadSignature},
		{"end with a plus", "GET", with("exp", "x"), ErrBadSignature},
		{"other name", "GET", with("name", "m"), ErrBadSignature},
		{"other type", "GET", with("type", "text/html"), ErrBadSignature},
		{"fields moved", "GET", with("name", "nt"), ErrBadSignature},
		{"empty signature", "GET", with("sig", ""), ErrBadSignature},
		{"not base64", "GET", with("sig", "%%%"), ErrBadSignature},
		{"doubled", "GET", good + "&exp=1", ErrBadSignature},
		{"broken query", "GET", good + "&%zz", ErrBadSignature},
		{"signed, not there", "GET", mustSign(t, b, "gone", "", ""), ErrNotFound},
	}
	for _, tt := range tests {
		b.request(tt.method, tt.target, nil)
		if !errors.Is(b.failed, tt.want) || (tt.want == nil && b.failed != nil) {
			t.Errorf("%s: got %v, want %v", tt.name, b.failed, tt.want)
		}
	}

	b.now = start.Add(time.Hour - time.Second)
	if w := b.request("GET", good, nil); w.Code != http.StatusOK || w.Header().Get("Cache-Control") != "private, max-age=1" {
		t.Errorf("a second before the end: got %d %v", w.Code, w.Header())
	}
	b.now = start.Add(time.Hour)
	if b.request("GET", good, nil); !errors.Is(b.failed, ErrExpired) {
		t.Errorf("at the end: got %v, want ErrExpired", b.failed)
	}
	if b.request("GET", with("name", "m"), nil); !errors.Is(b.failed, ErrBadSignature) {
		t.Errorf("changed and over: got %v, want ErrBadSignature", b.failed)
	}
}

func TestNewSignerNamesAllFaults(t *testing.T) {
	t.Parallel()
	_, err := NewSigner(SignerConfig{Secret: []byte("short"), BaseURL: "example.com"})
	for _, want := range []string{"Secret", "BaseURL", "Now"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want it to name %s", err, want)
		}
	}
	b := setup(t, "https://example.com")
	if _, err := b.signer.URL("../x", "", "", time.Hour); !errors.Is(err, ErrInvalidKey) {
		t.Errorf("got %v, want ErrInvalidKey", err)
	}
	if _, err := b.signer.URL("x", "", "", 0); err == nil {
		t.Error("got nil, want an error for no time to live")
	}
}

// FuzzVerify: only URLs that we signed are granted.
func FuzzVerify(f *testing.F) {
	b := setup(f, "https://example.com/base")
	good := mustSign(f, b, "a/b", "n", "text/plain")
	f.Add(good)
	for _, seed := range []string{
		strings.Replace(good, "exp=1", "exp=+1", 1), strings.Replace(good, "sig=", "sig=A", 1), good + "#x", good + "&sig=",
		"/content/a/b?exp=1&sig=", "/content/../a?exp=99999999999&sig=AAAA",
	} {
		f.Add(seed)
	}
	parsed, err := url.Parse(good)
	if err != nil {
		f.Fatal(err)
	}
	want := parsed.Query()
	f.Fuzz(func(t *testing.T, target string) {
		u, err := url.Parse(target)
		if err != nil {
			return
		}
		grant, err := b.signer.Verify(&http.Request{Method: http.MethodGet, URL: u})
		if err != nil {
			if !errors.Is(err, ErrBadSignature) && !errors.Is(err, ErrExpired) {
				t.Fatalf("%q: got %v", target, err)
			}
			return
		}
		if grant.Key != "a/b" || grant.Name != want.Get("name") || grant.ContentType != want.Get("type") ||
			u.Query().Get("sig") != want.Get("sig") {
			t.Fatalf("%q: granted %+v", target, grant)
		}
	})
}

func FuzzCheckKey(f *testing.F) {
	for _, seed := range []string{"a/b", "../a", "a//b", ".a", "a\\b", "ä"} {
		f.Add(seed)
	}
	root := filepath.Join(string(filepath.Separator), "root")
	f.Fuzz(func(t *testing.T, key string) {
		if CheckKey(key) != nil {
			return
		}
		joined := filepath.Join(root, filepath.FromSlash(key))
		if !strings.HasPrefix(joined, root+string(filepath.Separator)) || joined != root+string(filepath.Separator)+filepath.FromSlash(key) {
			t.Fatalf("%q leads to %q", key, joined)
		}
		if url.PathEscape(strings.ReplaceAll(key, "/", "")) != strings.ReplaceAll(key, "/", "") {
			t.Fatalf("%q needs escaping", key)
		}
	})
}
