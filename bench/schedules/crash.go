package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/turnpike-edge/turnpike/db"
	"github.com/turnpike-edge/turnpike/dev/rig"
)

// crashAfter is how many transactions all replicas write before the database dies during the next.
const crashAfter = 10

// claimAmongCrash has replicas claim, kills the database and all its processes (kill -9) when one of them has written
// without committing, restarts the database, and claims what is left.
func (b *bench) claimAmongCrash(ctx context.Context) error {
	now := b.due.Add(3 * time.Hour)
	var err error
	if b.amongCrash, err = b.owe(ctx, now); err != nil {
		return err
	}
	points := make([]byte, replicas) // the last point of each replica
	var mu sync.Mutex
	writtenBefore, ripe, dead := 0, make(chan struct{}), make(chan struct{})
	say := func(i int, point byte) {
		mu.Lock()
		points[i] = point
		last := false
		if point == written {
			writtenBefore++
			last = writtenBefore == crashAfter
		}
		mu.Unlock()
		if last {
			close(ripe)
			<-dead // it could otherwise commit before a slow machine kills the database
		}
	}
	var group sync.WaitGroup
	for i := range replicas {
		group.Go(func() { // its error does not matter: it loses its database
			_ = b.claimByReplica(ctx, now, func(point byte) { say(i, point) })
		})
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		group.Wait()
	}()
	select {
	case <-ripe:
	case <-ended:
		return errors.New("the replicas had claimed all before the database was to die")
	}
	err = rig.SignalTree(b.server.PID(), syscall.SIGKILL)
	close(dead)
	if err != nil {
		return err
	}
	<-ended
	<-b.server.Done()
	for _, point := range points {
		if point == locked || point == writing || point == written || point == committing {
			b.crashedOpen++
		}
	}
	if b.crashedOpen == 0 {
		return errors.New("no claim was under way when the database died")
	}
	return b.claimAfterCrash(ctx, now)
}

func (b *bench) claimByReplica(ctx context.Context, now time.Time, say func(byte)) error {
	pool, err := db.Open(ctx, b.url, func(c *pgxpool.Config) { c.MaxConns, c.ConnConfig.Tracer = 1, teller{say} })
	if err != nil {
		return err
	}
	defer pool.Close()
	s, err := service(pool, now)
	if err != nil {
		return err
	}
	_, _, err = claimAll(ctx, s, b.killRows)
	return err
}

// claimAfterCrash restarts the database, and claims what is left.
func (b *bench) claimAfterCrash(ctx context.Context, now time.Time) error {
	b.pool.Close()
	_ = b.server.Stop(ctx) // gives the directory back; its error, that the server has ended, is expected
	began := time.Now()
	if err := b.startServer(ctx); err != nil {
		return err
	}
	b.recovered = time.Since(began)
	s, err := service(b.pool, now)
	if err != nil {
		return err
	}
	left, _, err := claimAll(ctx, s, b.killRows)
	if err != nil {
		return err
	}
	if left == 0 || left == b.amongCrash {
		return fmt.Errorf("%d of %d schedules were left after the database died, want some", left, b.amongCrash)
	}
	fmt.Fprintf(os.Stderr, "bench-schedules: the database died under %d claims, with %d of %d schedules left\n", b.crashedOpen, left, b.amongCrash)
	return b.want(ctx, now)
}
