package main

import (
	"strings"
	"testing"

	"vibey/tools/sandbox"
)

// Every level has words of its own, and a row in SECURITY.md that they are held against.
func TestWordsOfEachLevel(t *testing.T) {
	page := topFile(t, securityFile)
	said := map[string]sandbox.Level{}
	for _, level := range sandbox.Strongest() {
		if _, ok := wallTable()[level]; !ok {
			t.Errorf("%s has no words in client/src/text/walls.json", level)
		}
		if !strings.Contains(page, "\n| `"+string(level)+"` |") {
			t.Errorf("%s has no row in %s", level, securityFile)
		}
		for _, of := range [][2]bool{{false, false}, {true, false}, {false, true}} {
			words := aroundCommands(level, of[0], of[1])
			if other, ok := said[words]; ok && level != sandbox.None {
				t.Errorf("%s and %s are told with the same words", level, other)
			}
			said[words] = level
		}
	}
	for level := range wallTable() {
		if level != "unknown" && !strings.Contains(page, "\n| `"+string(level)+"` |") {
			t.Errorf("client/src/text/walls.json has words for %s, which %s does not know", level, securityFile)
		}
	}
	if got := aroundCommands("moat", false, false); !strings.Contains(got, "take it that nothing does") {
		t.Errorf("a level that nobody knows: %s", got)
	}
}
