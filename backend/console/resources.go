package console

import (
	"encoding/json"
	"time"
)

// The parts of API responses that the console reads. See the service contract; fields that no page shows are left out.

type balance struct {
	Credits   int64 `json:"credits"`
	Held      int64 `json:"held"`
	Owed      int64 `json:"owed"`
	Breakdown []struct {
		Kind      string  `json:"purchase_kind"`
		Allocated int64   `json:"allocated_units"`
		Remaining int64   `json:"remaining_units"`
		Expiry    *string `json:"expiry_date"`
	} `json:"breakdown"`
}

type usage struct {
	From     time.Time  `json:"from"`
	To       time.Time  `json:"to"`
	Credits  int64      `json:"credits"`
	Requests int64      `json:"requests"`
	Rows     []usageRow `json:"usage"`
}

type usageRow struct {
	Day      string `json:"day"`
	Endpoint string `json:"endpoint"`
	KeyID    string `json:"key_id"`
	KeyName  string `json:"key_name"`
	Credits  int64  `json:"credits"`
	Requests int64  `json:"requests"`
}

type pack struct {
	Credits  int64  `json:"credits"`
	PriceUSD string `json:"price_usd"`
}

type pricing struct {
	Packs []pack `json:"packs"`
}

type purchase struct {
	Success bool   `json:"success"`
	Credits int64  `json:"credits"`
	Status  string `json:"status"`
}

type apiKey struct {
	ID         string     `json:"id"`
	Name       string     `json:"name"`
	Key        string     `json:"key"`
	Prefix     string     `json:"prefix"`
	Scopes     []string   `json:"scopes"`
	CreatedAt  time.Time  `json:"created_at"`
	ExpiresAt  *time.Time `json:"expires_at"`
	LastUsedAt *time.Time `json:"last_used_at"`
	RevokedAt  *time.Time `json:"revoked_at"`
	Current    bool       `json:"current"`
}

type keyList struct {
	Keys []apiKey `json:"keys"`
}

type batch struct {
	ID              string            `json:"id"`
	Status          string            `json:"status"`
	Outcome         string            `json:"outcome"`
	Created         int64             `json:"created"`
	CompletedAt     string            `json:"completed_at"`
	Total           int64             `json:"total_urls"`
	Completed       int64             `json:"completed_urls"`
	Failed          int64             `json:"failed_urls"`
	Parser          string            `json:"parser"`
	Metadata        map[string]string `json:"metadata"`
	Webhook         string            `json:"webhook"`
	CreditsConsumed *int64            `json:"credits_consumed"`
}

type batchList struct {
	Data   []batch `json:"data"`
	Cursor string  `json:"cursor"`
}

type batchItems struct {
	Items []struct {
		CustomID   string `json:"custom_id"`
		RetrieveID string `json:"retrieve_id"`
		URL        string `json:"url"`
		Status     string `json:"status"`
		Error      *fault `json:"error"`
	} `json:"items"`
	Cursor json.Number `json:"cursor"`
}

type fault struct {
	Code   string `json:"code"`
	Detail string `json:"detail"`
}

type crawl struct {
	ID              string            `json:"id"`
	Status          string            `json:"status"`
	Outcome         string            `json:"outcome"`
	Created         int64             `json:"created"`
	CompletedAt     string            `json:"completed_at"`
	StartURL        string            `json:"start_url"`
	MaxPages        int64             `json:"max_pages"`
	Pages           int64             `json:"pages_count"`
	Failed          int64             `json:"failed"`
	CurrentDepth    int64             `json:"current_depth"`
	Metadata        map[string]string `json:"metadata"`
	Webhook         string            `json:"webhook"`
	CreditsConsumed *int64            `json:"credits_consumed"`
}

type crawlList struct {
	Data   []crawl `json:"data"`
	Cursor string  `json:"cursor"`
}

type crawlPages struct {
	Pages []struct {
		URL        string `json:"url"`
		Title      string `json:"title"`
		Depth      int64  `json:"depth"`
		StatusCode int    `json:"status_code"`
		RetrieveID string `json:"retrieve_id"`
	} `json:"pages"`
	Metadata struct {
		FailedURLs []struct {
			URL    string `json:"url"`
			Reason string `json:"reason"`
		} `json:"failed_urls"`
	} `json:"metadata"`
	Cursor json.Number `json:"cursor"`
}

// found is a resource that is read by its id: a scrape, a search, an answer or a map.
type found struct {
	ID              string            `json:"id"`
	Object          string            `json:"object"`
	Created         int64             `json:"created"`
	Metadata        map[string]string `json:"metadata"`
	URL             string            `json:"url"`
	Query           string            `json:"query"`
	Task            string            `json:"task"`
	CreditsConsumed *int64            `json:"credits_consumed"`
	URLsCount       int64             `json:"urls_count"`
	URLs            []string          `json:"urls"`
	Result          foundResult       `json:"result"`
}

type foundResult struct {
	Markdown            string     `json:"markdown_content"`
	Text                string     `json:"text_content"`
	HTML                string     `json:"html_content"`
	JSON                string     `json:"json_content"`
	HTMLHostedURL       string     `json:"html_hosted_url"`
	MarkdownHostedURL   string     `json:"markdown_hosted_url"`
	TextHostedURL       string     `json:"text_hosted_url"`
	JSONHostedURL       string     `json:"json_hosted_url"`
	ScreenshotHostedURL string     `json:"screenshot_hosted_url"`
	RawPDFHostedURL     string     `json:"raw_pdf_hosted_url"`
	SizeExceeded        bool       `json:"size_exceeded"`
	Links               []link     `json:"links"`
	Sources             []string   `json:"sources"`
	Citations           []citation `json:"citations"`
	Page                struct {
		StatusCode int    `json:"status_code"`
		Title      string `json:"title"`
		Language   string `json:"language"`
		PageType   string `json:"page_type"`
		Rendered   bool   `json:"rendered"`
	} `json:"page_metadata"`
}

type link struct {
	URL         string `json:"url"`
	Title       string `json:"title"`
	Description string `json:"description"`
	StatusCode  int    `json:"status_code"`
	Error       *fault `json:"error"`
}

type citation struct {
	Field string `json:"field"`
	URL   string `json:"url"`
	Quote string `json:"quote"`
}

type schedule struct {
	ID        string          `json:"schedule_id"`
	Name      string          `json:"schedule_name"`
	Type      string          `json:"type"`
	Method    string          `json:"method"`
	Endpoint  string          `json:"endpoint"`
	Payload   json.RawMessage `json:"payload"`
	Cron      string          `json:"cron_expression"`
	ExecuteAt string          `json:"execute_at"`
	Timezone  string          `json:"expression_timezone"`
	Text      string          `json:"text"`
	State     string          `json:"state"`
	CreatedAt string          `json:"created_at"`
	NextRunAt *string         `json:"next_run_at"`
	LastRun   *scheduleRun    `json:"last_run"`
}

// scheduleRun is the latest run of a schedule.
type scheduleRun struct {
	Status string  `json:"status"`
	DueAt  string  `json:"due_at"`
	Error  *string `json:"error"`
}

type scheduleList struct {
	Schedules []schedule `json:"schedules"`
}
