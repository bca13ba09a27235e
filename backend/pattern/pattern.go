// Package pattern compiles regular expressions that strangers write.
//
// RE2 matches in time linear in the text, but a pattern of a few bytes can be a program of a hundred megabytes: each
// {1000} is a thousand copies of what stands before it, and each step through a text may look at all of them. So a pattern
// is measured before it is compiled.
//
// The package imports nothing of ours.
package pattern

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
)

const (
	// BytesMax is how long a pattern's text may be.
	BytesMax = 1000
	// SizeMax is how large a pattern may be. Those that people write stay below a few hundred.
	SizeMax = 5000
	// TotalMax is how large all patterns of one definition or schema may be together: some 20 MB once compiled.
	TotalMax = 50_000

	// classPart is how many ranges of characters weigh as much as one character.
	classPart = 32
)

// Size is how large a pattern is: about how many instructions it compiles to. The error says what is wrong with it.
func Size(text string) (int, error) {
	if len(text) > BytesMax {
		return 0, fmt.Errorf("is longer than %d bytes", BytesMax)
	}
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return 0, fmt.Errorf("is no regular expression of RE2 syntax: %s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	size := sizeOf(parsed)
	if size > SizeMax {
		return size, fmt.Errorf("is too large: with its repetitions written out it has %d parts, and %d are allowed", size, SizeMax)
	}
	return size, nil
}

// Compile is regexp.Compile within these bounds.
func Compile(text string) (*regexp.Regexp, error) {
	if _, err := Size(text); err != nil {
		return nil, err
	}
	return regexp.Compile(text)
}

// sizeOf recurses: the parser bounds the depth to 1,000, and each count to 1,000.
func sizeOf(re *syntax.Regexp) int {
	size := 1 + len(re.Rune)
	if re.Op == syntax.OpCharClass {
		size = 1 + len(re.Rune)/(2*classPart)
	}
	for _, sub := range re.Sub {
		size += sizeOf(sub)
	}
	if re.Op == syntax.OpRepeat {
		size *= max(re.Min, re.Max, 1)
	}
	return min(size, 1<<30)
}
