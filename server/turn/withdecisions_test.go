package turn

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vibey/cmd/tally/testenv"
	"vibey/dialog"
	"vibey/dialog/change"
	"vibey/dialog/history"
	"vibey/provider"
	"vibey/server/hub"
)

// A prompt that comes with decisions stands in the file before anything that they let
// run: killed behind any of its sections, the dialog has the prompt as soon as the call
// started, the call runs at most once, and the model reads its result and then the words.
func TestPromptWithDecisionsAtAKill(t *testing.T) {
	const words = "Yes, and be quick."
	answers := [][]provider.Event{{provider.Text{Piece: "May I?"}, command("c1", "echo x >> deed/log"), command("c2", "true")}, text("Done.")}
	w := newWorld(t, &script{answers: answers})
	id, _ := w.start("go")
	asked := len(w.view(id).Dialog.Sections)
	w.put(Input{DialogID: id, Control: control("c1 approve"), Prompt: &Prompt{Text: words}})
	whole := w.view(id)
	const want = "Authorization, Tool Result/denied, User, Note/started, Tool Result/approved, Assistant"
	if got := sections(whole.Dialog); !strings.HasSuffix(got, want) {
		t.Fatal(got)
	}
	for k := asked + 1; k <= len(whole.Dialog.Sections); k++ {
		text := whole.Text
		if k < len(whole.Dialog.Sections) {
			lines := strings.SplitAfter(text, "\n")
			text = strings.TrimSuffix(strings.Join(lines[:whole.Dialog.Line(k)-1], ""), "\n")
		}
		names, _ := filepath.Glob(filepath.Join(w.dir, "root/p/dialog-*"))
		active := filepath.Join(filepath.Dir(names[0]), dialog.Filename(id, dialog.Active))
		for _, err := range []error{os.Remove(names[0]), os.WriteFile(active, []byte(strings.Replace(text, "Status: waiting", "Status: active ", 1)), 0o644)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		started := k > asked+3
		if err := os.Truncate(filepath.Join(w.dir, "root/p/deed/log"), 0); err != nil {
			t.Fatal(err)
		}
		w.restart()
		v := w.view(id)
		spoken := strings.Contains(sections(v.Dialog), "Authorization, Tool Result/denied, User")
		if spoken != (k > asked+2) {
			t.Errorf("%d: %s", k, sections(v.Dialog))
		}
		if v.Needs != dialog.NeedsContinue {
			if v.Needs != dialog.NeedsReply && v.Needs != dialog.NeedsApproval {
				t.Errorf("%d: needs %s: %s", k, v.Needs, sections(v.Dialog))
			}
			continue
		}
		n := len(w.script.reqs)
		w.put(Input{DialogID: id, Continue: true})
		v = w.view(id)
		if ran := w.read("deed/log"); ran != "x\n" && !started || ran != "" && started {
			t.Errorf("%d: it wrote %q: %s", k, ran, sections(v.Dialog))
		}
		items := w.script.reqs[n].History.Items
		last := items[len(items)-1]
		if results := items[len(items)-2]; spoken && (last.Text != words || results.Kind != history.ResultItem || results.CallID != "c2") {
			t.Errorf("%d: the model read %+v", k, items)
		}
		legal(t, v.Dialog)
	}
}

// What is approved with a prompt was judged when it was asked for: the rules of the turn
// that the prompt begins do not refuse it.
func TestApprovedWithAPromptRuns(t *testing.T) {
	for name, c := range map[string]struct{ rules, words string }{
		"thanks":    {"", "Thanks!"},
		"in phases": {"phases on", "Yes, and make it blue."},
	} {
		t.Run(name, func(t *testing.T) {
			answers := [][]provider.Event{{command("c1", "echo x > deed/a.txt")}, text("Done.")}
			if c.rules != "" {
				answers = append([][]provider.Event{{provider.Call{ID: "c0", Name: "checkpoint", Args: `{"goal":"g","findings":"f","proposal":"p"}`}}}, answers...)
			}
			w := newWorld(t, &script{answers: answers})
			w.save("doc-main.md", "# p\n\nəəəproject/v1\n"+c.rules+"\nəəə\n")
			id, _ := w.start("build it")
			w.put(Input{DialogID: id, Control: control("c1 approve"), Prompt: &Prompt{Text: c.words}})
			v := w.view(id)
			if w.read("deed/a.txt") != "x\n" {
				t.Errorf("%s: %s", result(v.Dialog, "c1"), sections(v.Dialog))
			}
			user := ""
			for _, s := range v.Dialog.Sections {
				if s.Role == dialog.User {
					user = s.ID
				}
			}
			if files, why := change.Of(v.Dialog).Undo(user, true); len(files) != 1 {
				t.Errorf("the turn of the prompt changed %v %s", files, why)
			}
		})
	}
}

// Windows are told that a turn has no phases any more, if the human put them off while it
// waited: they show the last one until then.
func TestPhasesEndWhileATurnWaits(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{
		{provider.Call{ID: "c0", Name: "checkpoint", Args: `{"goal":"g","findings":"f","proposal":"p"}`}}, {command("c1", "echo x > deed/a.txt")}, text("Done."),
	}})
	w.save("doc-main.md", "# p\n\nəəəproject/v1\nphases on\nəəə\n")
	id, _ := w.start("build it")
	w.save("doc-main.md", "# p\n")
	var phases []string
	for _, e := range w.put(Input{DialogID: id, Control: control("c1 approve")}) {
		if e.Type == hub.PhaseEvent {
			phases = append(phases, fmt.Sprint(e.Data))
		}
	}
	if len(phases) != 1 || phases[0] != "{ }" {
		t.Errorf("phases %q: %s", phases, sections(w.view(id).Dialog))
	}
}

// An agent gets a prompt that came with an approval once, behind what it says while it ends
// what was approved; a model that the prompt goes to instead reads both.
func TestAgentGetsThePromptThatCameWithAnApproval(t *testing.T) {
	testenv.Slow(t)
	const more = "refused update {\"sessionUpdate\":\"tool_call_update\"" // behind the edit
	says := strings.Replace(agentEdits, more, "update {\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"text\",\"text\":\"Nearly.\"}}\n"+more, 1)
	says = strings.Replace(says, "allowed update", "update {\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"text\",\"text\":\"I write.\"}}\nallowed update", 1)
	next := "\nprompt\nupdate {\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"text\",\"text\":\"Heard.\"}}\n"
	a := newAgentWorld(t, says+next+next)
	id, _ := a.ask("edit it")
	a.put(Input{DialogID: id, Control: control("call-1 approve"), Prompt: &Prompt{Text: "AND NOW THE REST"}})
	v := a.view(id)
	if got := sections(v.Dialog); !strings.Contains(got, "Authorization, User, ") || a.deed("a.txt") != "hello" {
		t.Errorf("%s: %s", a.deed("a.txt"), got)
	}
	if i := v.Dialog.Find(dialog.ToolResult, "call-1"); i < 0 || v.Dialog.Sections[i].Meta.Get("Status") != dialog.CallApproved {
		t.Errorf("%s\n%s", sections(v.Dialog), v.Text)
	}
	if n := strings.Count(a.came(), "AND NOW THE REST"); n != 1 {
		t.Errorf("the agent got it %d times:\n%s\n%s", n, a.came(), v.Text)
	}
	if v.Needs != dialog.NeedsReply || !strings.HasSuffix(strings.TrimSpace(v.Text), "Heard.\nəəə") {
		t.Errorf("needs %s: %s", v.Needs, v.Text)
	}
	a.put(Input{DialogID: id, Prompt: &Prompt{Text: "once more"}})
	if n := strings.Count(a.came(), "AND NOW THE REST"); n != 1 {
		t.Errorf("in the end the agent got it %d times", n)
	}
	legal(t, a.view(id).Dialog)

	b := newAgentWorld(t, says)
	id, _ = b.ask("edit it")
	_, sub, err := b.run.Put(context.Background(), Input{Project: b.p(), DialogID: id, Control: control("call-1 approve"), Prompt: &Prompt{Text: "go on"}, Provider: "claude", Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	b.drain(sub)
	v = b.view(id)
	if i := v.Dialog.Find(dialog.ToolResult, "call-1"); b.deed("a.txt") != "hello" || i < 0 || v.Dialog.Sections[i].Meta.Get("Status") != dialog.CallApproved {
		t.Errorf("%s\n%s", sections(v.Dialog), v.Text)
	}
}

// A control that comes with a prompt drops nothing that was approved before: it may be the
// same that was sent before a kill.
func TestPromptWithDecisionsOfBefore(t *testing.T) {
	for _, said := range []string{"c1 approve", "c2 deny", "allow write_file"} {
		w := newWorld(t, &script{answers: [][]provider.Event{{command("c1", "echo x >> deed/log"), command("c2", "true")}, text("Done.")}})
		id, _ := w.start("go")
		f, err := w.p().OpenDialog(id)
		if err != nil {
			t.Fatal(err)
		}
		turn := w.run.turn(f, Input{Project: w.p(), DialogID: id})
		if _, err := turn.control("c1 approve", ""); err != nil {
			t.Fatal(err)
		}
		f.Close()
		w.put(Input{DialogID: id, Control: control(said), Prompt: &Prompt{Text: "go on"}})
		if got := w.read("deed/log"); got != "x\n" {
			t.Errorf("%s: it wrote %q: %s", said, got, sections(w.view(id).Dialog))
		}
	}
}
