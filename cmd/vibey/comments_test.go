package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// TestDocComments: a comment on a function, a method or a type begins with its name.
func TestDocComments(t *testing.T) {
	for _, p := range listPackages(t) {
		for _, file := range p.GoFiles {
			parsed, err := parser.ParseFile(token.NewFileSet(), p.Dir+"/"+file, nil, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			holds := func(name string, doc *ast.CommentGroup) {
				words := strings.Fields(doc.Text())
				if len(words) > 0 && strings.TrimSuffix(strings.TrimRight(words[0], ",.:;"), "'s") != name {
					t.Errorf("%s/%s: the comment on %s begins with %q", p.room(), file, name, words[0])
				}
			}
			for _, d := range parsed.Decls {
				switch d := d.(type) {
				case *ast.FuncDecl:
					holds(d.Name.Name, d.Doc)
				case *ast.GenDecl:
					for _, s := range d.Specs {
						if s, ok := s.(*ast.TypeSpec); ok && len(d.Specs) == 1 {
							holds(s.Name.Name, d.Doc)
						} else if ok {
							holds(s.Name.Name, s.Doc)
						}
					}
				}
			}
		}
	}
}
