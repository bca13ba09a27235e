package jobs

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// groupUnknownAfter is when a task is tried again whose group nobody here knows.
const groupUnknownAfter = 10 * time.Second

// byGroup is the handler of a queue that several features share.
type byGroup map[string]Handler

// ByGroup is a handler that leaves tasks to the one for their group: by what stands before the first underscore of it, as
// in "batch_…". It is not for queues that are Mixed, whose calls of Finish may have tasks of several. A task of a group
// that it has no handler for waits, in case that another process has: features are brought into service one process
// after the other.
func ByGroup(handlers map[string]Handler) Handler { return byGroup(handlers) }

func (b byGroup) of(group string) (Handler, error) {
	prefix, _, _ := strings.Cut(group, "_")
	if h := b[prefix]; h != nil {
		return h, nil
	}
	return nil, fmt.Errorf("nobody here does the work of group %s", group)
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
