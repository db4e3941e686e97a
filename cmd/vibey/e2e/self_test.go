package e2e

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"vibey/provider/providertest"
)

var repository = flag.String("repository", "", "a checkout of Vibey's source, to be worked on as a deed")

// selfRules is the doc-main.md of a project that works on this program.
const selfRules = `# Vibey

> Audience: the people who build it

The deed is a checkout of the program's own source.

əəəproject/v1
verify go test -short ./dialog
limit 600
əəə
`

// The line that the agent changes, what breaks a test, and what it leaves.
const (
	selfLine   = "const slugMax = 60\n"
	selfBroken = "const slugMax = 59\n"
	selfMended = "const slugMax = 60 // a file's name has room for a time and a status beside it\n"
)

// selfScript changes a line so that a test fails, calls that done, twice, and mends it
// when the test shows it.
func selfScript(t *testing.T) providertest.Script {
	edit := func(id, from, to string) providertest.Call {
		args, err := json.Marshal(body{"path": "deed/dialog/name.go", "old_string": from, "new_string": to})
		if err != nil {
			t.Fatal(err)
		}
		return providertest.Call{ID: id, Name: "edit_file", Args: providertest.Args(args)}
	}
	run := func(id, command string) providertest.Call {
		return providertest.Call{ID: id, Name: "run_command", Args: providertest.Args(`{"command":"` + command + `"}`)}
	}
	return providertest.Script{Replies: []providertest.Reply{
		{Text: "I make slugs shorter.", Calls: []providertest.Call{edit("shorten", selfLine, selfBroken)}},
		{Text: "Slugs have 59 characters now."},
		{Text: "I run the tests.", Calls: []providertest.Call{run("fails", "cd deed && go test -short ./dialog")}},
		{Text: "Slugs have 59 characters now; the tests complain."},
		{Text: "The tests want 60, so I say why instead.", Calls: []providertest.Call{edit("mend", selfBroken, selfMended)}},
		{Text: "I run the tests again.", Calls: []providertest.Call{run("passes", "cd deed && go test -short ./dialog")}},
		{Text: "I look at what is left.", Calls: []providertest.Call{run("look", "cd deed && git diff --shortstat")}},
		{Text: "The length of a slug says why it is 60. In `deed/dialog/name.go` one line is changed, and the tests of dialog pass."},
	}}
}

// TestBuiltWithItself: an agent works on this program's own source. The gate holds it
// while the tests fail, and the turn ends with a commit of the line that it changed. It
// takes a minute, so it runs where -repository says so, as `just deed` does.
func TestBuiltWithItself(t *testing.T) {
	if *repository == "" {
		return
	}
	p := newPlace(t, selfScript(t))
	p.home, _ = os.UserHomeDir() // where the modules are
	checkout := filepath.Join(filepath.Dir(p.dir), "checkout")
	checkOut(t, checkout)
	git := func(args ...string) string { t.Helper(); return gitIn(t, checkout, args...) }
	before := git("rev-parse", "HEAD")
	h := serve(t, p)
	if level := h.get("/health").object()["sandbox"]; level != "bwrap" {
		t.Fatalf("commands run at level %v", level)
	}
	h.ask("POST", "/projects", body{"name": "p", "deed": checkout}).is(200)
	h.write(selfRules, "p", "doc-main.md")

	id := h.ask("POST", dialogPath+"/new", body{"provider": "claude"}).is(200).object()["dialogId"].(string)
	h.ask("PUT", dialogPath, body{"dialogId": id, "control": "allow run_command\nallow edit_file"}).is(200)
	s := h.put(dialogPath, body{"dialogId": id, "prompt": "Fix the length of slugs."})
	s.overAtLast()
	end := s.ends("done")
	st := h.look("p", id)

	acts := "Assistant, Tool Request, Note/started, Tool Result/approved, "
	if want := "Authorization, System, User, " + acts + "Assistant, Note/gate, " + acts + "Assistant, Note/gate, " + acts + acts + acts + "Assistant, Note/commit"; st.roles() != want {
		t.Errorf("the dialog is\n%s\nwant\n%s", st.roles(), want)
	}
	if end.data.Needs != "reply" || st.Status != "waiting" {
		t.Errorf("it ended %s, and needs %s", st.Status, end.data.Needs)
	}
	for _, c := range []struct{ id, level, begins, has string }{
		{"shorten", "", `{"success":true`, `"path":"deed/dialog/name.go"`},
		{"fails", "bwrap", `{"success":false`, "--- FAIL: TestSlug "},
		{"mend", "", `{"success":true`, `"path":"deed/dialog/name.go"`},
		{"passes", "bwrap", `{"success":true`, `"changed":[]`},
		{"look", "bwrap", `{"success":true`, "1 file changed, 1 insertion(+), 1 deletion(-)"},
	} {
		result, _ := st.find("Tool Result", c.id)
		t.Logf("%s: %d ms", c.id, result.Resources.MS)
		if text := result.text(); !strings.HasPrefix(text, c.begins) || !strings.Contains(text, c.has) || result.Meta["Sandbox"] != c.level {
			t.Errorf("%s ran at level %q: %s", c.id, result.Meta["Sandbox"], text)
		}
	}

	sha := git("rev-parse", "HEAD")
	var told struct {
		SHA    string
		Pushed bool
	}
	if json.Unmarshal([]byte(s.kind("commit").raw), &told); told.SHA != sha || told.Pushed {
		t.Errorf("the event says %+v, the commit is %s", told, sha)
	}
	if note := st.Sections[len(st.Sections)-1]; note.Meta["Sha"] != sha {
		t.Errorf("the Note says %v, the commit is %s", note.Meta, sha)
	}
	for _, one := range []struct{ what, got, want string }{
		{"it was made on", git("rev-parse", "HEAD^"), before},
		{"its message is", git("log", "-1", "--format=%B"), "The length of a slug says why it is 60."},
		{"its files are", git("diff", "--name-only", "HEAD^"), "dialog/name.go"},
		{"the file is", git("show", "HEAD:dialog/name.go"), strings.Replace(git("show", "HEAD^:dialog/name.go"), selfLine, selfMended, 1)},
		{"not in it is", git("status", "--porcelain", "--ignored"), ""},
	} {
		if one.got != one.want {
			t.Errorf("%s %q, want %q", one.what, one.got, one.want)
		}
	}
	h.bodies("")
}

// checkOut clones the repository, and commits there what stands in it uncommitted.
func checkOut(t *testing.T, dir string) {
	t.Helper()
	gitIn(t, *repository, "clone", "-q", "--no-checkout", ".", dir)
	copied := exec.Command("/bin/sh", "-ec", `cd "$1"; git ls-files -z --cached --others --exclude-standard | xargs -0 cp -a --parents -t "$2"`, "sh", *repository, dir)
	if out, err := copied.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	gitIn(t, dir, "config", "user.name", "A human")
	gitIn(t, dir, "config", "user.email", "human@localhost")
	gitIn(t, dir, "add", "-A")
	gitIn(t, dir, "commit", "-q", "--allow-empty", "-m", "as it stands")
}

// gitIn runs the system's git in a folder, and returns what it says.
func gitIn(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// overAtLast waits for the end of a stream, however long its commands take.
func (s *stream) overAtLast() {
	for n := 0; ; n++ {
		if _, ok := s.next(n); !ok {
			return
		}
	}
}
