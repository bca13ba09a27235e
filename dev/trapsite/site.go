package trapsite

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// The defaults of a Site.
const (
	slowDefault       = time.Second
	retryAfterDefault = 2 * time.Second
	wideDefault       = 20_000
	agentDefault      = "TurnpikeBot"
)

// Options say how bad a site is. Zero values have defaults.
type Options struct {
	// Slow is how long slow pages take. Default 1 s.
	Slow time.Duration
	// RetryAfter is the delay that a busy page asks for, in whole seconds. Default 2 s.
	RetryAfter time.Duration
	// Wide is how many links the widest page has. Default 20,000.
	Wide int
	// Agent is the product token that robots.txt has a group for. Default TurnpikeBot.
	Agent string
	// Other is the origin of another site that pages link to. "": none does.
	Other string
}

// Entry is one request to the site.
type Entry struct {
	// Begin is when it was received; End when the response was complete, zero before that.
	Begin, End time.Time
	// Path is the requested path with its query, as sent.
	Path   string
	Agent  string
	Status int
}

// Site is the handler. It is safe for concurrent use.
type Site struct {
	options Options
	mux     *http.ServeMux
	pages   []string
	traps   []Trap

	visits atomic.Int64
	given  atomic.Int64 // sessions

	mu  sync.Mutex
	log []Entry
	// asked counts the requests for busy pages.
	asked map[string]int
}

// Trap is a part of the site that is no page, or has no end.
type Trap struct {
	Name string
	// Holds reports whether a path, with its query, is in the trap.
	Holds func(path string) bool
}

// New creates a site.
func New(o Options) *Site {
	if o.Slow == 0 {
		o.Slow = slowDefault
	}
	if o.RetryAfter == 0 {
		o.RetryAfter = retryAfterDefault
	}
	if o.Wide == 0 {
		o.Wide = wideDefault
	}
	if o.Agent == "" {
		o.Agent = agentDefault
	}
	s := &Site{options: o, mux: http.NewServeMux(), asked: map[string]int{}}
	s.addPages()
	s.addTraps()
	s.addGuides()
	s.mux.HandleFunc("/", s.missing)
	return s
}

// Pages are the paths of the pages that a person who knows the site would name, sorted: each is to be found once. Some
// can also be requested by other paths: [Site.PageAt] maps those.
func (s *Site) Pages() []string {
	pages := slices.Clone(s.pages)
	slices.Sort(pages)
	return pages
}

// PageAt is the page that a path with its query shows, or "", whatever its case, encoding and session.
func (s *Site) PageAt(path string) string {
	if slices.Contains(s.pages, path) {
		return path
	}
	u, err := url.ParseRequestURI(path)
	if err != nil {
		return ""
	}
	name, _, _ := strings.Cut(u.Path, ";") // old sessions
	if lower := strings.ToLower(name); strings.HasPrefix(lower, "/docs/") {
		name = "/docs/" + strings.Trim(strings.TrimSuffix(strings.TrimPrefix(lower, "/docs/"), "index.html"), "/")
	}
	name = strings.TrimPrefix(name, "/print")
	if rest, ok := strings.CutPrefix(name, "/member/"); ok { // sessions in the middle
		if _, room, ok := strings.Cut(rest, "/"); ok {
			name = "/member/" + room
		}
	}
	if !slices.Contains(s.pages, name) || u.RawQuery != "" && name == "/shop" {
		return ""
	}
	return name
}

// Traps are all other parts of the site.
func (s *Site) Traps() []Trap { return slices.Clone(s.traps) }

// Log returns the requests, in the order of their beginning.
func (s *Site) Log() []Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.log)
}

// Hits are the log entries of a path.
func (s *Site) Hits(path string) []Entry {
	return slices.DeleteFunc(s.Log(), func(e Entry) bool { return e.Path != path })
}

// Caught counts the log entries in each trap, by its name.
func (s *Site) Caught() map[string]int {
	caught := map[string]int{}
	for _, e := range s.Log() {
		for _, trap := range s.traps {
			if trap.Holds(e.Path) {
				caught[trap.Name]++
			}
		}
	}
	return caught
}

// Forget clears the log and the visitors' state.
func (s *Site) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log, s.asked = nil, map[string]int{}
}

// ServeHTTP implements [http.Handler].
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	at := len(s.log)
	s.log = append(s.log, Entry{Begin: time.Now(), Path: r.URL.RequestURI(), Agent: r.UserAgent()})
	log := s.log
	s.mu.Unlock()
	noting := &noting{ResponseWriter: w, status: http.StatusOK}
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if at < len(s.log) && s.log[at].Begin.Equal(log[at].Begin) { // the log was not cleared meanwhile
			s.log[at].End, s.log[at].Status = time.Now(), noting.status
		}
	}()
	s.mux.ServeHTTP(noting, r)
}

// noting records the status of a response.
type noting struct {
	http.ResponseWriter

	status int
}

// WriteHeader implements [http.ResponseWriter].
func (n *noting) WriteHeader(status int) {
	n.status = status
	n.ResponseWriter.WriteHeader(status)
}

// page adds a page that is to be found.
func (s *Site) page(path string, handle http.HandlerFunc) {
	s.pages = append(s.pages, path)
	pattern := path
	if strings.HasSuffix(path, "/") {
		pattern += "{$}"
	}
	s.mux.HandleFunc(pattern, handle)
}

// trap adds a trap for paths with these prefixes, except the paths of pages.
func (s *Site) trap(name string, prefixes ...string) {
	s.traps = append(s.traps, Trap{Name: name, Holds: func(path string) bool {
		return !slices.Contains(s.pages, path) && slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(path, p) })
	}})
}
