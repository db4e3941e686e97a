package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vibey/cmd/tally/testenv"
	"vibey/tools/git"
)

// gitAttacks plant what a human's git would run. Each succeeds if the program
// did run when a human used git there later, outside of all walls.
var gitAttacks = []attack{
	{name: "git below the deed: a hook", command: plant("git init -q deed/x && cp deed/evil deed/x/.git/hooks/pre-commit"), effect: human("cd x && git commit -q --allow-empty -m x")},
	{name: "git below the deed: core.fsmonitor", command: plant("git init -q deed/x && git -C deed/x config core.fsmonitor {deed}/evil"), effect: human("cd x && git status")},
	{name: "git below the deed: in node_modules", command: plant("mkdir -p deed/node_modules/a && git init -q deed/node_modules/a/b && git -C deed/node_modules/a/b config core.fsmonitor {deed}/evil"), effect: human("cd node_modules/a/b && git status")},
	{name: "git below the deed: a folder without .git that is a repository", command: plant("mkdir -p deed/x/objects deed/x/refs && echo 'ref: refs/heads/main' > deed/x/HEAD && git config -f deed/x/config alias.st '!{deed}/evil'"), effect: human("cd x && git st")},
	{name: "git below the deed: a .git file that leads to another folder", command: plant("mkdir deed/x && git init -q deed/y && mv deed/y/.git deed/z && git config -f deed/z/config core.fsmonitor {deed}/evil && echo 'gitdir: ../z' > deed/x/.git"), effect: human("cd x && git status")},
	{name: "git below the deed: a .git file that leads into HOME", command: plant("mkdir deed/x && git init -q $HOME/y && git -C $HOME/y config core.fsmonitor {deed}/evil && echo \"gitdir: $HOME/y/.git\" > deed/x/.git"), effect: human("cd x && git status")},
	{name: "git below the deed: a .git that is a link", command: plant("mkdir deed/x && git init -q $HOME/y && git -C $HOME/y config core.fsmonitor {deed}/evil && ln -s $HOME/y/.git deed/x/.git"), effect: human("cd x && git status")},
	{name: "git below the deed: a config that is a link", command: plant("git init -q deed/x && printf '[core]\\nfsmonitor = {deed}/evil\\n' > deed/c && ln -sf ../../c deed/x/.git/config"), effect: human("cd x && git status")},
	{name: "git below the deed: config.worktree", command: plant("git init -q deed/x && git -C deed/x config extensions.worktreeConfig true && git -C deed/x config --worktree core.fsmonitor {deed}/evil"), effect: human("cd x && git status")},
	{name: "git below the deed: include.path", command: plant("git init -q deed/x && printf '[core]\\nfsmonitor = {deed}/evil\\n' > deed/c && git -C deed/x config include.path ../../c"), effect: human("cd x && git status")},
	{name: "git below the deed: another common folder", command: plant("git init -q deed/x && mkdir -p deed/y/objects deed/y/refs && echo ../../y > deed/x/.git/commondir && git config -f deed/y/config core.fsmonitor {deed}/evil"), effect: human("cd x && git status")},
	{name: "git in the deed: a submodule's repository", command: plant("git init -q deed/x && mkdir -p deed/.git/modules && mv deed/x/.git deed/.git/modules/x && git config -f deed/.git/modules/x/config core.fsmonitor {deed}/evil && echo 'gitdir: ../.git/modules/x' > deed/x/.git"), effect: human("cd x && git status")},
	{name: "git in the deed: a submodule, seen from the deed", command: plant("git init -q deed/x && git -C deed/x -c user.name=a commit -q --allow-empty -m x && git -C deed add x; git -C deed/x config core.fsmonitor {deed}/evil"), effect: human("git status")},
	{name: "git log -p: a textconv", command: plant("git init -q deed/x && cd deed/x && echo '* diff=d' > .gitattributes && echo a > a && git add . && git -c user.name=a commit -qm x && git config diff.d.textconv {deed}/evil"), effect: human("cd x && git log -p")},
	{name: "git diff: a program of its own", command: plant("git init -q deed/x && cd deed/x && echo a > a && git add . && git -c user.name=a commit -qm x && echo b > a && git config diff.external {deed}/evil"), effect: human("cd x && git diff")},
	{name: "git push: a hook of a remote in HOME", command: plant("git init -q --bare $HOME/r && cp deed/evil $HOME/r/hooks/pre-receive && git init -q deed/x && cd deed/x && git -c user.name=a commit -q --allow-empty -m x && git remote add o $HOME/r"), effect: human("cd x && git push o HEAD:refs/heads/y")},
	{name: "git rebase --continue: a step that runs", command: plant("git init -q deed/x && cd deed/x && git commit -q --allow-empty -m a && git commit -q --allow-empty -m b && GIT_SEQUENCE_EDITOR='printf \"break\\nexec {deed}/evil\\n\" >' git rebase -q -i HEAD~1"), effect: human("cd x && git rebase --continue")},
	{name: "git rebase --continue: a strategy that runs", command: plant("git init -q -b main deed/x && cd deed/x && export EDITOR=true && echo 1 > f && git add f && git commit -qm a && git checkout -q -b work && echo 2 > f && git commit -qam b && git checkout -q main && echo 3 > f && git commit -qam c && git checkout -q work && GIT_SEQUENCE_EDITOR='sed -i 1ibreak' git rebase -q -i main && mkdir git-merge-x && cp ../evil git-merge-x/y && echo x/y > .git/rebase-merge/strategy"), effect: human("cd x && git rebase --continue")},
	{name: "git in a deed that can't be listed", command: plant("git init -q deed/x && git -C deed/x config core.fsmonitor {deed}/evil && chmod 111 deed"), effect: human("cd x && git status")},
	{name: "git behind a folder that can't be listed", command: plant("mkdir deed/d && git init -q deed/d/x && git -C deed/d/x config core.fsmonitor {deed}/evil && chmod 111 deed/d"), effect: human("cd d/x && git status")},
	{name: "git while a server runs: a hook", command: plant(whileIt), effect: human("cd x && git commit -q --allow-empty -m x"), during: true},
}

// whileIt plants a hook, and goes on for two seconds, or for as long as may be
// where the hook was taken away.
const whileIt = `git init -q deed/x && cp deed/evil deed/x/.git/hooks/pre-commit; i=0
while [ $i -lt 40 ]; do sleep 0.05; i=$((i+1)); [ -e deed/x/.git/hooks/pre-commit ] || exec sleep 1000; done`

func init() { attacks = append(attacks, gitAttacks...) }

// plant puts a program before a command that makes git run it.
func plant(command string) string {
	return "export EMAIL=a@localhost; printf '#!/bin/sh\\ntouch {dir}/ran\\nprintf \"/\\\\0\"\\n' > deed/evil && chmod +x deed/evil && " + strings.ReplaceAll(command, "{deed}", "{dir}/root/book/deed")
}

// human runs git as its user does, and reports whether the program ran.
func human(script string) func(w world) bool {
	return func(w world) bool {
		cmd := exec.Command("/bin/sh", "-c", script)
		cmd.Dir = w.deed
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + w.dir, "GIT_CONFIG_NOSYSTEM=1", "EMAIL=human@localhost", "GIT_PAGER=cat",
			"GIT_AUTHOR_NAME=human", "GIT_COMMITTER_NAME=human"} // not every user's account has a name
		cmd.Run() // what git says of it is not the question
		return exists("ran")(w)
	}
}

// whileServing runs an attack as a server. The outcome is that of the moment at
// which what it planted was taken away, while it goes on; effect reports whether it
// succeeded then.
func (a attack) whileServing(t *testing.T, r *Runner, w world, command string) (o Outcome, succeeded bool) {
	s := w.spec(command)
	s.Network = r.Level() != Bwrap
	srv, err := r.Serve(s, testenv.Port(t))
	if err != nil {
		return Outcome{Err: err}, false
	}
	for begin := time.Now(); srv.Running() && !strings.Contains(string(srv.Output().Text), "[sandbox]") && time.Since(begin) < 20*time.Second; {
		time.Sleep(10 * time.Millisecond)
	}
	succeeded = a.succeeded(w, nil)
	if !srv.Running() {
		t.Errorf("%s at level %s: it had ended: %s", a.name, r.Level(), srv.Output().Text)
	}
	o = srv.Stop()
	o.Stdout = srv.Output()
	return o, succeeded
}

// gitWorld is a world with a human's repository below the deed.
func gitWorld(t *testing.T) (w world, hook string) {
	w = newWorld(t)
	human("git init -q x && git -C x config alias.hello '!echo hello'")(w)
	w.write(t, "root/book/deed/x/.git/hooks/pre-commit", "a human's\n")
	return w, filepath.Join(w.deed, "x/.git/hooks/pre-commit")
}

// wants holds that the human's hook and config are what they were.
func (w world) wants(t *testing.T, what string) {
	t.Helper()
	for name, want := range map[string]string{"hooks/pre-commit": "a human's\n", "hooks/pre-push": ""} {
		if b, _ := os.ReadFile(filepath.Join(w.deed, "x/.git", name)); string(b) != want {
			t.Errorf("%s: %s is %q", what, name, b)
		}
	}
	if !holds("root/book/deed/x/.git/config", "!echo hello")(w) {
		t.Errorf("%s: the human's alias is gone", what)
	}
}

const plantHooks = "root/book/deed/x/.git/hooks/pre-"

func (w world) plant(t *testing.T) {
	w.write(t, plantHooks+"commit", "evil\n")
	w.write(t, plantHooks+"push", "evil\n")
}

// TestGuardsOverlap: what one command planted is not what another one found, in
// this process or another.
func TestGuardsOverlap(t *testing.T) {
	w, _ := gitWorld(t)
	dir := filepath.Join(w.state, "git")
	enter := func() *guard {
		g, err := enterGuard(t.Context(), dir, git.Folder{Dir: w.deed}, false)
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	first := enter()
	w.plant(t)
	second := enter()
	if notes := second.leave(); len(notes) != 1 || !strings.Contains(notes[0], "deed/x/.git/hooks/pre-commit: put back") {
		t.Errorf("the second tells %q", notes)
	}
	w.wants(t, "after the second")
	if notes := first.leave(); len(notes) > 0 {
		t.Errorf("the first tells %q", notes)
	}
	w.wants(t, "after both")
	// A human's later work is found by the next one.
	w.write(t, plantHooks+"commit", "newer\n")
	if notes := enter().leave(); len(notes) > 0 {
		t.Errorf("a human's own work is undone: %q", notes)
	}
}

// TestGuardsWithoutWalls: where nothing keeps a command from writing, what it has
// planted is undone and told all the same.
func TestGuardsWithoutWalls(t *testing.T) {
	w, _ := gitWorld(t)
	r := Probe(w.config(None))
	plant := "echo evil | tee deed/x/.git/hooks/pre-commit > deed/x/.git/hooks/pre-push; git -C deed/x config alias.hello '!evil'"
	if o := r.Command(t.Context(), w.spec(plant)); !strings.Contains(strings.Join(o.Notes, " "), "deed/x/.git/hooks/pre-commit: put back") {
		t.Errorf("a command: told %q, %v", o.Notes, o.Err)
	}
	w.wants(t, "after a command")
	srv, err := r.Serve(w.spec(plant+"; exec sleep 1000"), testenv.Port(t))
	if err != nil {
		t.Fatal(err)
	}
	// The hook may be put back at one look and the config at the next.
	alias := func() bool { return holds("root/book/deed/x/.git/config", "!echo hello")(w) }
	for begin := time.Now(); srv.Running() && (!strings.Contains(string(srv.Output().Text), "put back") || !alias()) && time.Since(begin) < 20*time.Second; {
		time.Sleep(10 * time.Millisecond)
	}
	w.wants(t, "while a server runs")
	if o := srv.Stop(); !strings.Contains(strings.Join(o.Notes, " "), "put back") {
		t.Errorf("a server: told %q", o.Notes)
	}
}

// TestGuardsAfterKill: what the command of a killed program planted is undone at
// the next start, or by the next command there.
func TestGuardsAfterKill(t *testing.T) {
	for _, start := range []bool{true, false} {
		w, _ := gitWorld(t)
		dir := filepath.Join(w.state, "git")
		killed, err := enterGuard(t.Context(), dir, git.Folder{Dir: w.deed}, false)
		if err != nil {
			t.Fatal(err)
		}
		w.plant(t)
		if undone := recoverGit(t.Context(), dir, git.Human{}); len(undone) > 0 {
			t.Errorf("while it runs: %q", undone)
		}
		killed.file.Close() // as the kernel does
		if start {
			if undone := recoverGit(t.Context(), dir, git.Human{}); len(undone) != 2 || !strings.HasPrefix(undone[0], w.deed+"/x/.git/hooks/pre-commit: ") {
				t.Errorf("at the start: %q", undone)
			}
		} else {
			next, err := enterGuard(t.Context(), dir, git.Folder{Dir: w.deed}, false)
			if err != nil {
				t.Fatal(err)
			}
			if notes := next.leave(); len(notes) != 1 {
				t.Errorf("the next command tells %q", notes)
			}
		}
		w.wants(t, "after a kill")
		if undone := recoverGit(t.Context(), dir, git.Human{}); len(undone) > 0 {
			t.Errorf("a second time: %q", undone)
		}
	}
}

// TestServerSeesGitReadOnly: behind walls a server can't write what git knows there, so that
// a human's work in it is never taken for its own; what is new is disarmed.
func TestServerSeesGitReadOnly(t *testing.T) {
	w, hook := gitWorld(t)
	human("git init -q --bare deep/bare; mkdir y; git init -q y/z; mkdir work && cd work && printf 'gitdir: ../x/.git\n' > .git")(w)
	r := Probe(w.config(Bwrap))
	if r.Level() != Bwrap {
		testenv.Lacks(t, testenv.Bubblewrap)
	}
	srv, err := r.Serve(w.spec(`cd deed; touch x/.git/t deep/bare/t; echo evil > x/.git/hooks/pre-commit; mv x/.git x/g; rm work/.git; mv y v; git init -q y/z; echo evil > y/z/.git/hooks/pre-commit
		git init -q n; git -C n config core.fsmonitor evil; echo ready; exec sleep 1000`), testenv.Port(t))
	if err != nil {
		t.Fatal(err)
	}
	for begin := time.Now(); srv.Running() && strings.Count(string(srv.Output().Text), "n/.git/config") == 0 && time.Since(begin) < 20*time.Second; {
		time.Sleep(10 * time.Millisecond)
	}
	os.WriteFile(hook, []byte("a human's newer\n"), 0o755)
	human("git -C x config alias.newer '!echo newer'")(w)
	o := srv.Stop()
	got := ""
	for _, name := range []string{"x/.git/hooks/pre-commit", "n/.git/hooks/pre-commit", "y/z/.git/hooks/pre-commit", "work/.git", "x/.git/t", "deep/bare/t"} {
		b, _ := os.ReadFile(filepath.Join(w.deed, name))
		got += strings.TrimSpace(string(b)) + ", "
	}
	if want := "a human's newer, , , gitdir: ../x/.git, , , "; got != want || !holds("root/book/deed/x/.git/config", "newer")(w) || holds("root/book/deed/n/.git/config", "evil")(w) {
		t.Errorf("%q; %q; %s", got, o.Notes, srv.Output().Text)
	}
	human("for i in $(seq 110); do mkdir -p many/$i/.git; done")(w)
	if _, err := r.Serve(w.spec("true"), testenv.Port(t)); err == nil || !strings.Contains(err.Error(), "git repositories in deed/") {
		t.Errorf("too many: %v", err)
	}
}
