package main

import (
	"regexp"
	"strings"
	"testing"
)

// The page on access has each rule of WCAG 2.2, A and AA, once, with a test that is
// there, a hand, or a fault that the page tells.
func TestAccessPage(t *testing.T) {
	page := topFile(t, "vibey/vibey/doc-access.md")
	for _, m := range regexp.MustCompile("`([a-z0-9]+/[a-z0-9]+\\.test\\.(?:mjs|ts))`(?: “([^”]+)”)?").FindAllStringSubmatch(page, -1) {
		file := topFile(t, "client/test/"+m[1])
		if m[2] != "" && !strings.Contains(file, `test("`+m[2]) && !strings.Contains(file, "test(`"+m[2]) {
			t.Errorf("%s has no test %q", m[1], m[2])
		}
	}
	_, faults, _ := strings.Cut(page, "\n## Faults that are known\n")
	for _, n := range matches(regexp.MustCompile(`fault (\d)`), page) {
		if !strings.Contains(faults, "\n"+n+". ") {
			t.Errorf("there is no fault %s", n)
		}
	}
	rules := map[string]bool{}
	holds := regexp.MustCompile(`^(supports|supports in part|does not|does not apply|not known)$`)
	tried := regexp.MustCompile(`by hand|fault \d|as 1\.2\.1|\.test\.`)
	for line := range strings.Lines(page) {
		cells := strings.Split(line, " | ")
		rule, _, _ := strings.Cut(strings.TrimPrefix(cells[0], "| "), " ")
		if len(cells) != 4 || !strings.Contains(rule, ".") {
			continue
		}
		if rules[rule] || !holds.MatchString(cells[2]) || !tried.MatchString(cells[3]) {
			t.Errorf("twice, or not told how it holds or who tried it: %s", line)
		}
		rules[rule] = true
	}
	if len(rules) != 55 {
		t.Errorf("%d rules", len(rules))
	}
}
