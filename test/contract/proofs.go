package contract

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
)

// CheckProofs returns an error that names every proof whose test is not in the tree at root. It parses the test files,
// whatever their build tags are.
func CheckProofs(root string, rows []Row) error {
	byFolder := map[string]map[string]bool{}
	var faults []error
	for _, row := range rows {
		for _, proof := range row.Proofs {
			tests, ok := byFolder[proof.Folder]
			if !ok {
				var err error
				tests, err = testsIn(filepath.Join(root, filepath.FromSlash(proof.Folder)))
				if err != nil {
					return err
				}
				byFolder[proof.Folder] = tests
			}
			if !tests[proof.Test] {
				faults = append(faults, fmt.Errorf("%s: no test %s in folder %s", row.ID, proof.Test, proof.Folder))
			}
		}
	}
	return errors.Join(faults...)
}

// testsIn returns the names of the functions in dir that go test would run.
func testsIn(dir string) (map[string]bool, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		return nil, fmt.Errorf("listing the tests of %s: %w", dir, err)
	}
	tests := map[string]bool{}
	fset := token.NewFileSet()
	for _, name := range names {
		file, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("reading tests: %w", err)
		}
		for _, decl := range file.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			// A method or a helper without *testing.T or *testing.F is not run.
			if ok && fn.Recv == nil && takesTesting(fn.Type.Params) {
				tests[fn.Name.Name] = true
			}
		}
	}
	return tests, nil
}

func takesTesting(params *ast.FieldList) bool {
	if len(params.List) != 1 || len(params.List[0].Names) > 1 {
		return false
	}
	star, ok := params.List[0].Type.(*ast.StarExpr)
	if !ok {
		return false
	}
	sel, ok := star.X.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	pkg, ok := sel.X.(*ast.Ident)
	return ok && pkg.Name == "testing" && (sel.Sel.Name == "T" || sel.Sel.Name == "F")
}
