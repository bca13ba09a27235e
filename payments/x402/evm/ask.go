package evm

import (
	"context"
	"errors"
	"slices"
	"time"
)

var (
	errSlowNode = errors.New("it did not respond long after the other nodes had")
	errPaused   = errors.New("it is skipped because it failed a moment ago")
)

// majority returns how many of the nodes must agree.
func majority(of int) int { return of/2 + 1 }

// nodeAnswer is what one node answers.
type nodeAnswer[T any] struct {
	value T
	err   error
}

// askEach asks all nodes at once. The answer of a paused node, or of one that is still slow some time after a majority
// has answered, is an error. ask must not write to what the caller uses afterwards: a slow call may still run when
// askEach returns.
func askEach[T any](ctx context.Context, node RPC, ask func(context.Context, RPC) (T, error)) []nodeAnswer[T] {
	several, ok := node.(*Nodes)
	if !ok {
		value, err := ask(ctx, node)
		return []nodeAnswer[T]{{value, err}}
	}
	all := make([]nodeAnswer[T], len(several.nodes))
	asked := several.asked()
	type numbered struct {
		i    int
		said nodeAnswer[T]
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	answers := make(chan numbered, len(all))
	waiting := 0
	for i, one := range several.nodes {
		all[i].err = one.named(errPaused)
		if !slices.Contains(asked, one) {
			continue
		}
		all[i].err = one.named(errSlowNode)
		waiting++
		go func() {
			value, err := ask(ctx, one)
			answers <- numbered{i, nodeAnswer[T]{value, one.named(err)}}
		}()
	}
	var patience <-chan time.Time
	for good := 0; waiting > 0; waiting-- {
		select {
		case a := <-answers:
			all[a.i] = a.said
			if a.said.err == nil {
				good++
			}
		case <-patience:
			for i, one := range several.nodes {
				if errors.Is(all[i].err, errSlowNode) {
					one.passOver()
				}
			}
			return all
		case <-ctx.Done():
			return all
		}
		if good >= majority(len(all)) && patience == nil {
			timer := time.NewTimer(several.patience)
			defer timer.Stop()
			patience = timer.C
		}
	}
	return all
}

// asked returns the nodes to ask: those that are not paused, or all if these are too few for a majority.
func (n *Nodes) asked() []*oneOf {
	good := slices.DeleteFunc(slices.Clone(n.nodes), (*oneOf).paused)
	if len(good) < majority(len(n.nodes)) {
		return n.nodes
	}
	return good
}

// sorted separates the nodes' answers from their errors.
func sorted[T any](answers []nodeAnswer[T]) (values []T, failed error) {
	var errs []error
	for _, a := range answers {
		if a.err != nil {
			errs = append(errs, a.err)
			continue
		}
		values = append(values, a.value)
	}
	return values, errors.Join(errs...)
}
