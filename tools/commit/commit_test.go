package commit

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"vibey/cmd/tally/testenv"
	"vibey/tools/sandbox"
)

// ground is a project, in whose deed a test makes a repository.
type ground struct {
	t                  testing.TB
	dir, project, deed string
	home               string
	limit              time.Duration
}

func newGround(t testing.TB) *ground {
	t.Helper()
	cache := "/var/tmp" // commands have a /tmp of their own
	dir, err := os.MkdirTemp(cache, "vibey-commit-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	g := &ground{t: t, dir: dir, project: dir + "/root/p", deed: dir + "/root/p/deed", home: dir + "/home"}
	for _, d := range []string{g.deed, g.home} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return g
}

// because returns the Reason of an error of Commit, "" for one of another kind.
func because(err error) Reason {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Reason
	}
	return ""
}

// levels are those that are tested; two of them only where the machine has them.
var levels = sync.OnceValue(func() map[sandbox.Level]*sandbox.Runner {
	all := map[sandbox.Level]*sandbox.Runner{}
	for _, l := range []sandbox.Level{sandbox.Bwrap, sandbox.Landlock, sandbox.None} {
		r := sandbox.Probe(sandbox.Config{Levels: []sandbox.Level{l}, Path: ".::" + os.Getenv("PATH"), Limit: 20 * time.Second})
		if r.Level() == l {
			all[l] = r
		}
	}
	return all
})

func TestMain(m *testing.M) { os.Exit(testenv.Main(m)) }

// The levels that this machine lacks are told.
func TestLevels(t *testing.T) {
	for _, l := range []sandbox.Level{sandbox.Bwrap, sandbox.Landlock} {
		if levels()[l] == nil {
			testenv.Partly(t, testenv.Walls(string(l)))
		}
	}
}

// git is a human's git in the deed.
func (g *ground) git(args ...string) string {
	g.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = g.deed
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=H", "GIT_AUTHOR_EMAIL=h@x", "GIT_COMMITTER_NAME=H", "GIT_COMMITTER_EMAIL=h@x")
	out, err := cmd.CombinedOutput()
	if err != nil {
		g.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimRight(string(out), "\n")
}

func (g *ground) write(name, text string) {
	g.t.Helper()
	path := filepath.Join(g.deed, name)
	os.MkdirAll(filepath.Dir(path), 0o755)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		g.t.Fatal(err)
	}
}

// agent writes a file and returns what a result says of it.
func (g *ground) agent(name, text string) File {
	g.t.Helper()
	g.write(name, text)
	sum := sha256.Sum256([]byte(text))
	return File{Path: "deed/" + name, SHA256: hex.EncodeToString(sum[:])}
}

func (g *ground) commit(r *sandbox.Runner, message string, files ...File) (Done, error) {
	g.t.Helper()
	return Commit(g.t.Context(), r, Spec{Project: g.project, Deed: g.deed, Home: g.home, Files: files, Message: message, Limit: g.limit})
}

// each runs f at each level, on a ground of its own with a first commit of a human.
func each(t *testing.T, f func(t *testing.T, g *ground, r *sandbox.Runner)) {
	for level, r := range levels() {
		t.Run(string(level), func(t *testing.T) {
			g := newGround(t)
			g.git("init", "-q", "-b", "main")
			g.write("old.txt", "1\n")
			g.write("gone.txt", "1\n")
			g.write("human.txt", "1\n")
			g.write("staged.txt", "1\n")
			g.write(".gitignore", "*.log\n")
			g.git("add", "-A")
			g.git("commit", "-qm", "first")
			f(t, g, r)
		})
	}
}

// The commit holds what the turn changed: new files, changed ones, deleted ones, under
// any name. What a human staged, changed or left beside it stays as it was.
func TestCommit(t *testing.T) {
	odd := []string{"-n", "two words.txt", "it's.txt", "*.txt", "line\nbreak", "$(touch pwned)", "höhe.md", "src/deep/er.go", ":(top)x", "#a"}
	each(t, func(t *testing.T, g *ground, r *sandbox.Runner) {
		g.write("staged.txt", "human\n")
		g.git("add", "staged.txt")
		g.write("human.txt", "human\n")
		g.write("beside.txt", "human\n")
		files := []File{g.agent("old.txt", "2\n"), {Path: "deed/gone.txt", Deleted: true}, g.agent("build.log", "x"), {Path: "doc-main.md", SHA256: "0"}}
		os.Remove(filepath.Join(g.deed, "gone.txt"))
		for _, name := range odd {
			files = append(files, g.agent(name, "new\n"))
		}
		os.Symlink("old.txt", filepath.Join(g.deed, "link"))
		files = append(files, File{Path: "deed/link", Link: "old.txt"})
		done, err := g.commit(r, "Don't `panic`: $HOME \"ok\"", files...)
		if err != nil || len(done.LeftOut) != 0 || done.SHA != g.git("rev-parse", "HEAD") {
			t.Fatalf("%+v, %v", done, err)
		}
		got := strings.Split(g.git("-c", "core.quotePath=false", "show", "-z", "--name-status", "--format=", "HEAD"), "\x00")
		changed := map[string]string{}
		for i := 0; i+1 < len(got); i += 2 {
			changed[got[i+1]] = got[i]
		}
		want := map[string]string{"old.txt": "M", "gone.txt": "D", "link": "A"}
		for _, name := range odd {
			want[name] = "A"
		}
		for name, how := range want {
			if changed[name] != how {
				t.Errorf("%q is %q, want %s", name, changed[name], how)
			}
		}
		if len(changed) != len(want) {
			t.Errorf("changed: %q", changed)
		}
		if got := g.git("log", "-1", "--format=%s|%an <%ae>|%cn <%ce>|%G?|%b"); got != "Don't `panic`: $HOME \"ok\"|Vibey <vibey@localhost>|Vibey <vibey@localhost>|N|" {
			t.Error(got)
		}
		if got := g.git("status", "--porcelain"); got != " M human.txt\nM  staged.txt\n?? beside.txt" {
			t.Errorf("what is left:\n%s", got)
		}
		if done, err := g.commit(r, "again", files...); err != nil || done.SHA != "" {
			t.Errorf("nothing has changed since, and it is %+v, %v", done, err)
		}
	})
}

// What another hand changed since is not the turn's.
func TestChangedSince(t *testing.T) {
	each(t, func(t *testing.T, g *ground, r *sandbox.Runner) {
		var files []File
		for _, name := range []string{"old.txt", "new.txt", "away.txt", "pipe"} {
			files = append(files, g.agent(name, "agent\n"))
		}
		g.write("old.txt", "human\n")
		os.Remove(filepath.Join(g.deed, "away.txt"))
		os.Remove(filepath.Join(g.deed, "pipe"))
		if err := exec.Command("mkfifo", filepath.Join(g.deed, "pipe")).Run(); err != nil {
			t.Fatal(err)
		}
		g.git("init", "-q", "inner")
		files = append(files, g.agent("inner/a.txt", "1"), File{Path: "deed/human.txt", Deleted: true}, File{Path: "deed/link", Link: "x"}, File{Path: "deed/.git/config", SHA256: "0"}, File{Path: "deed/../doc.md"})
		done, err := g.commit(r, "x", files...)
		if err != nil || g.git("show", "--name-only", "--format=", "HEAD") != "new.txt" {
			t.Errorf("%+v, %v: %s", done, err, g.git("show", "--stat"))
		}
		if len(done.LeftOut) != len(files)-1 {
			t.Errorf("left out: %+v", done.LeftOut)
		}
	})
}

// A first commit, a detached head, and an author that the repository names.
func TestHeads(t *testing.T) {
	testenv.Slow(t)
	each(t, func(t *testing.T, g *ground, r *sandbox.Runner) {
		g.git("checkout", "-q", "--detach")
		g.git("config", "user.name", "Writer")
		g.git("config", "user.email", "w@example.org")
		if done, err := g.commit(r, "", g.agent("a.txt", "1")); err != nil || g.git("log", "-1", "--format=%H %s %an %ae") != done.SHA+" Agent checkpoint Writer w@example.org" {
			t.Errorf("%+v, %v", done, err)
		}
		os.RemoveAll(filepath.Join(g.deed, ".git"))
		g.git("init", "-q", "-b", "main")
		g.write("staged.txt", "human\n")
		g.git("add", "staged.txt")
		if done, err := g.commit(r, "x", g.agent("a.txt", "2")); err != nil || done.SHA == "" || g.git("show", "--name-only", "--format=", "HEAD") != "a.txt" || !strings.Contains(g.git("status", "--porcelain"), "A  staged.txt") {
			t.Errorf("the first commit: %+v, %v\n%s", done, err, g.git("status", "--porcelain"))
		}
	})
}

// arm makes a repository run a program wherever git lets it.
func (g *ground) arm() {
	mark := func(name string) string { return "touch " + g.deed + "/ran-" + name }
	script := func(path, name, rest string) {
		os.MkdirAll(filepath.Dir(path), 0o755)
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+mark(name)+"\n"+rest), 0o755); err != nil {
			g.t.Fatal(err)
		}
	}
	for _, h := range strings.Fields("pre-commit prepare-commit-msg commit-msg post-commit post-index-change reference-transaction pre-auto-gc post-rewrite fsmonitor-watchman") {
		script(filepath.Join(g.deed, ".git/hooks", h), "hook-"+h, "")
		script(filepath.Join(g.dir, "hooks", h), "path-"+h, "")
	}
	script(g.dir+"/filter", "filter", "cat")
	script(g.dir+"/program", "program", "exit 1")
	g.write(".gitattributes", "* filter=evil diff=evil\n*.txt filter=evil=2\n")
	for _, kv := range [][2]string{
		{"filter.evil.clean", g.dir + "/filter"}, {"filter.evil.smudge", g.dir + "/filter"}, {"filter.evil.required", "true"},
		{"filter.evil=2.clean", g.dir + "/filter"}, {"filter.evil=2.process", g.dir + "/program"}, {"filter.evil=2.required", "true"},
		{"diff.evil.textconv", g.dir + "/filter"}, {"diff.evil.command", g.dir + "/program"}, {"diff.external", g.dir + "/program"},
		{"core.fsmonitor", g.dir + "/program"}, {"core.editor", g.dir + "/program"}, {"core.pager", g.dir + "/program"}, {"core.sshCommand", g.dir + "/program"}, {"core.askPass", g.dir + "/program"},
		{"commit.gpgSign", "true"}, {"gpg.program", g.dir + "/program"}, {"gpg.format", "openpgp"}, {"commit.verbose", "true"}, {"commit.template", g.dir + "/filter"},
		{"credential.helper", "!" + g.dir + "/program"}, {"gc.auto", "1"}, {"alias.commit", "!" + g.dir + "/program"}, {"alias.status", "!" + g.dir + "/program"}, {"core.untrackedCache", "true"},
	} {
		g.git("config", kv[0], kv[1])
	}
	script(filepath.Join(g.deed, "git"), "git", "")
	script(filepath.Join(g.project, "git"), "git", "")
	script(filepath.Join(g.home, "hooks/pre-commit"), "home", "")
	for _, name := range []string{".gitconfig", ".config/git/config"} { // a command's, which has that HOME
		file := filepath.Join(g.home, name)
		os.MkdirAll(filepath.Dir(file), 0o755)
		if err := os.WriteFile(file, []byte("[core]\n\thooksPath = "+g.home+"/hooks\n\tfsmonitor = "+g.home+"/hooks/pre-commit\n[alias]\n\tcommit = !"+g.dir+"/program\n"), 0o644); err != nil {
			g.t.Fatal(err)
		}
	}
}

func (g *ground) ran() []string {
	found, _ := filepath.Glob(g.deed + "/ran-*")
	for i := range found {
		found[i] = filepath.Base(found[i])
		os.Remove(filepath.Join(g.deed, found[i]))
	}
	return found
}

// No program that a repository names runs, whoever put it there. With git as it is,
// several do.
func TestNoProgramRuns(t *testing.T) {
	testenv.Slow(t)
	for _, hooks := range []string{"", "hooks"} {
		each(t, func(t *testing.T, g *ground, r *sandbox.Runner) {
			g.arm()
			if hooks != "" {
				g.git("config", "core.hooksPath", g.dir+"/hooks")
			}
			g.ran()
			done, err := g.commit(r, "x", g.agent("new.txt", "1\r\n"), g.agent("old.txt", "2"), g.agent("c.md", "3"))
			if ran := g.ran(); err != nil || done.SHA == "" || len(ran) > 0 {
				t.Fatalf("%+v, %v; ran: %q", done, err, ran)
			}
			exec.Command("git", "-C", g.deed, "commit", "--allow-empty", "-m", "y").Run()
			exec.Command("git", "-C", g.deed, "add", "-A").Run()
			if ran := g.ran(); len(ran) < 2 {
				t.Errorf("git as it is ran only %q: the ground is not armed", ran)
			}
			plain := exec.Command("/bin/sh", "-c", "git init -q plain; git -C plain status")
			plain.Dir, plain.Env = g.dir, append(os.Environ(), "HOME="+g.home)
			plain.Run()
			if ran := g.ran(); len(ran) == 0 {
				t.Error("git with that HOME ran nothing: it is not armed")
			}
			if got := g.git("-c", "filter.evil.required=false", "-c", "core.fsmonitor=false", "cat-file", "-p", done.SHA+":new.txt"); got != "1\r" {
				t.Errorf("the blob is %q", got)
			}
		})
	}
}

// Where no commit can be made safely, the reason is told, and nothing is changed.
func TestReasons(t *testing.T) {
	testenv.Slow(t)
	for _, c := range []struct {
		name  string
		spoil func(g *ground)
		want  Reason
	}{
		{"no repository", func(g *ground) { os.RemoveAll(g.deed + "/.git") }, None},
		{"a repository above", func(g *ground) {
			os.Rename(g.deed+"/.git", g.project+"/.git")
		}, None},
		{"a worktree's file", func(g *ground) {
			os.Rename(g.deed+"/.git", g.dir+"/elsewhere")
			os.WriteFile(g.deed+"/.git", []byte("gitdir: "+g.dir+"/elsewhere\n"), 0o644)
		}, Outside},
		{"a link", func(g *ground) {
			os.Rename(g.deed+"/.git", g.dir+"/elsewhere")
			os.Symlink(g.dir+"/elsewhere", g.deed+"/.git")
		}, Outside},
		{"another work tree", func(g *ground) { g.git("config", "core.worktree", g.home) }, Outside},
		{"bare", func(g *ground) { g.git("config", "core.bare", "true") }, Failed},
		{"no git in it", func(g *ground) { os.RemoveAll(g.deed + "/.git/objects") }, Failed},
		{"a lock", func(g *ground) { g.write(".git/index.lock", "") }, Busy},
		{"a merge", func(g *ground) { g.write(".git/MERGE_HEAD", g.git("rev-parse", "HEAD")+"\n") }, Conflict},
		{"a rebase", func(g *ground) { os.Mkdir(g.deed+"/.git/rebase-merge", 0o755) }, Conflict},
		{"broken config", func(g *ground) { g.write(".git/config", "[core\n") }, Failed},
		{"broken index", func(g *ground) { g.write(".git/index", "x") }, Failed},
	} {
		t.Run(c.name, func(t *testing.T) {
			each(t, func(t *testing.T, g *ground, r *sandbox.Runner) {
				f := g.agent("new.txt", "1")
				c.spoil(g)
				done, err := g.commit(r, "x", f)
				if err == nil || because(err) != c.want || done.SHA != "" {
					t.Fatalf("%+v, %v; want %s", done, err, c.want)
				}
				if text := err.Error(); strings.Contains(text, g.dir) || strings.ContainsAny(text, "\n\r\x1b") {
					t.Errorf("it names a path of the machine, or has several lines: %q", text)
				}
			})
		})
	}
}

func TestConflictedFile(t *testing.T) {
	each(t, func(t *testing.T, g *ground, r *sandbox.Runner) {
		g.git("checkout", "-qb", "side")
		g.write("old.txt", "side\n")
		g.git("commit", "-qam", "side")
		g.git("checkout", "-q", "main")
		g.write("old.txt", "main\n")
		g.git("commit", "-qam", "main")
		if exec.Command("git", "-C", g.deed, "-c", "user.name=H", "-c", "user.email=h@x", "merge", "side").Run() == nil {
			t.Fatal("the merge has no conflict")
		}
		os.Remove(g.deed + "/.git/MERGE_HEAD") // as `git checkout -m` leaves it
		if _, err := g.commit(r, "x", g.agent("old.txt", "agent\n"), g.agent("new.txt", "1")); because(err) != Conflict {
			t.Error(err)
		}
	})
}

// stubborn puts a git before the real one that does something else for one verb.
func (g *ground) stubborn(verb, script string) *sandbox.Runner {
	real, err := exec.LookPath("git")
	if err != nil {
		g.t.Fatal(err)
	}
	bin := g.dir + "/bin"
	os.MkdirAll(bin, 0o755)
	text := "#!/bin/sh\nif [ \"$1\" = " + verb + " ]; then\n" + script + "\nfi\nexec " + real + " \"$@\"\n"
	if err := os.WriteFile(bin+"/git", []byte(text), 0o755); err != nil {
		g.t.Fatal(err)
	}
	return sandbox.Probe(sandbox.Config{Path: bin + ":" + os.Getenv("PATH"), Limit: 20 * time.Second})
}

// A git that does not end is told to, and then ended, within the limit; its locks do
// not stay behind. The names of new files are taken out of the index again.
// What somebody saves while git looks at the files is in no commit.
func TestSavedMeanwhile(t *testing.T) {
	g := newGround(t)
	g.git("init", "-q", "-b", "main")
	g.write("old.txt", "1\n")
	g.git("add", "-A")
	g.git("commit", "-qm", "first")
	r := g.stubborn("check-attr", "echo human >old.txt; echo human >fresh.txt") // behind its status
	done, err := g.commit(r, "x", g.agent("old.txt", "2\n"), g.agent("fresh.txt", "1\n"), g.agent("new.txt", "1\n"))
	if err != nil || g.git("show", "--name-only", "--format=", "HEAD") != "new.txt" || len(done.LeftOut) != 2 || done.LeftOut[0].Why != "it was changed since" {
		t.Errorf("%+v, %v: %s", done, err, g.git("show", "--stat"))
	}
	if got := g.git("status", "--porcelain"); got != " M old.txt\n?? bin/\n?? fresh.txt" && got != " M old.txt\n?? fresh.txt" {
		t.Errorf("what is left:\n%s", got)
	}
}

func TestTimeout(t *testing.T) {
	testenv.Slow(t)
	for name, script := range map[string]string{
		"ends when it is told to": "touch .git/index.lock; trap 'rm .git/index.lock; exit 143' TERM; sleep 30 & wait $!; exit 1",
		"must be ended":           "touch .git/index.lock .git/next-index-123.lock; trap '' TERM; while :; do sleep 30; done",
	} {
		t.Run(name, func(t *testing.T) {
			g := newGround(t)
			g.git("init", "-q")
			g.limit = 1800 * time.Millisecond
			r := g.stubborn("commit", script)
			_, err := g.commit(r, "x", g.agent("new.txt", "1"))
			if because(err) != Timeout {
				t.Fatal(err)
			}
			if locks, _ := filepath.Glob(g.deed + "/.git/*.lock"); len(locks) > 0 {
				t.Errorf("left behind: %q", locks)
			}
			g.write("human.txt", "1")
			g.git("add", "human.txt")
		})
	}
}

func TestFailedCommit(t *testing.T) {
	g := newGround(t)
	g.git("init", "-q")
	r := g.stubborn("commit", "echo \"fatal: no, in $PWD\x1b[2J\" >&2; exit 1")
	_, err := g.commit(r, "x", g.agent("new.txt", "1"))
	if because(err) != Failed || !strings.Contains(err.Error(), "fatal: no, in deed [2J. The turn's files") {
		t.Error(err)
	}
	if got := g.git("status", "--porcelain"); got != "?? new.txt" {
		t.Errorf("the index has %q", got)
	}
	os.Remove(g.dir + "/bin/git")
	r = sandbox.Probe(sandbox.Config{Path: g.dir + "/bin", Limit: 20 * time.Second})
	if _, err := g.commit(r, "x", g.agent("new.txt", "1")); because(err) != NoGit {
		t.Errorf("without git: %v", err)
	}
}

func TestStopped(t *testing.T) {
	g := newGround(t)
	g.git("init", "-q")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Commit(ctx, sandbox.Probe(sandbox.Config{Path: os.Getenv("PATH")}), Spec{Project: g.project, Deed: g.deed, Files: []File{g.agent("a", "1")}})
	if because(err) != Stopped {
		t.Error(err)
	}
}

func TestTooMany(t *testing.T) {
	g := newGround(t)
	g.git("init", "-q")
	var files []File
	for i := range 800 {
		files = append(files, g.agent(strings.Repeat("long", 20)+"/"+strings.Repeat("x", i%100)+string(rune('a'+i/100)), ""))
	}
	if _, err := g.commit(sandbox.Probe(sandbox.Config{Path: os.Getenv("PATH")}), "x", files...); because(err) != TooMany {
		t.Error(err)
	}
	done, err := g.commit(sandbox.Probe(sandbox.Config{Path: os.Getenv("PATH")}), "x", files[:300]...)
	if err != nil || done.SHA == "" {
		t.Errorf("half of them: %+v, %v", done, err)
	}
}

// What git-lfs keeps elsewhere does not go into the repository whole.
func TestLargeFiles(t *testing.T) {
	each(t, func(t *testing.T, g *ground, r *sandbox.Runner) {
		g.git("config", "filter.lfs.clean", "false")
		g.git("config", "filter.lfs.required", "true")
		g.write(".gitattributes", "*.psd filter=lfs\n")
		done, err := g.commit(r, "x", g.agent("a.psd", "large"), g.agent("a.txt", "1"))
		if err != nil || g.git("show", "--name-only", "--format=", "HEAD") != "a.txt" || len(done.LeftOut) != 1 || done.LeftOut[0].Path != "deed/a.psd" {
			t.Errorf("%+v, %v", done, err)
		}
	})
}

// A git that does not know how it is kept from running hooks makes no commit.
func TestOldGit(t *testing.T) {
	g := newGround(t)
	g.git("init", "-q")
	_, err := g.commit(g.stubborn("config", "unset GIT_CONFIG_COUNT"), "x", g.agent("new.txt", "1"))
	if because(err) != Failed || !strings.Contains(err.Error(), "older than 2.31") {
		t.Error(err)
	}
}

func TestMessage(t *testing.T) {
	for text, want := range map[string]string{
		"":                                     "Agent checkpoint",
		"\n\n  \n":                             "Agent checkpoint",
		"I changed page.tsx (4.8 kB). Next …":  "I changed page.tsx (4.8 kB).",
		"Done! And more.":                      "Done!",
		"# Summary\n\nText.":                   "Summary",
		"---\n\n- **One** thing\n- two":        "One thing",
		"```go\nx := 1\n```\nThe code is in.":  "The code is in.",
		"Version 1.2 of\tit\x1b[2J\u202e runs": "Version 1.2 of it [2J  runs",
		"完成了。还有":                               "完成了。",
		strings.Repeat("ä", 200):               strings.Repeat("ä", 179) + "…",
		"Wirklich? Ja.":                        "Wirklich?",
	} {
		if got := Message(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// Two dialogs of a project that end together commit one after the other.
func TestTogether(t *testing.T) {
	each(t, func(t *testing.T, g *ground, r *sandbox.Runner) {
		const many = 4
		var files [many]File
		for i := range files {
			files[i] = g.agent("new"+strconv.Itoa(i)+".txt", "1")
		}
		var wg sync.WaitGroup
		for _, f := range files {
			wg.Go(func() {
				if done, err := g.commit(r, "x", f); err != nil || done.SHA == "" {
					t.Errorf("%s: %+v, %v", f.Path, done, err)
				}
			})
		}
		wg.Wait()
		if got := g.git("status", "--porcelain"); got != "" {
			t.Errorf("the work tree has\n%s", got)
		}
		if got := g.git("log", "--format=%s", "--", "new*.txt"); strings.Count(got, "x") != many {
			t.Errorf("commits: %q", got)
		}
	})
}

// A commit that git made and could not put into the index is told as one, and the index
// has it.
func TestIndexNotWritten(t *testing.T) {
	g := newGround(t)
	g.git("init", "-q")
	g.write("old.txt", "1")
	g.git("add", ".")
	g.git("commit", "-qm", "old")
	g.git("config", "i18n.logOutputEncoding", "ISO-8859-1")
	real, _ := exec.LookPath("git")
	r := g.stubborn("commit", "cp .git/index .git/before; "+real+` "$@"; cp .git/before .git/index; echo "fatal: repository has been updated, but unable to write" >&2; exit 128`)
	done, err := g.commit(r, "Grüße", g.agent("new.txt", "1"), g.agent("old.txt", "2"))
	if err != nil || done.SHA == "" || done.SHA != g.git("rev-parse", "HEAD") {
		t.Fatalf("%+v, %v", done, err)
	}
	if got := g.git("status", "--porcelain"); got != "" {
		t.Errorf("the work tree has\n%s", got)
	}
}

// Another git that has the index for a moment is waited for, and keeps its locks.
func TestBusyForAMoment(t *testing.T) {
	g := newGround(t)
	g.git("init", "-q")
	g.write(".git/index.lock", "")
	g.write(".git/next-index-9999.lock", "")
	r := sandbox.Probe(sandbox.Config{Levels: []sandbox.Level{sandbox.None}, Path: ".::" + os.Getenv("PATH"), Limit: 20 * time.Second})
	f := g.agent("new.txt", "1")
	gone := make(chan struct{})
	time.AfterFunc(300*time.Millisecond, func() { os.Remove(g.deed + "/.git/index.lock"); close(gone) })
	done, err := g.commit(r, "x", f)
	<-gone
	if err != nil || done.SHA == "" {
		t.Fatalf("%+v, %v", done, err)
	}
	r = g.stubborn("commit", "echo no >&2; exit 1")
	if _, err := g.commit(r, "x", g.agent("new.txt", "2")); because(err) != Failed {
		t.Error(err)
	}
	if _, err := os.Stat(g.deed + "/.git/next-index-9999.lock"); err != nil {
		t.Error(err)
	}
}

// Where a human has put back what the turn changed, there is nothing to tell.
func TestPutBack(t *testing.T) {
	g := newGround(t)
	g.git("init", "-q")
	g.write("old.txt", "1")
	g.git("add", ".")
	g.git("commit", "-qm", "old")
	r := sandbox.Probe(sandbox.Config{Levels: []sandbox.Level{sandbox.None}, Path: ".::" + os.Getenv("PATH"), Limit: 20 * time.Second})
	files := []File{g.agent("new.txt", "1"), g.agent("old.txt", "2")}
	os.Remove(g.deed + "/new.txt")
	g.git("checkout", "-q", "old.txt")
	if done, err := g.commit(r, "x", files...); err != nil || done.SHA != "" || len(done.LeftOut) > 0 {
		t.Errorf("%+v, %v", done, err)
	}
	g.write("old.txt", "human")
	if done, err := g.commit(r, "x", files...); err != nil || done.SHA != "" || len(done.LeftOut) != 2 {
		t.Errorf("%+v, %v", done, err)
	}
}

// What a killed program left of its commit stands in nobody's way: the next commit takes
// it away, and so does Recover. Locks of others stay.
func TestCutOff(t *testing.T) {
	for name, c := range map[string]struct {
		mark, lock time.Duration // how long ago they were made; a mark of 0 is none
		next       bool          // it is the next commit that finds them
		gone       bool
		freed      bool
	}{
		"recovered":              {mark: time.Minute, lock: 59 * time.Second, gone: true, freed: true},
		"by the next commit":     {mark: time.Minute, lock: 59 * time.Second, next: true, freed: true},
		"its git may live":       {mark: 2 * time.Second, lock: time.Second},
		"its git is gone":        {mark: 2 * time.Second, lock: time.Second, gone: true, freed: true},
		"no commit of ours":      {lock: time.Minute, gone: true},
		"of another, before":     {mark: time.Minute, lock: 2 * time.Minute, gone: true},
		"of another, long after": {mark: 10 * time.Minute, lock: time.Minute, gone: true},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGround(t)
			g.git("init", "-q")
			file := g.agent("new.txt", "1")
			put := func(name string, ago time.Duration) {
				g.write(".git/"+name, "")
				at := time.Now().Add(-ago)
				os.Chtimes(g.deed+"/.git/"+name, at, at)
			}
			put("index.lock", c.lock)
			put("next-index-7.lock", c.lock)
			put("HEAD.lock", c.lock)
			put(strings.TrimPrefix(g.git("symbolic-ref", "HEAD"), "/")+".lock", c.lock)
			if c.mark > 0 {
				put(markName, c.mark)
			}
			if Unfinished(g.deed) != (c.mark > 0) {
				t.Error("Unfinished")
			}
			if c.next {
				r := sandbox.Probe(sandbox.Config{Levels: []sandbox.Level{sandbox.None}, Path: ".::" + os.Getenv("PATH"), Limit: 20 * time.Second})
				if done, err := g.commit(r, "x", file); err != nil || done.SHA == "" {
					t.Errorf("%+v, %v", done, err)
				}
			} else if err := Recover(g.deed, c.gone); err != nil {
				t.Fatal(err)
			}
			locks, _ := filepath.Glob(g.deed + "/.git/*.lock")
			refs, _ := filepath.Glob(g.deed + "/.git/refs/heads/*.lock")
			locks = append(locks, refs...)
			if (len(locks) == 0) != c.freed {
				t.Errorf("locks: %q", locks)
			}
			if c.freed && Unfinished(g.deed) {
				t.Error("the mark is still there")
			}
		})
	}
}

// A command may write in the repository, but not its config: where it leaves a link in the
// mark's place, nothing is written through it.
func TestMarkFollowsNoLink(t *testing.T) {
	g := newGround(t)
	g.git("init", "-q")
	config, err := os.ReadFile(g.deed + "/.git/config")
	if err != nil {
		t.Fatal(err)
	}
	for _, to := range []string{"config", "hooks/pre-commit"} {
		if err := os.Symlink(to, g.deed+"/.git/"+markName); err != nil {
			t.Fatal(err)
		}
		git, err := openGit(g.deed)
		if err == nil {
			err = mark(git)
			git.Close()
		}
		if now, _ := os.ReadFile(g.deed + "/.git/config"); string(now) != string(config) {
			t.Errorf("%v; the config is now %q", err, now)
		}
		if _, err := os.Lstat(g.deed + "/.git/hooks/pre-commit"); err == nil {
			t.Error("a hook was made")
		}
		if info, err := os.Lstat(g.deed + "/.git/" + markName); err != nil || !info.Mode().IsRegular() {
			t.Errorf("the mark: %v, %v", info, err)
		}
		os.Remove(g.deed + "/.git/" + markName)
	}
}
