package turn

import (
	"context"
	"strings"
	"testing"

	"vibey/dialog"
	"vibey/provider"
	"vibey/server/hub"
)

// The process that stores a human's decision holds the dialog's lock and then begins a
// turn: who reads the dialog in between is shown the turn, too.
func TestJoinBetweenDecisionAndTurn(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{{write("c1", "deed/a.txt", "x")}}})
	id, _ := w.start("go")
	theirs := w.otherProcess()
	f, err := theirs.OpenDialog(id)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	section := func(role dialog.Role, id, typ, text string, meta ...dialog.Field) dialog.Section {
		return dialog.Section{Role: role, ID: id, Time: dialog.Span(w.now, w.now), Meta: meta, Payloads: []dialog.Payload{{Type: typ, Text: text}}}
	}
	if err := f.Append(section(dialog.Authorization, "auth9", dialog.ControlV1, "c1 approve")); err != nil {
		t.Fatal(err)
	}
	var subs []*hub.Sub
	for range 2 { // the one that reads the file, and one that shares the reading
		s, err := w.run.Join(context.Background(), w.p(), id, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		subs = append(subs, s)
	}
	if err := f.SetStatus(dialog.Active); err != nil {
		t.Fatal(err)
	}
	if err := f.Append(section(dialog.Note, "note9", dialog.NoteMarkdown, "begun", dialog.Field{Key: "Kind", Value: "started"})); err != nil {
		t.Fatal(err)
	}
	if err := f.SetStatus(dialog.Waiting); err != nil {
		t.Fatal(err)
	}
	f.Close()
	for i, s := range subs {
		if got := types(w.drain(s)); !strings.HasSuffix(got, "section:Authorization section:Note tool_request") && !strings.HasSuffix(got, "section:Authorization section:Note done") {
			t.Errorf("%d: %s", i, got)
		}
	}
}

// A reading that was at its end is followed again, when a later watcher finds the dialog
// held by another process.
func TestJoinIsFollowedAgain(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{text("ok")}})
	id, _ := w.start("go")
	first, err := w.run.Join(context.Background(), w.p(), id, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	if got := types(w.drain(first)); !strings.HasSuffix(got, "Assistant done") {
		t.Fatal(got)
	}
	want := "section:System section:User section:Assistant"
	for range 3 {
		f, err := w.otherProcess().OpenDialog(id)
		if err != nil {
			t.Fatal(err)
		}
		s, err := w.run.Join(context.Background(), w.p(), id, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if err := f.Append(dialog.Section{Role: dialog.Note, ID: f.Dialog().NextID(dialog.Note, w.now, 0), Time: dialog.Span(w.now, w.now), Payloads: []dialog.Payload{{Type: dialog.NoteMarkdown, Text: "more"}}}); err != nil {
			t.Fatal(err)
		}
		f.Close()
		want += " section:Note"
		if got := types(w.drain(s)); got != want+" done" {
			t.Errorf("got  %s\nwant %s done", got, want)
		}
	}
}
