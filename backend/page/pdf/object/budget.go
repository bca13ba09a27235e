package object

import (
	"context"
	"errors"
	"fmt"
)

// Limits bounds what reading a file may take. Fields that are 0 have their defaults.
type Limits struct {
	// PagesMax is after how many pages reading ends. Default 2,000.
	PagesMax int
	// TextBytesMax is after how much text reading ends; each line counts for 64 bytes more. Default 20 MB.
	TextBytesMax int
	// DecodedBytesMax bounds all that filters give, of the whole file; a single stream gives a sixteenth of it at most.
	// Default 256 MB.
	DecodedBytesMax int
	// ObjectsMax bounds the table of objects. Default 1,000,000.
	ObjectsMax int
	// ValuesMax bounds the values that are parsed, of the whole file. Default 20,000,000.
	ValuesMax int
	// OperatorsMax bounds the operators of all pages, their operands included. Default 50,000,000.
	OperatorsMax int
	// GlyphsMax bounds the glyphs of all pages; a single page has 200,000 at most. Default 20,000,000.
	GlyphsMax int
}

func (l Limits) withDefaults() Limits {
	for _, limit := range []struct {
		value *int
		def   int
	}{
		{&l.PagesMax, 2000},
		{&l.TextBytesMax, 20 << 20},
		{&l.DecodedBytesMax, 256 << 20},
		{&l.ObjectsMax, 1_000_000},
		{&l.ValuesMax, 20_000_000},
		{&l.OperatorsMax, 50_000_000},
		{&l.GlyphsMax, 20_000_000},
	} {
		if *limit.value <= 0 {
			*limit.value = limit.def
		}
	}
	return l
}

const (
	// objectValuesMax is how many values a single object has at most.
	objectValuesMax = 1_000_000
	// cachedValuesMax is how many values parsed objects may hold; beyond, they are parsed again when asked for.
	cachedValuesMax = 1_000_000
	// nestingMax is how deep arrays and dictionaries nest.
	nestingMax = 64
	// resolvingMax is how many objects may be under way at once, each needed by the one before.
	resolvingMax = 24
	// checkEvery is after how many steps the context is looked at.
	checkEvery = 4096
)

// ErrLimit is met where a limit is reached; what was read until then counts.
var ErrLimit = errors.New("limit reached")

// Budget is what is left to spend on a file. Once something is spent its error stays.
type Budget struct {
	ctx context.Context //nolint:containedctx // it lives for one file
	// Limits are those that it began with, with defaults.
	Limits Limits
	// What is left of each.
	Decoded, Values, Operators, Glyphs, Text int

	steps int
	// Err is the limit that is reached, or the context's error.
	Err error
}

// NewBudget gives what limits allow, with defaults for those that are 0. Once ctx is done, nothing is left.
func NewBudget(ctx context.Context, limits Limits) *Budget {
	limits = limits.withDefaults()
	return &Budget{
		ctx: ctx, Limits: limits, Decoded: limits.DecodedBytesMax, Values: limits.ValuesMax,
		Operators: limits.OperatorsMax, Glyphs: limits.GlyphsMax, Text: limits.TextBytesMax,
	}
}

// Take spends n of what, which is one of the budget's own counters.
func (b *Budget) Take(what *int, n int, unit string) bool {
	if b.Err != nil {
		return false
	}
	if b.steps++; b.steps%checkEvery == 0 && !b.Alive() {
		return false
	}
	if *what -= n; *what < 0 {
		b.Err = fmt.Errorf("%w: too many %s", ErrLimit, unit)
		return false
	}
	return true
}

// Alive reports whether reading may go on: no limit is reached, and the context is not done.
func (b *Budget) Alive() bool {
	if b.Err == nil && b.ctx.Err() != nil {
		b.Err = b.ctx.Err()
	}
	return b.Err == nil
}
