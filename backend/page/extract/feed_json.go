package extract

import (
	"encoding/json"
	"strings"
)

// jsonFeedValuesMax is how many values the JSON of a feed may have.
const jsonFeedValuesMax = 500_000

// readJSONFeed reads JSON Feed 1.0 and 1.1, or returns nil if body is none.
func readJSONFeed(body []byte) *feedDraft {
	left := jsonFeedValuesMax
	values := readJSON(string(body), &left)
	if len(values) == 0 {
		return nil
	}
	feed, ok := values[0].(map[string]any)
	if !ok || !strings.Contains(textIn(feed["version"]), "jsonfeed.org/version/") {
		return nil
	}
	draft := &feedDraft{language: textIn(feed["language"]), icon: textIn(feed["icon"])}
	draft.Title, draft.Description, draft.URL = textIn(feed["title"]), textIn(feed["description"]), textIn(feed["home_page_url"])
	items, _ := feed["items"].([]any)
	for _, value := range items[:min(len(items), feedEntriesMax)] {
		if item, ok := value.(map[string]any); ok {
			draft.entries = append(draft.entries, jsonEntry(item, feed))
		}
	}
	return draft
}

func jsonEntry(item, feed map[string]any) entryDraft {
	e := entryDraft{published: textIn(item["date_published"]), updated: textIn(item["date_modified"])}
	e.ID = textIn(item["id"])
	if number, ok := item["id"].(json.Number); ok {
		e.ID = number.String()
	}
	e.URL = textIn(item["url"])
	if e.URL == "" {
		e.URL = textIn(item["external_url"])
	}
	e.Title, e.Content, e.summary = textIn(item["title"]), textIn(item["content_html"]), textIn(item["summary"])
	if text := textIn(item["content_text"]); e.Content == "" && (e.summary == "" || len(text) > len(e.summary)) {
		e.summary = text
	}
	for _, of := range []map[string]any{item, feed} {
		for _, field := range []string{"authors", "author"} {
			if names := namesIn(of[field], nil); e.Author == "" && len(names) > 0 {
				e.Author = strings.Join(names, ", ")
			}
		}
	}
	attachments, _ := item["attachments"].([]any)
	for _, value := range attachments[:min(len(attachments), attachmentsMax)] {
		if a, ok := value.(map[string]any); ok {
			e.attachments = append(e.attachments, attachment{url: textIn(a["url"]), mediaType: textIn(a["mime_type"])})
		}
	}
	return e
}
