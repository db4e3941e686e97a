package dialog_test

import (
	"testing"

	"vibey/dialog"
)

// TestRanTried: where another program wrote an older text over ours, what a tried call did is
// asked about again, and is not taken for interrupted.
func TestRanTried(t *testing.T) {
	request := dialog.Section{Role: dialog.ToolRequest, ID: "c1", Meta: dialog.Fields{{"Tool", "run_command"}}, Payloads: []dialog.Payload{{dialog.ToolInput, "{}"}}}
	started := dialog.Section{Role: dialog.Note, ID: "n1", Meta: dialog.Fields{{"Kind", dialog.StartedNote}, {"Parent", "c1"}, {dialog.TriedKey, "yes"}}}
	effect := dialog.Section{Role: dialog.Note, ID: "n2", Meta: dialog.Fields{{"Kind", dialog.EffectNote}, {"Parent", "c1"}}}
	served := dialog.Section{Role: dialog.Note, ID: "n3", Meta: dialog.Fields{{"Kind", dialog.EffectNote}}}
	ours := dialog.Parse(benchHead)
	for _, s := range []dialog.Section{request, started, effect, served} {
		ours.Append(s)
	}
	for has, want := range map[int]int{0: 0, 1: 2, 2: 1, 3: 0} {
		d := dialog.Parse(benchHead)
		for _, s := range ours.Sections[:has] {
			d.Append(s)
		}
		for _, s := range d.Ran(ours, ours.Sections) {
			d.Append(s)
			want--
		}
		if at, ok := d.Tried("c1"); want != 0 || has > 0 && (!ok || d.Sections[at].ID != "n2") {
			t.Errorf("with %d sections: %d more or fewer, %v", has, want, d.Sections)
		}
	}
}
