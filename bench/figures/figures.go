// Package figures formats benchmark results: medians of rounds, and tables between markers of a page of documentation.
//
// It imports the standard library only.
package figures

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"
)

// Table returns a Markdown table of the cells, given by row and column.
func Table(head []string, rows [][]string) string {
	var out strings.Builder
	line := func(cells []string) { out.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	line(head)
	out.WriteString("|---|" + strings.Repeat("---:|", len(head)-1) + "\n")
	for _, row := range rows {
		line(row)
	}
	return out.String()
}

// Spread is a median with the least and the greatest value.
type Spread struct{ Median, Least, Most float64 }

// SpreadOf returns the spread of value over the rounds, of which there must be at least one.
func SpreadOf[T any](rounds []T, value func(T) float64) Spread {
	values := make([]float64, len(rounds))
	for i, r := range rounds {
		values[i] = value(r)
	}
	slices.Sort(values)
	n := len(values)
	return Spread{Median: (values[(n-1)/2] + values[n/2]) / 2, Least: values[0], Most: values[n-1]}
}

// Ratio formats s with two decimals, for values of about one.
func (s Spread) Ratio() string {
	return fmt.Sprintf("%.2f (%.2f to %.2f)", s.Median, s.Least, s.Most)
}

// Number formats the median without decimals.
func (s Spread) Number() string { return fmt.Sprintf("%.0f", s.Median) }

// Machine says when and on what something was measured; postgres is the version that the server reports.
func Machine(postgres string) string {
	return fmt.Sprintf("Measured on %s: %d cores, %s (%s/%s), PostgreSQL %s with fsync on",
		time.Now().UTC().Format(time.DateOnly), runtime.NumCPU(), runtime.Version(), runtime.GOOS, runtime.GOARCH, numberOf(postgres))
}

// numberOf returns the version number without a distribution's suffix.
func numberOf(version string) string {
	number, _, _ := strings.Cut(version, " ")
	return number
}

// Rewrite replaces the text between the markers of a file.
func Rewrite(file, begin, end, text string) error {
	old, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	before, rest, ok := bytes.Cut(old, []byte(begin))
	_, after, ok2 := bytes.Cut(rest, []byte(end))
	if !ok || !ok2 {
		return fmt.Errorf("%s: want the lines %q and %q around the results", file, begin, end)
	}
	var out bytes.Buffer
	out.Write(before)
	out.WriteString(begin + "\n\n" + text + "\n" + end)
	out.Write(after)
	return os.WriteFile(file, out.Bytes(), 0o644) //nolint:gosec // a page of documentation
}
