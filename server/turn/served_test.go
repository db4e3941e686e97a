package turn

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vibey/dialog"
	"vibey/dialog/history"
	"vibey/provider"
	"vibey/tools/mcp"
)

// withServers gives the world the MCP servers of these kinds, named after them, and a
// doc-main.md that uses them.
func (w *world) withServers(kinds ...string) {
	w.t.Helper()
	w.serve(kinds...)
	var sets []string
	for _, k := range kinds {
		sets = append(sets, "mcp:"+k)
	}
	doc := "# p\n\nəəəproject/v1\ntools " + strings.Join(sets, " ") + "\nəəə\n"
	if err := os.WriteFile(filepath.Join(w.dir, "root/p/doc-main.md"), []byte(doc), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

// serve is what a start of the program with these servers does.
func (w *world) serve(kinds ...string) {
	w.t.Helper()
	var servers []mcp.Server
	for _, k := range kinds {
		servers = append(servers, mcp.Server{Name: k, Command: w.command(k)})
	}
	w.run.w.MCP = mcp.New(mcp.Config{Servers: servers, Limits: mcp.Limits{Call: 2 * time.Second}})
	manager := w.run.w.MCP
	w.t.Cleanup(func() { manager.Close("") })
}

func calls(id, name, args string) provider.Call { return provider.Call{ID: id, Name: name, Args: args} }

// served is the text of a call's result, and its section.
func (w *world) served(id, call string) (string, *dialog.Section) {
	w.t.Helper()
	d := w.view(id).Dialog
	i := d.Find(dialog.ToolResult, call)
	if i < 0 {
		w.t.Fatalf("the call %s has no result: %s", call, sections(d))
	}
	return d.Sections[i].Text(), &d.Sections[i]
}

// An MCP server's tools stand in the System section; a call asks, runs once it is
// approved, also after a restart, and an allow covers its one tool.
func TestServedTools(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{
		{calls("c1", "mcp_honest_echo", `{"text":"hello"}`)},
		{calls("c2", "mcp_honest_echo", `{"text":"again"}`), calls("c3", "mcp_honest_look", `{}`), calls("c4", "mcp_honest_get-Now", `{}`)},
		text("Done."),
	}})
	w.withServers("honest")
	id, _ := w.start("go")
	v := w.view(id)
	if len(v.Pending) != 1 || v.Pending[0].Tool != "mcp_honest_echo" || v.Pending[0].Server == nil || v.Pending[0].Server.Name != "honest" {
		t.Fatalf("pending %+v", v.Pending)
	}
	var specs []history.ToolSpec
	if err := json.Unmarshal([]byte(history.Tools(v.Dialog)), &specs); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range specs[4:] {
		names = append(names, s.Name)
		if s.Server != "honest" || s.ReadOnly != (s.Tool == "look") {
			t.Errorf("%+v", s)
		}
	}
	if got, want := strings.Join(names, " "), "mcp_honest_add mcp_honest_big mcp_honest_die mcp_honest_echo mcp_honest_env mcp_honest_fail mcp_honest_get-Now mcp_honest_grow mcp_honest_hang mcp_honest_keep mcp_honest_look mcp_honest_picture mcp_honest_put mcp_honest_read_file_now"; got != want {
		t.Errorf("tools %s", got)
	}
	w.restart()
	w.serve("honest")
	w.put(Input{DialogID: id, Control: control("allow mcp_honest_echo")})
	if got, s := w.served(id, "c1"); got != `{"success":true,"content":[{"type":"text","text":"hello"}]}` || s.Meta.Get("Sandbox") != "none" {
		t.Errorf("c1: %s, %v", got, s.Meta)
	}
	if got, _ := w.served(id, "c2"); !strings.Contains(got, "again") {
		t.Errorf("c2: %s", got)
	}
	if v = w.view(id); len(v.Pending) != 2 || v.Pending[0].ID != "c3" {
		t.Errorf("what the server says changes nothing does not ask: %+v", v.Pending)
	}
	if s := v.Pending[0].Server; s.Tool != "look" || !s.ReadOnly {
		t.Errorf("what the server says is not shown: %+v", s)
	}
	w.put(Input{DialogID: id, Control: control("c3 deny\nc4 approve")})
	if got, _ := w.served(id, "c4"); !strings.Contains(got, "now") {
		t.Errorf("c4: %s", got)
	}
	if got := sections(w.view(id).Dialog); strings.Contains(got, "Note/mcp") {
		t.Errorf("sections %s", got)
	}
}

// A server fails: an error result; it is started again once; then it is off, as the text
// says, also after a restart, and its calls are answered unasked.
func TestServerOff(t *testing.T) {
	answers := [][]provider.Event{
		{calls("c1", "mcp_dies_do", `{}`)}, {calls("c2", "mcp_dies_do", `{"again":1}`)}, {calls("c3", "mcp_dies_do", `{"more":1}`)}, text("It fails."),
	}
	w := newWorld(t, &script{answers: answers})
	w.withServers("dies")
	id, _ := w.start("go")
	w.put(Input{DialogID: id, Control: control("c1 approve")})
	if got, s := w.served(id, "c1"); !strings.Contains(got, `"success":false`) || !strings.Contains(got, "exit code 9") || s.Meta.Get("Failure") != "exec_error" {
		t.Errorf("c1: %s, %v", got, s.Meta)
	}
	w.put(Input{DialogID: id, Control: control("c2 approve")})
	want := "System, User, Assistant, Tool Request, Authorization, Note/started, Tool Result/approved, Note/mcp, " +
		"Assistant, Tool Request, Authorization, Note/started, Tool Result/approved, Note/mcp, Note/nudge, Assistant, Tool Request, Tool Result/error, "
	if got := sections(w.view(id).Dialog); !strings.HasPrefix(got, want) {
		t.Errorf("sections\n got %s\nwant %s", got, want)
	}
	if got, _ := w.served(id, "c3"); !strings.Contains(got, "off in it") {
		t.Errorf("c3: %s", got)
	}
	// By the text alone: a program that was just started knows it too.
	w.script = &script{answers: append(answers, []provider.Event{calls("c4", "mcp_dies_do", `{"4":1}`)}, text("Off."))}
	w.restart()
	w.serve("dies")
	w.put(Input{DialogID: id, Prompt: &Prompt{Text: "again"}, Intent: "small_fix"})
	if got, _ := w.served(id, "c4"); !strings.Contains(got, "off in it") {
		t.Errorf("c4: %s", got)
	}
}

// A list that changes is told once, and a tool that went away is an error result.
func TestServedListChanges(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{
		{calls("c1", "mcp_honest_grow", `{}`)}, {calls("c2", "mcp_honest_look", `{}`)}, {calls("c3", "mcp_honest_echo", `{"text":"a"}`)},
		{calls("c4", "mcp_honest_grown", `{}`)}, text("Done."),
	}})
	w.withServers("honest")
	id, _ := w.start("go")
	w.put(Input{DialogID: id, Control: control("allow mcp_honest_grow\nallow mcp_honest_look\nallow mcp_honest_echo")})
	v, told := w.view(id), 0
	for _, s := range v.Dialog.Sections {
		if s.Kind() == "mcp" {
			if told++; s.Meta.Get("List") == "" || !strings.Contains(s.Text(), "new: `grown`; gone: `echo`") {
				t.Errorf("%s", s.Text())
			}
		}
	}
	if told != 1 {
		t.Errorf("told %d times: %s", told, sections(v.Dialog))
	}
	if got, _ := w.served(id, "c3"); !strings.Contains(got, "no longer has the tool") {
		t.Errorf("c3: %s", got)
	}
	if got, _ := w.served(id, "c4"); !strings.Contains(got, "there is no tool") {
		t.Errorf("a tool that came later: %s", got)
	}
	// The next dialog has the new list.
	if v = w.view(mustStart(w)); !strings.Contains(history.Tools(v.Dialog), "mcp_honest_grown") || strings.Contains(history.Tools(v.Dialog), "mcp_honest_echo") {
		t.Error("the next dialog has the old list")
	}
}

func mustStart(w *world) string { id, _ := w.start("again"); return id }

// What can't be reached is left out with a Note, and so is a line that names no server.
func TestServersLeftOut(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{text("Hi.")}})
	w.withServers("gone", "odd")
	id, _ := w.start("hi")
	d := w.view(id).Dialog
	if got := sections(d); got != "System, Note/project, User, Assistant" {
		t.Fatalf("sections %s", got)
	}
	note := d.Sections[1].Text()
	for _, want := range []string{"gone: all of its tools are left out: ", "it ended (exit code 127 no such library)", "without the network", `odd: the tool "word" is left out`} {
		if !strings.Contains(note, want) {
			t.Errorf("the note lacks %q:\n%s", want, note)
		}
	}
	if !strings.Contains(history.Tools(d), "mcp_odd_a_b_") {
		t.Errorf("tools %s", history.Tools(d))
	}
	w.run.w.MCP = nil
	if p := w.run.Problems("doc-main.md", "əəəproject/v1\ntools read\ntools mcp:odd\nəəə\n"); len(p) != 1 || p[0].Line != 3 || !strings.Contains(p[0].Text, `"odd"`) {
		t.Errorf("problems %v", p)
	}
}

// An entry that was changed by hand reaches no other tool than its name says.
func TestServedEntryChanged(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{
		{calls("c1", "mcp_honest_look", `{}`)}, {calls("c2", "mcp_honest_look", `{"x":1}`)}, text("Done."),
	}})
	w.withServers("honest")
	id, _ := w.start("go")
	w.put(Input{DialogID: id, Control: control("c1 approve")})
	found, _ := filepath.Glob(filepath.Join(w.dir, "root/p/dialog-*.md"))
	b, err := os.ReadFile(found[0])
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(b), `"tool":"look"`, `"tool":"put"`, 1)
	if changed == string(b) {
		t.Fatal("the entry is not there")
	}
	if err := os.WriteFile(found[0], []byte(changed), 0o644); err != nil {
		t.Fatal(err)
	}
	w.restart()
	w.serve("honest")
	if p := w.view(id).Pending; len(p) != 0 {
		t.Errorf("it can be approved: %+v", p)
	}
	w.put(Input{DialogID: id, Continue: true})
	if got, _ := w.served(id, "c2"); !strings.Contains(got, "there is no tool") {
		t.Errorf("%s", got)
	}
}

// A stop ends the call and its server.
func TestStopServedCall(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{{calls("c1", "mcp_honest_hang", `{}`)}, text("Done.")}})
	w.withServers("honest")
	id, _ := w.start("go")
	w.run.w.MCP = mcp.New(mcp.Config{Servers: []mcp.Server{{Name: "honest", Command: w.command("honest")}}})
	_, sub, err := w.run.Put(t.Context(), Input{Project: w.p(), DialogID: id, Control: control("c1 approve")})
	if err != nil {
		t.Fatal(err)
	}
	for range 2000 {
		if _, err := os.Stat(filepath.Join(w.dir, "root/p/deed/hanging")); err == nil {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	if _, _, err := w.run.Put(t.Context(), Input{Project: w.p(), DialogID: id, Status: "waiting"}); err != nil {
		t.Fatal(err)
	}
	w.drain(sub)
	if got, s := w.served(id, "c1"); !strings.Contains(got, "interrupted: stopped by user") || s.Meta.Get("Status") != dialog.CallError {
		t.Errorf("%s %v", got, s.Meta)
	}
	if _, err := os.Stat(filepath.Join(w.dir, "root/p/deed/canceled")); err != nil {
		t.Error("the server was not told: ", err)
	}
	if got := sections(w.view(id).Dialog); strings.Contains(got, "Note/mcp") {
		t.Errorf("a stop is no fault of the server: %s", got)
	}
}

func (w *world) command(kind string) string {
	self, err := os.Executable()
	if err != nil {
		w.t.Fatal(err)
	}
	return "MCP_TEST_SERVER=" + kind + " exec '" + self + "'"
}

// A program that stops while the first message waits for a server writes neither the
// message nor a list of tools that lacks some.
func TestStoppedWhileListing(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{text("Hi.")}})
	w.withServers("silent")
	begun := make(chan struct{})
	w.run.w.MCP = mcp.New(mcp.Config{Servers: []mcp.Server{{Name: "silent", Command: "touch deed/begun; " + w.command("silent")}}})
	go func() {
		defer close(begun)
		for range 4000 {
			if _, err := os.Stat(filepath.Join(w.dir, "root/p/deed/begun")); err == nil {
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
		w.run.Shutdown(context.Background())
	}()
	_, err := w.run.Start(t.Context(), Input{Project: w.p(), Provider: "claude", Model: "m", Slug: "x", Prompt: &Prompt{Text: "hi"}})
	if err == nil {
		t.Error("the turn began")
	}
	<-begun
	found, _ := filepath.Glob(filepath.Join(w.dir, "root/p/dialog-*.md"))
	for _, name := range found {
		if b, _ := os.ReadFile(name); strings.Contains(string(b), "## System") || strings.Contains(string(b), "## User") {
			t.Errorf("%s", b)
		}
	}
}

// What a server writes to its standard error stands in a Note as a block of code, which it
// can't end, and so does what it calls a tool that is left out.
func TestServerSpeaksInANote(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{{calls("c1", "mcp_shouts_do", `{}`)}, text("It fails.")}})
	w.withServers("shouts", "odd")
	id, _ := w.start("go")
	w.put(Input{DialogID: id, Control: control("c1 approve")})
	blocks := 0
	for _, s := range w.view(id).Dialog.Sections {
		if kind := s.Kind(); s.Role != dialog.Note || kind != "mcp" && kind != "project" {
			continue
		}
		lines, fence := strings.Split(s.Text(), "\n"), ""
		for i, line := range lines {
			switch {
			case fence == "" && strings.HasPrefix(line, "```"):
				blocks++
				fence = line
			case fence != "" && strings.HasPrefix(line, fence):
				if i != len(lines)-1 {
					t.Errorf("the block ends before its end:\n%s", s.Text())
				}
			case fence == "" && (strings.HasPrefix(line, "#") || strings.Contains(line, "](")):
				t.Errorf("the server's words are ours:\n%s", s.Text())
			}
		}
	}
	if blocks != 2 {
		t.Errorf("%d blocks in %s", blocks, sections(w.view(id).Dialog))
	}
}

// What a server on this machine does to the deed is told as a command's work is: the gate
// and the commit see it. What stood there before is not known: an undo leaves it.
func TestServedCallChangesTheDeed(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{
		{calls("c1", "mcp_honest_put", `{"name":"deed/made.txt"}`)}, {calls("c2", "mcp_honest_put", `{"name":"deed/a.txt"}`)}, {calls("c3", "mcp_honest_look", `{}`)}, text("Done."),
	}})
	w.withServers("honest")
	w.gitDeed(map[string]string{"a.txt": "old\n"})
	id, _ := w.start("go")
	w.put(Input{DialogID: id, Control: control("c1 approve")})
	w.put(Input{DialogID: id, Control: control("c2 approve")})
	w.put(Input{DialogID: id, Control: control("c3 approve")})
	for call, want := range map[string]string{
		"c1": `"changed":[{"path":"deed/made.txt","sha256":"` + dialog.SHA256("made\n") + `","replaced":""}]`,
		"c2": `"changed":[{"path":"deed/a.txt","sha256":"` + dialog.SHA256("made\n") + `"}]`,
		"c3": `"content":[{"type":"text","text":"seen"}]}`,
	} {
		if got, _ := w.served(id, call); !strings.HasSuffix(got, want) && !strings.Contains(got, want+"}") {
			t.Errorf("%s: %s", call, got)
		}
	}
	if n := w.lastNote(id); n.Kind() != "commit" {
		t.Errorf("the turn ends with a Note %s: %s", n.Kind(), n.Text())
	}
	for call, want := range map[string]string{"c1": "deed/made.txt ", "c2": "deed/a.txt: an MCP server changed it, and what stood there before is not certain"} {
		if got := w.undoes(Undoing{DialogID: id, ID: call}); got != want {
			t.Error(got)
		}
	}
}

// What changed in deed/ while a server worked is told of a call that failed too, and is
// nothing that the model knows: another writer may have changed it, and is not written over.
func TestServedCallIsNoRead(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{
		{calls("c1", "write_file", `{"path":"deed/a.txt","content":"mine"}`)}, {calls("c2", "mcp_honest_put", `{"name":"deed/a.txt"}`)},
		{calls("c3", "write_file", `{"path":"deed/a.txt","content":"over it"}`)}, {calls("c4", "write_file", `{"path":"deed/a.txt","content":"knowing it"}`)},
		{calls("c5", "mcp_dies_do", `{}`)}, text("Done."),
	}})
	w.withServers("dies", "honest")
	w.gitDeed(map[string]string{"a.txt": "old\n"})
	id, _ := w.start("go")
	w.put(Input{DialogID: id, Control: control("allow mcp_honest_put\nallow mcp_dies_do\nallow write_file\nc1 approve")})
	for call, want := range map[string]string{
		"c3": `"current":{"path":"deed/a.txt","sha256":"` + dialog.SHA256("made\n") + `"`,
		"c4": `"success":true`,
		"c5": `look before you try again.","content":[],"changed":[{"path":"deed/left","sha256":"` + dialog.SHA256("left") + `","replaced":""}]}`,
	} {
		if got, _ := w.served(id, call); !strings.Contains(got, want) {
			t.Errorf("%s: %s", call, got)
		}
	}
}

// A tool that can't be carried is left out, and told of; all others are there, and the
// System section is written once.
func TestServerWithOddTools(t *testing.T) {
	w := newWorld(t, &script{answers: [][]provider.Event{
		{calls("c1", "mcp_odd__look__https___example_org_", `{}`)}, text("Done."), text("More."),
	}})
	w.withServers("odd")
	id, _ := w.start("go")
	v := w.view(id)
	if len(v.Pending) != 1 || v.Pending[0].Server == nil || v.Pending[0].Server.Tool != "_look__https___example_org_" {
		t.Fatalf("pending %+v", v.Pending)
	}
	w.put(Input{DialogID: id, Control: control("c1 approve")})
	if got, _ := w.served(id, "c1"); !strings.Contains(got, `"success":true`) {
		t.Errorf("c1: %s", got)
	}
	w.restart()
	w.serve("odd")
	w.put(Input{DialogID: id, Prompt: &Prompt{Text: "again"}, Intent: "small_fix"})
	d := w.view(id).Dialog
	if got := sections(d); strings.Count(got, "System") != 1 {
		t.Errorf("sections %s", got)
	}
	if tools := history.Tools(d); !strings.Contains(tools, `"run_command"`) || !strings.Contains(tools, `"mcp_odd_loose"`) || strings.Contains(tools, "deep") {
		t.Errorf("tools %s", tools)
	}
	if i := slices.IndexFunc(d.Sections, func(s dialog.Section) bool { return s.Role == dialog.Note && s.Kind() == "project" }); i < 0 ||
		!strings.Contains(d.Sections[i].Text(), `the tool "deep" is left out: its input schema`) {
		t.Errorf("nothing tells of it: %s", sections(d))
	}
}
