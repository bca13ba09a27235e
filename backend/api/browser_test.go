package api_test

import (
	"bytes"
	"encoding/base64"
	"image/png"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/page/render"
	"github.com/turnpike-edge/turnpike/backend/page/render/chromium"
	"github.com/turnpike-edge/turnpike/backend/scrapes"
	"github.com/turnpike-edge/turnpike/dev/rig"
)

// browser is shared by all tests of this package; stopBrowser ends it.
var browser = sync.OnceValues(func() (*render.Renderer, error) {
	return render.New(render.Config{NetworkIdle: 200 * time.Millisecond, ActionTimeout: time.Second})
})

func stopBrowser() {
	if r, err := browser(); err == nil {
		_ = r.Close()
	}
}

// withBrowser sets up a service that renders pages. Without a browser the test is skipped.
func withBrowser(t *testing.T) *service {
	t.Helper()
	if _, err := chromium.Find(""); err != nil {
		t.Skipf("%v (scripts/install-needs test installs one)", err)
	}
	if err := rig.Sandbox(); err != nil {
		t.Skip(err)
	}
	r, err := browser()
	must(t, err)
	return setup(t, options{scrapes: func(c *scrapes.Config) { c.Renderer = r }})
}

// shellPage is empty until its scripts have run; then it has a form and shows the size of its window.
const shellPage = `<!doctype html><html><head><title>Shop</title><meta name="viewport" content="width=device-width"></head><body><div id="root"></div>
<noscript>You need to enable JavaScript to run this app.</noscript><script>
document.getElementById("root").innerHTML = '<h1>Ropes and lines</h1><p>Everything that a harbour needs, sold by the metre.</p>' +
	'<input id="q"><button id="go">Search</button><p id="found"></p><p>Window ' + innerWidth + ' by ' + innerHeight + '</p>';
document.getElementById("go").addEventListener("click", () => {
	document.getElementById("found").textContent = "Found " + document.getElementById("q").value;
});
setTimeout(() => { document.getElementById("root").append("Late delivery") }, 1500);
</script></body></html>`

var dot = func() []byte {
	data, err := base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
	if err != nil {
		panic(err)
	}
	return data
}()

func serveShop(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/page":
		servePage(w, r)
	case "/dot.png":
		w.Header().Set("Content-Type", "image/png")
		_, _ = w.Write(dot)
	case "/data.json":
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"ropes":3}`))
	case "/file.zip":
		w.Header().Set("Content-Type", "application/zip")
		_, _ = w.Write([]byte("PK\x05\x06" + strings.Repeat("\x00", 18)))
	case "/file.pdf":
		w.Header().Set("Content-Type", "application/pdf")
		_, _ = w.Write([]byte("%PDF-1.4\n%%EOF\n"))
	default:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(shellPage))
	}
}

func TestRenderedScrapes(t *testing.T) {
	t.Parallel()
	s, site := withBrowser(t), newTarget(t, serveShop)
	tests := []struct {
		name, path, options string
		rendered            bool
		reason              string
		want, not           string
	}{
		{"a shell", "/", `"formats":["markdown"]`, true, "shell for scripts (empty #root)", "sold by the metre", ""},
		{"a shell that is to stay one", "/", `"formats":["text"],"render":"never"`, false, "render: never", "", "metre"},
		{"a page", "/page", `"formats":["markdown"]`, false, "not needed", "World", ""},
		{"a page in a browser", "/page", `"formats":["html"],"render":"always"`, true, "render: always", "World", ""},
		{"data", "/data.json", `"formats":["text"]`, false, "not a page", `"ropes": 3`, ""},
		{"data in a browser", "/data.json", `"formats":["text"],"render":"always"`, true, "render: always", `"ropes": 3`, "pre"},
		{
			"actions", "/", `"formats":["text"],"actions":[{"type":"fill_input","selector":"#q","value":"hawser"},{"type":"click","selector":"#go"}]`, true,
			"needed for actions", "Found hawser", "",
		},
		{"a wait", "/", `"formats":["text"],"wait_before_scraping":2000`, true, "needed for wait_before_scraping", "Late delivery", ""},
		{"an action that waits", "/", `"formats":["text"],"actions":[{"type":"wait","milliseconds":2000}]`, true, "needed for actions", "Late delivery", ""},
		{"a screen", "/", `"formats":["text"],"screen_size":{"screen_type":"mobile"}`, true, "needed for screen_size", "Window 414 by 896", ""},
		{"numbers before a type", "/", `"formats":["text"],"screen_size":{"screen_type":"desktop","screen_width":800}`, true, "needed for screen_size", "Window 800 by 1080", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := s.scrape(teamPays(s.team, 1), bodyFor(site.URL+tt.path, tt.options))
			wantStatus(t, w, http.StatusOK)
			got := decoded[scrapes.Scrape](t, w).Result
			if got.PageMetadata.Rendered != tt.rendered || got.PageMetadata.RenderReason != tt.reason || got.PageMetadata.StatusCode != 200 {
				t.Errorf("got %+v, want rendered %t for %q", got.PageMetadata, tt.rendered, tt.reason)
			}
			text := said(got.HTML) + said(got.Markdown) + said(got.Text)
			if !strings.Contains(text, tt.want) || (tt.not != "" && strings.Contains(text, tt.not)) {
				t.Errorf("got %q, want %q in it and not %q", text, tt.want, tt.not)
			}
		})
	}
}

func said(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func TestRenderedFiles(t *testing.T) {
	t.Parallel()
	s, site := withBrowser(t), newTarget(t, serveShop)
	tests := []struct {
		name, path, options string
		shot, printed       string // how the file begins; "": none
		width, height       int    // of the screenshot
		text                string
	}{
		{"a screenshot", "/", `"formats":["screenshot"]`, "\x89PNG", "", 1024, 768, ""},
		{"a screenshot with the text", "/", `"formats":["screenshot","markdown"],"screen_size":{"screen_type":"mobile"}`, "\x89PNG", "", 414, 896, "metre"},
		{"a screenshot by its options", "/", `"formats":["markdown"],"screenshot":{"full_page":false}`, "\x89PNG", "", 1024, 768, "metre"},
		{"a screenshot of an image", "/dot.png", `"formats":["screenshot"]`, "\x89PNG", "", 1024, 768, ""},
		{"a print", "/", `"formats":["raw_pdf","text"]`, "", "%PDF-", 0, 0, "metre"},
		{"a print of an image", "/dot.png", `"formats":["raw_pdf"]`, "", "%PDF-", 0, 0, ""},
		{"a PDF file", "/file.pdf", `"formats":["raw_pdf"]`, "", "%PDF-1.4\n%%EOF\n", 0, 0, ""},
		{"a PDF file in a browser", "/file.pdf", `"formats":["raw_pdf"],"render":"always"`, "", "%PDF-1.4\n%%EOF\n", 0, 0, ""},
		{"both", "/page", `"formats":["raw_pdf","screenshot"],"screenshot":{"full_page":true}`, "\x89PNG", "%PDF-", 1024, 768, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := s.scrape(teamPays(s.team, 1), bodyFor(site.URL+tt.path, tt.options))
			wantStatus(t, w, http.StatusOK)
			scrape := decoded[scrapes.Scrape](t, w)
			got := scrape.Result
			if text := said(got.Markdown) + said(got.Text); !strings.Contains(text, tt.text) {
				t.Errorf("got %q, want %q in it", text, tt.text)
			}
			shot := s.hosted(got.ScreenshotHostedURL, "image/png")
			if !strings.HasPrefix(shot, tt.shot) || (tt.shot == "") != (shot == "") {
				t.Fatalf("got a screenshot %.10q, want %q", shot, tt.shot)
			}
			if shot != "" {
				picture, err := png.DecodeConfig(bytes.NewReader([]byte(shot)))
				if err != nil || picture.Width != tt.width || picture.Height != tt.height {
					t.Errorf("got a picture of %d by %d (%v), want %d by %d", picture.Width, picture.Height, err, tt.width, tt.height)
				}
			}
			if printed := s.hosted(got.RawPDFHostedURL, "application/pdf"); !strings.HasPrefix(printed, tt.printed) || (tt.printed == "") != (printed == "") {
				t.Errorf("got a PDF %.20q, want %q", printed, tt.printed)
			}
			if again := s.get(teamPays(s.team, 0), "/v1/scrapes/"+scrape.ID); again.Body.String() != w.Body.String() {
				t.Errorf("read again: got %s, want %s", again.Body, w.Body)
			}
			if all := s.get(teamPays(s.team, 0), "/v1/retrieve?retrieve_id="+scrape.RetrieveID); all.Code != http.StatusOK {
				t.Errorf("retrieved: got %d %s", all.Code, all.Body)
			}
		})
	}
}

// hosted is the content at a signed URL; "" without one.
func (s *service) hosted(address *string, mediaType string) string {
	s.t.Helper()
	if address == nil {
		return ""
	}
	w := s.do(call{method: http.MethodGet, uri: strings.TrimPrefix(*address, publicURL)})
	wantStatus(s.t, w, http.StatusOK)
	if got := w.Header().Get("Content-Type"); got != mediaType {
		s.t.Errorf("hosted: got type %q, want %q", got, mediaType)
	}
	return w.Body.String()
}

func TestRendersThatFail(t *testing.T) {
	t.Parallel()
	s, site := withBrowser(t), newTarget(t, serveShop)
	tests := []struct {
		name, path, options string
		code                problem.Code
		reason              any
	}{
		{"an action without its element", "/", `"actions":[{"type":"wait","milliseconds":1},{"type":"click","selector":"#none"}]`, problem.FetchFailed, "action_failed"},
		{"a picture of a PDF", "/file.pdf", `"formats":["screenshot"]`, problem.UnsupportedFileType, nil},
		{"a picture of an archive", "/file.zip", `"formats":["screenshot"]`, problem.UnsupportedFileType, nil},
		{"a print of an archive", "/file.zip", `"formats":["raw_pdf"]`, problem.UnsupportedFileType, nil},
		{"text of an archive", "/file.zip", `"render":"always"`, problem.UnsupportedFileType, nil},
		{"a print without a browser", "/", `"formats":["raw_pdf"],"render":"never"`, problem.ValidationError, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := wantError(t, s.scrape(teamPays(s.team, 1), bodyFor(site.URL+tt.path, tt.options)), tt.code)
			if e.Metadata["reason"] != tt.reason {
				t.Errorf("got %v, want reason %v", e.Metadata, tt.reason)
			}
			if tt.reason == "action_failed" && e.Metadata["action"] != 1.0 {
				t.Errorf("got action %v, want 1", e.Metadata["action"])
			}
		})
	}
	t.Run("nobody there", func(t *testing.T) {
		t.Parallel()
		e := wantError(t, s.scrape(teamPays(s.team, 1), bodyFor(refusing(t), `"render":"always"`)), problem.FetchFailed)
		if e.Metadata["reason"] != "connect" {
			t.Errorf("got %v, want reason connect", e.Metadata)
		}
	})
}
