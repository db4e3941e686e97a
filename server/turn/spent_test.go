package turn

import (
	"strings"
	"testing"

	"vibey/dialog"
	"vibey/provider"
)

// A response counts the calls that it asks for, a result the one that ran; the
// running sums count calls that ran, and each once.
func TestCallsRunAreCountedOnce(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{
		{provider.Text{Piece: "Four."}, write("c1", "deed/a", "a"), write("c2", "deed/b", "b"), provider.Call{ID: "c3", Name: "no_such_tool", Args: "{}"}, write("c4", "../x", "x")},
		text("Done."),
	}})
	id, _ := w.start("go")
	es := w.put(Input{DialogID: id, Control: control("c1 approve\nc2 deny\nc4 approve")})
	d := w.view(id).Dialog
	var asked []int64
	for i := range d.Sections {
		s := &d.Sections[i]
		if s.Role == dialog.Assistant {
			asked = append(asked, s.Resources.Tools)
		}
		if want := map[string]int64{"c1": 1, "c2": 0, "c3": 0, "c4": 1}[s.ID]; s.Role == dialog.ToolResult && s.Resources.Tools != want {
			t.Errorf("%s: tools=%d, want %d: %s", s.ID, s.Resources.Tools, want, s.Text())
		}
	}
	if len(asked) != 3 || asked[0] != 4 || asked[1] != 0 || asked[2] != 0 {
		t.Errorf("asked %v", asked)
	}
	last := d.Sections[len(d.Sections)-1].Meta.Get("Resources cumulative")
	if !strings.HasPrefix(last, "in=30 out=6 total=36 tools=2 ") || es[len(es)-1].Resources.String() != last || d.Cumulative().String() != last {
		t.Errorf("cumulative %q, told at the end %v, of the file %v", last, es[len(es)-1].Resources, d.Cumulative())
	}
}
