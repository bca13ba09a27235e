package answersite_test

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/eval/answersite"
	"github.com/turnpike-edge/turnpike/eval/answersite/devset"
)

func TestRight(t *testing.T) {
	t.Parallel()
	day := answersite.Day(answersite.On(2026, time.March, 7))
	for _, tt := range []struct {
		name  string
		value answersite.Value
		got   any
		want  bool
	}{
		{"number", answersite.Num(1234.5), json.Number("1234.5"), true},
		{"number with a comma", answersite.Num(1234.5), "1 234,5 km²", true},
		{"number with marks", answersite.Num(1234.5), "1'234.50", true},
		{"another number", answersite.Num(1234.5), json.Number("1234"), false},
		{"two numbers", answersite.Int(12), "12 or 13", false},
		{"thousands", answersite.Int(12480), "12.480", true},
		{"date", day, "2026-03-07", true},
		{"date with a time", day, "2026-03-07T00:00:00Z", true},
		{"date in words", day, "7 March 2026", true},
		{"date in German", day, "7. März 2026", true},
		{"the other way round", day, "2026-07-03", false},
		{"price", answersite.Money(12.5, "EUR"), "€12.50", true},
		{"price in another currency", answersite.Money(12.5, "EUR"), "$12.50", false},
		{"price as a number", answersite.Money(12.5, "EUR"), json.Number("12.50"), true},
		{"phone", answersite.Tel("+44 1632 960111"), "+44-1632-960-111", true},
		{"phone with a zero", answersite.Tel("+44 1632 960111"), "+44 (0)1632 960111", true},
		{"another phone", answersite.Tel("+44 1632 960111"), "+44 1632 960112", false},
		{"e-mail", answersite.Mail("a@b.example"), "A@b.example", true},
		{"URL", answersite.Link("https://a.example/"), "https://a.example", true},
		{"boolean", answersite.Is(false), "no", true},
		{"the other boolean", answersite.Is(false), true, false},
		{"string", answersite.Str("Harbour Society"), "the  Harbour Society.", true},
		{"part of a string", answersite.Str("Harbour Society"), "Harbour", false},
		{"list", answersite.Several("red", "blue"), []any{"Blue", "red"}, true},
		{"list with too much", answersite.Several("red", "blue"), []any{"blue", "red", "green"}, false},
		{"list with too little", answersite.Several("red", "blue"), []any{"blue"}, false},
		{"list in words", answersite.Several("red", "blue"), "red and blue", true},
		{"null", answersite.Int(1), nil, false},
	} {
		if got := tt.value.Right(tt.got); got != tt.want {
			t.Errorf("%s: %v: got %v, want %v", tt.name, tt.got, got, tt.want)
		}
	}
}

func TestStandsIn(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		want bool
	}{
		{"It has 12,480 inhabitants.", true},
		{"12480", true},
		{"It has 112,480 inhabitants.", false},
		{"12,480, though 9,000 lived there in 2011", false},
		{strings.Repeat("It has 12,480 inhabitants. ", 50), false},
	} {
		if got := answersite.Int(12480).StandsIn(tt.text, []string{"9,000"}); got != tt.want {
			t.Errorf("%.60s: got %v, want %v", tt.text, got, tt.want)
		}
	}
}

// TestSite: each page is served at the address of its host, and at no other.
func TestSite(t *testing.T) {
	t.Parallel()
	site := &answersite.Site{}
	server := httptest.NewServer(site)
	t.Cleanup(server.Close)
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	addresses := answersite.Loopback("90", port)
	site.Set = devset.New(addresses.Origin)
	if len(addresses.All) != len(site.Set.Hosts()) {
		t.Errorf("got %d addresses for %d hosts", len(addresses.All), len(site.Set.Hosts()))
	}
	for i, page := range site.Set.Pages {
		if i%20 != 0 {
			continue
		}
		status, mediaType, body := get(t, server.Client(), server.URL+page.Path, strings.TrimPrefix(site.Set.Origin(page.Host), "http://"))
		if status != http.StatusOK || !strings.HasPrefix(mediaType, page.MediaType) || body != string(page.Body) {
			t.Errorf("%s: got %d %s", page.URL, status, mediaType)
		}
		if status, _, _ := get(t, server.Client(), server.URL+page.Path, "127.0.90.250:"+port); status != http.StatusNotFound {
			t.Errorf("%s by another host: got %d, want 404", page.URL, status)
		}
	}
}

func get(t *testing.T, client *http.Client, url, host string) (status int, mediaType, body string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Host = host
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	all, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, response.Header.Get("Content-Type"), string(all)
}
