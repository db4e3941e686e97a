package turn

import (
	"context"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"vibey/dialog"
	"vibey/provider"
	"vibey/server/hub"
	"vibey/tools/caught"
)

// breaking is a model whose stream panics in some way, once.
type breaking struct {
	*script
	how func(yield func(provider.Event, error) bool)
}

func (b *breaking) Stream(ctx context.Context, r *provider.Request) iter.Seq2[provider.Event, error] {
	if how := b.how; how != nil {
		b.how = nil
		return how
	}
	return b.script.Stream(ctx, r)
}

// isFree holds that nothing of a broken turn is left: the dialog can be written
// by others and gone on with, and its project can be deleted.
func (w *world) isFree(id string) {
	w.t.Helper()
	f, err := w.project().OpenDialog(id)
	if err != nil {
		w.t.Fatalf("the dialog is still held: %v", err)
	}
	f.Close()
	w.goesOn(id)
	if open, _ := filepath.Glob(filepath.Join(w.dir, "root/p/.*.open")); len(open) > 0 {
		w.t.Errorf("left: %v", open)
	}
	w.view(id) // canonical
	if err := w.run.StopProject(context.Background(), w.p()); err != nil {
		w.t.Error(err)
	}
	w.run.wg.Wait()
	if err := w.run.w.Store.Delete("p", func() error { return nil }); err != nil {
		w.t.Error(err)
	}
}

var uuid = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

// A provider that panics ends its turn as interrupted, with what came, and
// nothing else: a stream that runs beside it does not notice.
func TestPanicOfAProvider(t *testing.T) {
	type yield = func(provider.Event, error) bool
	half := "## Assistant"
	for name, c := range map[string]struct {
		how  func(yield)
		want string // sections behind the User
	}{
		"at once":      {func(yield) { panic("at once") }, "Note/warning"},
		"in a text":    {func(y yield) { y(provider.Begin{}, nil); y(provider.Text{Piece: "half"}, nil); panic("boom") }, "Assistant, Note/warning"},
		"after a call": {func(y yield) { y(write("c1", "deed/a.txt", "x"), nil); panic("boom") }, "Assistant, Tool Request, Note/warning"},
		"after its end": {func(y yield) {
			y(provider.Text{Piece: "half"}, nil)
			y(provider.Finish{Stop: provider.StopEnd}, nil)
			panic("boom")
		}, "Assistant, Note/warning"},
		"in a thought":    {func(y yield) { y(provider.Thinking{Piece: "hm"}, nil); panic("boom") }, "Reasoning, Assistant, Note/warning"},
		"with no event":   {func(y yield) { y(nil, nil); y(provider.Text{Piece: "half"}, nil); panic(nil) }, "Assistant, Note/warning"},
		"behind an error": {func(y yield) { y(provider.Text{Piece: "half"}, nil); y(nil, context.Canceled); y(provider.Text{}, nil) }, "Assistant, Note/warning"},
	} {
		t.Run(name, func(t *testing.T) {
			hold := make(chan struct{})
			w := newWorld(t, &script{answers: [][]provider.Event{text("beside"), text("whole"), text("and more")}, hold: map[int]<-chan struct{}{0: hold}})
			log := w.log()
			beside, err := w.run.Start(context.Background(), Input{Project: w.p(), Provider: "other", Model: "m", Slug: "beside", Prompt: &Prompt{Text: "hi"}})
			if err != nil {
				t.Fatal(err)
			}
			until(t, beside, hub.ChunkEvent)
			b := &breaking{script: w.script, how: c.how}
			old := w.run.w.Provider
			w.run.w.Provider = func(name string) (provider.Provider, bool) {
				if name == "claude" {
					return b, true
				}
				return old(name)
			}
			id, es := w.start("hi")
			last := es[len(es)-1]
			told := uuid.FindString(last.Message)
			if last.Type != hub.ErrorEvent || last.Kind != "internal" || told == "" || !strings.Contains(log.String(), "id="+told) || !strings.Contains(log.String(), "panic_test.go") {
				t.Errorf("ends with %+v\n%s", last, log)
			}
			if n := strings.Count(log.String(), "msg=\"panic: "); n != 1 {
				t.Errorf("%d panics in the log:\n%s", n, log)
			}
			v := w.view(id)
			if got := sections(v.Dialog); got != "System, User, "+c.want || v.Status != dialog.Waiting {
				t.Errorf("%s: %s", v.Status, got)
			}
			if strings.Contains(v.Text, half) && !strings.Contains(v.Text, "> Stop: interrupted") {
				t.Errorf("an answer is not marked as interrupted:\n%s", v.Text)
			}
			close(hold)
			if es := w.drain(beside); es[len(es)-1].Type != hub.DoneEvent {
				t.Errorf("the stream beside it ends with %+v", es[len(es)-1])
			}
			w.script.hold = nil
			w.isFree(id)
		})
	}
}

// A tool that panics, or what prepares it, has an error for a result, is not run
// again, and ends the turn.
func TestPanicOfATool(t *testing.T) {
	launch := provider.Call{ID: "c1", Name: "launch_agent", Args: `{"provider":"claude","model":"m","prompt":"help"}`}
	for name, c := range map[string]struct {
		call   provider.Call
		meddle func(w *world)
	}{
		"the tool": {launch, func(w *world) {
			old, calls := w.run.w.Provider, 0
			w.run.w.Provider = func(name string) (provider.Provider, bool) {
				if calls++; calls == 1 {
					panic("no provider")
				}
				return old(name)
			}
		}},
		"what prepares it": {write("c1", "deed/a.txt", "x"), func(w *world) {
			old := w.run.w.Home
			w.run.w.Home = func(p string, network bool) (string, error) { w.run.w.Home = old; panic("no home") }
		}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, &script{answers: [][]provider.Event{{c.call}, text("ok"), text("ok")}})
			log := w.log()
			id, _ := w.start("go")
			c.meddle(w)
			es := w.put(Input{DialogID: id, Control: control("c1 approve")})
			if last := es[len(es)-1]; last.Type != hub.ErrorEvent || last.Kind != "internal" || !strings.Contains(log.String(), "id="+uuid.FindString(last.Message)) {
				t.Errorf("ends with %+v\n%s", last, log)
			}
			v := w.view(id)
			want := "System, User, Assistant, Tool Request, Authorization, Note/started, Tool Result/error, Note/warning"
			if got := sections(v.Dialog); got != want || v.Needs != dialog.NeedsContinue {
				t.Errorf("needs %s: %s", v.Needs, got)
			}
			w.put(Input{DialogID: id, Continue: true})
			if got := sections(w.view(id).Dialog); got != want+", Assistant, Note/recovery, Assistant" {
				t.Errorf("after a Continue: %s", got)
			}
			w.isFree(id)
		})
	}
}

// A decision whose answer is JSON tells of a broken turn by an error.
func TestPanicBehindAJSONAnswer(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{{write("c1", "deed/a.txt", "x"), write("c2", "deed/b.txt", "x")}, text("ok")}})
	w.log()
	id, _ := w.start("go")
	old := w.run.w.Home
	w.run.w.Home = func(p string, network bool) (string, error) { w.run.w.Home = old; panic("no home") }
	_, sub, err := w.run.Put(context.Background(), Input{Project: w.p(), DialogID: id, Control: control("c1 approve")})
	if sub != nil || caught.Of(err) == nil {
		t.Errorf("%v %v", sub, err)
	}
	w.isFree(id)
}

// The clock panics at each step of a prompt, an approval and a call in turn:
// wherever that is, somebody is told, and nothing is held when it is over.
func TestPanicAnywhere(t *testing.T) {
	quick(t)
	for at := 1; ; at++ {
		w := newWorld(t, &script{answers: [][]provider.Event{
			{provider.Text{Piece: "May I?"}, write("c1", "deed/a.txt", "x"), command("c2", "true")}, text("Done."), text("Done."),
		}})
		log := w.log()
		n := 0
		tick := func() time.Time {
			if n++; n == at {
				panic("the clock is broken")
			}
			return w.now
		}
		w.run.w.Now = tick
		ctx := context.Background()
		ended := func(sub *hub.Sub, err error) {
			t.Helper()
			if err != nil {
				if caught.Of(err) == nil {
					t.Errorf("step %d: %v", at, err)
				}
				return
			}
			if sub == nil {
				return
			}
			es := w.drain(sub)
			if len(es) == 0 || !es[len(es)-1].Ends() {
				t.Errorf("step %d: a stream ends with %s", at, types(es))
			}
		}
		id := ""
		err := caught.Do(func() error { // as the server does around a handler
			sub, err := w.run.Start(ctx, Input{Project: w.p(), Provider: "claude", Model: "m", Slug: "x", Prompt: &Prompt{Text: "go"}})
			ended(sub, err)
			return nil
		})
		if infos, lerr := w.p().Dialogs(); lerr == nil && len(infos) == 1 {
			id = infos[0].ID
			err = caught.Do(func() error {
				_, sub, err := w.run.Put(ctx, Input{Project: w.p(), DialogID: id, Control: control("c1 approve\nc2 approve")})
				ended(sub, err)
				return nil
			})
		}
		over := n < at
		if !over && err == nil && strings.Count(log.String(), "panic: ") == 0 {
			t.Errorf("step %d: the panic is in no log", at)
		}
		w.run.w.Now = func() time.Time { return w.now }
		if b, err := os.ReadFile(filepath.Join(w.dir, "root/p/deed/a.txt")); err == nil && string(b) != "x" {
			t.Errorf("step %d: %q", at, b)
		}
		if id != "" {
			w.isFree(id)
		}
		if t.Failed() {
			t.Fatalf("%s", log)
		}
		if over {
			if at < 15 {
				t.Errorf("the clock was asked only %d times", at)
			}
			return
		}
	}
}
