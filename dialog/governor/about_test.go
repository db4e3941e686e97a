package governor

import (
	"strings"
	"testing"

	"vibey/dialog"
)

// A turn that is summed up says on which passages its message was, and has its words alone:
// what a passage says is not the human's.
func TestSummaryOfPassages(t *testing.T) {
	sha := strings.Repeat("a", 64)
	d := dialog.Parse("# Dialog\n> DialogId: 20260216-201100-x\n\n## User\n> Id: u\n> By: human\n> On: doc-night.md sha256:" + sha + " 3-9; deed/a%20b.txt sha256:" + sha + " 0-4\n> Lines: 3-4; 1\n\nəəəpassage/text\nSecret\nəəə\n\nəəəpassage/text\nmore\nəəə\n\nəəəinput/markdown\nShorter, please.\nəəə\n")
	record, _ := LastTurn(d)
	if want := "User (on doc-night.md, lines 3-4; deed/a b.txt, line 1): Shorter, please.\n"; !strings.Contains(record, want) || strings.Contains(record, "Secret") {
		t.Errorf("%q has no %q", record, want)
	}
}
