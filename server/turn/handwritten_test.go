package turn

import (
	"context"
	"strings"
	"testing"

	"vibey/dialog"
	"vibey/provider"
)

// A call that a human wrote into the file by hand is one like any other: under a
// standing allow it runs when the dialog goes on, without one it waits. Neither
// runs before that.
func TestHandWrittenCall(t *testing.T) {
	for rule, runs := range map[string]bool{"allow write_file": true, "ask write_file": false, "deny write_file": false} {
		t.Run(rule, func(t *testing.T) {
			w := newWorld(t, &script{answers: [][]provider.Event{text("hello"), text("I see what you did.")}})
			id, _ := w.start("go")
			w.tell(id, rule)
			v := w.view(id)
			byHand := v.Text + v.Dialog.Encode(dialog.Section{
				Role: dialog.ToolRequest, ID: "mine", Time: dialog.Span(w.now, w.now), Meta: dialog.Fields{{Key: "Tool", Value: "write_file"}},
				Payloads: []dialog.Payload{{Type: dialog.ToolInput, Text: `{"path":"deed/mine.txt","content":"by hand"}`}},
			})
			if _, err := w.p().WriteFile(v.Filename, byHand, ""); err != nil {
				t.Fatal(err)
			}
			w.restart()
			if v := w.view(id); v.Needs == dialog.NeedsReply || w.read("deed/mine.txt") != "(none)" {
				t.Fatalf("needs %s, deed/mine.txt %q", v.Needs, w.read("deed/mine.txt"))
			}
			st, sub, err := w.run.Put(context.Background(), Input{Project: w.p(), DialogID: id, Continue: true})
			if err != nil {
				t.Fatal(err)
			}
			if sub != nil {
				w.drain(sub)
			}
			d := w.view(id).Dialog
			switch got := w.read("deed/mine.txt"); {
			case runs && (got != "by hand" || !strings.HasSuffix(sections(d), "Tool Request, Note/started, Tool Result/approved, Assistant")):
				t.Errorf("%q: %s", got, sections(d))
			case !runs && got != "(none)":
				t.Errorf("it ran: %s", sections(d))
			case rule == "ask write_file" && (st.Needs != dialog.NeedsApproval || len(st.Pending) != 1 || st.Pending[0].ID != "mine"):
				t.Errorf("%+v", st)
			case rule == "deny write_file" && !strings.HasSuffix(sections(d), "Tool Request, Tool Result/denied, Assistant"):
				t.Error(sections(d))
			}
		})
	}
}
