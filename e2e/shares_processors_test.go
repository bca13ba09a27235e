//go:build linux

package e2e

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// ticks are the unit of times in /proc: USER_HZ, of which there are 100 in a second on all machines that Go runs on.
func ticks(n int64) time.Duration { return time.Duration(n) * 10 * time.Millisecond }

// process is what /proc says of one.
type process struct {
	parent int
	// own is the time that it took of processors, reaped that of its children which have ended.
	own, reaped time.Duration
}

func processes(t *testing.T) map[int]process {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[int]process, len(files))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:])) // from field 3 on: proc(5)
		number := func(field int) int64 {
			n, _ := strconv.ParseInt(fields[field-3], 10, 64)
			return n
		}
		all[pid] = process{parent: int(number(4)), own: ticks(number(14) + number(15)), reaped: ticks(number(16) + number(17))}
	}
	return all
}

// parties are processes by name, each with its descendants, but for this one, which has the others.
type parties map[string]int

// spent is how much time of processors each took so far, and how much all of the machine.
func (p parties) spent(t *testing.T) spending {
	t.Helper()
	all, total := processes(t), spending{}
	for name, root := range p {
		if root == os.Getpid() {
			total[name] = all[root].own
			continue
		}
		for pid, proc := range all {
			if isBelow(all, pid, root) {
				total[name] += proc.own + proc.reaped
			}
		}
	}
	total[wholeMachine] = machineTime(t)
	return total
}

func isBelow(all map[int]process, pid, root int) bool {
	for ; pid > 1; pid = all[pid].parent {
		if pid == root {
			return true
		}
	}
	return false
}

const wholeMachine = "the machine"

// machineTime is how long processors were at work.
func machineTime(t *testing.T) time.Duration {
	t.Helper()
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(text), "\n")
	var sum int64
	for i, field := range strings.Fields(first)[1:9] {
		if i == 3 || i == 4 { // idle, and waiting for a disk
			continue
		}
		n, _ := strconv.ParseInt(field, 10, 64)
		sum += n
	}
	return ticks(sum)
}

// spending is time of processors by party.
type spending map[string]time.Duration

func (s spending) since(before spending) spending {
	d := spending{}
	for name, spent := range s {
		d[name] = spent - before[name]
	}
	return d
}

func (s spending) add(more spending) {
	for name, spent := range more {
		s[name] += spent
	}
}

// per writes how many processors each took of so much time.
func (s spending) per(d time.Duration) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(s)) {
		fmt.Fprintf(&b, "%s %.2f, ", name, s[name].Seconds()/d.Seconds())
	}
	return strings.TrimSuffix(b.String(), ", ")
}

// postmaster is the process that the database's are children of.
func postmaster(t *testing.T, pool *pgxpool.Pool) int {
	t.Helper()
	conn, err := pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	var pid int
	if err := conn.QueryRow(context.Background(), `select pg_backend_pid()`).Scan(&pid); err != nil {
		t.Fatal(err)
	}
	return processes(t)[pid].parent
}
