package e2e

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"vibey/cmd/tally/testenv"
	"vibey/dialog"
	"vibey/provider/providertest"
)

const elsewhereWish = "# Main\n\nWrite in both: שלום, 漢字, e\u0301.\n\nəəəcontrol/v1\nallow write_file\nəəə\n"

// byHand are files that no program wrote: what an editor leaves, in any script. None may
// be put in order by who only reads it.
var byHand = map[string]string{
	"dialog-20260101-000001-crlf-waiting.md":   "# Dialog\r\n> Provider: claude\r\n> Model: m\r\n\r\n## User\r\nHello there.\r\n",
	"dialog-20260101-000002-scripts-done.md":   "# Dialog\n\n## User\nשלום, 漢字, नमस्ते, e\u0301, 👩‍🚀, \u202eover\u202c\n\n## Assistant\nمرحبا",
	"dialog-20260101-000003-granted-done.md":   "# Dialog\n> Provider: claude\n> Model: m\n\n## User\nblanket\n\n## Authorization\n> By: human\nallow write_file\n",
	"dialog-20260101-000004-torn-waiting.md":   "# Dialog\n> Provider: claude\n\n## User\n> Id: u\n\nəəəinput/markdown\nCut in the mid",
	"dialog-20260101-000005-empty-waiting.md":  "",
	"dialog-20260101-000006-broken-waiting.md": "no heading\x00 at all\xff\n## \n\n\n> ",
	"dialog-20260101-000007-long-waiting.md":   "# Dialog\n> Provider: claude\n> Model: m\n\n## User\n> Id: u\n\nəəəinput/markdown\nhead" + dialog.RestLine("20260101-000007-long.1.txt") + "\nəəə\n",
	".rest/20260101-000007-long.1.txt":         "the rest\r\nwithout an end",
	"doc-notes.md":                             "\ufeff# Notes\r\n\r\nəəəcontrol/v1\nallow run_command\n",
	"doc-plan.md":                              "## Decisions\n\n- **A**: b\n",
	"notes.txt":                                "not a page",
	"deed/book/one/chapter 1.md":               "# 1\r\n",
	"deed/book/two/שני.md":                     "שני",
	"deed/picture.bin":                         "\x00\xff\x00",
	"deed/empty":                               "",
}

// granted are dialogs in which a human allowed something before the copy. Each has a turn
// whose last call ran, or would run, unasked where it was allowed.
var granted = []struct{ name, control string }{
	{"blanket", "allow write_file"},
	{"folder", "allow write_file deed/sub/"},
	{"later", "ask write_file\nallow write_file"},
	{"finished", "allow write_file"},
	{"wished", ""}, // by the wish of doc-main.md
}

func writes(id string) providertest.Reply {
	return does("I write.", tool(id, "write_file", `{"path":"deed/sub/%s","content":"%s"}`, strings.TrimRight(id, "123"), id))
}

func elsewhereScript() (s providertest.Script) {
	for _, g := range granted {
		s.Cases = append(s.Cases, providertest.Case{When: "please " + g.name, Replies: []providertest.Reply{
			writes(g.name + "1"), {Text: "So far."}, writes(g.name + "2"), {Text: "Done."}, {Text: "Again."},
		}})
	}
	one := func(name string, replies ...providertest.Reply) {
		s.Cases = append(s.Cases, providertest.Case{When: "please " + name, Replies: replies})
	}
	one("undecided", does("Two.", command("un1", "echo 1"), command("un2", "echo 2")), providertest.Reply{Text: "Denied."})
	one("decided", writes("decided1"), providertest.Reply{Text: "Done."})
	one("killed", providertest.Reply{Text: strings.Repeat("half an answer ", 400), Chunk: 15, DelayMS: 20})
	one("fresh", writes("fresh1"), providertest.Reply{Text: "Done."})
	return s
}

// contents are all files below a folder, and where its links lead.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		name, _ := filepath.Rel(dir, path)
		switch {
		case err != nil || e.IsDir():
			return err
		case e.Type() == fs.ModeSymlink:
			all[name], err = os.Readlink(path)
			return err
		}
		b, err := os.ReadFile(path)
		info, _ := e.Info()
		all[name] = fmt.Sprintf("%v %s", info.Mode(), b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestCopiedElsewhere stops a program, copies its folder to a place with another state
// dir, and starts it there: each file is as it was, but for what a kill left open, and
// nothing that was allowed holds, while on the first place all of it still does.
func TestCopiedElsewhere(t *testing.T) {
	testenv.Slow(t)
	t.Parallel()
	here := newPlace(t, elsewhereScript())
	h := serve(t, here)
	h.make("p")
	here.write("a page by hand", "p", "deed", "sub", "finished") // a call replaces it, so that it is kept
	ids := map[string]string{}
	start := func(name, end string) frame {
		f := h.post(dialogPath, body{"provider": "claude", "slug": name, "prompt": "please " + name}).ends(end)
		ids[name] = f.data.DialogID
		return f
	}
	for _, g := range granted[:len(granted)-1] {
		start(g.name, "tool_request")
		h.put(dialogPath, body{"dialogId": ids[g.name], "control": g.control}).ends("done")
	}
	h.ask("PUT", dialogPath, body{"dialogId": ids["finished"], "status": "done"}).is(200)
	pending := start("undecided", "tool_request").data.ToolCalls
	h.ask("PUT", dialogPath, body{"dialogId": ids["undecided"], "control": approve(pending[0])}).is(200)
	h.settle("p") // the other is left open
	decided := start("decided", "tool_request").data.ToolCalls
	h.ask("POST", "/project/p/file/doc-main.md", body{"content": elsewhereWish}).is(200)
	confirm := func(h *host) {
		h.ask("POST", "/project/p/confirm", body{"etag": h.wish()["etag"]}).is(200)
	}
	confirm(h)
	start("wished", "done")
	h.put(dialogPath, body{"dialogId": ids["decided"], "control": approve(decided...)}).ends("done")
	s := h.post(dialogPath, body{"provider": "claude", "slug": "killed", "prompt": "please killed"})
	s.kind("chunk")
	ids["killed"] = s.wait0().data.DialogID
	h.kill(syscall.SIGKILL)

	// A kill between a decision and the call that it approved.
	name := "dialog-" + ids["decided"] + "-waiting.md"
	whole := here.read("p", name)
	here.write(whole[:strings.Index(whole, "\n## Note\n> Id: note_")+1], "p", name)
	for name, text := range byHand {
		here.write(text, append([]string{"p"}, strings.Split(name, "/")...)...)
	}
	if err := os.Chmod(filepath.Join(here.dir, "p", "deed", "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("empty", filepath.Join(here.dir, "p", "deed", "link")); err != nil {
		t.Fatal(err)
	}
	before := contents(t, here.dir)
	for _, kind := range []string{".kept/", ".rest/", "-active.md", ".open", "-done.md", ".id"} {
		found := false
		for name := range before {
			found = found || strings.Contains(name, kind)
		}
		if !found {
			t.Errorf("nothing of %s is there to copy", kind)
		}
	}

	for _, c := range []struct {
		name string
		key  []byte // what the other computer has already
		same bool   // it is the first one
	}{{"a new machine", nil, false}, {"one that has a key", bytes.Repeat([]byte{7}, 32), false}, {"the same machine", nil, true}} {
		there := *here
		if !c.same {
			base := t.TempDir()
			there.dir, there.state, there.home = filepath.Join(base, "root"), filepath.Join(base, "state"), base
			if err := os.CopyFS(there.dir, os.DirFS(here.dir)); err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir(there.state, 0o700); err != nil {
				t.Fatal(err)
			}
			if c.key != nil {
				if err := os.WriteFile(filepath.Join(there.state, "key"), c.key, 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
		t.Run(c.name, func(t *testing.T) {
			there.t = t
			h := serve(t, &there)
			h.holdsAll(before, ids["killed"])
			h.allows(ids, c.same)
			if c.same {
				return
			}
			confirm(h) // what was asked anew can be allowed anew
			if h.post(dialogPath, body{"provider": "claude", "prompt": "please fresh"}).ends("done"); !h.there("p", "deed", "sub", "fresh") {
				t.Error("the wish that was confirmed here does not hold")
			}
		})
	}
}

// wish is the wish of project p, as the window is told of it.
func (h *host) wish() body {
	h.t.Helper()
	return body(h.get("/project/p/rules").is(200).object()["wish"].(map[string]any))
}

// holdsAll reads the list, each dialog and each page, and holds all files against those
// before.
func (h *host) holdsAll(before map[string]string, killed string) {
	h.t.Helper()
	var list []state
	h.get("/project/p/dialogs").is(200).into(&list)
	listed := map[string]string{}
	for _, st := range list {
		listed[st.DialogID] = h.look("p", st.DialogID).Markdown
	}
	var pages []string
	h.get("/project/p/files").is(200).into(&pages)
	for _, name := range pages {
		if a := h.get("/project/p/file/" + name); a.status != 200 && !strings.Contains(name, "-broken-") { // no UTF-8
			h.t.Errorf("%s: status %d: %s", name, a.status, a.text)
		}
	}
	after := contents(h.t, h.dir)
	for name, text := range before {
		id, _, isDialog := dialog.ParseName(filepath.Base(name))
		if isDialog {
			if _, ok := listed[id]; !ok {
				h.t.Errorf("%s is not in the list", name)
			}
		}
		switch {
		case id == killed:
			now := after["p/dialog-"+killed+"-waiting.md"]
			if !strings.HasPrefix(bodyOf(now), bodyOf(text)) || !strings.Contains(now, "\nhalf an answer ") || !strings.Contains(now, "\n> Stop: interrupted\n") {
				h.t.Errorf("of the dialog that was killed there is\n%s\nit was\n%s", now, text)
			}
		case strings.HasPrefix(name, ".locks/") || name == "p/"+dialog.OpenName(killed): // its words stand in the dialog now
		case strings.Contains(name, "-torn-") || strings.Contains(name, "-broken-"): // marked behind its end
			if !strings.HasPrefix(after[name], text+"\n\n## Note\n") || strings.Count(after[name], "\n## Note\n") != 1 {
				h.t.Errorf("%s was\n%q\nand is\n%q", name, text, after[name])
			}
		case after[name] != text:
			h.t.Errorf("%s was\n%q\nand is\n%q", name, text, after[name])
		}
	}
}

// allows tells of each thing that was allowed whether it holds.
func (h *host) allows(ids map[string]string, want bool) {
	h.t.Helper()
	end := map[bool]string{true: "done", false: "tool_request"}[want]
	if got := h.wish()["confirmed"]; got != want {
		h.t.Errorf("the wish is confirmed: %v", got)
	}
	if st := h.look("p", ids["undecided"]); st.Needs != "approval" || len(st.Pending) != 1 || st.Pending[0].ID != "un2" {
		h.t.Errorf("what was undecided needs %s, with %+v", st.Needs, st.Pending)
	}
	for _, g := range granted {
		h.put(dialogPath, body{"dialogId": ids[g.name], "prompt": "go on"}).ends(end)
		if now := h.read("p", "deed", "sub", g.name); (now == g.name+"2") != want {
			h.t.Errorf("%s: the file holds %q", g.name, now)
		}
	}
	if err := os.Remove(filepath.Join(h.dir, "p", "deed", "sub", "decided")); err != nil {
		h.t.Fatal(err)
	}
	s, _ := h.try(h.request("PUT", dialogPath, body{"dialogId": ids["decided"], "continue": true}))
	if s != nil {
		s.ends("done")
	}
	if st := h.look("p", ids["decided"]); h.there("p", "deed", "sub", "decided") != want || (st.Needs == "approval") == want {
		h.t.Errorf("what was approved and not begun needs %s: %s", st.Needs, st.roles())
	}
	h.post(dialogPath, body{"provider": "claude", "prompt": "please fresh"}).ends(end)
}
