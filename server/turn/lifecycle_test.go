package turn

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"vibey/dialog"
	"vibey/dialog/grant"
	"vibey/provider"
	"vibey/server/hub"
	"vibey/server/view"
	"vibey/tools/sandbox"
)

// until reads events up to the first of that type.
func until(t *testing.T, s *hub.Sub, typ string) hub.Event {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	for {
		batch, ok := s.Next(ctx)
		if !ok {
			t.Fatalf("the stream ended before %q", typ)
		}
		for _, e := range batch {
			if e.Type == typ {
				return e
			}
		}
	}
}

// until waits until a file of the project is there, which a command makes.
func (w *world) until(name string) {
	w.t.Helper()
	for deadline := time.Now().Add(4 * time.Second); w.read(name) == "(none)"; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			w.t.Fatalf("%s is not there", name)
		}
	}
}

func command(id, cmd string) provider.Call {
	return provider.Call{ID: id, Name: "run_command", Args: `{"command":"` + cmd + `"}`}
}

func TestStopDuringATool(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{{command("c1", "touch deed/began; sleep 60"), write("c2", "deed/a.txt", "x")}}})
	id, _ := w.start("go")
	_, sub, err := w.run.Put(context.Background(), Input{Project: w.p(), DialogID: id, Control: control("c1 approve\nc2 approve")})
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Close()
	w.until("deed/began")
	st, _, err := w.run.Put(context.Background(), Input{Project: w.p(), DialogID: id, Status: dialog.Waiting})
	if err != nil || st.Needs != dialog.NeedsContinue {
		t.Errorf("%+v %v", st, err)
	}
	v := w.view(id)
	want := "System, User, Assistant, Tool Request, Tool Request, Authorization, Note/started, Tool Result/error"
	if got := sections(v.Dialog); got != want {
		t.Fatalf("sections %s", got)
	}
	if r := v.Dialog.Sections[7].Text(); r != `{"success":false,"error":"interrupted: stopped by user"}` {
		t.Errorf("result %s", r)
	}
	// What was approved and never started runs first when it goes on; nothing runs twice.
	w.script.answers = append(w.script.answers, text("ok"))
	w.put(Input{DialogID: id, Continue: true})
	want += ", Note/started, Tool Result/approved, Assistant, Note/recovery, Assistant"
	if got := sections(w.view(id).Dialog); got != want {
		t.Errorf("sections %s", got)
	}
}

func TestDeletedProjectStops(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{text("half")}, hold: map[int]<-chan struct{}{0: make(chan struct{})}})
	sub, err := w.run.Start(context.Background(), Input{Project: w.p(), Provider: "claude", Slug: "x", Prompt: &Prompt{Text: "go"}})
	if err != nil {
		t.Fatal(err)
	}
	until(t, sub, hub.ChunkEvent)
	p := w.p()
	if err := w.run.w.Store.Delete("p", func() error { return w.run.StopProject(context.Background(), p) }); err != nil {
		t.Fatal(err)
	}
	if e := until(t, sub, hub.ErrorEvent); e.Kind != "deleted" {
		t.Errorf("%+v", e)
	}
	if _, err := os.Stat(filepath.Join(w.dir, "root/p")); !os.IsNotExist(err) {
		t.Errorf("the folder is still there: %v", err)
	}
}

func TestShutdownClosesAsInterrupted(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{text("half"), text("rest")}, hold: map[int]<-chan struct{}{0: make(chan struct{})}})
	sub, err := w.run.Start(context.Background(), Input{Project: w.p(), Provider: "claude", Slug: "x", Prompt: &Prompt{Text: "go"}})
	if err != nil {
		t.Fatal(err)
	}
	id := until(t, sub, hub.ChunkEvent).DialogID
	if err := w.run.Shutdown(context.Background()); err != nil {
		t.Fatal(err)
	}
	if _, err := w.run.Start(context.Background(), Input{Project: w.p(), Provider: "claude", Slug: "y", Prompt: &Prompt{Text: "go"}}); !errors.Is(err, ErrStopping) {
		t.Errorf("a start after the end: %v", err)
	}
	w.restart()
	w.script.hold = nil
	v := w.view(id)
	if v.Status != dialog.Waiting || v.Needs != dialog.NeedsContinue {
		t.Errorf("%+v", v.State)
	}
	w.put(Input{DialogID: id, Continue: true})
	if n := w.view(id).Needs; n != dialog.NeedsReply {
		t.Errorf("needs %s", n)
	}
}

// Shutdown has a bound, whatever hangs: a turn, until its context ends, and behind that the
// end of an agent.
func TestShutdownIsBounded(t *testing.T) {
	const turns = 2 * time.Second
	commands := sandbox.Probe(sandbox.Config{Levels: []sandbox.Level{sandbox.None}})
	for name, c := range map[string]struct {
		turn, agent bool
		want        time.Duration
	}{
		"nothing":  {false, false, 0},
		"a turn":   {true, false, turns},
		"an agent": {false, true, endMost},
		"both":     {true, true, turns + endMost},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := New(&World{World: view.World{Sandbox: commands}})
				hung := make(chan struct{})
				if c.turn {
					r.wg.Add(1)
				}
				var began atomic.Bool
				if c.agent {
					r.endAll = func() { began.Store(true); <-hung }
				}
				ctx, cancel := context.WithTimeout(t.Context(), turns)
				defer cancel()
				start := time.Now()
				err := r.Shutdown(ctx)
				if took := time.Since(start); took != c.want || (err != nil) != (c.want > 0) || errors.Is(err, context.DeadlineExceeded) != c.turn || errors.Is(err, ErrLate) != (c.agent && !c.turn) {
					t.Errorf("it took %v, not %v: %v", took, c.want, err)
				}
				if c.agent && !began.Load() {
					t.Error("nobody began to end the agent")
				}
				close(hung)
				if c.turn {
					r.wg.Done()
				}
			})
		})
	}
}

func TestFamilyCeilings(t *testing.T) {
	hold := make(chan struct{})
	launch := func(i int) provider.Event {
		return provider.Call{ID: fmt.Sprintf("c%d", i), Name: "launch_agent", Args: fmt.Sprintf(`{"provider":"claude","model":"m","prompt":"child %d"}`, i)}
	}
	s := &script{answers: [][]provider.Event{{launch(1), launch(2), launch(3), launch(4), launch(5)}, text("done")}}
	w := newWorld(t, s)
	id, _ := w.start("go")
	s.hold = map[int]<-chan struct{}{0: hold} // the children stay active
	s.answers[0] = append([]provider.Event{provider.Text{Piece: "x"}}, s.answers[0]...)
	_, sub, err := w.run.Put(context.Background(), Input{Project: w.p(), DialogID: id, Control: control("allow launch_agent")})
	if err != nil {
		t.Fatal(err)
	}
	w.drain(sub)
	ok, refused := 0, 0
	d := w.view(id).Dialog
	for i := range d.Sections {
		if r := &d.Sections[i]; r.Role == dialog.ToolResult {
			if strings.Contains(r.Text(), `"success":true`) {
				ok++
			} else if strings.Contains(r.Text(), "wait until one is done") {
				refused++
			}
		}
	}
	if ok != (grant.Rules{}).AgentsAtOnce()-1 || refused != 5-ok {
		t.Errorf("%d launched, %d refused: %s", ok, refused, sections(d))
	}
	if err := w.run.Shutdown(context.Background()); err != nil {
		t.Fatal(err)
	}
}

func TestLaunchedDialogIsDoneAtItsEnd(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{{provider.Call{ID: "c1", Name: "launch_agent", Args: `{"provider":"claude","model":"m","prompt":"just say hi","slug":"kid"}`}}, text("fine")}})
	id, _ := w.start("go")
	// The child's first answer must be text: it is asked by another script from here on.
	w.script.answers = [][]provider.Event{text("hi"), text("fine")}
	w.put(Input{DialogID: id, Control: control("c1 approve")})
	w.run.wg.Wait()
	infos, err := w.p().Dialogs()
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range infos {
		want := dialog.Done
		if i.ID == id {
			want = dialog.Waiting
		}
		if i.Status != want {
			t.Errorf("%s is %s, want %s", i.ID, i.Status, want)
		}
	}
}

func TestDoneDeniesPending(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{{write("c1", "deed/a.txt", "1")}, text("woken")}})
	id, _ := w.start("go")
	st, sub, err := w.run.Put(context.Background(), Input{Project: w.p(), DialogID: id, Status: dialog.Done})
	if err != nil || sub != nil || st.Status != dialog.Done || len(st.Pending) != 0 {
		t.Fatalf("%+v %v %v", st, sub, err)
	}
	es := w.put(Input{DialogID: id, Prompt: &Prompt{Text: "wake"}})
	if last := es[len(es)-1]; last.Status != dialog.Waiting {
		t.Errorf("%+v", last)
	}
}

// A blanket does not release what the human was not shown.
func TestSeen(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{{write("c1", "deed/a.txt", "1"), write("c2", "deed/b.txt", "1")}, text("ok")}})
	id, _ := w.start("go")
	_, _, err := w.run.Put(context.Background(), Input{Project: w.p(), DialogID: id, Control: control("allow write_file"), Seen: "c1"})
	if !errors.Is(err, ErrStale) {
		t.Errorf("err %v", err)
	}
	w.put(Input{DialogID: id, Control: control("allow write_file"), Seen: "c2"})
	if got := sections(w.view(id).Dialog); strings.Count(got, "approved") != 2 {
		t.Errorf("sections %s", got)
	}
}

// A message does not deny what its writer was not shown.
func TestSeenByPrompt(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{{write("c1", "deed/a.txt", "1"), write("c2", "deed/b.txt", "1")}, text("ok")}})
	id, _ := w.start("go")
	before := w.view(id).Text
	for _, in := range []Input{
		{Prompt: &Prompt{Text: "and on"}, Seen: "c1"},
		{Prompt: &Prompt{Text: "and on"}, Seen: "nothing"},
		{Prompt: &Prompt{Text: "not that"}, Control: control("c1 deny"), Seen: "c1"},
	} {
		in.Project, in.DialogID = w.p(), id
		if _, _, err := w.run.Put(context.Background(), in); !errors.Is(err, ErrStale) {
			t.Errorf("%+v: err %v", in, err)
		}
	}
	if w.view(id).Text != before {
		t.Error("a refused message changed the file")
	}
	w.put(Input{DialogID: id, Prompt: &Prompt{Text: "and on"}, Seen: "c2"})
	if got := sections(w.view(id).Dialog); strings.Count(got, "denied") != 2 {
		t.Errorf("sections %s", got)
	}
}

// doc-main.md and, without a sandbox, commands ask each time, whatever is allowed.
func TestNeverBlanket(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{
		{write("c1", "deed/a.txt", "1"), write("c2", "./doc-main.md", "mine"), command("c3", "true")}, text("ok"),
	}})
	id, _ := w.start("go")
	st, sub, err := w.run.Put(context.Background(), Input{Project: w.p(), DialogID: id, Control: control("allow write_file\nallow run_command")})
	if err != nil || sub != nil || len(st.Pending) != 2 || st.Pending[0].ID != "c2" {
		t.Fatalf("%+v %v %v", st, sub, err)
	}
}

// A late watcher who knows a part gets the rest, one who knows another text a reset.
func TestJoinResumes(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{text("one"), text("two")}})
	id, es := w.start("go")
	at := es[0].Pos // behind the User section
	w.put(Input{DialogID: id, Prompt: &Prompt{Text: "more"}})
	for _, c := range []struct {
		last *hub.Pos
		want string
	}{
		{nil, "section:System section:User section:Assistant section:User section:Assistant done"},
		{&at, "section:Assistant section:User section:Assistant done"},
		{&hub.Pos{Whole: at.Whole + 1}, "reset section:System section:User section:Assistant section:User section:Assistant done"},
		{&hub.Pos{Whole: at.Whole, Open: 2}, "section:Assistant section:User section:Assistant done"},
	} {
		s, err := w.run.Join(context.Background(), w.p(), id, c.last)
		if err != nil {
			t.Fatal(err)
		}
		if got := types(w.drain(s)); got != c.want {
			t.Errorf("from %v: %s, want %s", c.last, got, c.want)
		}
	}
}

// Every error of a turn's start leaves the dialog as it was, and unlocked.
func TestRefusals(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{text("ok")}})
	st, err := w.run.Draft(context.Background(), Input{Project: w.p(), Provider: "claude", Slug: "x"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		in   Input
		kind error
	}{
		{Input{}, ErrInput},
		{Input{Continue: true}, ErrNothing},
		{Input{Prompt: &Prompt{Text: " \n"}}, ErrInput},
		{Input{Prompt: &Prompt{Text: "x"}, Provider: "nobody"}, ErrInput},
		{Input{Prompt: &Prompt{Text: "x"}, Intent: "evil"}, ErrInput},
		{Input{Prompt: &Prompt{Text: "x"}, Model: "a\nb"}, ErrInput},
		{Input{Status: dialog.Active}, ErrInput},
		{Input{Model: "m2"}, ErrInput},
	} {
		c.in.Project, c.in.DialogID = w.p(), st.DialogID
		if _, _, err := w.run.Put(context.Background(), c.in); !errors.Is(err, c.kind) {
			t.Errorf("%+v: %v", c.in, err)
		}
	}
	if got := sections(w.view(st.DialogID).Dialog); got != "" {
		t.Errorf("sections %s", got)
	}
	w.put(Input{DialogID: st.DialogID, Prompt: &Prompt{Text: "now"}})
}

// A line of the rules that nobody knows is told to the human, and stops nothing.
func TestUnknownRuleIsTold(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{text("ok")}})
	p, _ := w.run.w.Store.Project("p")
	if _, err := p.WriteFile("doc-main.md", "# Main\n\nəəəproject/v1\ncolour red\ntools hands\nagents 99\nəəə\n", ""); err != nil {
		t.Fatal(err)
	}
	id, _ := w.start("go")
	d := w.view(id).Dialog
	if got, want := sections(d), "System, Note/project, User, Assistant"; got != want {
		t.Fatalf("sections %s", got)
	}
	if n := d.Sections[1]; n.Meta.Get("To") != "human" || !strings.Contains(n.Text(), "line 4") || !strings.Contains(n.Text(), "colour") ||
		!strings.Contains(n.Text(), "do not hold as they are written") || !strings.Contains(n.Text(), "line 6: agents is 32 at most, which holds instead") ||
		!strings.Contains(n.Text(), `line 5: this program has no set of tools "hands"; it has read, `) {
		t.Errorf("note %q", n.Text())
	}
}

// Of many such lines the first are told, and how many more there are.
func TestFewUnknownRulesAreTold(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{text("ok")}})
	w.save("doc-main.md", "əəəproject/v1\n"+strings.Repeat("colour red\n", 1000)+"əəə\n")
	id, _ := w.start("go")
	n := w.view(id).Dialog.Sections[1].Text()
	if strings.Count(n, "\n- line") != 21 || !strings.HasSuffix(n, "\n- line 22: and 980 more lines that do not hold") {
		t.Errorf("%d bytes: %.500s", len(n), n)
	}
}

// A model that says nothing is asked for words once more. If it has none, the human is told, and one Continue
// or one message is enough to go on.
func TestEmptyAnswerEndsTheTurn(t *testing.T) {
	for name, empty := range map[string][]provider.Event{
		"nothing":        {},
		"no text":        {provider.Text{}},
		"blanks":         {provider.Text{Piece: " \n"}},
		"thoughts alone": {provider.Thinking{Piece: "hm"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := &script{answers: [][]provider.Event{empty}, mute: true}
			w := newWorld(t, s)
			id, es := w.start("go")
			if last := es[len(es)-1]; last.Type != hub.DoneEvent || last.Needs != dialog.NeedsContinue {
				t.Errorf("ends with %+v", last)
			}
			if len(s.reqs) != 2 || s.reqs[0].NoTools || !s.reqs[1].NoTools {
				t.Fatalf("the model was asked %d times", len(s.reqs))
			}
			v := w.view(id)
			if got := sections(v.Dialog); !strings.HasSuffix(got, "Assistant, Note/warning") || !strings.Contains(got, "Assistant, Note/recovery, ") {
				t.Errorf("sections %s", got)
			}
			s.answers[0] = text("now I speak")
			w.put(Input{DialogID: id, Continue: true})
			if v := w.view(id); v.Needs != dialog.NeedsReply || !strings.Contains(v.Text, "now I speak") {
				t.Errorf("continue: needs %s", v.Needs)
			}
		})
	}
}

// A program that opens the file whose name the first frame tells finds it.
func TestFirstFrameNamesTheFile(t *testing.T) {
	hold := make(chan struct{})
	w := newWorld(t, &script{answers: [][]provider.Event{text("x")}, hold: map[int]<-chan struct{}{0: hold}})
	sub, err := w.run.Start(context.Background(), Input{Project: w.p(), Provider: "claude", Slug: "x", Prompt: &Prompt{Text: "go"}})
	if err != nil {
		t.Fatal(err)
	}
	e := until(t, sub, hub.SectionEvent)
	if _, err := os.Stat(filepath.Join(w.dir, "root/p", e.Filename)); err != nil {
		t.Error(err)
	}
	close(hold)
	w.drain(sub)
}

// A project that declares the set of tools for servers has them; the network
// is a human's word of its own.
func TestServerSet(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{
		{provider.Call{ID: "c1", Name: "start_server", Args: `{"command":"python3 -m http.server 8123 --bind 127.0.0.1","port":8123}`}},
		{provider.Call{ID: "c2", Name: "server_logs", Args: `{"port":8123}`}},
		text("ok"),
	}})
	p, _ := w.run.w.Store.Project("p")
	if _, err := p.WriteFile("doc-main.md", "# Main\n\nəəəproject/v1\ntools server\nəəə\n", ""); err != nil {
		t.Fatal(err)
	}
	id, _ := w.start("go")
	w.put(Input{DialogID: id, Control: control("c1 approve\nallow network")})
	v := w.view(id)
	if got := strings.Count(sections(v.Dialog), "approved"); got != 2 {
		t.Fatalf("sections %s", sections(v.Dialog))
	}
	for i := range v.Dialog.Sections {
		if s := &v.Dialog.Sections[i]; s.Role == dialog.ToolResult && !dialog.Succeeded(s.Text()) {
			t.Errorf("%s: %s", s.Tool(), s.Text())
		}
	}
	if got := len(w.run.w.Sandbox.Servers(p.Root().Name())); got != 1 {
		t.Fatalf("%d servers", got)
	}
	if err := w.run.StopProject(context.Background(), w.p()); err != nil {
		t.Fatal(err)
	}
	if got := len(w.run.w.Sandbox.Servers(p.Root().Name())); got != 0 {
		t.Errorf("%d servers outlive their project", got)
	}
}

// What a command without the network leaves in its HOME is not there for one
// that a human has allowed it, be it of the same dialog.
func TestHomesApart(t *testing.T) {
	run := func(id, command string) provider.Call {
		return provider.Call{ID: id, Name: "run_command", Args: `{"command":"` + command + `"}`}
	}
	w := newWorld(t, &script{answers: [][]provider.Event{
		{run("c1", "echo evil > ~/.npmrc")},
		{run("c2", "cat ~/.npmrc")},
		{run("c3", "cat ~/.npmrc; echo cached > ~/cache")},
		{run("c4", "cat ~/cache")},
		text("ok"),
	}})
	id, _ := w.start("go")
	w.put(Input{DialogID: id, Control: control("c1 approve")})
	w.put(Input{DialogID: id, Control: control("c2 approve")})
	w.put(Input{DialogID: id, Control: control("c3 approve\nallow network")})
	w.put(Input{DialogID: id, Control: control("c4 approve")})
	d := w.view(id).Dialog
	for call, want := range map[string]string{"c2": `"stdout":"evil\n"`, "c3": `"stdout":""`, "c4": `"stdout":"cached\n"`} {
		i := d.Find(dialog.ToolResult, call)
		if i < 0 || !strings.Contains(d.Sections[i].Text(), want) {
			t.Errorf("%s lacks %s: %s", call, want, sections(d))
		}
	}
}
