package tools

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"vibey/dialog/change"
)

// trap builds a project full of ways out, and a folder outside to be reached.
func trap(t *testing.T) (w *world, outsideDir string) {
	w = newWorld(t)
	outsideDir = filepath.Join(filepath.Dir(w.dir), "outside")
	for _, d := range []string{"deed/in", "deed/.git/hooks", "deed/sub/.git", "notes", "../outside/dir", "../mine-too/deed"} {
		w.mkdir(d)
	}
	for _, f := range []string{
		"deed/in/ok.txt", "deed/.git/config", "deed/sub/.git/config", "deed/file", "doc-plan.md", "doc-notes.md", ".hidden.md",
		"dialog-20260101-000000-x-waiting.md", "../outside/secret.txt", "../outside/doc-x.md", "../mine-too/doc-main.md",
	} {
		w.put(f, "as it was\n")
	}
	for name, to := range map[string]string{
		"deed/link-in": "in", "deed/link-file": "in/ok.txt", "deed/dangling": "in/new.txt", "deed/two": "link-in",
		"deed/absolute": outsideDir, "deed/absolute-in": filepath.Join(w.dir, "deed/in"), "deed/up": "..", "deed/upup": "../..",
		"deed/up-doc": "../doc-main.md", "deed/up-dialog": "../dialog-20260101-000000-x-waiting.md", "deed/up-out": "../../outside/secret.txt",
		"deed/loop": "loop", "deed/a": "b", "deed/b": "a", "deed/self": ".", "deed/git": ".git", "deed/hooks": ".git/hooks",
		"deed/around": "in/../../../outside", "deed/in/back": "../link-in", "deed/in/out": "../../../outside",
		"doc-link.md": "../outside/doc-x.md", "doc-in.md": "deed/in/ok.txt", "doc-dialog.md": "dialog-20260101-000000-x-waiting.md",
		"doc-abs.md": "/etc/passwd", "doc-gone.md": "../outside/new.md",
	} {
		w.link(to, name)
	}
	if err := syscall.Mkfifo(w.path("deed/pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(w.path("deed/kept"), []byte("as it was\n"), 0o444); err != nil {
		t.Fatal(err)
	}
	return w, outsideDir
}

// fingerprint is a hash over every name, mode, link and byte below dir.
func fingerprint(t *testing.T, dir string) string {
	t.Helper()
	h := sha256.New()
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		fi, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintf(h, "%q %v\n", p, fi.Mode())
		switch {
		case fi.Mode().IsRegular():
			b, err := os.ReadFile(p)
			fmt.Fprintf(h, "%q %v\n", b, err)
		case fi.Mode()&fs.ModeSymlink != 0:
			to, err := os.Readlink(p)
			fmt.Fprintf(h, "%q %v\n", to, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

const outsideText = "PATH_OUTSIDE_PROJECT: refusing to write to '"

// attacks: path → what the refusal says; "ok PATH" where the write goes through
// and is told under PATH. $OUT, $DIR and $TOP stand for the folder outside, the
// project, and what holds both; $NAME for the project's name.
var attacks = []struct{ path, want string }{
	// What may be written.
	{"doc-main.md", "ok doc-main.md"},
	{"doc-notes.md", "ok doc-notes.md"},
	{"README.md", "ok README.md"},
	{"./doc-new.md", "ok doc-new.md"},
	{"dialog-notes.md", "ok dialog-notes.md"},
	{"deed/new.txt", "ok deed/new.txt"},
	{"deed/in/ok.txt", "ok deed/in/ok.txt"},
	{"deed//in/./ok.txt", "ok deed/in/ok.txt"},
	{"deed/far/down/below/x.txt", "ok deed/far/down/below/x.txt"},
	{"deed/ü n/日本語.txt", "ok deed/ü n/日本語.txt"},
	{"deed/.gitignore", "ok deed/.gitignore"},
	{"deed/.github/x.yml", "ok deed/.github/x.yml"},
	{"deed/dialog-20260101-000000-x-waiting.md", "ok deed/dialog-20260101-000000-x-waiting.md"},
	{"deed/..x", "ok deed/..x"},
	{"deed/...", "ok deed/..."},
	{"deed/deed/x", "ok deed/deed/x"},
	{"deed/link-in/ok.txt", "ok deed/in/ok.txt"},
	{"deed/link-file", "ok deed/in/ok.txt"},
	{"deed/dangling", "ok deed/in/new.txt"},
	{"deed/two/ok.txt", "ok deed/in/ok.txt"},
	{"deed/in/back/ok.txt", "ok deed/in/ok.txt"},
	{"deed/self/self/new.txt", "ok deed/new.txt"},

	// Absolute, in any system's way.
	{"/etc/passwd", outsideText + "/etc/passwd' because it is outside the active project at '$NAME'. Did you mean 'deed/etc/passwd'?"},
	{"/doc-x.md", outsideText + "/doc-x.md' because it is outside the active project at '$NAME'. Did you mean 'doc-x.md'?"},
	{"/workspace/mine-once/in/ok.txt", "Did you mean 'deed/in/ok.txt'?"},
	{"/in/new.txt", "Did you mean 'deed/in/new.txt'?"},
	{"/workspace/file", "Did you mean 'deed/file'?"},
	{"/workspace/nowhere/x.txt", "Did you mean 'deed/workspace/nowhere/x.txt'?"},
	{"/workspace/absolute/secret.txt", "Did you mean 'deed/workspace/absolute/secret.txt'?"}, // nothing is told of what a link leads to
	{"$OUT/secret.txt", outsideText},
	{"$DIR/deed/in/ok.txt", "Did you mean 'deed/in/ok.txt'?"},
	{"$DIR/doc-main.md", "Did you mean 'doc-main.md'?"},
	{"$DIR/src/app.js", "Did you mean 'deed/src/app.js'?"},
	{"$DIR", outsideText},
	{"$TOP/mine-too/doc-main.md", outsideText},
	{"$TOP/app/x.js", "Did you mean 'deed/app/x.js'?"},
	{"//etc/passwd", outsideText},
	{"/", outsideText},
	{"/proc/self/root/etc/passwd", outsideText},
	{"~/x", outsideText},
	{"~", outsideText},
	{`C:\Windows\x`, outsideText},
	{"C:/x", outsideText},
	{`\\host\share\x`, outsideText},
	{`\etc\passwd`, outsideText},

	// Climbing.
	{"..", outsideText},
	{"../x", outsideText + "../x' because it is outside the active project at '$NAME'. Did you mean 'deed/x'?"},
	{"../outside/secret.txt", outsideText},
	{"../mine-too/doc-main.md", outsideText},
	{"../mine/doc-main.md", outsideText},
	{"deed/..", outsideText},
	{"deed/../doc-main.md", outsideText},
	{"deed/../../outside/secret.txt", outsideText},
	{"deed/in/../../../outside/secret.txt", outsideText},
	{"deed/link-in/../../doc-plan.md", outsideText},
	{"./../x", outsideText},
	{"doc-x.md/../../x", outsideText},
	{`..\x`, outsideText},
	{`deed\..\..\x`, outsideText},
	{`deed/..\..\x`, outsideText},

	// Through links.
	{"deed/absolute/secret.txt", outsideText},
	{"deed/absolute/new/x.txt", outsideText},
	{"deed/absolute-in/ok.txt", outsideText},
	{"deed/up/doc-main.md", outsideText},
	{"deed/up/deed/in/ok.txt", outsideText},
	{"deed/upup/outside/secret.txt", outsideText},
	{"deed/up-doc", outsideText},
	{"deed/up-dialog", outsideText},
	{"deed/up-out", outsideText},
	{"deed/around/secret.txt", outsideText},
	{"deed/in/out/secret.txt", outsideText},
	{"deed/link-in/out/secret.txt", outsideText},
	{"deed/absolute", outsideText},
	{"doc-link.md", outsideText},
	{"doc-in.md", outsideText},
	{"doc-dialog.md", outsideText},
	{"doc-abs.md", outsideText},
	{"doc-gone.md", outsideText},
	{"deed/loop", "too many links"},
	{"deed/loop/x", "too many links"},
	{"deed/a", "too many links"},

	// Git's own.
	{"deed/.git/hooks/pre-commit", "belongs to git"},
	{"deed/.git/config", "belongs to git"},
	{"deed/.git", "belongs to git"},
	{"deed/.GIT/config", "belongs to git"},
	{"deed/.git./config", "belongs to git"},
	{"deed/.git /config", "belongs to git"},
	{"deed/.g\u200cit/config", "belongs to git"},
	{"deed/GIT~1/config", "belongs to git"},
	{"deed/sub/.git/config", "belongs to git"},
	{"deed/new/.git/hooks/x", "belongs to git"},
	{"deed/git/config", "belongs to git"},
	{"deed/hooks/pre-commit", "belongs to git"},

	// The server's, and what has tools of its own.
	{"dialog-20260101-000000-x-waiting.md", "is a dialog"},
	{"dialog-20260101-000000-x-active.md", "is a dialog"},
	{"DIALOG-20260101-000000-x-DONE.MD", "is a dialog"},
	{"./dialog-x-done.md", "is a dialog"},
	{"doc-plan.md", "plan_decision_log"},
	{"Doc-Plan.md", "plan_decision_log"},
	{".hidden.md", "begins with a dot"},
	{".20260101-000000-x.open", "begins with a dot"},

	// Neither a doc nor below deed/.
	{"", `"path" must not be empty`},
	{"  ", "the path is empty"},
	{".", "names a folder"},
	{"deed", "names a folder"},
	{"deed/", "names a folder"},
	{"./deed/.", "names a folder"},
	{"deed/in", "is a folder"},
	{"deed/in/", "names a folder"},
	{"deed/self", "leads to a folder"},
	{"DEED", "names a folder"},
	{"DEED/x", "Did you mean 'deed/x'?"},
	{"src/app.js", "'src/app.js' is neither a doc nor below deed/. Docs (*.md) stand directly in the project, all else belongs below deed/. Did you mean 'deed/src/app.js'?"},
	{"mine/deed/x.js", "Did you mean 'deed/x.js'?"},
	{"notes/doc-x.md", "neither a doc"},
	{"index.html", "Did you mean 'deed/index.html'?"},
	{"doc-main.MD", "neither a doc"},
	{"doc..main.md", "neither a doc"},
	{"döc.md", "neither a doc"},
	{"doc main.md", "neither a doc"},
	{"doc-main.md ", "neither a doc"},
	{`deed\x`, "holds a backslash"},
	{"deed/a\x00b", "control character"},
	{"doc-main.md\n", "control character"},
	{"deed/\u202etxt.exe", "control character"},
	{"deed/\u2028x", "control character"},
	{"deed/\x1b[2Jx", "control character"},
	{"deed/file/x", "is a file, not a folder"},
	{"deed/pipe", "is a device, pipe or socket"},
	{"deed/kept", "write-protected"},
	{"deed/" + strings.Repeat("n", 300), "too long"},
	{strings.Repeat("../", 5000) + "x", outsideText},
}

func TestAttacks(t *testing.T) {
	w, out := trap(t)
	fill := strings.NewReplacer("$OUT", out, "$DIR", w.dir, "$NAME", filepath.Base(w.dir), "$TOP", filepath.Dir(w.dir)).Replace
	top := filepath.Dir(w.dir)
	for _, a := range attacks {
		t.Run(fmt.Sprintf("%.40q", a.path), func(t *testing.T) {
			before := fingerprint(t, top)
			r, m := w.call("write_file", "path", fill(a.path), "content", "new\n")
			if name, ok := strings.CutPrefix(a.want, "ok "); ok {
				if !r.Success || m["path"] != name || w.get(name) != "new\n" {
					t.Fatalf("want it written to %s, got %s", name, r.JSON)
				}
				return
			}
			said, _ := m["error"].(string)
			if r.Success || !strings.Contains(said, fill(a.want)) {
				t.Errorf("want a refusal that says %q\ngot %s", fill(a.want), r.JSON)
			}
			if m["sha256"] != nil || m["bytes"] != nil || m["preview"] != nil {
				t.Errorf("a failure with evidence: %s", r.JSON)
			}
			if fingerprint(t, top) != before {
				t.Errorf("something changed on disk")
			}
			checkSuggestion(t, w, said)
		})
	}
	if b, _ := os.ReadFile(filepath.Join(out, "secret.txt")); string(b) != "as it was\n" {
		t.Errorf("the file outside now says %q", b)
	}
}

// checkSuggestion holds that what a refusal suggests would be taken.
func checkSuggestion(t *testing.T, w *world, said string) {
	t.Helper()
	_, rest, ok := strings.Cut(said, "id you mean '")
	if !ok {
		return
	}
	suggestion, _, _ := strings.Cut(rest, "'?")
	if _, err := cleanPath(w.env, suggestion); err != nil {
		t.Errorf("it suggests %q, which is refused too: %v", suggestion, err)
	}
}

func TestAttacksByEdit(t *testing.T) {
	w, _ := trap(t)
	top := filepath.Dir(w.dir)
	before := fingerprint(t, top)
	for _, p := range []string{
		"../outside/secret.txt", "deed/absolute/secret.txt", "deed/up-out", "doc-link.md", "deed/git/config", "deed/around/secret.txt",
		"dialog-20260101-000000-x-waiting.md", "doc-plan.md", "deed/missing/dir/x", "deed/pipe", "deed/in", "deed/dangling",
	} {
		if r, _ := w.call("edit_file", "path", p, "old_string", "as it was", "new_string", "taken"); r.Success {
			t.Errorf("%s was edited: %s", p, r.JSON)
		}
	}
	if fingerprint(t, top) != before {
		t.Error("something changed on disk")
	}
}

func TestDeedIsALinkThatAHumanMade(t *testing.T) {
	w := newWorld(t)
	elsewhere := filepath.Join(filepath.Dir(w.dir), "code")
	if err := os.Rename(w.path("deed"), elsewhere); err != nil {
		t.Fatal(err)
	}
	w.link("../code", "deed")
	w.resolve()
	if r, m := w.call("write_file", "path", "deed/src/x.txt", "content", "hi"); !r.Success || m["path"] != "deed/src/x.txt" {
		t.Fatal(r.JSON)
	}
	if b, _ := os.ReadFile(filepath.Join(elsewhere, "src/x.txt")); string(b) != "hi" {
		t.Errorf("elsewhere has %q", b)
	}
	r, _ := w.call("run_command", "command", "cd deed && echo more >> src/x.txt")
	if named := change.Named(r.JSON); len(named) != 1 || named[0].Path != "deed/src/x.txt" {
		t.Errorf("changed: %s", r.JSON)
	}

	// The folder it leads to becomes a link: not followed any more.
	if err := os.Rename(elsewhere, elsewhere+"-old"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Dir(w.dir), elsewhere); err != nil {
		t.Fatal(err)
	}
	if r, _ := w.call("write_file", "path", "deed/x.txt", "content", "hi"); r.Success || !strings.Contains(r.JSON, "PATH_OUTSIDE_PROJECT") {
		t.Error(r.JSON)
	}
}

func TestDeedReplacedByALink(t *testing.T) {
	for _, to := range []string{"/", "..", ".", "../outside", "notes", "deed.real"} {
		w, out := trap(t)
		if err := os.Rename(w.path("deed"), w.path("deed.real")); err != nil {
			t.Fatal(err)
		}
		w.link(to, "deed") // as a command could, behind the server's back
		if r, _ := w.call("write_file", "path", "deed/planted", "content", "x"); r.Success || !strings.Contains(r.JSON, "has become a link") {
			t.Errorf("deed -> %s: %s", to, r.JSON)
		}
		for _, p := range []string{w.path("planted"), filepath.Join(out, "planted"), w.path("notes/planted"), "/planted"} {
			if _, err := os.Lstat(p); err == nil {
				t.Errorf("deed -> %s: %s was written", to, p)
			}
		}
	}
}

func TestDeedThatHoldsTheProject(t *testing.T) {
	for _, to := range []string{"..", "../..", "."} {
		w := newWorld(t)
		w.put("dialog-20260101-000000-x-waiting.md", "as it was\n")
		if err := os.Remove(w.path("deed")); err != nil {
			t.Fatal(err)
		}
		w.link(to, "deed")
		w.resolve()
		if r, _ := w.call("write_file", "path", "deed/dialog-20260101-000000-x-waiting.md", "content", "x"); r.Success {
			t.Errorf("deed -> %s: %s", to, r.JSON)
		}
		if got := w.get("dialog-20260101-000000-x-waiting.md"); got != "as it was\n" {
			t.Errorf("deed -> %s: the dialog says %q", to, got)
		}
	}
}

func TestMissingDeedIsMade(t *testing.T) {
	w := newWorld(t)
	if err := os.Remove(w.path("deed")); err != nil {
		t.Fatal(err)
	}
	if r, _ := w.call("write_file", "path", "deed/x.txt", "content", "x"); !r.Success {
		t.Error(r.JSON)
	}
}

// TestRacesOfAFile swaps the file itself for a link.
func TestRacesOfAFile(t *testing.T) {
	w, out := trap(t)
	before := fingerprint(t, out)
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
			}
			os.Remove(w.path("deed/swap"))
			os.Symlink(filepath.Join(out, "secret.txt"), w.path("deed/swap"))
			os.Remove(w.path("deed/swap"))
			os.WriteFile(w.path("deed/swap"), []byte("as it was\n"), 0o644)
		}
	}()
	for range 100 {
		w.set.Call(t.Context(), w.env, "write_file", arguments("path", "deed/swap", "content", "taken"))
		w.set.Call(t.Context(), w.env, "edit_file", arguments("path", "deed/swap", "old_string", "as it", "new_string", "taken"))
	}
	close(stop)
	<-done
	if fingerprint(t, out) != before {
		t.Error("something outside changed")
	}
}

func TestNeverBlanket(t *testing.T) {
	path := func(p string) string { return arguments("path", p, "content", "x") }
	for _, c := range []struct {
		tool, args string
		want       bool
	}{
		{"write_file", path("doc-main.md"), true},
		{"edit_file", path("doc-main.md"), true},
		{"write_file", path("./doc-main.md"), true},
		{"write_file", path("DOC-Main.md"), true},
		{"write_file", path("deed/../doc-main.md"), true},
		{"write_file", path(`.\doc-main.md`), true},
		{"write_file", path("/somewhere/doc-main.md"), true},
		{"write_file", path("doc-main.md/"), true},
		{"write_file", path(" doc-main.md"), true},
		{"write_file", `{"p\u0061th":"doc-m\u0061in.md","content":"x"}`, true},
		{"write_file", `{"Path":"doc-main.md","content":"x"}`, true},
		{"write_file", `{"path":"doc-a.md","path":"doc-main.md","content":"x"}`, true},
		{"write_file", `{"path":7}`, true},
		{"write_file", `{"path":"doc-a.md"`, true},
		{"write_file", ``, true},
		{"write_file", path("doc-notes.md"), false},
		{"write_file", path("deed/doc-main.md"), false},
		{"edit_file", path("deed/x"), false},
		{"run_command", `{"command":"cat doc-main.md"}`, false},
		{"launch_agent", `{}`, false},
		{"launch_agent", `{"provider":"claude","model":"acp","prompt":"x"}`, false},
		{"launch_agent", `{"provider":"acp","model":"claude","prompt":"x"}`, true},
		{"launch_agent", `{"Provider":"\u0061cp","model":"claude","prompt":"x"}`, true},
	} {
		if got := NeverBlanket(c.tool, c.args); got != c.want {
			t.Errorf("NeverBlanket(%s, %s) = %v", c.tool, c.args, got)
		}
	}
}

func TestBlanketDoesNotCoverDocMain(t *testing.T) {
	w := newWorld(t)
	w.env.Blanket = true
	if r, _ := w.call("write_file", "path", "doc-main.md", "content", "x"); r.Success || r.Failure != Permission {
		t.Error(r.JSON)
	}
	if r, _ := w.call("write_file", "path", "doc-other.md", "content", "x"); !r.Success {
		t.Error(r.JSON)
	}
	if r, _ := w.call("run_command", "command", "true"); r.Success || r.Failure != Permission {
		t.Error(r.JSON)
	}
}

// TestNoRepositoryByFiles: git takes a folder for a repository by what stands in
// it, whatever its name is. No row of writes arms one, in whatever order.
func TestNoRepositoryByFiles(t *testing.T) {
	config := "[core]\n\tbare = false\n[alias]\n\tst = !touch " + filepath.Join(t.TempDir(), "ran") + "\n"
	parts := []string{"HEAD", "objects/x", "refs/x", "config"}
	for _, first := range parts {
		for _, last := range parts {
			if first == last {
				continue
			}
			w := newWorld(t)
			order := slices.DeleteFunc(slices.Clone(parts), func(p string) bool { return p == first || p == last })
			refused := 0
			for _, p := range slices.Concat([]string{first}, order, []string{last}) {
				content := map[string]string{"HEAD": "ref: refs/heads/main\n", "config": config}[p]
				if r, _ := w.call("write_file", "path", "deed/x/"+p, "content", content); !r.Success {
					refused++
					if r.Failure != Permission || !strings.Contains(r.JSON, "git") {
						t.Errorf("%s: %s", p, r.JSON)
					}
				}
			}
			cmd := exec.Command("git", "st")
			cmd.Dir, cmd.Env = w.path("deed/x"), []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}
			if said, err := cmd.CombinedOutput(); err == nil || refused == 0 {
				t.Errorf("%s first, %s last: %d refused; git says %s", first, last, refused, said)
			}
		}
	}
	w := newWorld(t)
	w.mkdir("deed/bare/objects")
	w.mkdir("deed/bare/refs")
	w.put("deed/bare/HEAD", "ref: refs/heads/main\n")
	for path, want := range map[string]bool{
		"deed/bare/config": false, "deed/bare/hooks/pre-push": false, "deed/bare/Config": false, "deed/bare/commondir": false,
		"deed/bare/config.worktree": false, "deed/bare/description": true, "deed/config": true, "deed/src/hooks/use.js": true, "deed/refs/config": true,
	} {
		if r, _ := w.call("write_file", "path", path, "content", "x"); r.Success != want {
			t.Errorf("%s: %s", path, r.JSON)
		}
	}
}
