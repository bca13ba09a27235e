package answersite

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/turnpike-edge/turnpike/backend/answers/ask"
)

// Now is when all tasks are asked: a Thursday on which some of what the pages announce is over.
var Now = time.Date(2026, time.May, 14, 9, 30, 0, 0, time.UTC)

// Set is one part of the gold set. It is safe for concurrent use once it is complete.
type Set struct {
	// Name is the part's: "devset".
	Name string
	// Pages are its corpus, Tasks what is asked of it.
	Pages []*Page
	Tasks []*Task

	origin  func(host string) string
	byURL   map[string]*Page
	indexed sync.Once
	index   *index
}

// Page is a page of the corpus.
type Page struct {
	// Host and Path are where it stands, URL is both with the set's origin.
	Host, Path, URL string
	// Type is what sort of page it is, in the words of the issue: "article", "timetable".
	Type string
	// MediaType is of the body, without parameters.
	MediaType string
	Body      []byte
	// Published is when it says that it was, or zero.
	Published time.Time

	read   sync.Once
	source *ask.Source
	err    error
}

// Mode is how a task says where its answer is.
type Mode string

// The modes.
const (
	// Named tasks hold the URL of the page.
	Named Mode = "named URL"
	// Searched tasks hold none: the page is to be found.
	Searched Mode = "search"
	// WithFile tasks come with a context file.
	WithFile Mode = "context file"
)

// Form is how a task says what is wanted.
type Form string

// The forms of json_format.
const (
	FormNone      Form = "none"
	FormEmpty     Form = "empty values"
	FormDescribed Form = "described values"
	FormSchema    Form = "JSON Schema"
	FormString    Form = "string"
)

// Absence is why a field has no answer.
type Absence string

// The absences.
const (
	// NoField: the subject's pages do not say it.
	NoField Absence = "field not on the page"
	// NoSubject: no page is about the subject.
	NoSubject Absence = "no such subject"
	// OnlyTwin: a page about something of nearly the same name says it, the subject's own does not.
	OnlyTwin Absence = "only the namesake's"
	// OnlyOther: pages say it for another year or version than the one that is asked for.
	OnlyOther Absence = "only of another time"
)

// Task is a task and what is known of its answer.
type Task struct {
	// Name tells it from the others: "towns/4/schema".
	Name string
	Mode Mode
	Form Form
	// Text is what is asked, Format the json_format; nil for FormNone.
	Text   string
	Format json.RawMessage
	// Files are its context files.
	Files []File
	// Wants are its fields.
	Wants []Want
}

// File is a context file.
type File struct {
	ID   string
	JSON json.RawMessage
}

// Want is what is known of one field.
type Want struct {
	// Path is the field's JSON Pointer.
	Path string
	// Value is what is right. Of a field that is absent only its type is set.
	Value Value
	// Absent is why there is no value, or "".
	Absent Absence
	// Shown is how the value, or its proof, is written on each page of URLs.
	Shown string
	// URLs are pages, or context files, that say it; of a field that is absent, the subject's pages that do not.
	URLs []string
	// Clues are words that would stand on the subject's page if it said what it does not.
	Clues []string
	// Lures are wrong values that a careless reader would give; none may stand in an answer of free text.
	Lures []string
	// Subject is the name that no page has, where that is why.
	Subject string
	// On is the type of the first page of URLs; "" where there is none, or it is a context file.
	On string
}

// NewSet makes one without pages. origin is where a host is served, without a slash at its end; nil: https and the host.
func NewSet(name string, origin func(host string) string) *Set {
	if origin == nil {
		origin = func(host string) string { return "https://" + host }
	}
	return &Set{Name: name, origin: origin, byURL: map[string]*Page{}}
}

// Origin is where a host is served: "https://www.example.test".
func (s *Set) Origin(host string) string { return s.origin(host) }

// Hosts are all of them, in the order of the pages.
func (s *Set) Hosts() []string {
	var hosts []string
	seen := map[string]bool{}
	for _, p := range s.Pages {
		if !seen[p.Host] {
			seen[p.Host] = true
			hosts = append(hosts, p.Host)
		}
	}
	return hosts
}

// Page returns the page of a URL, or nil.
func (s *Set) Page(url string) *Page {
	url, _, _ = strings.Cut(url, "#")
	return s.byURL[url]
}

// Add adds an HTML page.
func (s *Set) Add(host, path, kind, html string) *Page {
	return s.AddBody(host, path, kind, "text/html", []byte(html))
}

// AddBody adds a page of any type. Two of one URL are a fault of the part, and panic.
func (s *Set) AddBody(host, path, kind, mediaType string, body []byte) *Page {
	p := &Page{Host: host, Path: path, URL: s.origin(host) + path, Type: kind, MediaType: mediaType, Body: body}
	if s.byURL[p.URL] != nil {
		panic(fmt.Sprintf("answersite: two pages at %s", p.URL))
	}
	s.byURL[p.URL] = p
	s.Pages = append(s.Pages, p)
	return p
}
