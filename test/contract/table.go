package contract

import (
	_ "embed"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

//go:embed table.tsv
var table string

// Kinds are the kinds of rows.
var Kinds = []string{"endpoint", "field", "query", "limit", "state", "error", "auth", "event", "response"}

// Areas are the areas of work in which unproven rows will be proven.
var Areas = []string{
	"answers", "batches", "crawls", "credits", "files", "maps", "monitors",
	"page engine", "schedules", "searches", "top-ups", "webhooks", "x402",
}

// Row is one promise of the contract.
type Row struct {
	ID      string
	Kind    string
	Subject string
	Rule    string
	// Proofs are the tests that prove it; none if it is not proven yet.
	Proofs []Proof
	// Area is where it will be proven; "" if it is proven.
	Area string
}

// Proof names a test.
type Proof struct {
	// Folder is the package's path below the module, "" for the root package.
	Folder string
	// Test is the name of the function.
	Test string
}

func (p Proof) String() string { return p.Folder + "." + p.Test }

const (
	header  = "id\tkind\tsubject\trule\tproof"
	columns = 5
)

var (
	idForm    = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	proofForm = regexp.MustCompile(`^([a-z0-9/]*)\.((?:Test|Fuzz)[A-Z0-9]\w*)$`)
)

// Load returns the rows of the table.
func Load() ([]Row, error) { return Parse(table) }

// Parse reads a table. Its error reports every fault, each with its line.
func Parse(text string) ([]Row, error) {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if lines[0] != header {
		return nil, fmt.Errorf("line 1: want the header %q, got %q", header, lines[0])
	}
	var (
		rows   []Row
		faults []error
		seen   = map[string]int{}
	)
	for i, line := range lines[1:] {
		number := i + 2
		row, err := parseRow(line)
		if err != nil {
			faults = append(faults, fmt.Errorf("line %d: %w", number, err))
			continue
		}
		if first, ok := seen[row.ID]; ok {
			faults = append(faults, fmt.Errorf("line %d: the id %s is already used in line %d", number, row.ID, first))
		}
		seen[row.ID] = number
		rows = append(rows, row)
	}
	return rows, errors.Join(faults...)
}

func parseRow(line string) (Row, error) {
	cells := strings.Split(line, "\t")
	if len(cells) != columns {
		return Row{}, fmt.Errorf("want %d columns separated by tabs, got %d", columns, len(cells))
	}
	row := Row{ID: cells[0], Kind: cells[1], Subject: cells[2], Rule: cells[3]}
	var faults []error
	if !idForm.MatchString(row.ID) {
		faults = append(faults, fmt.Errorf("id %q: want lower-case letters and digits with hyphens between", row.ID))
	}
	if !slices.Contains(Kinds, row.Kind) {
		faults = append(faults, fmt.Errorf("kind %q: want one of %s", row.Kind, strings.Join(Kinds, ", ")))
	}
	for _, text := range []string{row.Subject, row.Rule} {
		if text == "" || text != strings.TrimSpace(text) {
			faults = append(faults, fmt.Errorf("%s: subject and rule must not be empty or begin or end with a space", row.ID))
		}
	}
	if err := row.parseProof(cells[4]); err != nil {
		faults = append(faults, fmt.Errorf("%s: %w", row.ID, err))
	}
	return row, errors.Join(faults...)
}

func (r *Row) parseProof(cell string) error {
	if area, ok := strings.CutPrefix(cell, "area "); ok {
		if !slices.Contains(Areas, area) {
			return fmt.Errorf("area %q: want one of %s", area, strings.Join(Areas, ", "))
		}
		r.Area = area
		return nil
	}
	for word := range strings.SplitSeq(cell, " ") {
		m := proofForm.FindStringSubmatch(word)
		if m == nil {
			return fmt.Errorf("proof %q: want \"area <name>\" or <folder>.<TestName>, such as payments/credits.TestRefusal", word)
		}
		r.Proofs = append(r.Proofs, Proof{Folder: m[1], Test: m[2]})
	}
	return nil
}

// Count returns how many of the rows are proven.
func Count(rows []Row) int {
	proven := 0
	for _, r := range rows {
		if len(r.Proofs) > 0 {
			proven++
		}
	}
	return proven
}
