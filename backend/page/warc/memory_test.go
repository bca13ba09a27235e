package warc

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/backend/page/fetch"
)

// again reads data a number of times.
type again struct {
	data  []byte
	times int
	rest  bytes.Reader
}

func (a *again) Read(p []byte) (int, error) {
	for {
		if n, err := a.rest.Read(p); !errors.Is(err, io.EOF) {
			return n, err
		}
		if a.times == 0 {
			return 0, io.EOF
		}
		a.times--
		a.rest.Reset(a.data)
	}
}

// exchangeOf is an exchange whose body has that many bytes and compresses like pages, to about a third.
func exchangeOf(t testing.TB, bytes int) fetch.Exchange {
	t.Helper()
	const letters = "etaoinshrdlu <>="
	source := rand.New(rand.NewPCG(1, 2))
	body := make([]byte, bytes)
	for i := range body {
		body[i] = letters[source.IntN(len(letters))]
	}
	return fetch.Exchange{
		Method: "GET", URL: mustParse(t, "https://a.example/"), Proto: "HTTP/1.1", Status: "200 OK", StatusCode: 200, Body: body,
	}
}

// Reading a file needs the same memory whatever its size. TURNPIKE_WARC_MIB makes the file larger than 64 MiB.
func TestMemoryIsFlat(t *testing.T) { //nolint:paralleltest // it measures the process
	mib := 64
	if text := os.Getenv("TURNPIKE_WARC_MIB"); text != "" {
		var err error
		if mib, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	var b bytes.Buffer
	exchange := exchangeOf(t, 1<<20)
	if err := NewWriter(&b).Exchange(&exchange, time.Unix(0, 0)); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	records, length := 0, int64(0)
	begun := time.Now()
	for record, err := range Records(&again{data: b.Bytes(), times: mib}) {
		if err != nil {
			t.Fatal(err)
		}
		n, err := io.Copy(io.Discard, record.Block)
		if err != nil {
			t.Fatal(err)
		}
		records, length = records+1, length+n
	}
	took := time.Since(begun)
	runtime.ReadMemStats(&after)
	allocated := after.TotalAlloc - before.TotalAlloc
	t.Logf("%d MiB in %d records: %.0f MiB/s, %d KiB allocated in all", length>>20, records, float64(length)/(1<<20)/took.Seconds(), allocated>>10)
	if records != 2*mib || length < int64(mib)<<20 {
		t.Errorf("got %d records of %d bytes, want all", records, length)
	}
	// A record's header needs some KiB; the buffers are allocated once.
	if most := uint64(512<<10) + uint64(records)*(48<<10); allocated > most {
		t.Errorf("allocated %d bytes for %d records, want at most %d", allocated, records, most)
	}
}

// BenchmarkExchange is the cost of recording a page of 30 KB: 1 ms at most.
func BenchmarkExchange(b *testing.B) {
	exchange := exchangeOf(b, 30<<10)
	w := NewWriter(io.Discard)
	b.ReportAllocs()
	b.SetBytes(30 << 10)
	for b.Loop() {
		if err := w.Exchange(&exchange, time.Unix(0, 0)); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRecorded is the cost of finding a page of 30 KB in an archive: 1 ms at most.
func BenchmarkRecorded(b *testing.B) {
	var file bytes.Buffer
	exchange := exchangeOf(b, 30<<10)
	if err := NewWriter(&file).Exchange(&exchange, time.Unix(0, 0)); err != nil {
		b.Fatal(err)
	}
	a := opened(b, saved(b, file.Bytes()))
	b.ReportAllocs()
	for b.Loop() {
		response, err := a.Recorded(b.Context(), "GET", exchange.URL)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, response.Body); err != nil {
			b.Fatal(err)
		}
	}
}

// An open archive needs at most 250 bytes for each record, whatever the record's size.
func TestIndexIsSmall(t *testing.T) { //nolint:paralleltest // it measures the process
	const records = 100_000
	a := &Archive{answers: map[key]entry{}, payloads: map[key]location{}, others: map[key]bool{}}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range records {
		n := strconv.Itoa(i)
		a.index(&Record{Type: TypeResponse, Fields: Fields{
			{fieldTargetURI, "https://a.example/" + n},
			{fieldRecordID, "<urn:x:" + n + ">"},
			{fieldDate, "2024-01-01T00:00:00Z"},
			{fieldContentType, "application/http"},
			{fieldPayloadDigest, "sha256:" + n},
		}}, location{place: Place{Offset: int64(i)}})
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	each := (int64(after.HeapAlloc) - int64(before.HeapAlloc)) / records
	t.Logf("%d bytes a record", each)
	if a.Len() != records || each > 250 {
		t.Errorf("got %d records of %d bytes, want %d of 250 at most", a.Len(), each, records)
	}
	runtime.KeepAlive(a)
}
