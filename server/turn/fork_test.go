package turn

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vibey/dialog"
	"vibey/dialog/grant"
	"vibey/dialog/history"
	"vibey/provider"
	"vibey/provider/anthropic"
	"vibey/provider/chat"
	"vibey/provider/providertest"
	"vibey/provider/responses"
	"vibey/server/hub"
)

// forks forks a dialog at a section, and returns the fork's id.
func (w *world) forks(id, at string) string {
	w.t.Helper()
	fork, err := w.run.Fork(w.p(), id, at)
	if err != nil {
		w.t.Fatalf("at %s: %v", at, err)
	}
	return fork
}

// idOf is the id of the n-th section of a role, from 0.
func (w *world) idOf(id string, r dialog.Role, n int) string {
	w.t.Helper()
	file, err := w.p().ReadDialog(id)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, s := range file.Parse().Forward() {
		if s.Role == r {
			if n--; n < 0 {
				return s.ID
			}
		}
	}
	w.t.Fatalf("no such %s", r)
	return ""
}

// forkable is a dialog of three messages: calls that ran, under an allow and by their
// ids, a title, and at last two calls that wait, one of them approved.
func forkable(t *testing.T) (*world, string) {
	w := newWorld(t, &script{answers: [][]provider.Event{
		{provider.Text{Piece: "I write."}, write("c1", "deed/a.txt", "one"), write("c2", "deed/b.txt", "two")}, text("Written."),
		{command("c3", "echo hi")}, text("Said."),
		{write("c4", "deed/c.txt", "x"), command("c5", "echo never")}, text("More."),
	}})
	id, _ := w.start("a *first* message")
	w.put(Input{DialogID: id, Control: control("allow write_file")})
	title := "My poem"
	if _, _, err := w.run.Put(context.Background(), Input{Project: w.p(), DialogID: id, Title: &title}); err != nil {
		t.Fatal(err)
	}
	w.put(Input{DialogID: id, Prompt: &Prompt{Text: "second"}})
	w.put(Input{DialogID: id, Control: control("c3 approve")})
	w.put(Input{DialogID: id, Prompt: &Prompt{Text: "third"}})
	return w, id
}

// A fork at any section begins with the text up to its end, byte for byte, and is sent as
// that is. Nothing runs, and the dialog stays as it was.
func TestForkAnywhere(t *testing.T) {
	w, id := forkable(t)
	source, asked := w.view(id), len(w.script.reqs)
	for i, s := range source.Dialog.Forward() {
		fork := w.view(w.forks(id, s.ID))
		d := fork.Dialog
		end, _ := source.Dialog.Last(s.ID) // of a call its result
		if end < i || s.Role != dialog.ToolRequest && end != i {
			t.Fatalf("section %d ends at %d", i, end)
		}
		body := func(text string) string { return text[strings.Index(text, "\n## "):] }
		want := body(source.Text[:source.Dialog.End(end)])
		if !strings.HasPrefix(body(fork.Text), want) {
			t.Errorf("at %s: the text differs\n%s", s.ID, cmp.Diff(want, body(fork.Text)))
		}
		if fork.Status != dialog.Waiting || d.Header.Meta.Get("From") != id+" at "+s.ID || d.Inherited() <= end || d.Header.Launched() {
			t.Errorf("at %s: %s %+v", s.ID, fork.Status, d.Header)
		}
		if d.Header.Provider != "claude" || d.Header.Model != "m" || d.Header.DialogID != fork.DialogID || fork.DialogID == id {
			t.Errorf("at %s: %+v", s.ID, d.Header)
		}
		if open := d.Open(); len(open) > 0 {
			t.Errorf("at %s: calls are open: %v", s.ID, open)
		}
		g := grant.Of(d, w.run.Authority("p", fork.DialogID))
		if len(g.Rules) > 0 || g.Network || len(g.Decisions) > 0 {
			t.Errorf("at %s: it grants %+v", s.ID, g)
		}
		was, is := history.Build(dialog.Parse(source.Text[:source.Dialog.End(end)])), history.Build(d)
		if was.System != is.System || cmp.Diff(was.Tools, is.Tools) != "" || cmp.Diff(was.Items[:was.Stable], is.Items[:was.Stable]) != "" {
			t.Errorf("at %s: it is sent otherwise", s.ID)
		}
		d.Append(dialog.Section{Role: dialog.User, ID: "next", Payloads: []dialog.Payload{{Type: dialog.InputMarkdown, Text: "and now?"}}})
		if err := history.Validate(history.Build(d)); err != nil {
			t.Errorf("at %s: %v", s.ID, err)
		}
	}
	if now := w.view(id); now.Text != source.Text || now.Status != source.Status || len(w.script.reqs) != asked {
		t.Error("the fork did something")
	}
}

// The first request of a fork is the one that the dialog itself made there, in each API.
func TestForkIsAskedTheSame(t *testing.T) {
	for name, of := range map[string]provider.Writer{
		"messages": anthropic.New(provider.Config{}), "responses": responses.New(provider.Config{}), "chat": chat.New(provider.Config{}),
	} {
		w, id := forkable(t)
		body := func() string {
			return string(providertest.Request(of, &w.script.reqs[len(w.script.reqs)-1]))
		}
		if err := os.Remove(filepath.Join(w.dir, "root/p/deed/c.txt")); err != nil { // the deed as it was then
			t.Fatal(err)
		}
		fork := w.forks(id, w.idOf(id, dialog.Assistant, 1))
		w.put(Input{DialogID: fork, Prompt: &Prompt{Text: "second"}})
		want := string(providertest.Request(of, &w.script.reqs[2])) // of "second"
		if got := body(); got != want {
			t.Errorf("%s\n%s", name, cmp.Diff(want, got))
		}
		if err := providertest.Validate(name, []byte(body())); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if v := w.view(fork); v.Needs != dialog.NeedsApproval || len(v.Pending) != 1 {
			t.Errorf("%s: it does not ask again: %+v", name, v.State)
		}
		again := w.forks(w.forks(id, w.idOf(id, dialog.Assistant, 1)), w.idOf(id, dialog.Assistant, 1))
		w.put(Input{DialogID: again, Prompt: &Prompt{Text: "second"}})
		if got := body(); got != want {
			t.Errorf("%s: a fork's fork\n%s", name, cmp.Diff(want, got))
		}
		// A message without an answer is answered by Continue, without a word more.
		fork = w.forks(id, w.idOf(id, dialog.User, 1))
		if v := w.view(fork); v.Needs != dialog.NeedsContinue {
			t.Errorf("%s: behind a message it needs %s", name, v.Needs)
		}
		w.put(Input{DialogID: fork, Continue: true})
		if got := body(); got != want {
			t.Errorf("%s: continued\n%s", name, cmp.Diff(want, got))
		}
	}
}

// A call without a result there did not run there, whatever became of it in the dialog; one
// that had begun says so. What ran has its result.
func TestForkAnswersOpenCalls(t *testing.T) {
	w, id := forkable(t)
	results := func(fork string) string {
		var out []string
		for _, s := range w.view(fork).Dialog.Forward() {
			if s.Role == dialog.ToolResult {
				why, _, _ := strings.Cut(strings.TrimPrefix(s.Text(), `{"success":false,"error":"`), ":")
				out = append(out, s.ID+" "+s.Tool()+" "+s.Meta.Get("Status")+" "+why)
			}
		}
		return strings.Join(out, "\n")
	}
	began := w.idOf(id, dialog.Note, 0)
	if s := w.view(id).Dialog; s.Sections[s.Find(dialog.Note, began)].Kind() != dialog.StartedNote {
		t.Fatal("the first Note is another one")
	}
	for at, want := range map[string]string{
		w.idOf(id, dialog.Assistant, 0): "",
		"c1":                            `c1 write_file approved {"success"` + "\nc2 write_file error not run, forked before",
		"c2":                            `c1 write_file approved {"success"` + "\n" + `c2 write_file approved {"success"`,
		began:                           "c1 write_file error outcome unknown, forked before its result\nc2 write_file error not run, forked before",
	} {
		if got := results(w.forks(id, at)); got != want {
			t.Errorf("at %s:\n%s\nwant\n%s", at, got, want)
		}
	}
	// The last message's second call waits. To approve it in the fork comes too late.
	fork := w.forks(id, "c5")
	if got := results(fork); !strings.HasSuffix(got, "c5 run_command error not run, forked before") {
		t.Error(got)
	}
	before := sections(w.view(fork).Dialog)
	w.run.Put(context.Background(), Input{Project: w.p(), DialogID: fork, Control: control("c5 approve")})
	w.goesOn(fork)
	if got := strings.TrimPrefix(sections(w.view(fork).Dialog), before); strings.Contains(got, "started") {
		t.Errorf("it ran: %s", got)
	}
	if v := w.view(id); len(v.Pending) != 1 || v.Pending[0].ID != "c5" {
		t.Errorf("%+v", v.Pending)
	}
}

// What a tried command did, and what of it waits, stays the dialog's: in the fork it has not run.
func TestForkOfTried(t *testing.T) {
	w, id := tries(t, "printf 'new\n' >deed/a.txt")
	v := w.view(id)
	last := v.Dialog.Sections[len(v.Dialog.Sections)-1]
	fork := w.view(w.forks(id, last.ID))
	if r := result(fork.Dialog, "c1"); !strings.Contains(r, "not run, forked before") || len(fork.Pending) > 0 || w.read("deed/a.txt") != "old\n" {
		t.Errorf("%s %+v", r, fork.Pending)
	}
	w.goesOn(fork.DialogID)
	w.put(Input{DialogID: id, Control: control("c1 approve sha256:" + v.Pending[0].SHA256 + " effect:" + v.Pending[0].Effect.SHA256)})
	if w.read("deed/a.txt") != "new\n" {
		t.Errorf("%q", w.read("deed/a.txt"))
	}
}

// What was said by hand grants nothing in a fork either, where a server takes such words.
func TestForkVoidsWordsByHand(t *testing.T) {
	w, id := forkable(t)
	w.run.w.InFiles = true
	w.edit(id, "\n## Assistant\n", "\n## Authorization\n\nəəəcontrol/v1\nallow run_command\nəəə\n\n## Assistant\n")
	grants := func(id string) grant.Grants {
		file, err := w.p().ReadDialog(id)
		if err != nil {
			t.Fatal(err)
		}
		return grant.Of(file.Parse(), w.run.Authority("p", id))
	}
	if g := grants(id); g.Rules["run_command"] != grant.Allow {
		t.Fatalf("%+v", g)
	}
	if g := grants(w.forks(id, w.idOf(id, dialog.User, 1))); len(g.Rules) > 0 {
		t.Errorf("it grants %+v", g)
	}
}

// A fork has the title and says where it begins; so has one behind another title, and the
// fork of a fork.
func TestForkTitle(t *testing.T) {
	w, id := forkable(t)
	title := func(id string) string { return w.run.TitleOf(w.view(id).Dialog) }
	first := w.forks(id, w.idOf(id, dialog.User, 0))
	if got := title(first); got != "My poem (from message 1)" {
		t.Error(got)
	}
	later := w.forks(id, w.idOf(id, dialog.Assistant, 3))
	if got := title(later); got != "My poem (from answer 2)" {
		t.Error(got)
	}
	again := w.forks(later, w.idOf(id, dialog.Assistant, 1))
	if got := title(again); got != "My poem (from answer 2) (from answer 1)" {
		t.Error(got)
	}
	if o, _ := w.view(again).Dialog.Header.Origin(); o.Dialog != later {
		t.Errorf("%+v", o)
	}
	long := strings.Repeat("語", 200)
	if _, _, err := w.run.Put(context.Background(), Input{Project: w.p(), DialogID: id, Title: &long}); err != nil {
		t.Fatal(err)
	}
	if got := title(w.forks(id, w.idOf(id, dialog.User, 0))); !strings.HasSuffix(got, "語… (from message 1)") || len([]rune(got)) != dialog.TitleMax {
		t.Error(got)
	}
}

// A fork is its human's: no agent launched it, its family is its own, and what was spent
// before it was forked is the other dialog's.
func TestForkBelongsToNoFamily(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{{launchCall("c1", "child", "child")}, text("Begun."), text("Woken."), text("On.")}})
	id, _ := w.start("go")
	w.put(Input{DialogID: id, Control: control("c1 approve")})
	w.quiet()
	all, err := w.p().Dialogs()
	if err != nil || len(all) != 2 {
		t.Fatalf("%d dialogs, %v", len(all), err)
	}
	child := all[0].ID
	if child == id {
		child = all[1].ID
	}
	for _, of := range []string{id, child} {
		last := w.view(of).Dialog
		fork := w.forks(of, last.Sections[len(last.Sections)-1].ID)
		info, err := w.p().Dialog(fork)
		if err != nil || info.From != "" || info.Origin.Dialog != of || info.In != 0 || info.Out != 0 {
			t.Errorf("%+v %v", info.Summary, err)
		}
		before := len(w.view(id).Dialog.Sections)
		w.put(Input{DialogID: fork, Prompt: &Prompt{Text: "and now?"}})
		w.quiet()
		if _, _, err := w.run.Put(context.Background(), Input{Project: w.p(), DialogID: fork, Status: dialog.Done}); err != nil {
			t.Error(err)
		}
		w.quiet()
		if info, err = w.p().Dialog(fork); err != nil || info.In != 10 || info.Out != 2 {
			t.Errorf("it used %+v %v", info.Summary, err)
		}
		if n := len(w.view(id).Dialog.Sections); n != before {
			t.Errorf("the dialog got %d sections of its fork", n-before)
		}
	}
}

// What was done before a dialog was forked is taken back where it was done.
func TestUndoBeforeFork(t *testing.T) {
	w, id := forkable(t)
	w.undoes(Undoing{DialogID: id, ID: "c2"})
	note := w.lastNote(id).ID
	fork := w.forks(id, note)
	user := w.idOf(id, dialog.User, 0)
	for _, u := range []Undoing{{ID: "c1"}, {ID: "c2"}, {ID: note}, {Turn: user}} {
		u.DialogID = fork
		if _, err := w.run.Undo(context.Background(), w.p(), u); !errors.Is(err, ErrNothing) || !strings.Contains(err.Error(), id) {
			t.Errorf("%+v: %v", u, err)
		}
	}
	if w.read("deed/a.txt") != "one" || w.read("deed/b.txt") != "(none)" {
		t.Error("something was put back")
	}
	// What it does itself is its own.
	w.script.next = func(r *provider.Request) ([]provider.Event, error) {
		if strings.HasSuffix(items(*r), "go\n") || r.History.Items[len(r.History.Items)-1].Kind == history.UserText {
			return []provider.Event{write("f1", "deed/f.txt", "fork")}, nil
		}
		return text("Done."), nil
	}
	w.put(Input{DialogID: fork, Prompt: &Prompt{Text: "go"}})
	w.put(Input{DialogID: fork, Control: control("f1 approve")})
	if got := w.undoes(Undoing{DialogID: fork, ID: "f1"}); got != "deed/f.txt " {
		t.Error(got)
	}
}

// A dialog that works is forked up to what is in its file.
func TestForkWhileActive(t *testing.T) {
	hold := make(chan struct{})
	s := &script{answers: [][]provider.Event{text("One."), {provider.Text{Piece: "half"}, provider.Text{Piece: " whole"}}}, hold: map[int]<-chan struct{}{1: hold}}
	w := newWorld(t, s)
	id, _ := w.start("go")
	_, sub, err := w.run.Put(context.Background(), Input{Project: w.p(), DialogID: id, Prompt: &Prompt{Text: "more"}})
	if err != nil {
		t.Fatal(err)
	}
	for {
		es, ok := sub.Next(context.Background())
		if !ok {
			t.Fatal("it ended")
		}
		if strings.Contains(types(es), hub.ChunkEvent) {
			break
		}
	}
	file, err := w.p().ReadDialog(id)
	if err != nil || file.Open == "" {
		t.Fatalf("%+v %v", file, err)
	}
	at := w.idOf(id, dialog.User, 1)
	if got := sections(w.view(w.forks(id, at)).Dialog); got != "System, User, Assistant, User" {
		t.Error(got)
	}
	opened := dialog.Parse(file.Open).Sections[0].ID
	if _, err := w.run.Fork(w.p(), id, opened); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "still being written") {
		t.Errorf("%s: %v", opened, err)
	}
	close(hold)
	w.drain(sub)
	if v := w.view(id); !strings.Contains(v.Text, "half whole") || v.Status != dialog.Waiting {
		t.Error(v.Text)
	}
	w.forks(id, opened)
}

// What is damaged is taken over as it is; what is cut off can't be a fork's end.
func TestForkOfDamage(t *testing.T) {
	w, id := forkable(t)
	name := w.file(id)
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	last, first := w.idOf(id, dialog.Assistant, 3), w.idOf(id, dialog.Assistant, 0)
	for what, damage := range map[string]func(text string) string{
		"none":              func(text string) string { return text },
		"zeros":             func(text string) string { return strings.Replace(text, "I write.", "I \x00\x00\x00\x00e.", 1) },
		"a torn tail":       func(text string) string { return text[:len(text)-20] },
		"CR LF":             func(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") },
		"a byte order mark": func(text string) string { return dialog.BOM + text },
		"a damaged head":    func(text string) string { return strings.Replace(text, "> Started", "Started", 1) },
		"a line by hand":    func(text string) string { return strings.Replace(text, "\n## System", "\nMy notes.\n\n## System", 1) },
	} {
		if err := os.WriteFile(name, []byte(damage(string(whole))), 0o644); err != nil {
			t.Fatal(err)
		}
		w.restart()
		fork := w.view(w.forks(id, last)) // it holds that the text is canonical
		d := dialog.Parse(damage(string(whole)))
		want, got := history.Build(d), history.Build(fork.Dialog)
		if cmp.Diff(want.Items[:8], got.Items[:8]) != "" || want.System != got.System || fork.Dialog.Header.Launched() {
			t.Errorf("%s: %s", what, cmp.Diff(want.Items[:8], got.Items[:8]))
		}
		if what == "zeros" {
			if _, err := w.run.Fork(w.p(), id, first); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("at what is torn: %v", err)
			}
		}
	}
	// A payload without its end is whole only as long as something follows.
	text := strings.Replace(string(whole), "I write.\nəəə\n", "I write.\n", 1)
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if d := dialog.Parse(text); d.HasID(first) {
		if _, err := w.run.Fork(w.p(), id, first); !errors.Is(err, ErrNothing) {
			t.Errorf("at a payload without an end: %v", err)
		}
	}
	all, _ := filepath.Glob(filepath.Join(w.dir, "root/p/.*new"))
	if len(all) > 0 {
		t.Errorf("left: %v", all)
	}
}

// A text that is longer than a reader is shown is taken over whole.
func TestForkOfLongText(t *testing.T) {
	w, id := forkable(t)
	long := strings.Repeat("a line of many\n", dialog.SectionMost/15+100)
	w.edit(id, "Written.", long+"Written.")
	at := w.idOf(id, dialog.Assistant, 1)
	fork := w.forks(id, at)
	got, err := os.ReadFile(w.file(fork))
	if err != nil || !strings.Contains(string(got), long+"Written.\nəəə\n") {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

// What is not there is refused, and nothing is made.
func TestForkOfNothing(t *testing.T) {
	w, id := forkable(t)
	before, _ := w.p().Files()
	for _, c := range []struct {
		id, at string
		want   error
	}{
		{id, "nothing", fs.ErrNotExist}, {id, "", ErrInput}, {id, "a\nb", ErrInput},
		{"20260101-000000-none", "x", fs.ErrNotExist}, {"../p", "x", fs.ErrNotExist}, {strings.ToUpper(id), "c1", fs.ErrNotExist},
	} {
		if _, err := w.run.Fork(w.p(), c.id, c.at); !errors.Is(err, c.want) {
			t.Errorf("%q at %q: %v", c.id, c.at, err)
		}
	}
	if after, _ := w.p().Files(); len(after) != len(before) {
		t.Error("something was made")
	}
}

// A fork of a dialog whose provider is gone is made; only a message needs another one.
func TestForkWithoutProvider(t *testing.T) {
	w, id := forkable(t)
	had := w.run.w.Provider
	w.run.w.Provider = func(string) (provider.Provider, bool) { return nil, false }
	fork := w.forks(id, w.idOf(id, dialog.Assistant, 1))
	w.run.w.Provider = had
	w.goesOn(fork)
}

// An agent's session is the dialog's: in a fork it begins anew, and is handed the text.
func TestForkOfAgent(t *testing.T) {
	a := newAgentWorld(t, strings.Replace(remembers, "CAPS", `{"loadSession":true,"sessionCapabilities":{"resume":{}}}`, 1))
	id, _ := a.ask("my first words")
	last := a.view(id).Dialog
	fork := a.forks(id, last.Sections[len(last.Sections)-1].ID)
	a.again()
	before := a.came()
	es := a.put(Input{DialogID: fork, Prompt: &Prompt{Text: "my second words"}})
	if end := es[len(es)-1]; end.Type != hub.DoneEvent {
		t.Fatalf("ends with %+v", end)
	}
	came := strings.TrimPrefix(a.came(), before)
	if strings.Contains(came, "session/load") || strings.Contains(came, "session/resume") || !strings.Contains(came, "session/new") ||
		!strings.Contains(came, "[HANDOVER]") || !strings.Contains(came, "my first words") {
		t.Errorf("it got %s", came)
	}
	a.again() // its own session goes on
	before = a.came()
	a.put(Input{DialogID: fork, Prompt: &Prompt{Text: "my third words"}})
	if came = strings.TrimPrefix(a.came(), before); !strings.Contains(came, "session/resume") {
		t.Errorf("it got %s", came)
	}
}
