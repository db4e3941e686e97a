package turn

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vibey/cmd/tally/testenv"
	"vibey/dialog"
	"vibey/provider"
	"vibey/server/hub"
	"vibey/server/project"
	"vibey/tools/disk"
)

// ended reads a stream to its end, and returns that.
func ended(t *testing.T, s *hub.Sub) (last hub.Event) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	for batch, ok := s.Next(ctx); ok; batch, ok = s.Next(ctx) {
		last = batch[len(batch)-1]
	}
	if ctx.Err() != nil {
		t.Error("the stream did not end")
	}
	return last
}

// held takes the lock of a dialog as another process would.
func held(t *testing.T, w *world, id string) *disk.Held {
	t.Helper()
	root, err := os.OpenRoot(filepath.Join(w.dir, "root"))
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	l, err := disk.Locks{Dir: root, By: "vibey run"}.Try("p+" + id)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// An answer that can't be appended is a conflict, whatever else ended the turn.
func TestLostAppendIsTold(t *testing.T) {
	for name, c := range map[string]struct {
		stop bool
		fail error
	}{
		"a stop":             {stop: true},
		"an end":             {},
		"a provider's error": {fail: &provider.Error{Kind: provider.KindNetwork, Message: "the line broke"}},
	} {
		t.Run(name, func(t *testing.T) {
			hold := make(chan struct{})
			w := newWorld(t, &script{answers: [][]provider.Event{text("half")}, hold: map[int]<-chan struct{}{0: hold}, fail: map[int]error{0: c.fail}})
			sub, err := w.run.Start(context.Background(), Input{Project: w.p(), Provider: "claude", Slug: "x", Prompt: &Prompt{Text: "go"}})
			if err != nil {
				t.Fatal(err)
			}
			defer sub.Close()
			id := until(t, sub, hub.ChunkEvent).DialogID
			file := filepath.Join(w.dir, "root/p", dialog.Filename(id, dialog.Active))
			if err := os.WriteFile(file, []byte("# Dialog\n> DialogId: "+id+"\n> Provider: claude\n> Model: m\n> Status: active \n> Started: 2026-02-16T20:11:00Z\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			if c.stop {
				if _, _, err := w.run.Put(context.Background(), Input{Project: w.p(), DialogID: id, Status: dialog.Waiting}); err != nil {
					t.Error(err)
				}
			} else {
				close(hold)
			}
			if last := ended(t, sub); last.Type != hub.ErrorEvent || last.Kind != "conflict" {
				t.Errorf("%s %q: %s", last.Type, last.Kind, last.Message)
			}
		})
	}
}

// A request that is refused because there is nothing to go on with stores nothing.
func TestNothingToGoOnWithStoresNothing(t *testing.T) {
	w := newWorld(t, &script{})
	st, err := w.run.Draft(context.Background(), Input{Project: w.p(), Provider: "claude", Slug: "x"})
	if err != nil {
		t.Fatal(err)
	}
	before := w.view(st.DialogID).Text
	_, _, err = w.run.Put(context.Background(), Input{Project: w.p(), DialogID: st.DialogID, Control: control("allow write_file"), Continue: true})
	if !errors.Is(err, ErrNothing) || w.view(st.DialogID).Text != before {
		t.Errorf("%v\n%s", err, w.view(st.DialogID).Text)
	}
}

// A deletion that is refused after the agents were stopped has lost nothing.
func TestDeletionThatFailsKeepsThePrompt(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{{provider.Text{Piece: "May I?"}, command("c1", "touch deed/began; sleep 60"), command("c2", "true")}}})
	id, _ := w.start("go")
	_, sub, err := w.run.Put(context.Background(), Input{Project: w.p(), DialogID: id, Control: control("c1 approve\nc2 approve"), Prompt: &Prompt{Text: "MY PROMPT"}})
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Close()
	w.until("deed/began")
	p := w.p()
	var other *disk.Held
	err = w.run.w.Store.Delete("p", func() error {
		err := w.run.StopProject(context.Background(), p)
		other = held(t, w, id) // another process goes on with it
		return err
	})
	if !errors.Is(err, project.ErrElsewhere) {
		t.Fatal(err)
	}
	other.Drop()
	if v := w.view(id); !strings.Contains(v.Text, "MY PROMPT") || v.Status != dialog.Waiting {
		t.Errorf("%s: %s", v.Status, sections(v.Dialog))
	}
}

// What goes wrong while decided calls run is the answer of their request.
func TestAnswerOfDecidedCallsTellsAFailure(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{{provider.Text{Piece: "May I?"}, command("c1", "touch deed/began; while ! test -e deed/go; do :; done"), command("c2", "true")}}})
	id, _ := w.start("go")
	text := w.view(id).Text
	answer := make(chan error)
	go func() {
		_, _, err := w.run.Put(context.Background(), Input{Project: w.p(), DialogID: id, Control: control("c1 approve")})
		answer <- err
	}()
	w.until("deed/began")
	names, _ := filepath.Glob(filepath.Join(w.dir, "root/p/dialog-*"))
	head, _, _ := strings.Cut(text, "\n## User")
	if err := os.WriteFile(names[0], []byte(head), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.dir, "root/p/deed/go"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := <-answer; !errors.Is(err, project.ErrConflict) {
		t.Error(err)
	}
}

// The stream of a dialog ends whose process was killed, though no file changes.
func TestFollowedProcessIsKilled(t *testing.T) {
	testenv.Slow(t)
	hold := make(chan struct{})
	w := newWorld(t, &script{answers: [][]provider.Event{text("half")}, hold: map[int]<-chan struct{}{0: hold}})
	sub, err := w.run.Start(context.Background(), Input{Project: w.p(), Provider: "claude", Slug: "x", Prompt: &Prompt{Text: "go"}})
	if err != nil {
		t.Fatal(err)
	}
	id := until(t, sub, hub.ChunkEvent).DialogID
	file := filepath.Join(w.dir, "root/p", dialog.Filename(id, dialog.Active))
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := w.run.Put(context.Background(), Input{Project: w.p(), DialogID: id, Status: dialog.Waiting}); err != nil {
		t.Fatal(err)
	}
	sub.Close()
	names, _ := filepath.Glob(filepath.Join(w.dir, "root/p/dialog-*"))
	if err := errors.Join(os.Remove(names[0]), os.WriteFile(file, text, 0o644)); err != nil {
		t.Fatal(err)
	}
	other := held(t, w, id)
	s, err := w.run.Join(context.Background(), w.p(), id, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	until(t, s, hub.SectionEvent)
	other.Drop() // the kill
	if last := ended(t, s); last.Type != hub.DoneEvent || last.Status != dialog.Waiting {
		t.Errorf("%+v", last)
	}
}

// A control that only denies begins nothing that was approved before it.
func TestDenialBeginsNothing(t *testing.T) {
	testenv.Slow(t)
	for name, c := range map[string]struct {
		in   Input
		ends string // of c2, which was approved and had not started
	}{
		"a rule":                    {Input{Control: control("deny run_command")}, "Denied by user"},
		"a call":                    {Input{Control: control("c3 deny")}, "(none)"},
		"a rule, and done":          {Input{Control: control("deny run_command"), Status: dialog.Done}, "Denied by user"},
		"no line, and a message":    {Input{Control: control("# no"), Prompt: &Prompt{Text: "no"}}, "never started"},
		"a denial, and a message":   {Input{Control: control("deny run_command"), Prompt: &Prompt{Text: "no"}}, "Denied by user"},
		"taken back":                {Input{Control: control("c2 deny")}, "Denied by user"},
		"taken back, and a message": {Input{Control: control("c2 deny"), Prompt: &Prompt{Text: "no"}}, "Denied by user"},
		"an approval of the other":  {Input{Control: control("c3 approve")}, `"success":true`},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, &script{answers: [][]provider.Event{
				{command("c1", "touch deed/began; sleep 60"), command("c2", "true"), command("c3", "true")}, text("ok"), text("ok")}})
			id, _ := w.start("go")
			go w.run.Put(context.Background(), Input{Project: w.p(), DialogID: id, Control: control("c1 approve\nc2 approve")})
			w.until("deed/began")
			if _, _, err := w.run.Put(context.Background(), Input{Project: w.p(), DialogID: id, Status: dialog.Waiting}); err != nil {
				t.Fatal(err)
			}
			c.in.Project, c.in.DialogID = w.p(), id
			_, sub, err := w.run.Put(context.Background(), c.in)
			if err != nil {
				t.Fatal(err)
			}
			if sub != nil {
				ended(t, sub)
				sub.Close()
			}
			got := result(w.view(id).Dialog, "c2")
			if !strings.Contains(got, c.ends) {
				t.Errorf("c2: %q, want %q", got, c.ends)
			}
		})
	}
}
