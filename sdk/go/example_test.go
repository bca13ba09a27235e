package turnpike_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	turnpike "github.com/turnpike-edge/turnpike/sdk/go"
)

var ctx = context.Background()

// example is a service that knows what the examples ask for.
var example = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	wallet := strings.HasPrefix(r.URL.Path, "/x402")
	switch path := r.Method + " " + strings.TrimPrefix(r.URL.Path, "/x402"); {
	case wallet && r.Header.Get("Payment-Signature") == "":
		w.Header().Set("Payment-Required", base64.StdEncoding.EncodeToString([]byte(`{"x402Version":2,"accepts":[{"scheme":"exact",`+
			`"network":"eip155:8453","amount":"10000","asset":"0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",`+
			`"payTo":"0x209693Bc6afc0C5328bA36FaF03C514EF312287C","maxTimeoutSeconds":60}]}`)))
		w.WriteHeader(http.StatusPaymentRequired)
	case r.URL.Query().Get("dry_run") == "true":
		fmt.Fprint(w, `{"object":"quote","credits":100,"usd":0.1}`)
	case path == "POST /v1/scrapes":
		body, _ := io.ReadAll(r.Body)
		if strings.Contains(string(body), "nowhere") {
			w.WriteHeader(http.StatusBadGateway)
			fmt.Fprint(w, `{"object":"error","status":502,"code":"fetch_failed","detail":"There is no such host.","type":"https://docs.example/errors/fetch_failed"}`)
			return
		}
		w.Header().Set("X-Credits-Used", "1")
		w.Header().Set("Payment-Response", base64.StdEncoding.EncodeToString([]byte(`{"success":true,"transaction":"0xabc"}`)))
		fmt.Fprint(w, `{"id":"scrape_1","result":{"markdown_content":"# Example"}}`)
	case path == "POST /v1/crawls", path == "GET /v1/crawls/crawl_1":
		fmt.Fprint(w, `{"id":"crawl_1","status":"completed","outcome":"succeeded","pages_count":2}`)
	case path == "GET /v1/crawls/crawl_1/pages":
		fmt.Fprint(w, `{"data":[{"url":"https://example.com/","retrieve_id":"r1"},{"url":"https://example.com/about","retrieve_id":"r2"}],"next_cursor":null}`)
	case path == "GET /v1/retrieve":
		fmt.Fprintf(w, `{"markdown_content":"content of %s"}`, r.URL.Query().Get("retrieve_id"))
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}))

func TestMain(m *testing.M) {
	// The examples read the settings as their users do.
	for name, value := range map[string]string{"TURNPIKE_URL": example.URL, "TURNPIKE_KEY": "tp_example", "TURNPIKE_WALLET_KEY": strings.Repeat("01", 32)} {
		if os.Getenv("SITE") == "" {
			os.Setenv(name, value)
		}
	}
	code := m.Run()
	example.Close()
	os.Exit(code)
}

func Example() {
	client, err := turnpike.New(turnpike.Config{BaseURL: os.Getenv("TURNPIKE_URL"), Key: os.Getenv("TURNPIKE_KEY")})
	if err != nil {
		log.Fatal(err)
	}
	var call turnpike.Call
	scrape, err := client.Scrape(ctx, "https://example.com/", nil, turnpike.Report(&call))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(scrape.Result.MarkdownContent, call.Credits)
	// Output: # Example 1
}

func newClient() *turnpike.Client {
	client, err := turnpike.New(turnpike.Config{BaseURL: example.URL, Key: "tp_example"})
	if err != nil {
		log.Fatal(err)
	}
	return client
}

func ExampleClient_CrawlPages() {
	client := newClient()

	crawl, err := client.Crawl(ctx, "https://example.com/", &turnpike.CrawlRequest{
		MaxPages:      100,
		IncludeURLs:   []string{"/blog/**"},
		ScrapeOptions: &turnpike.CrawlScrapeOptions{Formats: []string{"markdown"}},
	})
	if err != nil {
		log.Fatal(err)
	}
	for page, err := range client.CrawlPages(ctx, crawl.ID, nil) { // until the crawl has ended
		if err != nil {
			log.Fatal(err)
		}
		content, err := client.Retrieve(ctx, page.RetrieveID, "markdown")
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(page.URL, content.MarkdownContent)
	}
	// Output:
	// https://example.com/ content of r1
	// https://example.com/about content of r2
}

func ExampleClient_WaitCrawl() {
	client := newClient()

	crawl, err := client.WaitCrawl(ctx, "crawl_1", func(c *turnpike.Crawl) { fmt.Println(c.PagesCount, "pages") })
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(crawl.Outcome)
	// Output:
	// 2 pages
	// succeeded
}

func ExampleClient_QuoteCrawl() {
	client := newClient()

	quote, err := client.QuoteCrawl(ctx, &turnpike.CrawlRequest{StartURL: "https://example.com/", MaxPages: 100})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(quote.Credits, "credits,", quote.USD, "USD")
	// Output: 100 credits, 0.1 USD
}

func ExampleError() {
	client := newClient()

	_, err := client.Scrape(ctx, "https://nowhere.example/", nil)
	var failed *turnpike.Error
	switch {
	case errors.Is(err, turnpike.ErrSpendingCap), errors.Is(err, turnpike.ErrPayment):
		fmt.Println("not paid for")
	case errors.As(err, &failed):
		fmt.Println(failed.Code, failed.Detail, failed.Docs)
	}
	// Output: fetch_failed There is no such host. https://docs.example/errors/fetch_failed
}

func ExampleWallet() {
	wallet, err := turnpike.NewWallet(turnpike.WalletConfig{
		PrivateKey: os.Getenv("TURNPIKE_WALLET_KEY"),
		MaxSpend:   5_000_000, // 5 USDC in all
		MaxPerCall: 50_000,    // 0.05 USDC for one payment
	})
	if err != nil {
		log.Fatal(err)
	}
	client, err := turnpike.New(turnpike.Config{BaseURL: os.Getenv("TURNPIKE_URL"), Wallet: wallet})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := client.Scrape(ctx, "https://example.com/", nil); err != nil {
		log.Fatal(err)
	}
	fmt.Println(wallet.Spent(), "USDC")
	// Output: 0.01 USDC
}

func ExampleVerifyWebhook() {
	seen := map[string]bool{}

	http.HandleFunc("POST /hooks/turnpike", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		if err != nil {
			http.Error(w, "too large", http.StatusRequestEntityTooLarge)
			return
		}
		event, err := turnpike.VerifyWebhook(os.Getenv("TURNPIKE_WEBHOOK_SECRET"), r.Header, body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusUnauthorized)
			return
		}
		if !seen[event.ID] { // an event may come twice
			seen[event.ID] = true
			log.Println(event.Object)
		}
	})

	resp, err := http.Post(serveDefault()+"/hooks/turnpike", "application/json", strings.NewReader("{}"))
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	fmt.Println(resp.StatusCode)
	// Output: 401
}

func serveDefault() string { return httptest.NewServer(http.DefaultServeMux).URL }

// The README's code is in these examples, so it compiles and runs.
func TestREADMEIsInTheExamples(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(readme), "```go\n")[1:]
	for _, block := range blocks {
		code, _, _ := strings.Cut(block, "```")
		indented := "\t" + strings.ReplaceAll(strings.TrimSuffix(code, "\n"), "\n", "\n\t")
		if indented = strings.ReplaceAll(indented, "\n\t\n", "\n\n"); !strings.Contains(string(source), indented) {
			t.Errorf("no example has this:\n%s", code)
		}
	}
	if len(blocks) < 5 {
		t.Errorf("got %d blocks of code, want at least 5", len(blocks))
	}
}
