package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// bare are the goroutines that caught.Go does not begin, by file, with why a
// panic of theirs ends nothing else. A panic in any other one ends the program,
// and with it every dialog; so each new one is a word here.
var bare = map[string][]string{
	"cmd/vibey/serve.go":                      {"net/http's own loop", "so is this"},
	"provider/wire/call.go":                   {"drain reads and throws away"},
	"provider/wire/idle.go":                   {"cancels a context"},
	"server/models.go":                        {"runs within caught.Logged"},
	"server/project/keeping.go":               {"syncs a file"},
	"server/project/list.go":                  {"runs within caught.Logged"},
	"server/turn/agent/agents.go":             {"waits"},
	"server/turn/world.go":                    {"waits"},
	"tools/browser/browser.go":                {"runs within caught.Do", "so does this"},
	"tools/caught/caught.go":                  {"is caught.Go"},
	"tools/mcp/manager.go":                    {"runs within caught.Logged"},
	"tools/sandbox/bwrap_linux.go":            {"runs within Config.Guard"},
	"tools/sandbox/folder.go":                 {"runs within Config.Guard"},
	"tools/sandbox/gitguard.go":               {"runs within Config.Guard"},
	"tools/sandbox/keeper_linux.go":           {"waits"},
	"tools/sandbox/layers.go":                 {"runs within Config.Guard"},
	"tools/sandbox/launched.go":               {"runs within Config.Guard"},
	"tools/sandbox/spare.go":                  {"runs within Config.Guard", "takes off a list, then within Config.Guard", "runs within Config.Guard"},
	"tools/sandbox/helper/helper_linux.go":    {"of a command's own process"},
	"tools/sandbox/process.go":                {"runs within Config.Guard, then waits"},
	"tools/sandbox/relay_linux.go":            {"runs within Config.Guard", "ends a context"},
	"tools/sandbox/sandbox.go":                {"runs within Config.Guard", "runs within Config.Guard", "the probe, whose levels are tried within Config.Guard", "runs within Config.Guard"},
	"tools/sandbox/helper/supervise_linux.go": {"of a command's own process", "so is this", "and this"},
	"tools/sandbox/server.go":                 {"runs within Config.Guard", "stops and waits", "accepts", "closes", "copies", "copies"},
}

// begins reports whether n begins a goroutine, but for caught.Go.
func begins(n ast.Node) bool {
	if _, ok := n.(*ast.GoStmt); ok {
		return true
	}
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return false
	}
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	on, _ := f.X.(*ast.Ident)
	return f.Sel.Name == "AfterFunc" || f.Sel.Name == "Go" && (on == nil || on.Name != "caught")
}

func TestGoroutinesAreGuarded(t *testing.T) {
	top := filepath.Join("..", "..")
	seen := map[string]int{}
	err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(top, path)
		if err != nil {
			return err
		}
		if d.IsDir() && (name == "client" || name != "." && strings.HasPrefix(d.Name(), ".") || name == filepath.Join("provider", "providertest")) {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if begins(n) {
				seen[filepath.ToSlash(name)]++
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, n := range seen {
		if n != len(bare[name]) {
			t.Errorf("%s begins %d goroutines, and %d are known here: begin them with caught.Go, or say why they can't panic", name, n, len(bare[name]))
		}
	}
	for name := range bare {
		if seen[name] == 0 {
			t.Errorf("%s begins no goroutine any more", name)
		}
	}
}
