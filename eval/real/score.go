package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/turnpike-edge/turnpike/backend/answers/ask"
)

// count counts what was given for fields.
type count struct{ known, right, given, absent, kept int }

func (c *count) add(f *field, got any) {
	if got == ask.NotFound {
		got = nil
	}
	if f.Value == nil {
		if c.absent++; got == nil {
			c.kept++
		}
	} else {
		c.known++
	}
	if got == nil {
		return
	}
	c.given++
	if f.Value != nil && f.isRight(got) {
		c.right++
	}
}

func (c *count) precision() float64 { return part(c.right, c.given) }
func (c *count) recall() float64    { return part(c.right, c.known) }
func (c *count) absences() float64  { return part(c.kept, c.absent) }

func part(n, of int) float64 { return float64(n) / float64(max(of, 1)) }

// score has the counts of one reader.
type score struct {
	all         count
	types, kind map[string]*count
}

func newScore() *score { return &score{types: map[string]*count{}, kind: map[string]*count{}} }

func (s *score) add(p *page, f *field, got any) {
	s.all.add(f, got)
	for _, c := range []struct {
		of   map[string]*count
		name string
	}{{s.types, p.Type}, {s.kind, f.Kind}} {
		if c.of[c.name] == nil {
			c.of[c.name] = &count{}
		}
		c.of[c.name].add(f, got)
	}
}

func (c *count) String() string {
	return fmt.Sprintf("%.3f / %.3f / %.3f (%d known, %d given, %d absent)", c.precision(), c.recall(), c.absences(), c.known, c.given, c.absent)
}

func (s *score) write(out io.Writer, name string, whole bool) {
	fmt.Fprintf(out, "%-16s %s\n", name, &s.all)
	if !whole {
		return
	}
	for _, part := range []map[string]*count{s.types, s.kind} {
		names := slices.SortedFunc(maps.Keys(part), func(a, b string) int { return cmp.Or(cmp.Compare(part[b].known, part[a].known), cmp.Compare(a, b)) })
		for _, of := range names {
			fmt.Fprintf(out, "  %-14s %s\n", of, part[of])
		}
	}
}
