package turn

import (
	"context"
	"testing"

	"vibey/dialog"
	"vibey/provider"
)

// The stream of a decision begins with what the decision wrote.
func TestStreamBeginsWithTheAuthorization(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{
		{provider.Text{Piece: "May I?"}, write("c1", "deed/a.txt", "a")}, text("Thanks."),
	}})
	id, _ := w.start("go")
	_, sub, err := w.run.Put(context.Background(), Input{Project: "p", DialogID: id, Control: control("c1 approve")})
	if err != nil {
		t.Fatal(err)
	}
	es := w.drain(sub)
	const want = "section:Authorization section:Note section:Tool Result chunk section:Assistant done"
	if got := types(es); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if es[0].Section.Text() != "c1 approve sha256:"+dialog.InputHash(w.view(id).Dialog.Sections[3].Text())+" write_file target:none" {
		t.Errorf("first %q", es[0].Section.Text())
	}
}
