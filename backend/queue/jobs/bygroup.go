package jobs

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// groupUnknownAfter is the wait before a task is retried whose group has no handler in this process.
const groupUnknownAfter = 10 * time.Second

// byGroup is the handler of a queue that several features share.
type byGroup map[string]Handler

// ByGroup returns a handler that passes each task to the handler of its group, chosen by the part before the group's
// first underscore, such as "batch". It does not work for Mixed queues, where one call of Finish may have tasks of
// several groups. A task without a handler here waits, because another process may have one: processes are updated one
// after the other.
func ByGroup(handlers map[string]Handler) Handler { return byGroup(handlers) }

func (b byGroup) of(group string) (Handler, error) {
	prefix, _, _ := strings.Cut(group, "_")
	if h := b[prefix]; h != nil {
		return h, nil
	}
	return nil, fmt.Errorf("no handler in this process for group %s", group)
}

// Run implements [Handler].
func (b byGroup) Run(ctx context.Context, t Task) (any, error) {
	h, err := b.of(t.Group)
	if err != nil {
		return nil, Wait(err, groupUnknownAfter)
	}
	return h.Run(ctx, t)
}

// Finish implements [Handler].
func (b byGroup) Finish(ctx context.Context, done []Done) error {
	if len(done) == 0 {
		return nil
	}
	h, err := b.of(done[0].Group)
	if err != nil {
		return err
	}
	return h.Finish(ctx, done)
}
