package main

import (
	"context"
	"fmt"
)

// kind is one kind of load: clients with the same aim, their record of the responses, and the rules it must satisfy.
type kind interface {
	// start starts the clients. They begin nothing new once beginning ends, and give up unfinished work once finishing
	// ends.
	start(beginning, finishing context.Context)
	// wait returns when each client has had its final response, or has given up.
	wait()
	// audit compares the clients' responses with the books.
	audit(b *books, f *findings)
}

// load is everything that clients do.
type load struct {
	kinds   []kind
	stopped context.CancelFunc // nothing new begins
	giveUp  context.CancelFunc // unfinished work is abandoned
}

func startLoad(ctx context.Context, kinds ...kind) *load {
	beginning, stopped := context.WithCancel(ctx)
	finishing, giveUp := context.WithCancel(ctx)
	for _, k := range kinds {
		k.start(beginning, finishing)
	}
	return &load{kinds: kinds, stopped: stopped, giveUp: giveUp}
}

// stop begins nothing new, and returns when everything has had its final response.
func (l *load) stop(ctx context.Context) error {
	l.stopped()
	defer l.giveUp()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, k := range l.kinds {
			k.wait()
		}
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		l.giveUp()
		<-done
		return fmt.Errorf("waiting for the last answers: %w", context.Cause(ctx))
	}
}
