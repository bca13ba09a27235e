package credits

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/dev/pgtest"
)

// BenchmarkMeter measures what metering costs Postgres, on a server of its own
// that is as durable as in life: requests by 1,000 requesters, each captured, on
// as many accounts as there are and on one. It reports the CPU time of all of the
// server's processes for each 1,000 requests, which must stay below 30 ms.
//
//	go test ./payments/credits -run '^$' -bench Meter/ -benchtime 200000x
func BenchmarkMeter(b *testing.B) {
	const accounts, requesters = 100_000, 1000
	server, err := pgtest.TempServer(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := server.Stop(context.WithoutCancel(b.Context())); err != nil {
			b.Error(err)
		}
	})
	bench := openBench(b, server.URL("postgres"))
	first := bench.fill(b, accounts)
	for _, test := range []struct {
		name string
		pick func() int64
	}{
		{"random", func() int64 { return rand.Int64N(accounts) }},
		{"hot", func() int64 { return 0 }},
	} {
		b.Run(test.name, func(b *testing.B) {
			m := bench.meter(b, nil)
			bench.exec(b, "checkpoint")
			b.ReportAllocs()
			before, start := cpuOfTree(b, server.PID()), time.Now()
			b.ResetTimer()
			run(b, m, requesters, func() Request {
				i := test.pick()
				return request(first.account+i, first.key+i, 1)
			})
			if err := m.Flush(b.Context()); err != nil {
				b.Fatal(err)
			}
			b.StopTimer()
			b.ReportMetric(float64((cpuOfTree(b, server.PID())-before).Milliseconds())*1000/float64(b.N), "pg-cpu-ms/1000req")
			b.ReportMetric(float64(b.N)/time.Since(start).Seconds(), "req/s")
		})
	}
	bench.sound(b)
}

// run sends b.N requests from that many requesters, and captures them all.
func run(b *testing.B, m *Postgres, requesters int, next func() Request) {
	b.Helper()
	var all sync.WaitGroup
	tickets := make(chan struct{}, b.N)
	for range b.N {
		tickets <- struct{}{}
	}
	close(tickets)
	for range requesters {
		all.Go(func() {
			for range tickets {
				d, err := m.Authorize(b.Context(), next())
				if err != nil || d.Outcome != Accepted {
					b.Errorf("got %+v, %v; want accepted", d, err)
					return
				}
				m.Capture(d.Hold, 1)
			}
		})
	}
	all.Wait()
}

// BenchmarkLone measures one request at a time, next to one durable commit at a time on the same server. A request must
// take less than twice as long as a commit.
func BenchmarkLone(b *testing.B) {
	bench := newBench(b)
	account, key := bench.account(b, 1<<40)
	m := bench.meter(b, nil)
	conn, err := pgx.Connect(b.Context(), bench.url)
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(b.Context()))
	bench.exec(b, "create table commit (n bigint)")
	var commits, requests []time.Duration
	timed := func(f func() error) time.Duration {
		start := time.Now()
		if err := f(); err != nil {
			b.Fatal(err)
		}
		return time.Since(start)
	}
	for b.Loop() {
		commits = append(commits, timed(func() error {
			_, err := conn.Exec(b.Context(), "insert into commit values (1)")
			return err
		}))
		var hold Hold
		requests = append(requests, timed(func() error {
			d, err := m.Authorize(b.Context(), request(account, key, 1))
			hold = d.Hold
			return err
		}))
		m.Capture(hold, 1) // is written with the next request
	}
	median := func(d []time.Duration) float64 {
		slices.Sort(d)
		return float64(d[len(d)/2].Microseconds())
	}
	b.ReportMetric(median(commits), "commit-us")
	b.ReportMetric(median(requests), "request-us")
	b.ReportMetric(median(requests)/median(commits), "ratio")
}

type firstOf struct{ account, key int64 }

// fill makes n customers with more credits than they can spend. Their accounts and their keys have consecutive numbers.
func (b *bench) fill(t testing.TB, n int) (first firstOf) {
	t.Helper()
	b.exec(t, `insert into team (id) select 'team_' || i from generate_series(1, $1::int) i`, n)
	b.exec(t, `insert into ledger_account (team_id, kind, unit, available) select id, 'customer', 'credit', 1000000000 from team order by length(id), id`)
	b.exec(t, `insert into ledger_transfer (debit_account, credit_account, amount, unit, kind, idem_key)
		select p.id, c.id, c.available, 'credit', 'grant', c.team_id
		from ledger_account p, ledger_account c where p.kind = 'promo' and c.kind = 'customer'`)
	b.exec(t, `insert into api_key (public_id, team_id, account_id, hash, display)
		select 'key_' || id, team_id, id, sha256(team_id::bytea), 'tp' from ledger_account where kind = 'customer' order by id`)
	b.exec(t, `vacuum analyze`)
	if err := b.pool.QueryRow(t.Context(), `select min(account_id), min(id) from api_key`).Scan(&first.account, &first.key); err != nil {
		t.Fatal(err)
	}
	return first
}

func openBench(t testing.TB, url string) *bench {
	t.Helper()
	if _, err := db.Migrate(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	pool := pgtest.Open(t, url, nil)
	return &bench{url: url, pool: pool, q: db.New(pool), ledger: NewLedger(pool)}
}

// cpuOfTree is the CPU time of a process and its children, including those that have ended (proc_pid_stat(5); a tick is 10 ms).
func cpuOfTree(b *testing.B, pid int) time.Duration {
	b.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || len(files) == 0 {
		b.Skip("no /proc to read CPU times from")
	}
	var ticks int64
	for _, file := range files {
		line, err := os.ReadFile(file)
		if err != nil {
			continue // has just ended
		}
		fields := strings.Fields(string(line[bytes.LastIndexByte(line, ')')+1:]))
		self := filepath.Base(filepath.Dir(file)) == strconv.Itoa(pid)
		if parent := fields[1]; !self && parent != strconv.Itoa(pid) {
			continue
		}
		upTo := 13 // utime, stime
		if self {
			upTo = 15 // and those of its ended children
		}
		for _, field := range fields[11:upTo] {
			n, err := strconv.ParseInt(field, 10, 64)
			if err != nil {
				b.Fatal(fmt.Errorf("%s: %w", file, err))
			}
			ticks += n
		}
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}
