package turn

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"vibey/dialog"
	"vibey/provider"
	"vibey/server/hub"
	"vibey/server/turn/record"
)

// Two senders at the same time: each message is there once, in one order for all.
func TestTwoSendersAtOnce(t *testing.T) {
	w, id, child := pair(t, cast{})
	w.status(child, dialog.Done)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			m := dialog.Mail{From: id, Mark: fmt.Sprint("m", i/2), Text: fmt.Sprint("n", i/2)} // each of them twice
			if _, err := w.run.deliver(context.Background(), w.p(), child, id, m, true); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got := w.mails(child); len(got) != 4 {
		t.Errorf("%q", got)
	}
}

// While a model answers mail waits, and stands behind that answer; the turn goes on for it.
func TestMailWhileTheModelAnswers(t *testing.T) {
	hold := make(chan struct{})
	s := &script{answers: [][]provider.Event{{provider.Text{Piece: "half "}, provider.Text{Piece: "whole"}}, text("I read it.")}, hold: map[int]<-chan struct{}{0: hold}}
	w := newWorld(t, s)
	id, sub := w.begun("go")
	sent := make(chan error)
	go func() {
		_, err := w.run.deliver(context.Background(), w.p(), id, id, dialog.Mail{From: named("kid"), Mark: "m1", Text: "Hello."}, true)
		sent <- err
	}()
	w.oneWaits(id)
	if n := len(w.mails(id)); n != 0 {
		t.Error("written before the answer that does not know of it")
	}
	close(hold)
	if err := <-sent; err != nil {
		t.Fatal(err)
	}
	w.drain(sub)
	v := w.view(id)
	if got, want := sections(v.Dialog), "System, User, Assistant, Note/mail, Assistant"; got != want {
		t.Errorf("sections %s", got)
	}
	if got := items(s.reqs[1]); !strings.Contains(got, "half whole|") || !strings.Contains(got, "Hello.") {
		t.Error(got)
	}
	legal(t, v.Dialog)
}

// Mail that comes when the model has had its word, while the turn keeps what it brought,
// lets that turn go on.
func TestMailAtTheEndOfATurn(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{{provider.Call{ID: "r1", Name: "list_agents", Args: `{}`}}, text("Looked."), text("I read it.")}})
	if _, err := w.p().WriteFile("doc-main.md", "# p\n\nəəəproject/v1\ntools mail plan\nəəə\n", ""); err != nil {
		t.Fatal(err)
	}
	asked := 0
	w.script.begun = func() {
		if asked++; asked != 3 { // the question what the turn brought for the plan
			return
		}
		if _, err := w.run.deliver(context.Background(), w.p(), named("x"), named("x"), dialog.Mail{From: named("kid"), Mark: "m1", Text: "Hello."}, false); err != nil {
			t.Error(err)
		}
	}
	id, es := w.start("look")
	v := w.view(id)
	if got := sections(v.Dialog); !strings.Contains(got, "Note/plan, Note/mail, Assistant") || v.Needs != dialog.NeedsReply {
		t.Errorf("%s: %s", v.Needs, got)
	}
	if n := strings.Count(types(es), "done"); n != 1 {
		t.Errorf("%d ends", n)
	}
	legal(t, v.Dialog)
}

// A stop while mail waits: it stands in the file, wakes nobody, and is read with what
// comes next.
func TestStopWhileMailArrives(t *testing.T) {
	s := &script{answers: [][]provider.Event{{provider.Text{Piece: "half "}, provider.Text{Piece: "never"}}, text("on")}, hold: map[int]<-chan struct{}{0: make(chan struct{})}}
	w := newWorld(t, s)
	id, sub := w.begun("go")
	sent := make(chan error)
	go func() {
		_, err := w.run.deliver(context.Background(), w.p(), id, id, dialog.Mail{From: named("kid"), Mark: "m1", Text: "Hello."}, true)
		sent <- err
	}()
	w.oneWaits(id)
	end := dialog.Mail{From: named("kid"), Mark: "a1", End: dialog.Waiting, Text: "Stopped."}
	if _, err := w.run.deliver(context.Background(), w.p(), id, id, end, false); err != nil {
		t.Fatal(err)
	}
	w.status(id, dialog.Waiting)
	if err := <-sent; err != nil {
		t.Fatal(err)
	}
	w.drain(sub)
	v := w.view(id)
	if got := w.mails(id); len(got) != 2 || v.Needs != dialog.NeedsContinue || len(s.reqs) != 1 {
		t.Errorf("%q %s %d", got, v.Needs, len(s.reqs))
	}
	w.put(Input{DialogID: id, Continue: true})
	legal(t, w.view(id).Dialog)
}

// A sender that is stopped while its message waits takes it back.
func TestStoppedSenderTakesMailBack(t *testing.T) {
	s := &script{answers: [][]provider.Event{{provider.Text{Piece: "half "}, provider.Text{Piece: "whole"}}}, hold: map[int]<-chan struct{}{}}
	hold := make(chan struct{})
	s.hold[0] = hold
	w := newWorld(t, s)
	id, sub := w.begun("go")
	ctx, cancel := context.WithCancelCause(context.Background())
	sent := make(chan error)
	go func() {
		_, err := w.run.deliver(ctx, w.p(), id, id, dialog.Mail{From: named("kid"), Mark: "m1", Text: "Hello."}, true)
		sent <- err
	}()
	w.oneWaits(id)
	cancel(record.ErrStopped)
	if err := <-sent; err != record.ErrStopped {
		t.Error(err)
	}
	close(hold)
	w.drain(sub)
	if got := w.mails(id); len(got) != 0 {
		t.Errorf("%q", got)
	}
}

// begun starts a dialog whose first answer is held behind its first piece.
func (w *world) begun(prompt string) (id string, sub *hub.Sub) {
	w.t.Helper()
	sub, err := w.run.Start(context.Background(), Input{Project: w.p(), Provider: "claude", Slug: "x", Prompt: &Prompt{Text: prompt}})
	if err != nil {
		w.t.Fatal(err)
	}
	for id == "" {
		batch, _ := sub.Next(context.Background())
		for _, e := range batch {
			if e.Type == hub.ChunkEvent {
				id = e.DialogID
			}
		}
	}
	return id, sub
}

// oneWaits waits until one letter waits for a turn.
func (w *world) oneWaits(id string) {
	w.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); w.run.find("p", id).waitsFor() != 1; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			w.t.Fatal("nothing waits")
		}
	}
}

// waitsFor is how much mail waits for a turn.
func (t *turn) waitsFor() int {
	return t.inbox.Pending()
}
