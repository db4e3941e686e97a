package turn

import (
	"context"
	"errors"
	"testing"

	"vibey/dialog"
	"vibey/provider"
)

// An id says what a human has seen. So a call gets none that a section has,
// whatever its role, be it of this response.
func TestCallTakesNoSectionsID(t *testing.T) {
	const user, own = "msg_20260216_201100_u1", "msg_20260216_201100_a1"
	w := newWorld(t, &script{answers: [][]provider.Event{{
		provider.Text{Piece: "I write."}, write(user, "deed/a", "a"), write(own, "deed/b", "b"), write("c1", "deed/c", "c"), write("c1", "deed/d", "d"),
	}}})
	id, _ := w.start("go")
	d, ids := w.view(id).Dialog, map[string]bool{}
	for i := range d.Sections {
		s := &d.Sections[i]
		if ids[s.ID] {
			t.Errorf("%s %s has the id of another section", s.Role, s.ID)
		}
		ids[s.ID] = true
	}
	if !ids[user] || !ids[own] || !ids["c1"] {
		t.Errorf("the ids are %v", ids)
	}
}

// Where sections share an id, what came behind the first was not shown.
func TestSeenIsTheFirst(t *testing.T) {
	section := func(role, id string) string { return "\n## " + role + "\n> Id: " + id + "\n\ntext\n" }
	for name, c := range map[string]struct {
		text string
		seen string
		want int
	}{
		"one":                    {section("User", "u1") + section("Assistant", "a1"), "u1", 0},
		"none":                   {section("User", "u1"), "x", -1},
		"a call with a note's":   {section("User", "u1") + section("Note", "n1") + section("Assistant", "a1") + section("Tool Request", "n1"), "n1", 1},
		"a call without result":  {section("User", "u1") + section("Tool Request", "c1") + section("Tool Request", "c2"), "c1", 1},
		"a call with its result": {section("User", "u1") + section("Tool Request", "c1") + section("Tool Request", "c2") + section("Tool Result", "c1") + section("Assistant", "a1"), "c1", 3},
		"a note with a call's":   {section("User", "u1") + section("Tool Request", "c1") + section("Note", "c1"), "c1", 1},
	} {
		if got := lastShown(dialog.Parse("# Dialog\n"+c.text), c.seen); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

// An answer to a part of what waits leaves a result as the last section. With
// that as seen, the rest can be allowed.
func TestSeenIsAResult(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{{write("c1", "deed/a", "a"), write("c2", "deed/b", "b")}, text("ok")}})
	id, _ := w.start("go")
	if _, _, err := w.run.Put(context.Background(), Input{Project: w.p(), DialogID: id, Control: control("c1 approve")}); err != nil {
		t.Fatal(err)
	}
	v := w.view(id)
	if last := v.Dialog.Sections[len(v.Dialog.Sections)-1]; last.Role != dialog.ToolResult || last.ID != "c1" {
		t.Fatalf("the last is %s %s", last.Role, last.ID)
	}
	_, _, err := w.run.Put(context.Background(), Input{Project: w.p(), DialogID: id, Control: control("allow write_file"), Seen: "msg_20260216_201100_u1"})
	if !errors.Is(err, ErrStale) {
		t.Errorf("seen up to the prompt: %v", err)
	}
	w.put(Input{DialogID: id, Control: control("allow write_file"), Seen: "c1"})
	if w.read("deed/b") != "b" {
		t.Error(result(w.view(id).Dialog, "c2"))
	}
}
