// Package pattern compiles regular expressions from untrusted input.
//
// RE2 matches in time linear in the text, but a pattern of a few bytes can compile to a hundred megabytes: each {1000}
// makes a thousand copies of what it repeats, and each step through a text may visit all of them. So a pattern is
// measured before it is compiled.
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
	// BytesMax is the maximum length of a pattern in bytes.
	BytesMax = 1000
	// SizeMax is the maximum Size of a pattern. Those that people write stay below a few hundred.
	SizeMax = 5000
	// TotalMax is the maximum Size of all patterns of one definition or schema together: some 20 MB once compiled.
	TotalMax = 50_000

	// classPart is how many character ranges count as one character.
	classPart = 32
)

// Size returns about how many instructions a pattern compiles to. The error says what is wrong with it.
func Size(text string) (int, error) {
	if len(text) > BytesMax {
		return 0, fmt.Errorf("is longer than %d bytes", BytesMax)
	}
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return 0, fmt.Errorf("is not a valid RE2 regular expression: %s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	size := sizeOf(parsed)
	if size > SizeMax {
		return size, fmt.Errorf("is too large: with its repetitions expanded it has %d parts, but at most %d are allowed", size, SizeMax)
	}
	return size, nil
}

// Compile is regexp.Compile within these limits.
func Compile(text string) (*regexp.Regexp, error) {
	if _, err := Size(text); err != nil {
		return nil, err
	}
	return regexp.Compile(text)
}

// sizeOf is recursive: the parser bounds the depth to 1,000, and each count to 1,000.
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
