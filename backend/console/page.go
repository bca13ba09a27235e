package console

import (
	"bytes"
	"crypto/tls"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"strings"
)

//go:embed templates/*.html
var templateFiles embed.FS

var (
	//go:embed style.css
	styleFile []byte
	//go:embed script.js
	scriptFile []byte
)

// pageSet is all pages, each within the same frame.
type pageSet struct {
	templates map[string]*template.Template
	style     asset
	script    asset
}

// frame is the data that all pages share.
type frame struct {
	Title    string
	Section  string // the page's entry in the navigation
	SignedIn bool
	Style    string
	Script   string
	Done     string // describes the action just performed
	Refresh  bool   // the page shows work in progress, and may reload
	Data     any
}

func newPageSet() (*pageSet, error) {
	set := &pageSet{
		templates: map[string]*template.Template{},
		style:     newAsset("style.css", styleFile), script: newAsset("script.js", scriptFile),
	}
	base, err := template.New("frame.html").Funcs(functions).ParseFS(templateFiles, "templates/frame.html", "templates/parts.html")
	if err != nil {
		return nil, fmt.Errorf("reading the frame of pages: %w", err)
	}
	files, err := templateFiles.ReadDir("templates")
	if err != nil {
		return nil, fmt.Errorf("reading the pages: %w", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(file.Name(), ".html")
		page, err := base.Clone()
		if err == nil && name != "frame" && name != "parts" {
			page, err = page.ParseFS(templateFiles, "templates/"+file.Name())
			set.templates[name] = page
		}
		if err != nil {
			return nil, fmt.Errorf("reading the page %s: %w", name, err)
		}
	}
	return set, nil
}

// functions are the functions of the templates.
var functions = template.FuncMap{
	"number": number,
	"counted": func(n any, one, many string) (string, error) {
		switch n := n.(type) {
		case int64:
			return counted(n, one, many), nil
		case *int64:
			return counted(*n, one, many), nil
		case int:
			return counted(int64(n), one, many), nil
		default:
			return "", fmt.Errorf("counted: got %T", n)
		}
	},
	"moment":  momentOf,
	"percent": percent,
	"pretty":  prettyJSON,
	"clip":    func(runes int, text string) string { return clipped(text, runes) },
	"web":     webAddress,
	"join":    func(list []string) string { return strings.Join(list, ", ") },
	"pairs": func(parts ...any) (map[string]any, error) {
		if len(parts)%2 != 0 {
			return nil, fmt.Errorf("pairs: got %d parts", len(parts))
		}
		m := map[string]any{}
		for i := 0; i < len(parts); i += 2 {
			m[fmt.Sprint(parts[i])] = parts[i+1]
		}
		return m, nil
	},
	"status": func(word string) string { return strings.ReplaceAll(word, "_", " ") },
}

// done maps a word in the URL to a page's confirmation of an action. Text from the URL itself is never shown.
var done = map[string]string{
	"paused":    "The monitor is paused. It does not run until you resume it.",
	"resumed":   "The monitor is active again.",
	"run":       "The run has started. Its event appears below when it finishes.",
	"deleted":   "The monitor has been deleted, including its schedule.",
	"created":   "The monitor has been created.",
	"canceled":  "The job has been canceled. Finished work is kept, and unused credits are released.",
	"revoked":   "The key has been revoked.",
	"signedout": "You are signed out of this browser.",
}

func (v *visit) show(name, title string, data any) error {
	v.showStatus(http.StatusOK, name, title, data)
	return nil
}

// showLive shows a page whose work may be in progress; it then reloads while it is open.
func (v *visit) showLive(name, title string, live bool, data any) error {
	v.write(http.StatusOK, name, &frame{Title: title, Refresh: live, Data: data})
	return nil
}

func (v *visit) showStatus(status int, name, title string, data any) {
	v.write(status, name, &frame{Title: title, Data: data})
}

// write renders the whole page before it sends any of it.
func (v *visit) write(status int, name string, f *frame) {
	c := v.console
	f.Style, f.Script, f.SignedIn = c.pages.style.address, c.pages.script.address, v.session.key != ""
	f.Section = sectionOf(v.r.URL.Path)
	if v.r.Method == http.MethodGet {
		f.Done = done[v.r.URL.Query().Get("done")]
	}
	var page bytes.Buffer
	if err := c.pages.templates[name].Execute(&page, f); err != nil {
		c.config.Logger.ErrorContext(v.r.Context(), "rendering a console page", "page", name, "error", err)
		http.Error(v.w, "The page could not be rendered.", http.StatusInternalServerError)
		return
	}
	v.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	v.w.WriteHeader(status)
	_, _ = v.w.Write(page.Bytes())
}

// sectionOf is the page's entry in the navigation.
func sectionOf(path string) string {
	first, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(path, Path), "/"), "/")
	switch first {
	case "":
		return "overview"
	case "top-up", "card":
		return "credits"
	case "batches", "crawls", "scrapes", "searches", "answers", "maps", "find":
		return "jobs"
	default:
		return first
	}
}

// tlsFor verifies an edge that is reached at another address against the certificate of its own name.
func tlsFor(name string) *tls.Config {
	return &tls.Config{ServerName: name, MinVersion: tls.VersionTLS12}
}
