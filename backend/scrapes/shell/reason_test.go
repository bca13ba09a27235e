package shell

import (
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/page/extract"
)

func prose(words int) string { return strings.Repeat("readable words ", words/2) }

func TestShell(t *testing.T) {
	t.Parallel()
	const app = `<script src="/static/main.js"></script>`
	tests := []struct{ name, page, want string }{
		{"an article", "<h1>Ropes</h1><p>" + prose(200) + "</p>" + app, ""},
		{"nothing and no scripts", "<div id=root></div>", ""},
		{"an error without scripts", "<h1>404 Not Found</h1>", ""},
		{"an empty root", "<div id=root></div>" + app, reasonEmptyMount + "#root)"},
		{"a root with a spinner", "<body><div id=app><div class=spinner><div></div>Loading…</div></div>" + app, reasonEmptyMount + "#app)"},
		{"an empty root beside a footer", "<div id=__next></div><footer>" + prose(40) + "</footer>" + app, reasonEmptyMount + "#__next)"},
		{"a root that is never closed", "<div id=root>" + app, reasonEmptyMount + "#root)"},
		{"an empty element of a framework", "<app-root></app-root>" + app, reasonEmptyMount + "app-root)"},
		{"a root that the server filled", "<div id=root><div><p>" + prose(100) + "</p></div></div>" + app, ""},
		{"an empty root in a page of text", "<p>" + prose(400) + "</p><div id=root></div>" + app, ""},
		{"text in a template", "<div id=root></div><template><p>" + prose(400) + "</p></template>" + app, reasonEmptyMount + "#root)"},
		{"an apology", "<noscript>You need to enable JavaScript to run this app.</noscript><main></main><p>Harbour</p>" + app, reasonAsks},
		{"an apology on a page of text", "<noscript>Enable JavaScript for comments.</noscript><p>" + prose(200) + "</p>" + app, ""},
		{"a framework without text", `<body ng-app="shop"><p>` + prose(20) + "</p>" + app, reasonFramework},
		{"a framework with text", `<body ng-app="shop"><p>` + prose(100) + "</p>" + app, ""},
		{"data of a framework", `<p>` + prose(20) + `</p><script>window.__NUXT__={}</script>`, reasonFramework},
		{"a page that loads itself again", `<meta http-equiv="Refresh" content="5"><p>` + prose(20) + "</p><script>check()</script>", reasonReloads},
		{"a page that leads elsewhere", `<meta http-equiv="refresh" content="0; url=/other"><p>` + prose(20) + "</p><script>check()</script>", ""},
		{"next to no text", "<p>One moment</p>" + app, reasonNoText},
		{"next to no text and a small script", "<p>One moment</p><script>count()</script>", ""},
		{"next to no text and a large script", "<p>One moment</p><script>" + strings.Repeat("x();", 1000) + "</script>", reasonNoText},
		{"more code than text", "<p>" + prose(20) + "</p>" + strings.Repeat(app, 5) + "<script>" + strings.Repeat("x();", 3000) + "</script>", reasonOutweighed},
		{"data is no script", `<p>One moment</p><script type="application/ld+json">` + strings.Repeat("x", 5000) + "</script>", ""},
		{"styles and titles are no text", "<title>" + prose(200) + "</title><style>" + prose(200) + "</style>" + app, reasonNoText},
		{"letters of other scripts", "<p>" + strings.Repeat("港の渡し船の時刻表です。", 20) + "</p>" + app, ""},
		{"nothing", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := Read([]byte("<!doctype html><html>" + tt.page)).Reason(); got != tt.want {
				t.Errorf("got %q, want %q (%+v)", got, tt.want, Read([]byte(tt.page)))
			}
		})
	}
}

func TestPoor(t *testing.T) {
	t.Parallel()
	scripted := Signs{scripts: 1}
	tests := []struct {
		name    string
		signs   Signs
		status  int
		quality float64
		want    bool
	}{
		{"poor", scripted, 200, extract.PoorQuality - 0.01, true},
		{"good enough", scripted, 200, extract.PoorQuality, false},
		{"an error page", scripted, 404, 0.1, false},
		{"without scripts", Signs{}, 200, 0.1, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := tt.signs.Poor(tt.status, &extract.Document{Quality: tt.quality}); got != tt.want {
				t.Errorf("got %t, want %t", got, tt.want)
			}
		})
	}
}

func TestWorse(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name                 string
		before, after        int
		status, statusBefore int
		want                 bool
	}{
		{"more", 10, 20, 200, 200, false},
		{"the same", 10, 10, 200, 200, false},
		{"less", 10, 9, 200, 200, true},
		{"turned away", 10, 20, 403, 200, true},
		{"let in", 10, 20, 200, 403, false},
		{"an error both times", 10, 20, 404, 404, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := (Signs{letters: tt.after}).Worse(Signs{letters: tt.before}, tt.status, tt.statusBefore); got != tt.want {
				t.Errorf("got %t, want %t", got, tt.want)
			}
		})
	}
}

// Reading the signs takes linear time, and the result never exceeds what is in the page.
func FuzzReadSigns(f *testing.F) {
	for _, seed := range []string{
		"<div id=root><script src=a></script>", "<template><template><svg></template>", "<noscript>javascript", "<!doctype html><p>é\xff",
		`<meta http-equiv=refresh content=";"><app-root/>`, "<div id=app><div></div>", "<select><option>x",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, page []byte) {
		s := Read(page)
		if s.letters < 0 || s.letters > len(page) || s.external > s.scripts || s.inlineBytes > len(page) || (s.mountEmpty && s.mount == "") {
			t.Errorf("got %+v of %d bytes", s, len(page))
		}
		_ = s.Reason() // must not panic
	})
}
