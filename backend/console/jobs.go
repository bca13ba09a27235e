package console

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
)

// listLimit is how many entries of a list a page shows.
const listLimit = "20"

type jobsPage struct {
	Batches panel[batchList]
	Crawls  panel[crawlList]
	Problem string // with the id that was searched for
	ID      string
}

func (c *Console) jobs(v *visit) error {
	return c.showJobs(v, http.StatusOK, &jobsPage{})
}

func (c *Console) showJobs(v *visit, status int, page *jobsPage) error {
	query := v.r.URL.Query()
	p := &panels{v: v}
	read(p, &page.Batches, "/v1/batches", listQuery(query.Get("batches")))
	read(p, &page.Crawls, "/v1/crawls", listQuery(query.Get("crawls")))
	if err := p.wait(); err != nil {
		return err
	}
	live := false
	for _, b := range page.Batches.Value.Data {
		live = live || b.InProgress()
	}
	for _, k := range page.Crawls.Value.Data {
		live = live || k.InProgress()
	}
	v.write(status, "jobs", &frame{Title: "Jobs", Refresh: live, Data: page})
	return nil
}

func listQuery(cursor string) url.Values {
	query := url.Values{"limit": {listLimit}}
	if cursor != "" {
		query.Set("cursor", cursor)
	}
	return query
}

// InProgress reports whether the batch is still running.
func (b *batch) InProgress() bool { return b.Status == "in_progress" }

// Done is how many items have finished.
func (b *batch) Done() int64 { return b.Completed + b.Failed }

// InProgress reports whether the crawl is still running.
func (c *crawl) InProgress() bool { return c.Status == "in_progress" }

// places maps the prefix of an id to the path that shows it.
func places() map[string]string {
	return map[string]string{
		"batch": "batches", "crawl": "crawls", "scrape": "scrapes", "search": "searches", "answer": "answers", "map": "maps", "monitor": "monitors",
	}
}

// find redirects to the page of an id.
func (c *Console) find(v *visit) error {
	id := strings.TrimSpace(v.r.URL.Query().Get("id"))
	kind, _, _ := strings.Cut(id, "_")
	if place, known := places()[kind]; known && isID(id, kind) {
		return v.to(Path + "/" + place + "/" + url.PathEscape(id))
	}
	return c.showJobs(v, http.StatusNotFound, &jobsPage{
		ID:      clipped(id, 100),
		Problem: "That is not a valid ID. IDs start with batch_, crawl_, scrape_, search_, answer_, map_ or monitor_.",
	})
}

var idPattern = regexp.MustCompile(`^[a-z]{1,20}_[A-Za-z0-9-]{1,90}$`)

func isID(id, kind string) bool { return idPattern.MatchString(id) && strings.HasPrefix(id, kind+"_") }

// idOf is the id in a page's path, checked because it becomes part of an API path.
func idOf(v *visit, name, kind string) (string, error) {
	id := v.r.PathValue(name)
	if !isID(id, kind) {
		return "", errNoID
	}
	return id, nil
}

type batchPage struct {
	*batch

	Items panel[batchItems]
}

func (c *Console) batch(v *visit) error {
	id, err := idOf(v, "id", "batch")
	if err != nil {
		return err
	}
	page := &batchPage{batch: &batch{}}
	if err := v.get("/v1/batches/"+id, nil, page.batch); err != nil {
		return err
	}
	p := &panels{v: v}
	read(p, &page.Items, "/v1/batches/"+id+"/items", listQuery(v.r.URL.Query().Get("cursor")))
	if err := p.wait(); err != nil {
		return err
	}
	return v.showLive("batch", "Batch", page.InProgress(), page)
}

type crawlPage struct {
	*crawl

	List panel[crawlPages]
}

func (c *Console) crawl(v *visit) error {
	id, err := idOf(v, "id", "crawl")
	if err != nil {
		return err
	}
	page := &crawlPage{crawl: &crawl{}}
	if err := v.get("/v1/crawls/"+id, nil, page.crawl); err != nil {
		return err
	}
	p := &panels{v: v}
	read(p, &page.List, "/v1/crawls/"+id+"/pages", listQuery(v.r.URL.Query().Get("cursor")))
	if err := p.wait(); err != nil {
		return err
	}
	return v.showLive("crawl", "Crawl", page.InProgress(), page)
}

func (c *Console) cancelBatch(v *visit) error { return c.cancel(v, "batch", "batches") }
func (c *Console) cancelCrawl(v *visit) error { return c.cancel(v, "crawl", "crawls") }

func (c *Console) cancel(v *visit, kind, place string) error {
	id, err := idOf(v, "id", kind)
	if err != nil {
		return err
	}
	if _, err := v.form(); err != nil {
		return err
	}
	if _, err := v.call(call{method: http.MethodDelete, path: "/v1/" + place + "/" + id}, nil); err != nil {
		return err
	}
	return v.to(Path + "/" + place + "/" + id + "?done=canceled")
}

// How much of a result is shown; the signed URLs lead to the rest.
const (
	contentRunesMax = 20_000
	urlsShownMax    = 200
)

type resultPage struct {
	found

	Kind    string
	Content string // the page's text, or an answer's JSON
	Cut     bool
	More    int // URLs of a map that are not shown
}

// result shows a resource by its id: a scrape, a search, an answer or a map.
func (c *Console) result(path string) func(*visit) error {
	return func(v *visit) error {
		kind, _, _ := strings.Cut(v.r.PathValue("id"), "_")
		id, err := idOf(v, "id", kind)
		if err != nil || !strings.HasSuffix(path, "/"+places()[kind]+"/") {
			return errNoID
		}
		page := &resultPage{Kind: kind}
		if err := v.get(path+id, nil, &page.found); err != nil {
			return err
		}
		for _, content := range []string{page.Result.Markdown, page.Result.Text, page.Result.JSON, page.Result.HTML} {
			if content != "" {
				page.Content = content
				break
			}
		}
		if kind == "answer" {
			page.Content = prettyJSON(page.Content)
		}
		if kind == "search" {
			page.Content = ""
		}
		shown := clipped(page.Content, contentRunesMax)
		page.Cut, page.Content = shown != page.Content, shown
		if len(page.URLs) > urlsShownMax {
			page.More, page.URLs = len(page.URLs)-urlsShownMax, page.URLs[:urlsShownMax]
		}
		title := map[string]string{"scrape": "Scrape", "search": "Search", "answer": "Answer", "map": "Map"}[kind]
		return v.show("result", title, page)
	}
}
