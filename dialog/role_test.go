package dialog

import (
	"strings"
	"testing"
	"time"
)

// TestNewRole: a row of roles is all that a new role needs to be read and written.
func TestNewRole(t *testing.T) {
	old := roles
	defer func() { roles = old }()
	const memo Role = "Memo"
	const text = "# Dialog\n> DialogId: 20260216-201100-bench\n> Provider: claude\n> Model: m\n> Status: active \n> Started: 2026-02-16T20:11:00Z\n" + "\n## Memo\n> Id: memo_20260216_201100_7\n> Time: 2026-02-16T20:11:00Z - 2026-02-16T20:11:00Z\n> Resources: in=0 out=0 total=0 tools=0 ms=0\n\nəəəmemo/markdown\nBuy milk.\nəəə\n\n## Memo\nBy hand.\n\n## User\n\nəəəmemo/markdown\nNot the human's.\nəəə\n"
	if d := Parse(text); len(d.Sections) != 1 || d.Count(memo) != 0 {
		t.Fatalf("%d sections before the row is there", len(d.Sections))
	}
	roles = append(old[:len(old):len(old)], roleSpec{memo, []string{"memo/markdown"}, [2]string{"memo_", "_"}, false})

	d := Parse(text)
	if d.Count(memo) != 2 || d.Sections[1].Payload("memo/markdown") != "By hand." {
		t.Errorf("%d of 2 sections, the second with %+v", d.Count(memo), d.Sections[1].Payloads)
	}
	if err := CheckSection(&d.Sections[0]); err != nil {
		t.Error(err)
	}
	if id := d.NextID(memo, time.Date(2026, 2, 16, 21, 0, 0, 0, time.UTC), 0); id != "memo_20260216_210000_3" {
		t.Errorf("the next id is %s", id)
	}
	if !memo.Has("memo/markdown") || User.Has("memo/markdown") || !User.foreign("əəəmemo/markdown\n") {
		t.Error("it is not known whose payloads these are")
	}
	one, _, _ := strings.Cut(text, "\n## Memo\nBy")
	if got := Format(Parse(one)); got != one {
		t.Errorf("it comes back as %s", got)
	}
}
