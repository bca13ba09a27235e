//go:build linux

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// TestEnginePages requests pages that are empty without a browser.
func TestEnginePages(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	e := newEngine(t, nil, "TURNPIKE_HOST_RATE=off")
	orders := e.site.shop(t)

	t.Run("a single-page app", func(t *testing.T) {
		t.Parallel()
		const want = "# Pancakes"
		plain := e.page(t, e.site.url+"/spa", map[string]any{"render": "never"})
		if strings.Contains(plain.Result.Markdown, want) || plain.Result.Metadata.Rendered {
			t.Errorf("without a browser: got %+v\n%s", plain.Result.Metadata, plain.Result.Markdown)
		}
		got := e.page(t, e.site.url+"/spa", nil)
		if !strings.Contains(got.Result.Markdown, want) || !strings.Contains(got.Result.Markdown, "Fry until golden.") || got.Result.Metadata.Title != "Pancakes" {
			t.Errorf("got %+v\n%s", got.Result.Metadata, got.Result.Markdown)
		}
		if m := got.Result.Metadata; !m.Rendered || !strings.HasPrefix(m.Reason, "shell for scripts") || m.Status != http.StatusOK {
			t.Errorf("got %+v, want it rendered for being a shell", m)
		}
		got = e.page(t, e.site.url+"/spa", map[string]any{"actions": []map[string]any{{"type": "click", "selector": "#next"}}})
		if !strings.Contains(got.Result.Markdown, "# Bread") {
			t.Errorf("after a click: got\n%s", got.Result.Markdown)
		}
	})
	t.Run("a list that loads as it is scrolled", func(t *testing.T) {
		t.Parallel()
		scroll := map[string]any{"type": "scroll", "direction": "down", "amount": 20_000}
		items := func(more map[string]any) int {
			more["formats"] = []string{"text"}
			return strings.Count(e.page(t, e.site.url+"/list", more).Result.Text, "Item ")
		}
		if got := items(map[string]any{"render": "always"}); got == 0 || got > 20 {
			t.Errorf("got %d items without scrolling, want those that are seen", got)
		}
		if got := items(map[string]any{"actions": []map[string]any{scroll, scroll, scroll}}); got != 40 {
			t.Errorf("got %d items, want all 40", got)
		}
	})
	t.Run("a form that is filled", func(t *testing.T) {
		t.Parallel()
		got := e.page(t, e.site.url+"/form", map[string]any{"actions": []map[string]any{
			{"type": "fill_input", "selector": "input[name=name]", "value": `Zoë "Z"`},
			{"type": "fill_input", "selector": "select", "value": "Large"},
			{"type": "fill_input", "selector": "[name=gift]", "value": "true"},
			{"type": "fill_input", "selector": "textarea", "value": "two\nlines"},
			{"type": "wait", "milliseconds": 10},
			{"type": "click", "selector": "#send"},
		}})
		if !strings.Contains(got.Result.Markdown, "Thank you, Zoë") {
			t.Errorf("got\n%s", got.Result.Markdown)
		}
		if want := []string{"gift=on&name=Zo%C3%AB+%22Z%22&note=two%0D%0Alines&size=l"}; !slices.Equal(orders(), want) {
			t.Errorf("got orders %q, want %q", orders(), want)
		}
		refused, err := e.scrape(t.Context(), "/v1/scrapes", map[string]any{
			"url_to_scrape": e.site.url + "/form", "actions": []map[string]any{{"type": "fill_input", "selector": "select", "value": "huge"}},
		})
		if err != nil || refused.Code != "fetch_failed" || !strings.Contains(refused.Detail, "does not have this option") {
			t.Errorf("an option that is not there: got %s, %v", refused, err)
		}
	})
	t.Run("cookies of the plain fetch", func(t *testing.T) {
		t.Parallel()
		if got := e.page(t, e.site.url+"/greeted", nil); !strings.Contains(got.Result.Markdown, "Welcome back") || !got.Result.Metadata.Rendered {
			t.Errorf("got %+v\n%s", got.Result.Metadata, got.Result.Markdown)
		}
	})
	t.Run("web components and frames", func(t *testing.T) {
		t.Parallel()
		got := e.page(t, e.site.url+"/shadow", rendered).Result.Markdown
		for _, want := range []string{"## Kettle", "24.00", "Boils water in **two** minutes.", "At the core"} {
			if !strings.Contains(got, want) {
				t.Errorf("got markdown without %q:\n%s", want, got)
			}
		}
		if got := e.page(t, e.site.url+"/docs/frameset", rendered).Result.Markdown; !strings.Contains(got, "## Chapter one") {
			t.Errorf("got of frames:\n%s", got)
		}
	})
	t.Run("a print", func(t *testing.T) {
		t.Parallel()
		got := e.page(t, e.site.url+"/shop", map[string]any{"formats": []string{"raw_pdf"}})
		if file := e.file(t, got.pdf(t)); !bytes.HasPrefix(file, []byte("%PDF-")) {
			t.Errorf("got %d bytes that begin with %.20q", len(file), file)
		}
	})
	t.Run("screenshots", func(t *testing.T) {
		t.Parallel()
		e.wantPictures(t)
	})
}

// shop adds the endpoints that pages call, and returns the orders sent so far.
func (s *site) shop(t *testing.T) (orders func() []string) {
	t.Helper()
	text, err := os.ReadFile("testdata/engine/shop.html")
	if err != nil {
		t.Fatal(err)
	}
	html := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = io.WriteString(w, text)
		}
	}
	answer := func(value any) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { _ = json.NewEncoder(w).Encode(value) }
	}
	var mu sync.Mutex
	var sent []string
	s.own["/shop"] = html(string(text))
	s.own["/api/recipes/1"] = answer(map[string]any{"title": "Pancakes", "steps": []string{"Whisk the eggs.", "Fry until golden."}})
	s.own["/api/recipes/2"] = answer(map[string]any{"title": "Bread", "steps": []string{"Knead the dough."}})
	s.own["/api/items"] = func(w http.ResponseWriter, r *http.Request) {
		var page int
		_, _ = fmt.Sscan(r.URL.Query().Get("page"), &page)
		var items []string
		for i := range 10 {
			items = append(items, fmt.Sprintf("Item %d", page*10+i+1))
		}
		answer(items)(w, r)
	}
	s.own["/order"] = func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		mu.Lock()
		sent = append(sent, r.PostForm.Encode())
		mu.Unlock()
		html("<title>Thanks</title><p>Thank you, "+r.PostForm.Get("name")+".</p>")(w, r)
	}
	s.own["/greeted"] = func(w http.ResponseWriter, r *http.Request) {
		greeting := "Welcome, whoever you are"
		if _, err := r.Cookie("met"); err == nil {
			greeting = "Welcome back"
		}
		http.SetCookie(w, &http.Cookie{Name: "met", Value: "1", Path: "/", HttpOnly: true})
		html(`<div id="root"></div><script src="/greeting.js"></script><script>document.getElementById("root").textContent = "`+greeting+`"</script>`)(w, r)
	}
	return func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(sent)
	}
}

// file downloads a hosted URL.
func (e *engine) file(t *testing.T, address string) []byte {
	t.Helper()
	got := call{method: http.MethodGet, url: address}.do(t)
	got.wantStatus(t, http.StatusOK)
	return got.body
}

// pdf returns the hosted URL of the PDF.
func (s scraped) pdf(t *testing.T) string {
	t.Helper()
	var answer struct {
		Result struct {
			URL string `json:"raw_pdf_hosted_url"`
		} `json:"result"`
	}
	if err := json.Unmarshal(s.body, &answer); err != nil || answer.Result.URL == "" {
		t.Fatalf("got no print: %s", s.body)
	}
	return answer.Result.URL
}

// wantPictures checks screenshots of the shop on several screen sizes. If TURNPIKE_SCREENSHOTS is set, they are kept in
// that directory for people to look at.
func (e *engine) wantPictures(t *testing.T) {
	t.Helper()
	blue, orange, ground := color.RGBA{0x12, 0x3a, 0x5e, 255}, color.RGBA{0xe0, 0x7a, 0x1f, 255}, color.RGBA{0xf4, 0xf1, 0xea, 255}
	white, green, lamp, dark := color.RGBA{255, 255, 255, 255}, color.RGBA{0x2a, 0x9d, 0x8f, 255}, color.RGBA{0xe9, 0xc4, 0x6a, 255}, color.RGBA{0x22, 0x22, 0x22, 255}
	type spot struct {
		x, y int
		want color.RGBA
	}
	for _, c := range []struct {
		name          string
		more          map[string]any
		width, height int // 0: the full page
		spots         []spot
	}{
		// One column: the first card is as wide as the screen, and a button replaces the menu.
		{"mobile", map[string]any{"screen_size": map[string]any{"screen_type": "mobile"}}, 414, 896, []spot{
			{5, 5, blue}, {370, 15, white}, {200, 230, orange}, {8, 400, ground}, {30, 300, green}, {380, 300, green},
		}},
		{"mobile, whole", map[string]any{"screen_size": map[string]any{"screen_type": "mobile"}, "screenshot": map[string]any{"full_page": true}}, 414, 0, []spot{
			{5, 5, blue}, {30, 300, green}, {410, -3, dark},
		}},
		{"desktop", map[string]any{"screen_size": map[string]any{"screen_type": "desktop"}}, 1920, 1080, []spot{
			{5, 5, blue}, {1000, 230, orange}, {100, 300, green}, {1800, 300, lamp},
		}},
	} {
		body := map[string]any{"formats": []string{"screenshot", "text"}}
		maps.Copy(body, c.more)
		got := e.page(t, e.site.url+"/shop", body)
		data := e.file(t, got.Result.Screenshot)
		if dir := os.Getenv("TURNPIKE_SCREENSHOTS"); dir != "" {
			if err := os.WriteFile(filepath.Join(dir, "shop-"+strings.ReplaceAll(c.name, ", ", "-")+".png"), data, 0o600); err != nil {
				t.Error(err)
			}
		}
		picture, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		height := c.height
		if height == 0 {
			height = max(picture.Bounds().Dy(), 897)
		}
		if got, want := picture.Bounds(), image.Rect(0, 0, c.width, height); got != want {
			t.Errorf("%s: got a picture of %v, want %v", c.name, got, want)
			continue
		}
		for _, s := range c.spots {
			y := s.y
			if y < 0 {
				y += height
			}
			if got := color.RGBAModel.Convert(picture.At(s.x, y)); got != s.want {
				t.Errorf("%s: got %v at %d,%d, want %v", c.name, got, s.x, y, s.want)
			}
		}
		if touch := strings.HasPrefix(c.name, "mobile"); strings.Contains(got.Result.Text, "Tap what you need.") != touch {
			t.Errorf("%s: got the text %q", c.name, got.Result.Text)
		}
	}
}
