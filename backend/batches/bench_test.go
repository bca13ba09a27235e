//go:build linux

package batches_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sys/unix"

	"github.com/turnpike-edge/turnpike/backend/api/apitest"
	"github.com/turnpike-edge/turnpike/backend/batches"
	"github.com/turnpike-edge/turnpike/backend/blob"
	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/page/membudget"
	"github.com/turnpike-edge/turnpike/backend/pricebook"
	"github.com/turnpike-edge/turnpike/backend/scrapes"
	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/dev/workshop"
)

// realPages checks and prices pages as an installation does.
func realPages(b *testing.B, pool *pgxpool.Pool) *scrapes.Engine {
	b.Helper()
	client, err := fetch.New(fetch.Config{})
	workshop.Must(b, err)
	b.Cleanup(client.Close)
	store, err := blob.Open(b.Context(), "mem://")
	workshop.Must(b, err)
	b.Cleanup(func() { _ = store.Close() })
	signer, err := blob.NewSigner(blob.SignerConfig{Secret: bytes.Repeat([]byte("s"), 32), BaseURL: "https://api.example.com", Now: time.Now})
	workshop.Must(b, err)
	book, err := pricebook.New()
	workshop.Must(b, err)
	s, err := scrapes.New(scrapes.Config{
		Queries: db.New(pool), Fetcher: client, Blobs: store, Book: book, Signer: signer, Memory: membudget.NewBudget(0), Logger: workshop.Logger(), Now: time.Now,
	})
	workshop.Must(b, err)
	return s.Engine()
}

// cpu is the processor time that this process has used.
func cpu(b *testing.B) time.Duration {
	b.Helper()
	var used unix.Rusage
	workshop.Must(b, unix.Getrusage(unix.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// A batch of 16 MiB from quote to creation: the time of this process, without the database. Each batch is a new one.
func BenchmarkLargestBatch(b *testing.B) {
	for name, item := range map[string]string{
		"4000 of 4 KB":               `{"url":"https://example.com/%d?` + strings.Repeat("x", 4000) + `"}`,
		"10000 of 1.6 KB":            `{"custom_id":"item %d","url":"https://example.com/a/%[1]d?` + strings.Repeat("x", 1500) + `","metadata":{"n":%[1]d}}`,
		"4000 that are parsed whole": `{"url":"https:/example.com/%d?` + strings.Repeat("x", 4000) + `"}`,
	} {
		b.Run(name, func(b *testing.B) {
			a := newAPI(b, func(c *batches.Config) { c.Pages = realPages(b, c.Pool) })
			n := min(batches.ItemsMax, (batches.BodyBytesMax-64)/(len(item)+16))
			var used time.Duration
			for i := 0; b.Loop(); i++ {
				b.StopTimer()
				body := list(n, func(k int) string { return fmt.Sprintf(item, i*n+k) })
				begun := cpu(b)
				b.StartTimer()
				w := a.pay("/v1/batches", body)
				b.StopTimer()
				used += cpu(b) - begun
				made := apitest.Decode[batches.Batch](b, w)
				apitest.Decode[batches.Batch](b, a.free(http.MethodDelete, "/v1/batches/"+made.ID, ""))
				b.StartTimer()
			}
			b.ReportMetric(float64(used.Milliseconds())/float64(b.N), "cpu-ms/op")
		})
	}
}
