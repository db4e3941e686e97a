package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestContributing: CONTRIBUTING.md is a page of 60 lines, and what it names is there.
func TestContributing(t *testing.T) {
	page := topFile(t, ".github/CONTRIBUTING.md")
	if n := strings.Count(page, "\n"); n > 60 {
		t.Errorf("%d lines", n)
	}
	named := 0
	for _, m := range regexp.MustCompile("`([a-z]+(?:/[a-zA-Z0-9_.-]+)+)`").FindAllStringSubmatch(page, -1) {
		named++
		if _, err := os.Stat(filepath.Join("..", "..", m[1])); err != nil {
			t.Error(err)
		}
	}
	if named < 30 {
		t.Errorf("%d paths were found in the page", named)
	}
	just := topFile(t, "justfile")
	for _, m := range regexp.MustCompile("rust-just ([a-z]+)").FindAllStringSubmatch(page, -1) {
		if !regexp.MustCompile(`(?m)^` + m[1] + `\b.*:`).MatchString(just) {
			t.Errorf("there is no recipe %s", m[1])
		}
	}
	for name := range house {
		at := name
		for at != "." && !strings.Contains(page, "`"+at+"`") {
			at = filepath.Dir(at)
		}
		if at == "." {
			t.Errorf("no row holds the room %s", name)
		}
	}
}
