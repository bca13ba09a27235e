package render

import (
	"compress/gzip"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
)

// A browser decodes pages like a plain fetch, also without a declared charset.
func TestCharsets(t *testing.T) {
	t.Parallel()
	const german = "Die Bäckerei öffnet um acht. Für Müßiggänger gibt es süße Brötchen, heiße Würstchen und kühle Getränke."
	tests := []struct {
		name, contentType, head, text string
		in                            encoding.Encoding
	}{
		{"UTF-8", "text/html", "", german, nil},
		{"UTF-8, one letter", "text/html", "", "Café", nil},
		{"UTF-8, Japanese", "text/html", "", "パン屋は八時に開きます。", nil},
		{"UTF-8 that begins as ASCII", "text/html", "<!--" + strings.Repeat("x", 100_000) + "-->", german, nil},
		{"UTF-8 in the header", "text/html; charset=utf-8", "", german, nil},
		{"UTF-8 in meta", "text/html", `<meta charset="utf-8">`, german, nil},
		{"Western", "text/html", "", german, charmap.Windows1252},
		{"Western that begins as ASCII", "text/html", "<!--" + strings.Repeat("x", 100_000) + "-->", german, charmap.Windows1252},
		{"Western, one letter", "text/html", "", "Café", charmap.Windows1252},
		{"Western in meta", "text/html", `<meta charset="iso-8859-1">`, german, charmap.Windows1252},
		{"Western in the header", "text/html; charset=windows-1252", "", german, charmap.Windows1252},
		{"Cyrillic", "text/html", "", "Пекарня открывается в восемь часов утра, и хлеб ещё тёплый.", charmap.Windows1251},
		{"Cyrillic in meta", "text/html", `<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">`, "Пекарня", charmap.Windows1251},
		{"Japanese", "text/html", "", "パン屋は八時に開きます。焼きたてのパンがあります。", japanese.ShiftJIS},
		{"Korean", "text/html", "", "빵집은 여덟 시에 문을 엽니다. 따뜻한 빵이 있습니다.", korean.EUCKR},
	}
	r := renderer(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			body := "<!doctype html><head>" + tt.head + "<title>x</title></head><body><p>" + tt.text + "</p></body>"
			if tt.in != nil {
				var err error
				if body, err = tt.in.NewEncoder().String(body); err != nil {
					t.Fatal(err)
				}
			}
			job := serving(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", tt.contentType)
				head, rest, _ := strings.Cut(body, "<p>")
				_, _ = io.WriteString(w, head)
				_ = http.NewResponseController(w).Flush()
				_, _ = io.WriteString(w, "<p>"+rest)
			}, "/")
			result, err := r.Render(t.Context(), job)
			if err != nil {
				t.Fatal(err)
			}
			if _, got, _ := strings.Cut(string(result.HTML), "<p>"); !strings.HasPrefix(got, tt.text) {
				t.Errorf("got %q, want %q", strings.TrimSuffix(got, "</p></body></html>"), tt.text)
			}
		})
	}
}

func TestIsUTF8(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		body        string
		whole, want bool
	}{
		"nothing":                {"", true, true},
		"ASCII":                  {"<p>x", true, true},
		"UTF-8":                  {"<p>é", true, true},
		"Western":                {"<p>\xe9t\xe9", true, false},
		"UTF-8 that says else":   {`<meta charset="windows-1252"><p>é`, true, false},
		"cut in a character":     {"<p>\u30d1\xe3\x83", false, true},
		"cut after a character":  {"<p>\u30d1\u30d1", false, true},
		"Western, cut":           {"<p>\xe9t\xe9", false, false},
		"cut of nothing but one": {"\xe3", false, true},
	} {
		if got := isUTF8([]byte(tt.body), tt.whole); got != tt.want {
			t.Errorf("%s: got %t, want %t", name, got, tt.want)
		}
	}
}

// A page without a declared charset is held back for sniffing, which changes neither header, cookies, status nor size.
func TestPagesThatAreHeldUp(t *testing.T) {
	t.Parallel()
	r := renderer(t)
	long := strings.Repeat("<p>"+strings.Repeat("naïve ", 2000), 100) // many reads, one ending within a character
	for name, tt := range map[string]struct {
		path, want string
		status     int
	}{
		"compressed":    {"/gzip", "<p>naïve", 200},
		"long":          {"/long", "<p>naïve", 200},
		"an error":      {"/error", "<p>désolé", 503},
		"nothing":       {"/empty", "<body></body>", 200},
		"a redirection": {"/moved", "<p>désolé", 503},
		"by a script":   {"/script", "<p>fait: c=é", 200},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			job := serving(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				w.Header().Set("X-Fixture", r.URL.Path)
				switch r.URL.Path {
				case "/gzip":
					w.Header().Set("Content-Encoding", "gzip")
					z := gzip.NewWriter(w)
					_, _ = io.WriteString(z, "<p>naïve")
					_ = z.Close()
				case "/long":
					_, _ = io.WriteString(w, long)
				case "/error":
					w.WriteHeader(http.StatusServiceUnavailable)
					_, _ = io.WriteString(w, "<p>désolé")
				case "/moved":
					http.Redirect(w, r, "/error", http.StatusFound)
				case "/script":
					w.Header().Set("Set-Cookie", "c=1; Path=/")
					w.Header().Set("Content-Security-Policy", "script-src 'nonce-a'")
					_, _ = io.WriteString(w, `<script nonce="a">document.write("<p>fait: " + document.cookie.replace("1", "é"))</script><script>document.write("<p>for" + "bidden")</script>`)
				}
			}, tt.path)
			result, err := r.Render(t.Context(), job)
			if err != nil {
				t.Fatal(err)
			}
			html := string(result.HTML)
			if !strings.Contains(html, tt.want) || strings.Contains(html, "<p>forbidden") || (tt.path == "/long" && strings.Count(html, "naïve") != 200_000) {
				t.Errorf("got %d bytes, %.300q, want %q", len(html), html, tt.want)
			}
			if at := strings.Replace(tt.path, "moved", "error", 1); result.StatusCode != tt.status || result.Header.Get("X-Fixture") != at || result.URL.String() != "http://site.test"+at {
				t.Errorf("got %d, %v at %s, want %d", result.StatusCode, result.Header, result.URL, tt.status)
			}
		})
	}
}

func TestPageThatIsTooLarge(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	r, err := New(Config{ResultBytesMax: 1000, Browsers: 1, PagesPerBrowser: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	_, err = r.Render(t.Context(), serving(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<p>"+strings.Repeat("x", 2000))
	}, "/"))
	checkError(t, err, Error{Reason: ReasonTooLarge}, "more than 1000 bytes")
}

// A page that never ends is returned as far as it arrived.
func TestPageThatNeverEnds(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	r, err := New(Config{NetworkIdleMax: 2 * time.Second, Browsers: 1, PagesPerBrowser: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	job := serving(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<p>naïve, so far"+strings.Repeat("é", 500))
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}, "/")
	result, err := r.Render(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(result.HTML), "<p>naïve, so faréé") {
		t.Errorf("got %s", result.HTML)
	}
}

// serving is a job for a path of a site that handler serves.
func serving(t *testing.T, handler http.HandlerFunc, path string) Job {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	t.Cleanup(server.CloseClientConnections)
	job := newWeb(t).job("http://site.test" + path)
	job.Dial = func(ctx context.Context, _ string) (net.Conn, error) {
		var dialer net.Dialer
		return dialer.DialContext(ctx, "tcp", server.Listener.Addr().String())
	}
	return job
}
