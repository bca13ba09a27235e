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

// ticks converts times in /proc: USER_HZ is 100 per second on all machines that Go runs on.
func ticks(n int64) time.Duration { return time.Duration(n) * 10 * time.Millisecond }

// process is the entry of a process in /proc.
type process struct {
	parent int
	// own is the processor time of the process, reaped that of its ended children.
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

// parties are root processes by name, each counted with its descendants, except this process, which started the others.
type parties map[string]int

// spent returns the processor time of each party so far, and of the whole machine.
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

// machineTime returns the busy time of all processors.
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

// spending is processor time by party.
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

// per formats how many processors each party used over a duration.
func (s spending) per(d time.Duration) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(s)) {
		fmt.Fprintf(&b, "%s %.2f, ", name, s[name].Seconds()/d.Seconds())
	}
	return strings.TrimSuffix(b.String(), ", ")
}

// postmaster returns the parent of the database's processes.
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
