package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"testing"
)

// In the pure rooms the time comes in as an argument.
func TestNobodyReadsAClock(t *testing.T) {
	files := 0
	for _, p := range listPackages(t) {
		if !pure(p.room()) {
			continue
		}
		for _, name := range p.GoFiles {
			files++
			fset := token.NewFileSet()
			f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, at := range clocks(f) {
				t.Errorf("%s reads a clock", fset.Position(at))
			}
		}
	}
	if files == 0 {
		t.Fatal("no file was looked at")
	}
}

// clocks finds what asks package time for the time, or waits for it.
func clocks(f *ast.File) (found []token.Pos) {
	asks := []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTicker", "NewTimer"}
	ast.Inspect(f, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok && slices.Contains(asks, sel.Sel.Name) {
			if x, ok := sel.X.(*ast.Ident); ok && x.Name == "time" {
				found = append(found, sel.Pos())
			}
		}
		return true
	})
	return found
}

func TestClocks(t *testing.T) {
	const src = "package p\nimport \"time\"\nvar a = time.Now\nfunc f(t time.Time) bool { return t.After(time.Unix(0, 0)) }\nfunc g() { time.Sleep(1) }\n"
	f, err := parser.ParseFile(token.NewFileSet(), "p.go", src, 0)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(clocks(f)); n != 2 {
		t.Errorf("%d clocks found, want time.Now and time.Sleep", n)
	}
}
