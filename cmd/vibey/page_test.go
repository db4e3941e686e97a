package main

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vibey/tools"
)

// The project's own page names flags, variables, tools and kinds of notes that are
// there, and every verb, tool and rule of check.
func TestPageNamesWhatIsThere(t *testing.T) {
	page := topFile(t, "vibey/vibey/doc-main.md")
	here, later, _ := strings.Cut(page, "\n## What is not here yet\n")
	var verbs, flags, envs, names []string
	for _, n := range grammar(streams{nil, io.Discard, io.Discard}).Model.Leaves(true) {
		verbs = append(verbs, n.Name)
		for _, group := range n.AllFlags(true) {
			for _, f := range group {
				flags, envs = append(flags, f.Name), append(envs, f.Envs...)
			}
		}
	}
	for _, s := range tools.NewSet(tools.AllSets()...).Specs() {
		names = append(names, s.Name)
	}
	for what, c := range map[string]struct{ told, there []string }{
		"verb":     {matches(verbWord, here), verbs},
		"flag":     {matches(flagWord, here), flags},
		"variable": {matches(envWord, here), envs},
	} {
		for _, w := range c.told {
			if !slices.Contains(c.there, w) {
				t.Errorf("there is no %s %s", what, w)
			}
		}
	}
	for _, v := range verbs {
		if !slices.Contains(matches(verbWord, here), v) {
			t.Errorf("the verb %s is not told", v)
		}
		if strings.Contains(later, "`vibey "+v+"`") {
			t.Errorf("the verb %s is here", v)
		}
	}
	for _, n := range names {
		if !strings.Contains(here, "`"+n+"`") {
			t.Errorf("the tool %s is not told", n)
		}
	}
	_, rest, _ := strings.Cut(here, "says what it is in `Kind`: ")
	kinds, _, _ := strings.Cut(rest, ".")
	for _, k := range matches(regexp.MustCompile("`([a-z-]+)`"), kinds) {
		if !slices.Contains(noteKinds, k) {
			t.Errorf("check knows no Note of the kind %s", k)
		}
	}
}

// A comment that names a part of the page as its source names one that is there.
func TestSourcesAreThere(t *testing.T) {
	page := topFile(t, "vibey/vibey/doc-main.md")
	source := regexp.MustCompile(`Source: vibey/vibey/doc-main\.md, "([^"]+)"`)
	found := 0
	err := filepath.WalkDir("../..", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() && e.Name() == "node_modules" {
			return fs.SkipDir
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		b, err := os.ReadFile(path)
		for _, m := range source.FindAllSubmatch(b, -1) {
			if found++; !strings.Contains(page, "\n## "+string(m[1])+"\n") {
				t.Errorf("%s: the page has no part %q", path, m[1])
			}
		}
		return err
	})
	if err != nil || found == 0 {
		t.Errorf("%d sources, %v", found, err)
	}
}

// The page of the first requirements names tests that are there, one at least for each
// item, and all that are named after them.
func TestFirstRequirements(t *testing.T) {
	page := topFile(t, "vibey/vibey/doc-seeds.md")
	declared := regexp.MustCompile(`(?m)^func (Test\w+)\(t \*testing\.T\)`)
	var there []string
	err := filepath.WalkDir("../..", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() && e.Name() == "node_modules" {
			return fs.SkipDir
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		b, err := os.ReadFile(path)
		there = append(there, matches(declared, string(b))...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	named := matches(regexp.MustCompile("`(Test\\w+)`"), page)
	for _, name := range named {
		if !slices.Contains(there, name) {
			t.Errorf("there is no test %s", name)
		}
	}
	for _, name := range there {
		if strings.HasPrefix(name, "TestSeed") && !slices.Contains(named, name) {
			t.Errorf("the page does not name %s", name)
		}
	}
	rows := 0
	for line := range strings.Lines(page) {
		cells := strings.Split(line, "|")
		if len(cells) != 5 || strings.TrimSpace(cells[1]) == "item" || strings.HasPrefix(strings.TrimSpace(cells[1]), "---") {
			continue
		}
		if rows++; !strings.Contains(cells[3], "`Test") {
			t.Errorf("no test: %s", line)
		}
	}
	if rows < 40 {
		t.Errorf("%d items", rows)
	}
}
