package feeds

import (
	"encoding/json"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/page/extract/metadata"
	"github.com/turnpike-edge/turnpike/backend/page/extract/structured"
)

// jsonFeedValuesMax is how many values the JSON of a feed may have.
const jsonFeedValuesMax = 500_000

// readJSONFeed reads JSON Feed 1.0 and 1.1, or returns nil if body is none.
func readJSONFeed(body []byte) *Draft {
	left := jsonFeedValuesMax
	values := structured.ReadJSON(string(body), &left)
	if len(values) == 0 {
		return nil
	}
	feed, ok := values[0].(map[string]any)
	if !ok || !strings.Contains(metadata.TextIn(feed["version"]), "jsonfeed.org/version/") {
		return nil
	}
	draft := &Draft{Language: metadata.TextIn(feed["language"]), Icon: metadata.TextIn(feed["icon"])}
	draft.Title, draft.Description, draft.URL = metadata.TextIn(feed["title"]), metadata.TextIn(feed["description"]), metadata.TextIn(feed["home_page_url"])
	items, _ := feed["items"].([]any)
	for _, value := range items[:min(len(items), entriesMax)] {
		if item, ok := value.(map[string]any); ok {
			draft.entries = append(draft.entries, jsonEntry(item, feed))
		}
	}
	return draft
}

func jsonEntry(item, feed map[string]any) entryDraft {
	e := entryDraft{published: metadata.TextIn(item["date_published"]), updated: metadata.TextIn(item["date_modified"])}
	e.ID = metadata.TextIn(item["id"])
	if number, ok := item["id"].(json.Number); ok {
		e.ID = number.String()
	}
	e.URL = metadata.TextIn(item["url"])
	if e.URL == "" {
		e.URL = metadata.TextIn(item["external_url"])
	}
	e.Title, e.Content, e.summary = metadata.TextIn(item["title"]), metadata.TextIn(item["content_html"]), metadata.TextIn(item["summary"])
	if text := metadata.TextIn(item["content_text"]); e.Content == "" && (e.summary == "" || len(text) > len(e.summary)) {
		e.summary = text
	}
	for _, of := range []map[string]any{item, feed} {
		for _, field := range []string{"authors", "author"} {
			if names := metadata.NamesIn(of[field], nil); e.Author == "" && len(names) > 0 {
				e.Author = strings.Join(names, ", ")
			}
		}
	}
	attachments, _ := item["attachments"].([]any)
	for _, value := range attachments[:min(len(attachments), attachmentsMax)] {
		if a, ok := value.(map[string]any); ok {
			e.attachments = append(e.attachments, attachment{url: metadata.TextIn(a["url"]), mediaType: metadata.TextIn(a["mime_type"])})
		}
	}
	return e
}
