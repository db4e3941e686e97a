package turn

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vibey/cmd/tally/testenv"
	"vibey/dialog"
	"vibey/provider"
	"vibey/provider/acp"
	"vibey/server/hub"
)

// results are the texts of a dialog's results, as tool: result.
func results(d *dialog.Dialog) string {
	var out []string
	for i := range d.Sections {
		if s := &d.Sections[i]; s.Role == dialog.ToolResult {
			out = append(out, s.Tool()+": "+s.Meta.Get("Status")+" "+s.Text())
		}
	}
	return strings.Join(out, "\n")
}

// An agent reads and writes files by us: within the project, never a dialog, and asked
// about.
func TestAgentWritesByUs(t *testing.T) {
	a := newAgentWorld(t, `
prompt
call fs/read_text_file {"path":"$DEED/../doc-main.md"}
call fs/read_text_file {"path":"/etc/passwd"}
call fs/write_text_file {"path":"/etc/cron.d/x","content":"evil"}
call fs/write_text_file {"path":"$DEED/../../q/doc-main.md","content":"evil"}
call fs/write_text_file {"path":"$DEED/../dialog-20260216-201100-x-active.md","content":"evil"}
call fs/write_text_file {"path":"$DEED/.git/hooks/post-commit","content":"evil"}
call fs/write_text_file {"path":"$DEED/b.txt","content":"one"}
call fs/read_text_file {"path":"$DEED/b.txt","line":1,"limit":1}
call fs/nothing {"path":"$DEED/b.txt"}
`)
	id, es := a.ask("write")
	last := es[len(es)-1]
	if last.Type != hub.ToolEvent || len(last.Calls) != 1 || last.Calls[0].InputText != `{"path":"deed/b.txt","content":"one"}` || last.Calls[0].Target == nil {
		t.Fatalf("ends with %+v", last)
	}
	if got := results(a.view(id).Dialog); strings.Count(got, "write_file: error") != 4 || strings.Count(got, "PATH_OUTSIDE_PROJECT") != 2 || !strings.Contains(got, "only the server writes dialogs") {
		t.Errorf("what was refused:\n%s", got)
	}
	a.put(Input{DialogID: id, Control: control(last.Calls[0].ID + " approve")})
	if got := a.deed("b.txt"); got != "one" {
		t.Errorf("deed/b.txt: %s", got)
	}
	came := a.came()
	if !strings.Contains(came, `{"content":"# p\n"}`) || !strings.Contains(came, `{"content":"one"}`) || strings.Contains(came, "root:") || strings.Count(came, `"error"`) != 6 {
		t.Errorf("the agent got %s", came)
	}
	if v := a.view(id); v.Needs != dialog.NeedsContinue && v.Needs != dialog.NeedsReply {
		t.Errorf("needs %s", v.Needs)
	}
}

// asking is a script that asks for a permission, and once it has it does what follows.
func asking(call, then string) string {
	return "\nprompt\nask " + call + "\n" + then +
		"\nupdate {\"sessionUpdate\":\"tool_call_update\",\"toolCallId\":\"c\",\"status\":\"completed\"}\n"
}

// What a human approved runs without another question: exactly that, and while the call
// runs. An agent that asks for A and does B is asked about B.
func TestAgentDoesWhatWasApproved(t *testing.T) {
	testenv.Slow(t)
	const (
		edit = `{"toolCallId":"c","kind":"edit","rawInput":{},"content":[{"type":"diff","path":"$DEED/a.txt","oldText":null,"newText":"A"}]}`
		run  = `{"toolCallId":"c","kind":"execute","rawInput":{"command":"echo hi","cwd":"$DEED"}}`
	)
	for name, c := range map[string]struct {
		script string
		asks   bool
	}{
		"the diff":             {asking(edit, `call fs/write_text_file {"path":"$DEED/a.txt","content":"A"}`), false},
		"another text":         {asking(edit, `call fs/write_text_file {"path":"$DEED/a.txt","content":"B"}`), true},
		"another file":         {asking(edit, `call fs/write_text_file {"path":"$DEED/b.txt","content":"A"}`), true},
		"another spelling":     {asking(edit, `call fs/write_text_file {"path":"$DEED/./a.txt","content":"A"}`), true},
		"two new texts":        {asking(strings.Replace(edit, `"newText":"A"`, `"newText":"harmless","NewText":"A"`, 1), `call fs/write_text_file {"path":"$DEED/a.txt","content":"A"}`), true},
		"the command":          {asking(run, `call terminal/create {"command":"echo","args":["hi"]}`), false},
		"as one word":          {asking(run, `call terminal/create {"command":"echo hi","cwd":"$DEED"}`), false},
		"another command":      {asking(run, `call terminal/create {"command":"echo","args":["ho"]}`), true},
		"another folder":       {asking(run, `call terminal/create {"command":"echo","args":["hi"],"cwd":"$DEED/.."}`), true},
		"a variable":           {asking(run, `call terminal/create {"command":"echo","args":["hi"],"env":[{"name":"A","value":"b"}]}`), true},
		"a file for a command": {asking(run, `call fs/write_text_file {"path":"$DEED/a.txt","content":"A"}`), true},
		"other words":          {asking(strings.Replace(run, "echo hi", "echo a b", 1), `call terminal/create {"command":"echo","args":["a b"]}`), true},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAgentWorld(t, c.script)
			id, es := a.ask("go")
			if last := es[len(es)-1]; last.Type != hub.ToolEvent || last.Calls[0].ID != "c" {
				t.Fatalf("ends with %+v", last)
			}
			es = a.put(Input{DialogID: id, Control: control("c approve")})
			last := es[len(es)-1]
			if asks := last.Type == hub.ToolEvent; asks != c.asks {
				t.Fatalf("asks: %v; %+v\n%s", asks, last, a.view(id).Text)
			}
			if c.asks {
				es = a.put(Input{DialogID: id, Control: control(last.Calls[0].ID + " deny")})
				if last := es[len(es)-1]; last.Type != hub.DoneEvent {
					t.Errorf("after a denial: %+v", last)
				}
				if strings.Contains(results(a.view(id).Dialog), `_file: approved`) || strings.Contains(results(a.view(id).Dialog), `_command: approved`) {
					t.Errorf("it ran:\n%s", results(a.view(id).Dialog))
				}
				return
			}
			if got := a.view(id).Text; !strings.Contains(got, "> Within: c\n") {
				t.Errorf("the result does not say for what it was approved:\n%s", got)
			}
		})
	}
}

// A diff is approved for the file that the human was shown: one that has changed since is
// not overwritten.
func TestAgentWritesOnlyWhatWasShown(t *testing.T) {
	a := newAgentWorld(t, asking(`{"toolCallId":"c","kind":"edit","content":[{"type":"diff","path":"$DEED/a.txt","newText":"A"}]}`,
		"call fs/write_text_file {\"path\":\"$DEED/a.txt\",\"content\":\"A\"}"))
	id, _ := a.ask("go")
	if err := os.WriteFile(filepath.Join(a.dir, "root/p/deed/a.txt"), []byte("a human's"), 0o644); err != nil {
		t.Fatal(err)
	}
	a.put(Input{DialogID: id, Control: control("c approve")})
	if got := a.deed("a.txt"); got != "a human's" || !strings.Contains(results(a.view(id).Dialog), "did not exist when the human approved") {
		t.Errorf("deed/a.txt: %s\n%s", got, results(a.view(id).Dialog))
	}
}

// An approval of a diff is for the file to which links lead its path then, also where that
// is another one than the path names. Where they lead elsewhere since, nothing is written.
func TestAgentWritesThroughLink(t *testing.T) {
	testenv.Slow(t)
	for name, c := range map[string]struct{ old, then, want string }{
		"a new file":        {"", "real", "A"},
		"a file":            {"old", "real", "A"},
		"leads elsewhere":   {"", "other", ""},
		"to the same bytes": {"old", "other", "old"},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAgentWorld(t, asking(`{"toolCallId":"c","kind":"edit","content":[{"type":"diff","path":"$DEED/link/a.txt","oldText":"`+c.old+`","newText":"A"}]}`,
				`call fs/write_text_file {"path":"$DEED/link/a.txt","content":"A"}`))
			for _, dir := range []string{"real", "other"} {
				if err := os.MkdirAll(filepath.Join(a.dir, "root/p/deed", dir), 0o755); err != nil {
					t.Fatal(err)
				}
				if c.old != "" {
					a.save("deed/"+dir+"/a.txt", c.old)
				}
			}
			link := filepath.Join(a.dir, "root/p/deed/link")
			if err := os.Symlink("real", link); err != nil {
				t.Fatal(err)
			}
			id, _ := a.ask("go")
			if err := errors.Join(os.Remove(link), os.Symlink(c.then, link)); err != nil {
				t.Fatal(err)
			}
			a.put(Input{DialogID: id, Control: control("c approve")})
			got, err := os.ReadFile(filepath.Join(link, "a.txt"))
			if string(got) != c.want || err != nil && c.want != "" {
				t.Errorf("%q, %v\n%s", got, err, results(a.view(id).Dialog))
			}
			if led := "the human approved this call when it led to 'deed/real/a.txt'"; strings.Contains(results(a.view(id).Dialog), led) != (c.then == "other") {
				t.Errorf("%s", results(a.view(id).Dialog))
			}
		})
	}
}

// A denial or a permission that is over covers nothing.
func TestAgentActsAfterDenial(t *testing.T) {
	testenv.Slow(t)
	a := newAgentWorld(t, `
prompt
ask {"toolCallId":"c","kind":"edit","content":[{"type":"diff","path":"$DEED/a.txt","newText":"A"}]}
call fs/write_text_file {"path":"$DEED/a.txt","content":"A"}
update {"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed"}
`)
	id, _ := a.ask("go")
	es := a.put(Input{DialogID: id, Control: control("c deny")})
	last := es[len(es)-1]
	if last.Type != hub.ToolEvent || last.Calls[0].Tool != "write_file" {
		t.Fatalf("ends with %+v", last)
	}
	a.put(Input{DialogID: id, Control: control("deny write_file")})
	if v := a.view(id); a.deed("a.txt") == "A" || !strings.Contains(v.Text, "what was not allowed") {
		t.Errorf("a call that is told as done though it was denied:\n%s", v.Text)
	}
}

// A terminal is a command of ours, with its evidence; the agent reads its output and how
// it ended.
func TestAgentTerminal(t *testing.T) {
	testenv.Slow(t)
	a := newAgentWorld(t, `
prompt
call terminal/create {"command":"sh","args":["-c","pwd; echo \"it's\" > t.txt; exit 3"]}
call terminal/wait_for_exit {"terminalId":"$TERMINAL"}
call terminal/output {"terminalId":"$TERMINAL","x":1}
call terminal/release {"terminalId":"$TERMINAL"}
call terminal/output {"terminalId":"$TERMINAL"}
call terminal/create {"command":"true","cwd":"/tmp"}
call terminal/create {"command":"printf 'begun\\npart'; sleep 20"}
until begun call terminal/output {"terminalId":"$TERMINAL"}
call terminal/kill {"terminalId":"$TERMINAL"}
call terminal/wait_for_exit {"terminalId":"$TERMINAL"}
call terminal/create {"command":"echo begun; sleep 21"}
until begun call terminal/output {"terminalId":"$TERMINAL"}
`)
	id, es := a.ask("run")
	for range 3 {
		last := es[len(es)-1]
		if last.Type != hub.ToolEvent || last.Calls[0].Tool != "run_command" {
			t.Fatalf("ends with %+v", last)
		}
		es = a.put(Input{DialogID: id, Control: control(last.Calls[0].ID + " approve")})
	}
	if last := es[len(es)-1]; last.Type != hub.DoneEvent {
		t.Fatalf("ends with %+v", last)
	}
	got := results(a.view(id).Dialog)
	if a.deed("t.txt") != "it's\n" || strings.Count(got, "run_command: approved") != 3 || !strings.Contains(got, `"exitCode":137,"stdout":"begun\npart"`) || strings.Count(got, "stopped before its end") != 2 {
		t.Errorf("deed/t.txt %q\n%s", a.deed("t.txt"), got)
	}
	came := a.came()
	for _, want := range []string{`"result":{"output":"begun\n","truncated":false}`, `{"exitCode":3,"signal":null}`, `/deed\n","truncated":false,"exitStatus":{"exitCode":3`, "PATH_OUTSIDE_PROJECT", `{"exitCode":null,"signal":"SIGKILL"}`, "no such terminal"} {
		if !strings.Contains(came, want) {
			t.Errorf("the agent did not get %s:\n%s", want, came)
		}
	}
}

// A human's stop ends a command of the agent's as any other.
func TestAgentTerminalStopped(t *testing.T) {
	a := newAgentWorld(t, `
prompt
call terminal/create {"command":"echo run > ran.txt; sleep 20"}
hang
`)
	id, _ := a.ask("run")
	go a.when(func() bool { return a.deed("ran.txt") == "run\n" }, func() {
		a.run.Put(context.Background(), Input{Project: a.p(), DialogID: id, Status: dialog.Waiting})
	})
	a.put(Input{DialogID: id, Control: control("allow run_command\n" + a.view(id).Pending[0].ID + " approve")})
	if got := results(a.view(id).Dialog); got != `run_command: error {"success":false,"error":"interrupted: stopped by user"}` {
		t.Errorf("%s", got)
	}
}

// A write is for the file that the agent has read: one that changed since is refused, and
// one that the agent wrote itself is not. The refusal tells what stands there, so that the
// next write is for that.
func TestAgentWritesWhatItRead(t *testing.T) {
	a := newAgentWorld(t, `
prompt
call fs/read_text_file {"path":"$DEED/a.txt"}
call fs/write_text_file {"path":"$DEED/a.txt","content":"agent's"}
call fs/write_text_file {"path":"$DEED/a.txt","content":"agent's second"}
prompt
call fs/read_text_file {"path":"$DEED/a.txt"}
prompt
call fs/write_text_file {"path":"$DEED/a.txt","content":"lost"}
call fs/write_text_file {"path":"$DEED/a.txt"}
call fs/write_text_file {"content":"x"}
call fs/read_text_file {"line":1}
prompt
call fs/write_text_file {"path":"$DEED/a.txt","content":"over it"}
`)
	a.save("deed/a.txt", "first")
	id, _ := a.ask("go")
	a.put(Input{DialogID: id, Control: control("allow write_file")})
	if got := a.deed("a.txt"); got != "agent's second" {
		t.Fatalf("deed/a.txt %q\n%s", got, results(a.view(id).Dialog))
	}
	a.put(Input{DialogID: id, Prompt: &Prompt{Text: "read it"}})
	a.save("deed/a.txt", "a human's")
	a.put(Input{DialogID: id, Prompt: &Prompt{Text: "write it"}})
	if got := a.deed("a.txt"); got != "a human's" || strings.Count(a.came(), "has changed since you last saw it") != 1 || strings.Count(a.came(), "is missing") != 3 {
		t.Errorf("deed/a.txt %q; it got %s", got, a.came())
	}
	a.put(Input{DialogID: id, Prompt: &Prompt{Text: "write over it"}})
	if got := a.deed("a.txt"); got != "over it" {
		t.Errorf("deed/a.txt %q; it got %s", got, a.came())
	}
}

// A diff whose old text is the file's shows that the agent knows what stands there, however
// it has read it: a human's edit before that does not refuse what was approved.
func TestAgentWritesWhatItShowsAsOld(t *testing.T) {
	testenv.Slow(t)
	a := newAgentWorld(t, `
prompt
call fs/write_text_file {"path":"$DEED/a.txt","content":"agent's"}`+
		asking(`{"toolCallId":"c","kind":"edit","content":[{"type":"diff","path":"$DEED/a.txt","oldText":"a human's","newText":"both's"}]}`,
			`call fs/write_text_file {"path":"$DEED/a.txt","content":"both's"}`))
	id, es := a.ask("go")
	a.put(Input{DialogID: id, Control: control(es[len(es)-1].Calls[0].ID + " approve")})
	if got := a.deed("a.txt"); got != "agent's" {
		t.Fatalf("deed/a.txt %q\n%s", got, results(a.view(id).Dialog))
	}
	a.save("deed/a.txt", "a human's")
	a.put(Input{DialogID: id, Prompt: &Prompt{Text: "go on"}})
	a.put(Input{DialogID: id, Control: control("c approve")})
	if got := a.deed("a.txt"); got != "both's" {
		t.Errorf("deed/a.txt %q\n%s", got, results(a.view(id).Dialog))
	}
}

// What was approved runs once: done again it is asked again.
func TestAgentDoesItAgain(t *testing.T) {
	testenv.Slow(t)
	for name, c := range map[string]struct{ call, then, again string }{
		"a command": {`{"toolCallId":"c","kind":"execute","rawInput":{"command":"echo hi >> n"}}`, `call terminal/create {"command":"echo hi >> n"}` + "\ncall terminal/wait_for_exit {\"terminalId\":\"$TERMINAL\"}", "run_command"},
		"a diff":    {`{"toolCallId":"c","kind":"edit","content":[{"type":"diff","path":"$DEED/a.txt","newText":"A"}]}`, `call fs/write_text_file {"path":"$DEED/a.txt","content":"A"}`, "write_file"},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAgentWorld(t, asking(c.call, c.then+"\n"+c.then))
			id, _ := a.ask("go")
			es := a.put(Input{DialogID: id, Control: control("c approve")})
			last := es[len(es)-1]
			if last.Type != hub.ToolEvent || last.Calls[0].Tool != c.again {
				t.Fatalf("ends with %+v", last)
			}
			a.put(Input{DialogID: id, Control: control(last.Calls[0].ID + " deny")})
			if got := a.deed("n"); got != "hi\n" && c.again == "run_command" {
				t.Errorf("it ran with the effect %q", got)
			}
		})
	}
}

// A diff whose old text is not the file's shows another change than would be made: the
// write is asked about with the file that stands there.
func TestAgentShowsAnotherFile(t *testing.T) {
	testenv.Slow(t)
	for old, covered := range map[string]bool{`null`: false, `""`: false, `"something else"`: false, `"a human's"`: true, `["a human's"]`: false} {
		t.Run(old, func(t *testing.T) {
			a := newAgentWorld(t, asking(`{"toolCallId":"c","kind":"edit","content":[{"type":"diff","path":"$DEED/a.txt","oldText":`+old+`,"newText":"A"}]}`,
				`call fs/write_text_file {"path":"$DEED/a.txt","content":"A"}`))
			if err := os.MkdirAll(filepath.Join(a.dir, "root/p/deed"), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(a.dir, "root/p/deed/a.txt"), []byte("a human's"), 0o644); err != nil {
				t.Fatal(err)
			}
			id, _ := a.ask("go")
			es := a.put(Input{DialogID: id, Control: control("c approve")})
			last := es[len(es)-1]
			if asks := last.Type == hub.ToolEvent; asks == covered || asks && (last.Calls[0].Tool != "write_file" || !last.Calls[0].Target.Exists) {
				t.Fatalf("ends with %+v", last)
			}
			if now := a.deed("a.txt"); now != map[bool]string{true: "A", false: "a human's"}[covered] {
				t.Errorf("deed/a.txt: %s", now)
			}
		})
	}
}

// A command whose folder is missing runs nowhere.
func TestAgentCommandWithoutItsFolder(t *testing.T) {
	testenv.Slow(t)
	a := newAgentWorld(t, `
prompt
call terminal/create {"command":"true; echo here > ../here; echo here > here","cwd":"$DEED/missing"}
call terminal/wait_for_exit {"terminalId":"$TERMINAL"}
call terminal/create {"command":"true","args":["; echo here > here"],"cwd":"$DEED/missing"}
call terminal/wait_for_exit {"terminalId":"$TERMINAL"}
call terminal/create {"command":"echo a; echo b > b","cwd":"$DEED","env":[{"name":"A","value":"b"}]}
call terminal/wait_for_exit {"terminalId":"$TERMINAL"}
`)
	id, es := a.ask("go")
	for range 3 {
		es = a.put(Input{DialogID: id, Control: control(es[len(es)-1].Calls[0].ID + " approve")})
	}
	for _, file := range []string{"deed/here", "here", "deed/missing"} {
		if _, err := os.Stat(filepath.Join(a.dir, "root/p", file)); err == nil {
			t.Errorf("%s is there:\n%s", file, results(a.view(id).Dialog))
		}
	}
	if a.deed("b") != "b\n" {
		t.Errorf("deed/b: %q\n%s", a.deed("b"), results(a.view(id).Dialog))
	}
}

// Behind very many calls that have ended new ones are recorded; of too many at once the
// agent is told.
func TestAgentHasManyCalls(t *testing.T) {
	a := newAgentWorld(t, `
prompt
repeat 3 update {"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"}}
update {"sessionUpdate":"tool_call","toolCallId":"last","title":"Last","kind":"read","status":"completed"}
`)
	id, _ := a.ask("go")
	if got := results(a.view(id).Dialog); !strings.HasPrefix(got, "acp_read: approved") {
		t.Error(got)
	}
}

// What is not there is told in the words that clients look for before they make a new
// file, and a path that is no file's is refused; a relative one is below the deed.
func TestAgentFilePaths(t *testing.T) {
	a := newAgentWorld(t, `
prompt
call fs/read_text_file {"path":"$DEED/none.txt"}
call fs/read_text_file {"path":"$DEED/no/folder/none.txt"}
call fs/read_text_file {"path":"a.txt"}
call fs/read_text_file {"path":"file://$DEED/a.txt"}
call fs/read_text_file {"path":"untitled:a.txt"}
call fs/write_text_file {"path":"file://$DEED/b.txt","content":"x"}
call fs/write_text_file {"path":"vscode-vfs:b.txt","content":"x"}
call terminal/create {"command":"true","cwd":"file://$DEED"}
call fs/read_text_file {"path":"/etc/none"}
`)
	a.write("a.txt", "here")
	id, _ := a.ask("go")
	came := a.came()
	if n := strings.Count(came, `Resource not found: 'deed/`); n != 2 || strings.Count(came, "does not exist") != 2 || strings.Count(came, "-32002") != 2 {
		t.Errorf("%d are not found: %s", n, came)
	}
	if n := strings.Count(came, `"content":"here"`); n != 1 {
		t.Errorf("%d were read: %s", n, came)
	}
	if n := strings.Count(came, "has a scheme"); n != 4 || strings.Count(came, "PATH_OUTSIDE_PROJECT") != 2 {
		t.Errorf("%d are refused for their scheme: %s", n, came)
	}
	if got := sections(a.view(id).Dialog); strings.Contains(got, "Tool Request") {
		t.Errorf("a human is asked: %s", got)
	}
	if entries, err := os.ReadDir(filepath.Join(a.dir, "root/p/deed")); err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
}

// gemini is told to read files by itself, and to write by us: it could make no new file
// else. Any other agent reads by us.
func TestGeminiReadsItself(t *testing.T) {
	for program, reads := range map[string]string{"gemini": "false", "another": "true"} {
		t.Run(program, func(t *testing.T) {
			a := newAgentWorld(t, fine)
			self, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			link := filepath.Join(t.TempDir(), program)
			if err := os.Symlink(self, link); err != nil {
				t.Fatal(err)
			}
			agents := acp.New([]acp.Agent{{Name: "mock", Args: []string{link, "play-agent", a.file, a.log}}}, a.idle)
			a.run.w.Provider = func(string) (provider.Provider, bool) { return agents, true }
			a.ask("go")
			if came := a.came(); !strings.Contains(came, `"fs":{"readTextFile":`+reads+`,"writeTextFile":true}`) {
				t.Errorf("it got %s", came)
			}
		})
	}
}
