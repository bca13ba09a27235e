package render

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/page/fetch"
)

func TestSinglePageApp(t *testing.T) {
	t.Parallel()
	r, w := renderer(t), newWeb(t)
	result, err := r.Render(t.Context(), w.job("http://site.test/spa"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<!DOCTYPE html>", "<title>Pancakes</title>", "<h1>Pancakes</h1>", "<p>Fry until golden.</p>"} {
		if !strings.Contains(string(result.HTML), want) {
			t.Errorf("got HTML without %q:\n%s", want, result.HTML)
		}
	}
	if result.StatusCode != http.StatusOK || result.MediaType != "text/html" || result.Header.Get("X-Fixture") != "spa" {
		t.Errorf("got status %d, type %q, header %v", result.StatusCode, result.MediaType, result.Header)
	}
	if got, want := result.URL.String(), "http://site.test/spa"; got != want {
		t.Errorf("got URL %s, want %s", got, want)
	}

	job := w.job("http://site.test/spa")
	job.Actions = []Action{{Kind: ActionClick, Selector: "#next"}}
	result, err = r.Render(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(result.HTML), "<h1>Bread</h1>") || !strings.Contains(string(result.HTML), `data-trusted="true"`) {
		t.Errorf("got after a click:\n%s", result.HTML)
	}
	if got, want := result.URL.String(), "http://site.test/spa#2"; got != want {
		t.Errorf("got URL %s, want %s", got, want)
	}
}

func TestLazyList(t *testing.T) {
	t.Parallel()
	r, w := renderer(t), newWeb(t)
	job := w.job("http://site.test/list")
	for range 3 {
		job.Actions = append(job.Actions, Action{Kind: ActionScroll, Direction: ScrollDown, Amount: 20_000})
	}
	result, err := r.Render(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Count(string(result.HTML), "<li>"), 40; got != want {
		t.Errorf("got %d items after scrolling, want %d", got, want)
	}
}

func TestFormFilledByActions(t *testing.T) {
	t.Parallel()
	r, w := renderer(t), newWeb(t)
	job := w.job("http://site.test/form")
	job.Actions = []Action{
		{Kind: ActionFillInput, Selector: "input[name=name]", Value: "Zoë \"Z\""},
		{Kind: ActionFillInput, Selector: "select", Value: "Large"},
		{Kind: ActionFillInput, Selector: "[name=gift]", Value: "true"},
		{Kind: ActionFillInput, Selector: "textarea", Value: "two\nlines"},
		{Kind: ActionWait, Duration: 1},
		{Kind: ActionClick, Selector: "#send"},
	}
	result, err := r.Render(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(result.HTML), "Thank you, Zoë") {
		t.Errorf("got:\n%s", result.HTML)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	want := []string{"gift=on&name=Zo%C3%AB+%22Z%22&note=two%0D%0Alines&size=l"}
	if !slices.Equal(w.orders, want) {
		t.Errorf("got orders %q, want %q", w.orders, want)
	}
}

func TestActionsThatFail(t *testing.T) {
	t.Parallel()
	r, w := renderer(t), newWeb(t)
	for name, c := range map[string]struct {
		action Action
		want   string
	}{
		"bad selector":              {Action{Kind: ActionClick, Selector: "a[["}, "not valid CSS"},
		"does not have this option": {Action{Kind: ActionFillInput, Selector: "select", Value: "huge"}, "does not have this option"},
		"not a field":               {Action{Kind: ActionFillInput, Selector: "form", Value: "x"}, "not an input field"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			job := w.job("http://site.test/form")
			job.Actions = []Action{{Kind: ActionScroll, Direction: ScrollUp, Amount: 1}, c.action}
			_, err := r.Render(t.Context(), job)
			checkError(t, err, Error{Reason: ReasonAction, Action: 1}, c.want)
		})
	}
}

func checkError(t *testing.T, err error, want Error, text string) {
	t.Helper()
	var got *Error
	if e, ok := err.(*Error); ok { //nolint:errorlint // Render promises the type itself
		got = e
	} else {
		t.Fatalf("got error %v, want an *Error", err)
	}
	if got.Reason != want.Reason || got.Fetch != want.Fetch || got.Action != want.Action || !strings.Contains(got.Error(), text) {
		t.Errorf("got %+v (%v), want %+v with %q", *got, err, want, text)
	}
}

func TestScreenshots(t *testing.T) {
	t.Parallel()
	r, w := renderer(t), newWeb(t)
	red, green, blue, purple := color.RGBA{192, 0, 0, 255}, color.RGBA{0, 160, 0, 255}, color.RGBA{0, 0, 192, 255}, color.RGBA{128, 0, 128, 255}
	white := color.RGBA{255, 255, 255, 255}
	type spot struct {
		x, y int
		want color.RGBA
	}
	for name, c := range map[string]struct {
		screen        Screen
		shot          Screenshot
		width, height int
		spots         []spot
	}{
		"mobile":    {ScreenMobile, Screenshot{}, 414, 896, []spot{{410, 90, red}, {10, 150, green}, {400, 150, blue}, {200, 800, white}}},
		"full page": {ScreenMobile, Screenshot{FullPage: true}, 414, 2000, []spot{{410, 90, red}, {10, 150, green}, {200, 1950, purple}}},
		"default":   {Screen{}, Screenshot{}, 1024, 768, []spot{{1000, 90, red}, {500, 400, white}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			job := w.job("http://site.test/boxes")
			job.Screen, job.Screenshot = c.screen, &c.shot
			result, err := r.Render(t.Context(), job)
			if err != nil {
				t.Fatal(err)
			}
			if dir := os.Getenv("TURNPIKE_SCREENSHOTS"); dir != "" {
				if err := os.WriteFile(filepath.Join(dir, "render-"+strings.ReplaceAll(name, " ", "-")+".png"), result.Screenshot, 0o600); err != nil {
					t.Error(err)
				}
			}
			picture, err := png.Decode(bytes.NewReader(result.Screenshot))
			if err != nil {
				t.Fatal(err)
			}
			if got, want := picture.Bounds(), image.Rect(0, 0, c.width, c.height); got != want {
				t.Fatalf("got a picture of %v, want %v", got, want)
			}
			for _, s := range c.spots {
				if got := color.RGBAModel.Convert(picture.At(s.x, s.y)); got != s.want {
					t.Errorf("got %v at %d,%d, want %v", got, s.x, s.y, s.want)
				}
			}
		})
	}
}

func TestPrint(t *testing.T) {
	t.Parallel()
	r, w := renderer(t), newWeb(t)
	job := w.job("http://site.test/boxes")
	job.PDF = true
	result, err := r.Render(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(result.PDF, []byte("%PDF-")) || len(result.HTML) == 0 || result.Screenshot != nil {
		t.Errorf("got a PDF of %d bytes that starts with %.8q, HTML of %d bytes", len(result.PDF), result.PDF, len(result.HTML))
	}
}

func TestWhatTargetsAnswer(t *testing.T) {
	t.Parallel()
	r, w := renderer(t), newWeb(t)
	result, err := r.Render(t.Context(), w.job("http://site.test/missing"))
	if err != nil {
		t.Fatal(err)
	}
	if result.StatusCode != http.StatusNotFound || !strings.Contains(string(result.HTML), "Nothing here") {
		t.Errorf("got status %d and:\n%s", result.StatusCode, result.HTML)
	}

	result, err = r.Render(t.Context(), w.job("http://site.test/redirect?to=http://www.site.test/boxes"))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := result.URL.String(), "http://www.site.test/boxes"; got != want || result.Header.Get("X-Fixture") != "boxes" {
		t.Errorf("got URL %s, want %s; header %v", got, want, result.Header)
	}

	_, err = r.Render(t.Context(), w.job("http://site.test/zip"))
	checkError(t, err, Error{Reason: ReasonNavigation, Fetch: fetch.ReasonBadResponse}, "download")

	_, err = r.Render(t.Context(), w.job("http://unknown.example/"))
	checkError(t, err, Error{Reason: ReasonNavigation, Fetch: fetch.ReasonDNS}, "no such host")
}

// A page sees a mouse or a touch screen according to its screen type, whatever the machine has.
func TestPointers(t *testing.T) {
	t.Parallel()
	r, w := renderer(t), newWeb(t)
	for screen, want := range map[Screen]string{ScreenDesktop: "hover fine 0", ScreenMobile: "none coarse 1"} {
		job := w.job(holding(`<script>
			const is = (name, values) => values.find((v) => matchMedia("(" + name + ": " + v + ")").matches);
			document.write(is("hover", ["hover", "none"]), " ", is("pointer", ["fine", "coarse", "none"]), " ", Math.min(1, navigator.maxTouchPoints));
		</script>`))
		job.Screen = screen
		result, err := r.Render(t.Context(), job)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(result.HTML), want) {
			t.Errorf("%+v: got %s, want %s", screen, result.HTML, want)
		}
	}
}

// The browser refuses an untrusted certificate inside the tunnel.
func TestUntrustedCertificate(t *testing.T) {
	t.Parallel()
	r := renderer(t)
	server := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	server.Config.ErrorLog = nil
	w := &web{t: t, server: server}
	_, err := r.Render(t.Context(), w.job("https://site.test/"))
	checkError(t, err, Error{Reason: ReasonNavigation, Fetch: fetch.ReasonTLS}, "ERR_CERT")
}

func TestAdvertsAndTrackersBlocked(t *testing.T) {
	t.Parallel()
	r, w := renderer(t), newWeb(t)
	result, err := r.Render(t.Context(), w.job(holding(`<p>Text</p>
		<script src="http://www.googletagmanager.com/gtm.js"></script>
		<img src="https://stats.g.doubleclick.net/pixel.gif">`)))
	if err != nil {
		t.Fatal(err)
	}
	if result.Blocked < 2 || len(result.Refused) != 0 {
		t.Errorf("got %d blocked and %q refused, want 2 and none", result.Blocked, result.Refused)
	}
}

// Jobs are isolated: nothing of one job is visible to the next.
func TestJobsAreApart(t *testing.T) {
	t.Parallel()
	r, w := renderer(t), newWeb(t)
	leave := holding(`<script>
		document.title = "found " + document.cookie + localStorage.getItem("a") + caches;
		document.cookie = "a=1";
		localStorage.setItem("a", "2");
	</script>`)
	for range 2 {
		result, err := r.Render(t.Context(), w.job(leave))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(result.HTML), "a=1") && strings.Contains(string(result.HTML), "<title>found a=1") || strings.Contains(string(result.HTML), "<title>found 2") {
			t.Errorf("got from an earlier job:\n%s", result.HTML)
		}
	}
}

// Memory is reserved for each output of the browser, which then reports its real size.
func TestRoom(t *testing.T) {
	t.Parallel()
	r, w := renderer(t), newWeb(t)
	const screen = 100 * 50
	job := w.job(holding("<p>" + strings.Repeat("é", 1000)))
	job.Screen, job.Screenshot, job.PDF = Screen{Width: 100, Height: 50}, &Screenshot{}, true
	var asked, taken []int64
	job.Room = func(_ context.Context, bytesMax int64) (func(int64), error) {
		asked = append(asked, bytesMax)
		return func(bytes int64) { taken = append(taken, bytes) }, nil
	}
	result, err := r.Render(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	if want := []int64{int64(len(result.HTML)), int64(len(result.Screenshot)), int64(len(result.PDF))}; !slices.Equal(taken, want) {
		t.Errorf("taken: got %d, want %d", taken, want)
	}
	if len(asked) != 3 || asked[0] < taken[0] || asked[0] > 3*taken[0] || asked[1] != pixelBytes*screen || asked[2] < taken[2] {
		t.Errorf("asked for %d, want no less than %d, and little more of the HTML", asked, taken)
	}
	full := errors.New("full")
	job.Room = func(context.Context, int64) (func(int64), error) { return nil, full }
	if _, err := r.Render(t.Context(), job); !errors.Is(err, full) {
		t.Errorf("without room: got %v, want %v", err, full)
	}
}
