package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/turnpike-edge/turnpike/db"
)

const (
	teams     = 1000
	fillBatch = 10_000
)

// fill writes the schedules.
func (b *bench) fill(ctx context.Context) error {
	began, q := time.Now(), db.New(b.pool)
	if err := q.FillTeamsOfSchedules(ctx, numbers(1, teams)); err != nil {
		return err
	}
	for first := 0; first < b.total; first += fillBatch {
		if err := q.FillSchedules(ctx, b.batch(first, min(b.total, first+fillBatch))); err != nil {
			return err
		}
	}
	if err := q.AnalyseSchedules(ctx); err != nil {
		return err
	}
	b.filled = time.Since(began)
	fmt.Fprintf(os.Stderr, "bench-schedules: %d schedules after %s\n", b.total, b.filled.Round(time.Second))
	return nil
}

// batch returns schedules of many teams: three tenths are due in the second before the run, as many an hour later, three
// tenths an hour after that, and the rest another hour later. The next time is a day of the month far from all these.
func (b *bench) batch(first, end int) (f db.FillSchedulesParams) {
	day := b.due.AddDate(0, 0, 15).Day()
	zones := []string{"UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata"}
	for n := first; n < end; n++ {
		part := n % 10 / 3
		within := time.Second * time.Duration(n) / time.Duration(b.total)
		f.Ids = append(f.Ids, fmt.Sprintf("schedule_%024x", uint64(n)*0x9e3779b97f4a7c15)) //nolint:gosec // scattered, as ids are
		f.Teams = append(f.Teams, fmt.Sprintf("team_bench_%d", n%teams+1))
		f.Crons = append(f.Crons, fmt.Sprintf("%d %d %d * *", n%60, n%24, day))
		f.Zones = append(f.Zones, zones[n%len(zones)])
		f.Dues = append(f.Dues, b.due.Add(time.Duration(part)*time.Hour-within))
	}
	return f
}

// numbers returns first to last.
func numbers(first, last int) []int32 {
	ns := make([]int32, 0, last-first+1)
	for n := first; n <= last; n++ {
		ns = append(ns, int32(n)) //nolint:gosec // small
	}
	return ns
}
