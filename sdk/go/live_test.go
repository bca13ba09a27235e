package turnpike_test

import (
	"crypto/rand"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"

	turnpike "github.com/turnpike-edge/turnpike/sdk/go"
)

// live returns the settings of a running development server, from the environment that make interop sets, or skips.
func live(t *testing.T) (url, key, walletKey, site string) {
	t.Helper()
	url, key, walletKey, site = os.Getenv("TURNPIKE_URL"), os.Getenv("TURNPIKE_KEY"), os.Getenv("TURNPIKE_WALLET_KEY"), os.Getenv("SITE")
	if url == "" || key == "" || walletKey == "" || site == "" {
		t.Skip("needs TURNPIKE_URL, TURNPIKE_KEY, TURNPIKE_WALLET_KEY and SITE, the page of a development server (make interop)")
	}
	return url, key, walletKey, site
}

func byKey(t *testing.T) (*turnpike.Client, string) {
	t.Helper()
	url, key, _, site := live(t)
	c, err := turnpike.New(turnpike.Config{BaseURL: url, Key: key})
	if err != nil {
		t.Fatal(err)
	}
	return c, site
}

func byWallet(t *testing.T, maxSpend turnpike.USDC) (*turnpike.Client, *turnpike.Wallet, string) {
	t.Helper()
	url, _, walletKey, site := live(t)
	w, err := turnpike.NewWallet(turnpike.WalletConfig{PrivateKey: walletKey, MaxSpend: maxSpend})
	if err != nil {
		t.Fatal(err)
	}
	c, err := turnpike.New(turnpike.Config{BaseURL: url, Wallet: w})
	if err != nil {
		t.Fatal(err)
	}
	return c, w, site
}

func TestLiveResources(t *testing.T) {
	t.Parallel()
	keyed, site := byKey(t)
	paying, wallet, _ := byWallet(t, 2_000_000)
	for name, c := range map[string]*turnpike.Client{"key": keyed, "wallet": paying} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			useResources(t, c, site)
		})
	}
	t.Cleanup(func() { t.Logf("the wallet spent %s USDC", wallet.Spent()) })
}

// useResources makes each resource's first calls, and checks what the calls cost.
func useResources(t *testing.T, c *turnpike.Client, site string) {
	ctx := t.Context()
	var call turnpike.Call
	must := func(what string, right bool, got any, err error) {
		t.Helper()
		if err != nil || !right {
			t.Fatalf("%s: got %+v, %v", what, got, err)
		}
	}
	paid := func() bool { return call.Credits > 0 || call.USDC > 0 && call.Transaction != "" }

	quote, err := c.QuoteScrape(ctx, &turnpike.ScrapeRequest{URLToScrape: site})
	must("quote", quote != nil && quote.USD > 0, quote, err)
	scrape, err := c.Scrape(ctx, site, nil, turnpike.Report(&call))
	must("scrape", scrape != nil && strings.Contains(scrape.Result.MarkdownContent, "#") && paid() && call.RequestID != "", scrape, err)
	again, err := c.GetScrape(ctx, scrape.ID)
	must("scrape, read again", again != nil && again.ID == scrape.ID, again, err)
	content, err := c.Retrieve(ctx, scrape.RetrieveID, "markdown")
	must("content", content != nil && content.MarkdownContent == scrape.Result.MarkdownContent, content, err)

	urls := 0
	for _, err := range c.MapURLs(ctx, site, nil, turnpike.Report(&call)) {
		must("map", true, nil, err)
		urls++
	}
	must("map", urls > 3 && paid(), urls, nil)

	crawl, err := c.Crawl(ctx, site, &turnpike.CrawlRequest{MaxPages: 3}, turnpike.Report(&call))
	must("crawl", crawl != nil, crawl, err)
	pages := map[string]bool{}
	for page, err := range c.CrawlPages(ctx, crawl.ID, nil) { // also waits for its end
		must("pages", err == nil && !pages[page.URL], page, err)
		pages[page.URL] = true
	}
	ended, err := c.WaitCrawl(ctx, crawl.ID, nil)
	must("crawl's end", ended != nil && len(pages) == 3 && ended.PagesCount == 3 && ended.Outcome == "succeeded", ended, err)

	batch, err := c.Batch(ctx, []string{site, site + "?page=2"}, nil, turnpike.Report(&call))
	must("batch", batch != nil, batch, err)
	done, err := c.WaitBatch(ctx, batch.ID, nil)
	must("batch's end", done != nil && done.CompletedURLs == 2, done, err)
	items := 0
	for item, err := range c.BatchItems(ctx, batch.ID, &turnpike.ListBatchItemsQuery{Limit: 1}) {
		must("items", err == nil && item.RetrieveID != "", item, err)
		items++
	}
	must("items", items == 2, items, nil)

	search, err := c.Search(ctx, "toll road", nil)
	must("search", search != nil && search.ID != "", search, err)
	answer, err := c.Answer(ctx, "What is "+site+" about?", &turnpike.AnswerRequest{JSONFormat: map[string]string{"title": ""}})
	must("answer", answer != nil && answer.Result.JSONContent != "", answer, err)

	_, err = c.Scrape(ctx, "nowhere", nil)
	var e *turnpike.Error
	must("an invalid request", errors.Is(err, turnpike.ErrInvalidRequest) && errors.As(err, &e) && e.Code == "validation_error" &&
		e.RequestID != "" && strings.Contains(e.Docs, "/errors/"), err, nil)
	_, err = c.GetScrape(ctx, "scrape_none")
	must("a scrape that does not exist", errors.Is(err, turnpike.ErrNotFound) || errors.Is(err, turnpike.ErrAuthentication), err, nil)
}

func TestLiveMonitor(t *testing.T) {
	t.Parallel()
	c, site := byKey(t)
	ctx := t.Context()
	m, err := c.Monitor(ctx, "Tell me when the text of "+site+" changes", &turnpike.MonitorRequest{Frequency: "every day at 9:00"})
	if err != nil {
		t.Fatal(err)
	}
	if m, err = c.WaitMonitor(ctx, m.ID); err != nil || m.Status != "active" {
		t.Fatalf("got %+v, %v, want an active monitor", m, err)
	}
	steps := 0
	for _, err := range c.MonitorSteps(ctx, m.ID) {
		if err != nil {
			t.Fatal(err)
		}
		steps++
	}
	if steps < 2 {
		t.Errorf("got %d steps, want phases and the end", steps)
	}
	if deleted, err := c.DeleteMonitor(ctx, m.ID); err != nil || deleted.MonitorID != m.ID {
		t.Errorf("got %+v, %v", deleted, err)
	}
}

// The same purchase, made again with its key, is charged once, although each try signs a payment of its own.
func TestLivePurchaseIsChargedOnce(t *testing.T) {
	t.Parallel()
	c, _, site := byWallet(t, 1_000_000)
	var first, second turnpike.Call
	request := &turnpike.CrawlRequest{MaxPages: 2}
	a, err := c.Crawl(t.Context(), site, request, turnpike.IdempotencyKey(rand.Text()), turnpike.Report(&first))
	if err != nil {
		t.Fatal(err)
	}
	b, err := c.Crawl(t.Context(), site, request, turnpike.IdempotencyKey(first.IdempotencyKey), turnpike.Report(&second))
	if err != nil {
		t.Fatal(err)
	}
	if a.ID != b.ID || first.Transaction != second.Transaction {
		t.Errorf("got %s by %s and %s by %s, want the same", a.ID, first.Transaction, b.ID, second.Transaction)
	}
}

func TestLiveSpendingCap(t *testing.T) {
	t.Parallel()
	const affordable, calls = 7, 50
	c, wallet, site := byWallet(t, affordable*10_000)
	var wg sync.WaitGroup
	results := make(chan error, calls)
	for range calls {
		wg.Add(1)
		go func() {
			defer wg.Done()
			_, err := c.Scrape(t.Context(), site, nil)
			results <- err
		}()
	}
	wg.Wait()
	close(results)
	paid := 0
	for err := range results {
		if err == nil {
			paid++
		} else if !errors.Is(err, turnpike.ErrSpendingCap) {
			t.Errorf("got %v, want the spending cap's error", err)
		}
	}
	if paid != affordable || wallet.Spent() != affordable*10_000 {
		t.Errorf("got %d paid calls and %s USDC spent, want %d and 0.07", paid, wallet.Spent(), affordable)
	}
}
