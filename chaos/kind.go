package main

import (
	"context"
	"fmt"
)

// kind is one kind of load: clients that all want the same sort of thing, the book that they keep of what they were
// told, and what must hold of it afterwards.
type kind interface {
	// start sets the clients going. They begin nothing new once beginning has ended, and leave what is unfinished once
	// finishing has.
	start(beginning, finishing context.Context)
	// wait returns when each client has had its last answer, or has left off.
	wait()
	// audit holds what the clients were told against the books.
	audit(b *books, f *findings)
}

// load is all that clients do.
type load struct {
	kinds   []kind
	stopped context.CancelFunc // nothing new is begun
	giveUp  context.CancelFunc // what is unfinished is left so
}

func startLoad(ctx context.Context, kinds ...kind) *load {
	beginning, stopped := context.WithCancel(ctx)
	finishing, giveUp := context.WithCancel(ctx)
	for _, k := range kinds {
		k.start(beginning, finishing)
	}
	return &load{kinds: kinds, stopped: stopped, giveUp: giveUp}
}

// stop begins nothing new, and returns when everything has had its last answer.
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
