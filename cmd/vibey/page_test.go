package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vibey/tools"
)

var (
	codeBlock = regexp.MustCompile(`(?m)^    .*\n`)
	gitLine   = regexp.MustCompile("`git [^`]*`") // whose flags are git's
)

// The project's own pages name flags, variables, tools and kinds of notes that are
// there, and every verb, tool and rule of check.
func TestPageNamesWhatIsThere(t *testing.T) {
	main, later, _ := strings.Cut(topFile(t, "vibey/vibey/doc-main.md"), "\n## What is not here yet\n")
	here := main
	for _, name := range docs(t) {
		switch name {
		case "doc-main.md":
		case "doc-walls.md": // its blocks are other programs' command lines
			here += codeBlock.ReplaceAllString(topFile(t, "vibey/vibey/"+name), "")
		case "doc-own-agent.md": // so are its definitions of agents and servers
			here += flagText.ReplaceAllString(topFile(t, "vibey/vibey/"+name), "--$1")
		default:
			here += topFile(t, "vibey/vibey/"+name)
		}
	}
	here = gitLine.ReplaceAllString(here, "")
	var verbs, flags, envs, names []string
	for g, i := grammar(), 0; i < len(g.Verbs); i++ {
		verbs = append(verbs, g.Verbs[i].Name)
		for _, f := range g.Fields(&g.Verbs[i]) {
			flags, envs = append(flags, f.Name), append(envs, f.Env)
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

// docs are the names of the project's own pages.
func docs(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../../vibey/vibey/doc-*.md")
	if err != nil || len(files) < 2 {
		t.Fatal(files, err)
	}
	for i, f := range files {
		files[i] = filepath.Base(f)
	}
	return files
}

var (
	pageLink    = regexp.MustCompile(`\]\(([^)]+)\)`)
	pageHeading = regexp.MustCompile(`(?m)^#{1,6} (.+)$`)
	windowWord  = regexp.MustCompile(`\*\*([^*]+)\*\*`)
)

// slug is a heading as a link names it; the window's is in client/src/text/links.ts.
func slug(heading string) string {
	return strings.ReplaceAll(regexp.MustCompile(`[^\pL\pN\pM_ -]`).ReplaceAllString(strings.ToLower(heading), ""), " ", "-")
}

// Each link of the pages leads to a page, or a heading of one, and each page is reached
// from the one that leads.
func TestPagesLinkWhatIsThere(t *testing.T) {
	all, reached := docs(t), []string{"doc-main.md"}
	for i := 0; i < len(reached); i++ {
		for _, to := range matches(pageLink, topFile(t, "vibey/vibey/"+reached[i])) {
			name, heading, _ := strings.Cut(to, "#")
			if name == "" {
				name = reached[i]
			}
			if reached[i] == "doc-writing.md" && strings.HasPrefix(to, "doc-people.md") || to == "files/…" {
				continue // an example
			}
			if !slices.Contains(all, name) {
				t.Errorf("%s: there is no %s", reached[i], to)
				continue
			}
			if heading != "" && !slices.ContainsFunc(matches(pageHeading, topFile(t, "vibey/vibey/"+name)), func(h string) bool { return slug(h) == heading }) {
				t.Errorf("%s: there is no heading %s", reached[i], to)
			}
			if !slices.Contains(reached, name) {
				reached = append(reached, name)
			}
		}
	}
	for _, name := range all {
		if !slices.Contains(reached, name) {
			t.Errorf("no page leads to %s", name)
		}
	}
}

// What stands in bold in a page for writers, and in the first quarter of an hour, is a
// word of the window.
func TestPagesNameTheWindowsWords(t *testing.T) {
	var window strings.Builder
	err := filepath.WalkDir("../../client/src", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, ".ts") && !strings.HasSuffix(path, ".tsx") {
			return err
		}
		b, err := os.ReadFile(path)
		window.Write(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range docs(t) {
		page := topFile(t, "vibey/vibey/"+name)
		switch name {
		case "doc-reference.md", "doc-seeds.md":
			continue
		case "doc-main.md":
			_, page, _ = strings.Cut(page, "\n## The first quarter of an hour\n")
			page, _, _ = strings.Cut(page, "\n## ")
		}
		words := matches(windowWord, page)
		if len(words) == 0 {
			t.Errorf("%s names nothing of the window", name)
		}
		for _, w := range words {
			if !strings.Contains(window.String(), w) {
				t.Errorf("%s: the window has no word %q", name, w)
			}
		}
	}
}

// A comment that names a part of the reference as its source names one that is there.
func TestSourcesAreThere(t *testing.T) {
	page := topFile(t, "vibey/vibey/doc-reference.md")
	source := regexp.MustCompile(`Source: vibey/vibey/doc-reference\.md, "([^"]+)"`)
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
