package dialog_test

import (
	"strings"
	"testing"

	"vibey/dialog"
	"vibey/dialog/history"
)

// TestParseAllocates: a section costs no allocation of its own, nor does one that
// is folded into a history.
func TestParseAllocates(t *testing.T) {
	text := benchText(1 << 20)
	n := testing.AllocsPerRun(3, func() { history.Build(dialog.Parse(text)) })
	if sections := len(dialog.Parse(text).Sections); int(n) > sections/10 {
		t.Errorf("%v allocations for %d sections", n, sections)
	}
}

// TestHeadingsOfText: only a line with two marks and a blank is called a heading
// that no role has.
func TestHeadingsOfText(t *testing.T) {
	d := dialog.Parse("# Dialog\n\n## User\n# One\n### Three\n##\n#hash\n")
	if len(d.Problems) > 0 || !strings.HasPrefix(d.Sections[0].Text(), "# One") {
		t.Errorf("%v %q", d.Problems, d.Sections[0].Text())
	}
	if d := dialog.Parse("# Dialog\n\n## User\n## Two\n"); len(d.Problems) != 1 {
		t.Errorf("%v", d.Problems)
	}
}
