package contract_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/test/contract"
)

func TestTable(t *testing.T) {
	t.Parallel()
	rows, err := contract.Load()
	if err != nil {
		t.Fatalf("table.tsv:\n%v", err)
	}
	if err := contract.CheckProofs("../..", rows); err != nil {
		t.Errorf("table.tsv names tests that are not there:\n%v", err)
	}
	t.Logf("contract: %d of %d rows proven", contract.Count(rows), len(rows))
}

// In a sorted list, a reader sees at once whether an area is there.
func TestAreasAreSorted(t *testing.T) {
	t.Parallel()
	if !slices.IsSorted(contract.Areas) {
		t.Errorf("areas: got %v, want them sorted", contract.Areas)
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	const header = "id\tkind\tsubject\trule\tproof\n"
	for _, tc := range []struct {
		name, text string
		want       []string // parts of the error; nil: no error
	}{
		{"a row to come", header + "a-1\tfield\tx\tholds\tarea x402\n", nil},
		{"a proven row", header + "a\tfield\tx\tholds\t.TestX payments/credits.FuzzY2\n", nil},
		{"no header", "a\tfield\tx\tholds\tarea x402\n", []string{"line 1: want the header"}},
		{"too few columns", header + "a\tfield\tx\tarea x402\n", []string{"line 2: want 5 columns"}},
		{"bad id", header + "A_b\tfield\tx\tholds\tarea x402\n", []string{`line 2: id "A_b"`}},
		{"bad kind", header + "a\tfeild\tx\tholds\tarea x402\n", []string{`line 2: kind "feild"`}},
		{"empty rule", header + "a\tfield\tx\t\tarea x402\n", []string{"line 2: a: subject and rule"}},
		{"trailing space", header + "a\tfield\tx\tholds \tarea x402\n", []string{"line 2: a: subject and rule"}},
		{"unknown area", header + "a\tfield\tx\tholds\tarea pages\n", []string{`line 2: a: area "pages"`}},
		{"no proof", header + "a\tfield\tx\tholds\t\n", []string{`line 2: a: proof ""`}},
		{"proof without folder", header + "a\tfield\tx\tholds\tTestX\n", []string{`proof "TestX"`}},
		{"proof that is no test", header + "a\tfield\tx\tholds\tpayments/credits.Refusal\n", []string{"credits.Refusal"}},
		{
			"every fault at once", header + "a\tfield\tx\tholds\tarea x402\na\tfield\tx\tholds\tarea x402\nb\tno\tx\tholds\tarea x402\n",
			[]string{"line 3: the id a is already used in line 2", "line 4: kind"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, err := contract.Parse(tc.text)
			if (err != nil) != (len(tc.want) > 0) {
				t.Fatalf("error: got %v, want %q", err, tc.want)
			}
			for _, want := range tc.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error: got %q, want it to say %q", err, want)
				}
			}
		})
	}
}

func TestCheckProofs(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write(t, filepath.Join(root, "payments", "credits", "a_test.go"), `//go:build interop

package credits

import "testing"

type suite struct{}

func TestRefusal(t *testing.T)     {}
func FuzzKey(f *testing.F)         {}
func TestHelper(name string)       {}
func (suite) TestMethod(t *testing.T) {}
`)
	write(t, filepath.Join(root, "payments", "credits", "b.go"), "package credits\n\nfunc TestOutside() {}\n")
	for _, tc := range []struct {
		name, folder, test string
		want               bool
	}{
		{"a test, whatever its build tag", "payments/credits", "TestRefusal", true},
		{"a fuzz test", "payments/credits", "FuzzKey", true},
		{"not a test by its parameters", "payments/credits", "TestHelper", false},
		{"a method", "payments/credits", "TestMethod", false},
		{"not in a test file", "payments/credits", "TestOutside", false},
		{"not there", "payments/credits", "TestNothing", false},
		{"another folder", "payments/apikey", "TestRefusal", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			rows := []contract.Row{{ID: "a", Proofs: []contract.Proof{{Folder: tc.folder, Test: tc.test}}}}
			if err := contract.CheckProofs(root, rows); (err == nil) != tc.want {
				t.Errorf("proof %s: got %v, want it found: %t", rows[0].Proofs[0], err, tc.want)
			}
		})
	}
}

func TestCount(t *testing.T) {
	t.Parallel()
	rows := []contract.Row{{Area: "x402"}, {Proofs: []contract.Proof{{Test: "TestX"}}}}
	if got, want := contract.Count(rows), 1; got != want {
		t.Errorf("count: got %d, want %d", got, want)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
