package sandbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// ground is a deed, and beside it a place where programs leave a sign that they
// ran.
type ground struct {
	t         *testing.T
	dir, deed string
}

func newGround(t *testing.T) ground {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { exec.Command("chmod", "-R", "u+rwX", dir).Run() }) // or its user could not remove it
	g := ground{t, dir, filepath.Join(dir, "deed")}
	for _, d := range []string{"deed", "home", "out"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return g
}

// sh runs a script in the deed with a git that has no config of its own. {ran}
// is a program that leaves the sign, {out} a folder outside.
func (g ground) sh(script string) string {
	g.t.Helper()
	ran := filepath.Join(g.dir, "program")
	if err := os.WriteFile(ran, []byte("#!/bin/sh\ntouch "+g.dir+"/ran\nprintf '/\\0'\n"), 0o755); err != nil {
		g.t.Fatal(err)
	}
	script = strings.NewReplacer("{ran}", ran, "{out}", g.dir+"/out", "{deed}", g.deed).Replace(script)
	cmd := exec.Command("/bin/sh", "-c", script)
	cmd.Dir = g.deed
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + g.dir + "/home", "GIT_CONFIG_NOSYSTEM=1", "EDITOR=true", "TERM=dumb",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b",
	}
	out, _ := cmd.CombinedOutput()
	return string(out)
}

func (g ground) ran() bool {
	_, err := os.Stat(filepath.Join(g.dir, "ran"))
	os.Remove(filepath.Join(g.dir, "ran"))
	return err == nil
}

func (g ground) read(name string) string {
	b, err := os.ReadFile(filepath.Join(g.deed, name))
	if err != nil {
		return "(none)"
	}
	return string(b)
}

// keeper is one that knows where the human of sh has their settings.
func (g ground) keeper() *gitKeeper {
	k := newGitKeeper(g.deed)
	k.human = Config{Getenv: func(name string) string { return map[string]string{"HOME": g.dir + "/home"}[name] }}.human()
	return k
}

func (g ground) look(k *gitKeeper) standing {
	g.t.Helper()
	s, err := k.look(g.t.Context())
	if err != nil {
		g.t.Fatal(err)
	}
	return s
}

func (g ground) disarm(k *gitKeeper, before standing) string {
	g.t.Helper()
	undone, err := k.disarm(g.t.Context(), before)
	if err != nil {
		g.t.Fatal(err)
	}
	return strings.Join(undone, "\n")
}

// bare makes a repository without a work tree out of what git is told of one.
const bareRepository = `mkdir -p $r/objects $r/refs; echo "ref: refs/heads/main" > $r/HEAD; `

// gitPlant is what a command does, and what a human does then, by which the
// human's git would run the command's program.
type gitPlant struct {
	name, before, command, human string
	want                         string // in what is told, "" if it is nothing
}

var gitPlants = []gitPlant{
	{"a hook in a new repository", "", "git init -q x; cp {ran} x/.git/hooks/pre-commit", "cd x && git commit -q --allow-empty -m x", "x/.git/hooks/pre-commit: is now pre-commit.disarmed"},
	{"a hook in a repository that was there", "git init -q x", "cp {ran} x/.git/hooks/pre-commit", "cd x && git commit -q --allow-empty -m x", "pre-commit.disarmed"},
	{"fsmonitor", "", "git init -q x; git -C x config core.fsmonitor {ran}", "cd x && git status", "x/.git/config: is now without core.fsmonitor"},
	{"fsmonitor, in capitals on one line", "", "git init -q x; printf '[CORE] FSMonitor = {ran}\\n' >> x/.git/config", "cd x && git status", "is now without"},
	{"fsmonitor behind a line that goes on", "", `git init -q x; printf '[user]\n\tname = "a\\\nb"\n[core]\n\tfsmonitor = {ran}\n' >> x/.git/config`, "cd x && git status", "core.fsmonitor"},
	{"an alias", "", "git init -q x; git -C x config alias.st '!{ran}'", "cd x && git st", "alias.st"},
	{"a pager", "", "git init -q x; git -C x commit -q --allow-empty -m x; git -C x config core.pager {ran}", "cd x && script -qc 'git log' /dev/null", "core.pager"},
	{"a pager for one command", "", "git init -q x; git -C x config pager.status {ran}", "cd x && script -qc 'git status' /dev/null", "pager.status"},
	{"an editor", "", "git init -q x; git -C x config core.editor {ran}", "cd x && env -u EDITOR git commit --allow-empty", "core.editor"},
	{"textconv on git log -p", "", "git init -q x; cd x; echo '* diff=d' > .gitattributes; echo a > a; git add .; git commit -qm x; git config diff.d.textconv {ran}", "cd x && git log -p", "diff.d.textconv"},
	{"a diff of its own", "", "git init -q x; cd x; echo a > a; git add .; git commit -qm x; echo b > a; git config diff.external {ran}", "cd x && git diff", "diff.external"},
	{"a filter", "", "git init -q x; cd x; echo '* filter=f' > .gitattributes; echo a > a; git config filter.f.clean {ran}", "cd x && git add a", "filter.f.clean"},
	{"an ssh of its own", "", "git init -q x; git -C x config core.sshCommand {ran}; git -C x remote add o git@localhost:x", "cd x && git fetch o", "core.sshcommand"},
	{"a remote on this machine", "", "git init -q --bare {out}/evil; cp {ran} {out}/evil/hooks/pre-receive; git init -q x; cd x; git commit -q --allow-empty -m x; git remote add o {out}/evil", "cd x && git push o HEAD:refs/heads/y", "remote.o.url"},
	{"a branch on a folder of this machine", "", "git init -q --bare {out}/evil; cp {ran} {out}/evil/hooks/pre-receive; git init -q x; cd x; git commit -q --allow-empty -m x; git config branch.$(git symbolic-ref --short HEAD).remote {out}/evil; git config push.default current", "cd x && git push", "branch."},
	{"a credential helper", "", "git init -q x; git -C x config credential.helper '!{ran}'", "cd x && printf 'protocol=https\\nhost=h\\n\\n' | GIT_TERMINAL_PROMPT=0 git credential fill", "credential.helper"},
	{"include.path", "", "git init -q x; printf '[core]\\nfsmonitor={ran}\\n' > x/more; git -C x config include.path ../more", "cd x && git status", "include.path"},
	{"config.worktree", "", "git init -q x; git -C x config extensions.worktreeConfig true; git -C x config --worktree core.fsmonitor {ran}", "cd x && git status", "x/.git/config.worktree: is now without"},
	{"hooksPath", "", "git init -q x; mkdir x/h; cp {ran} x/h/pre-commit; git -C x config core.hooksPath h", "cd x && git commit -q --allow-empty -m x", "core.hookspath"},
	{"a config that is a link", "", "git init -q x; printf '[core]\\nfsmonitor={ran}\\n' > {out}/c; ln -sf {out}/c x/.git/config", "cd x && git status", "x/.git/config: is now config.disarmed"},
	{"hooks that are a link", "", "git init -q x; rm -r x/.git/hooks; mkdir {out}/h; cp {ran} {out}/h/pre-commit; ln -s {out}/h x/.git/hooks", "cd x && git commit -q --allow-empty -m x", "x/.git/hooks: is now hooks.disarmed"},
	{"a hook that is a link", "", "git init -q x; ln -s {ran} x/.git/hooks/pre-commit", "cd x && git commit -q --allow-empty -m x", "pre-commit.disarmed"},
	{"a repository without a work tree", "", "r=x/y; " + bareRepository + "git config -f x/y/config alias.st '!{ran}'", "cd x/y && git st", "x/y/config: is now without"},
	{"the deed itself as a repository", "", "r=.; " + bareRepository + "git config -f config alias.st '!{ran}'", "git st", "config: is now without alias.st"},
	{"in node_modules", "", "mkdir -p node_modules/a; git init -q node_modules/a/b; git -C node_modules/a/b config core.fsmonitor {ran}", "cd node_modules/a/b && git status", "core.fsmonitor"},
	{"a .git that is a file", "", "mkdir -p x store; r=store; " + bareRepository + "git config -f store/config core.fsmonitor {ran}; echo 'gitdir: ../store' > x/.git", "cd x && git status", "store/config: is now without"},
	{"a .git that leads outside", "", "mkdir x; r={out}/store; " + bareRepository + "git config -f {out}/store/config core.fsmonitor {ran}; echo 'gitdir: {out}/store' > x/.git", "cd x && git status", "x/.git: is now .git.disarmed"},
	{"a .git that leads outside through a link", "", "mkdir x; r={out}/store; " + bareRepository + "git config -f {out}/store/config core.fsmonitor {ran}; ln -s {out} x/l; echo 'gitdir: l/store' > x/.git", "cd x && git status", "x/.git: is now .git.disarmed"},
	{"a .git that leads outside through a link and back", "", "mkdir -p x {out}/d; r={out}/store; " + bareRepository + "git config -f {out}/store/config core.fsmonitor {ran}; ln -s {out}/d x/l; echo 'gitdir: l/../store' > x/.git", "cd x && git status", "x/.git: is now .git.disarmed"},
	{"a .git that is a link", "", "mkdir x; r={out}/store; " + bareRepository + "git config -f {out}/store/config core.fsmonitor {ran}; ln -s {out}/store x/.git", "cd x && git status", "x/.git: is now .git.disarmed"},
	{"a .git file whose way is changed later", "git init -q s/store; mkdir x; echo 'gitdir: ../s/store/.git' > x/.git", "mv s t; mkdir -p {out}/s; git init -q {out}/s/store; git -C {out}/s/store config core.fsmonitor {ran}; ln -s {out}/s s", "cd x && git status", "s: is now s.disarmed"},
	{"a common folder", "", "mkdir -p x/.git c/objects c/refs; echo 'ref: refs/heads/main' > x/.git/HEAD; echo ../../c > x/.git/commondir; git config -f c/config core.fsmonitor {ran}", "cd x && git status", "x/.git/commondir: is now commondir.disarmed"},
	{"a common folder of a repository that was there", "git init -q x", "mkdir -p c/objects c/refs; echo ../../c > x/.git/commondir; git config -f c/config core.fsmonitor {ran}", "cd x && git status", "x/.git/commondir: is now commondir.disarmed"},
	{"a submodule's repository", "git init -q .", "mkdir -p .git/modules; git init -q x; mv x/.git .git/modules/x; echo 'gitdir: ../.git/modules/x' > x/.git; git -C x config core.fsmonitor {ran}", "cd x && git status", ".git/modules/x/config: is now without core.fsmonitor"},
	{"a submodule, by git status above it", "git init -q .; git commit -q --allow-empty -m x", "git init -q x; git -C x commit -q --allow-empty -m x; git add x 2>/dev/null; git -C x config core.fsmonitor {ran}", "git status", "x/.git/config: is now without core.fsmonitor"},
	{"a worktree", "git init -q .; git commit -q --allow-empty -m x", "git worktree add -q x; mkdir .git/worktrees/x/hooks; git config extensions.worktreeConfig true; git -C x config --worktree core.fsmonitor {ran}", "cd x && git status", "config"},
	{"hidden among git's objects", "git init -q .", "git init -q .git/objects/ab/x; git -C .git/objects/ab/x config core.fsmonitor {ran}; mkdir y; echo 'gitdir: ../.git/objects/ab/x/.git' > y/.git", "cd y && git status", "core.fsmonitor"},
	{"a step of a rebase", "", "git init -q x; cd x; git commit -q --allow-empty -m a; git commit -q --allow-empty -m b; GIT_SEQUENCE_EDITOR='printf \"break\\nexec {ran}\\n\" >' git rebase -q -i HEAD~1", "cd x && git rebase --continue", "git-rebase-todo"},
	{"a step of a rebase behind a link", "", "git init -q x; cd x; git commit -q --allow-empty -m a; git commit -q --allow-empty -m b; GIT_SEQUENCE_EDITOR='echo break >' git rebase -q -i HEAD~1; mv .git/rebase-merge st; ln -s ../st .git/rebase-merge; echo 'exec {ran}' > st/git-rebase-todo", "cd x && git rebase --continue", "x/.git/rebase-merge: is now rebase-merge.disarmed"},
	{"the strategy of a rebase", "", conflict + "GIT_SEQUENCE_EDITOR='sed -i 1ibreak' git rebase -q -i main; echo x/y > .git/rebase-merge/strategy", "cd x && git rebase --continue", "x/.git/rebase-merge/strategy: is now strategy.disarmed"},
	{"the strategy of a sequence", "", conflict + "git checkout -q main; git cherry-pick work~1 work; printf '[options]\\n\\tstrategy = x/y\\n' > .git/sequencer/opts", "cd x && git checkout -q --theirs . ; git add f && git cherry-pick --continue", "x/.git/sequencer/opts: is now opts.disarmed"},
	{"a remote as they were before configs", "", "git init -q --bare {out}/evil; cp {ran} {out}/evil/hooks/pre-receive; git init -q x; cd x; git commit -q --allow-empty -m x; mkdir .git/remotes; echo 'URL: {out}/evil' > .git/remotes/origin", "cd x && git push origin HEAD:refs/heads/y", "x/.git/remotes/origin: is now origin.disarmed"},
	{"a branch's remote as they were before configs", "", "git init -q --bare {out}/evil; cp {ran} {out}/evil/hooks/pre-receive; git init -q x; cd x; git commit -q --allow-empty -m x; mkdir -p .git/branches; echo '{out}/evil' > .git/branches/origin", "cd x && git push origin HEAD:refs/heads/y", "x/.git/branches/origin: is now origin.disarmed"},
	{"a hook that was there is changed", "git init -q x; echo '#!/bin/sh' > x/.git/hooks/pre-commit; chmod +x x/.git/hooks/pre-commit", "cp {ran} x/.git/hooks/pre-commit", "cd x && git commit -q --allow-empty -m x", "put back as it was"},
	{"a hook that was off is turned on", "git init -q x; cp {ran} x/.git/hooks/pre-commit; chmod -x x/.git/hooks/pre-commit", "chmod +x x/.git/hooks/pre-commit", "cd x && git commit -q --allow-empty -m x", "put back as it was"},
	{"hooks that a human's config names", "git init -q x; mkdir x/h; git -C x config core.hooksPath h", "cp {ran} x/h/pre-commit", "cd x && git commit -q --allow-empty -m x", "x/h/pre-commit: is now pre-commit.disarmed"},
	{"a config that a human's config includes", "git init -q x; git -C x config include.path ../c; echo '[user]' > x/c", "git config -f x/c core.fsmonitor {ran}", "cd x && git status", "x/c: put back as it was"},
	{"hooks that a human's config names with a comment", "git init -q x; mkdir x/h; printf '[core]\\n\\tsshCommand = ssh -o \"a b\"\\n[core] hooksPath = h # ours\\n' >> x/.git/config", "cp {ran} x/h/pre-commit", "cd x && git commit -q --allow-empty -m x", "x/h/pre-commit: is now pre-commit.disarmed"},
	{"a config that a human's config includes in an odd way", "git init -q x; printf '[include]path = ../c ; ours\\n' >> x/.git/config; echo '[user]' > x/c", "git config -f x/c core.fsmonitor {ran}", "cd x && git status", "x/c: put back as it was"},
	{"the repository of the deed", "git init -q .", "git config core.fsmonitor {ran}", "git status", ".git/config: put back as it was"},
	{"a folder that can't be listed", "", "mkdir d; git init -q d/x; git -C d/x config core.fsmonitor {ran}; chmod 111 d", "cd d/x && git status", "d/x/.git/config: is now without"},
	{"a folder that can't be written", "", "git init -q x; git -C x config core.fsmonitor {ran}; chmod 555 x/.git", "cd x && git status", "x/.git/config: is now without"},
	{"a config of another name", "git init -q x", "git -C x config core.fsmonitor {ran}; mv x/.git/config x/c; ln x/c x/.git/config", "cd x && git status", "x/.git/config: put back as it was"},
}

// conflict makes two branches with changes that don't merge by themselves, and a
// program that a strategy could name.
const conflict = "git init -q -b main x; cd x; echo 1 > f; git add f; git commit -qm a; git checkout -q -b work; echo 2 > f; git commit -qam b; echo 3 > f; git commit -qam c; " +
	"git checkout -q main; echo 4 > f; git commit -qam d; git checkout -q work; mkdir git-merge-x; cp {ran} git-merge-x/y; "

func TestGitPlants(t *testing.T) {
	for _, p := range gitPlants {
		t.Run(p.name, p.test)
	}
}

func (p gitPlant) test(t *testing.T) {
	t.Parallel()
	g := newGround(t)
	g.sh(p.before)
	said := g.sh(p.command)
	g.ran()
	if said += g.sh(p.human); !g.ran() {
		t.Fatalf("it does not run without us, so it proves nothing: %s", said)
	}
	g = newGround(t)
	g.sh(p.before)
	k := g.keeper()
	before := g.look(k)
	g.sh(p.command)
	g.ran()
	told := g.disarm(k, before)
	if said := g.sh(p.human); g.ran() {
		t.Errorf("it ran: %s\ntold: %s", said, told)
	}
	if !strings.Contains(told, p.want) {
		t.Errorf("told %q, want %q", told, p.want)
	}
	if told := g.disarm(k, before); told != "" {
		t.Errorf("told a second time: %s", told)
	}
	if told := g.disarm(g.keeper(), g.look(g.keeper())); told != "" {
		t.Errorf("told by another keeper: %s", told)
	}
}

// works are what a command, or one after another, may do without being told of
// anything, and what a human finds then.
var gitWorks = []struct {
	name     string
	commands []string
	human    string
	want     string
}{
	{"init, commit, a remote, a name", []string{
		"git init -q x; cd x; git config user.name agent; git remote add origin https://example.org/a.git; git commit -q --allow-empty -m one",
		"cd x; git config user.email a@b; git remote set-url origin git@example.org:a.git; git checkout -q -b work; git config branch.work.remote origin; git config branch.work.merge refs/heads/work",
	}, "cd x; git config user.name; git remote get-url origin; git log --format=%s; git config branch.work.remote", "agent\ngit@example.org:a.git\none\norigin\n"},
	{"a worktree", []string{
		"git init -q x; cd x; git commit -q --allow-empty -m one; git worktree add -q ../y",
		"cd y; echo a > a; git add a; git commit -qm two",
		"cd x; git worktree remove ../y; git worktree add -q ../z y",
	}, "cd z; git log --format=%s", "two\none\n"},
	{"a bare repository and a clone", []string{
		"git init -q --bare r; git clone -q r x 2>/dev/null; cd x; git remote remove origin; git commit -q --allow-empty -m one",
	}, "cd r; git rev-parse --is-bare-repository; cd ../x; git log --format=%s", "true\none\n"},
	{"a sparse checkout", []string{
		"git init -q x; cd x; mkdir a b; touch a/f b/f; git add .; git commit -qm one; git sparse-checkout set a",
	}, "cd x; ls; git status --short", "a\n"},
	{"made and removed", []string{"git init -q x", "rm -rf x; mkdir x; echo mine > x/config"}, "cat x/config", "mine\n"},
	{"a rebase that stands", []string{
		"git init -q x; cd x; git commit -q --allow-empty -m a; git commit -q --allow-empty -m b; GIT_SEQUENCE_EDITOR='sed -i 1ibreak' git rebase -q -i HEAD~1",
		"cd x; git rebase --continue",
	}, "cd x; git log --format=%s", "b\na\n"},
	{"a rebase and picks with a strategy", []string{
		"git init -q -b main x; cd x; echo 1 > f; git add f; git commit -qm a; git checkout -q -b work; echo 2 > g; git add g; git commit -qm b; echo 3 > f; git commit -qam c; " +
			"git checkout -q main; echo 4 > h; git add h; git commit -qm d; git checkout -q work; GIT_SEQUENCE_EDITOR='sed -i 1ibreak' git rebase -q -s resolve -i main",
		"cd x; git rebase --continue; git checkout -q main; git remote add o https://h/x; echo 5 > f; git commit -qam e; git cherry-pick -s --strategy ort work work~1",
		"cd x; echo 6 > f; git add f; git cherry-pick --continue",
	}, "cd x; git log --format=%s main | sort | tr '\\n' ' '", "a b c d e "},
	{"a rebase of a human's goes on", []string{
		"cd h; git rebase --continue",
	}, "cd h; git log --format=%s; ls steps", "b\na\nsteps\n"},
	{"what a human's config and hooks do", []string{
		"cd h2; git commit -q --allow-empty -m more; git config user.name agent; git config remote.o.url https://example.org/x",
		"rm h2/.git/hooks/pre-commit",
		"git -C h2 config alias.y '!echo no'",
	}, "cd h2; git hello; git config alias.y || git config user.name; git commit -q --allow-empty -m x; git log --format=%s", "hello\nagent\nhook\nx\nmore\n"},
}

// humans is what a human has made before.
const humansRepositories = `git init -q h; cd h; git commit -q --allow-empty -m a; git commit -q --allow-empty -m b
GIT_SEQUENCE_EDITOR='printf "break\npick $(git rev-parse HEAD)\nexec touch steps\n" >' git rebase -q -i HEAD~1; cd ..
git init -q h2; git -C h2 config alias.hello '!echo hello'; printf '#!/bin/sh\necho hook\n' > h2/.git/hooks/pre-commit; chmod +x h2/.git/hooks/pre-commit`

func TestGitWorks(t *testing.T) {
	for _, c := range gitWorks {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			g := newGround(t)
			if strings.Contains(c.name, "human") {
				g.sh(humansRepositories)
			}
			k := newGitKeeper(g.deed)
			said := ""
			for _, command := range c.commands {
				before := g.look(k)
				said += g.sh(command)
				if told := g.disarm(k, before); told != "" && !strings.Contains(c.name, "human's config") {
					t.Errorf("%s: told %q", command, told)
				}
			}
			if got := g.sh(c.human); got != c.want {
				t.Errorf("%q, want %q; %s", got, c.want, said)
			}
		})
	}
}

// TestNothingIsLost: what a human has written meanwhile is beside its place, and
// what one command put there does not take the place of what another did.
func TestGitNothingIsLost(t *testing.T) {
	g := newGround(t)
	g.sh("git init -q x; echo first > x/.git/hooks/pre-commit; git -C x config alias.a '!a'; cp x/.git/config ../config")
	k := newGitKeeper(g.deed)
	before := g.look(k)
	for _, text := range []string{"second", "third", "fourth"} {
		g.sh("echo " + text + " > x/.git/hooks/pre-commit; git -C x config alias." + text + " '!x'")
		g.disarm(k, before)
	}
	got := g.sh("cat x/.git/hooks/pre-commit x/.git/hooks/*.disarmed; cmp x/.git/config ../config; grep -h second x/.git/config*; ls x/.git/hooks | grep -v sample; rm -r x/.git/hooks; mkdir x/.git/hooks/; mkdir x/.git/hooks/pre-commit")
	if want := "first\nthird\nfourth\nsecond\n\tsecond = !x\npre-commit\npre-commit-2.disarmed\npre-commit-3.disarmed\npre-commit.disarmed\n"; got != want {
		t.Errorf("%q", got)
	}
	if told := g.disarm(k, before); !strings.Contains(told, "put back") || g.read("x/.git/hooks/pre-commit") != "first\n" {
		t.Errorf("told %q, the hook is %q", told, g.read("x/.git/hooks/pre-commit"))
	}
}

// TestStandingIsKept: what stood there before may be put back by another
// process, which knows it from a file.
func TestGitStandingIsKept(t *testing.T) {
	g := newGround(t)
	g.sh("git init -q x; printf '#!/bin/sh\n\377\n' > x/.git/hooks/pre-commit; ln -s pre-commit x/.git/hooks/pre-push; truncate -s 2000000 x/.git/hooks/update; git init -q s; mkdir y; echo 'gitdir: ../s/.git' > y/.git")
	kept, err := json.Marshal(g.look(newGitKeeper(g.deed)))
	if err != nil {
		t.Fatal(err)
	}
	var before standing
	if err := json.Unmarshal(kept, &before); err != nil {
		t.Fatal(err)
	}
	if told := g.disarm(newGitKeeper(g.deed), before); told != "" {
		t.Errorf("told %q", told)
	}
	g.sh("cd x/.git/hooks; rm pre-push; echo evil > pre-commit; echo evil >> update")
	told := g.disarm(newGitKeeper(g.deed), before)
	if g.read("x/.git/hooks/pre-commit") != "#!/bin/sh\n\377\n" || g.read("x/.git/hooks/update") != "(none)" || strings.Count(told, "\n") != 2 {
		t.Errorf("told %s", told)
	}
	if to, err := os.Readlink(filepath.Join(g.deed, "x/.git/hooks/pre-push")); to != "pre-commit" {
		t.Errorf("%q, %v", to, err)
	}
}

// TestFarBelow: git can't work in a folder whose path is longer than PATH_MAX,
// so nothing there has to be found.
func TestGitFarBelow(t *testing.T) {
	g := newGround(t)
	deep := `for i in $(seq 50); do mkdir -p dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd; cd -P dddd*; done; `
	said := g.sh(deep + `git init -q . ; git config core.fsmonitor {ran}; git status`)
	if g.ran() || !strings.Contains(said, "fatal") {
		t.Errorf("it ran: %s", said)
	}
	if told := g.disarm(newGitKeeper(g.deed), nil); told != "" {
		t.Error(told)
	}
}

// cpu is what this process has used.
func cpu() time.Duration {
	var u unix.Rusage
	unix.Getrusage(unix.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkKeeper is one look and one Disarm, as around every command: a deed of
// 1,000 files in 100 folders with a repository, and one of 40,000 in 5,000.
func BenchmarkGitKeeper(b *testing.B) {
	for _, size := range []struct{ folders, files int }{{100, 10}, {5000, 8}} {
		dir, err := filepath.EvalSymlinks(b.TempDir())
		if err != nil {
			b.Fatal(err)
		}
		if out, err := exec.Command("git", "init", "-q", dir).CombinedOutput(); err != nil {
			b.Fatalf("%s", out)
		}
		for i := range size.folders {
			at := fmt.Sprintf("%s/node_modules/p%d/d%d", dir, i/10, i)
			if err := os.MkdirAll(at, 0o755); err != nil {
				b.Fatal(err)
			}
			for j := range size.files {
				if err := os.WriteFile(fmt.Sprintf("%s/f%d.js", at, j), nil, 0o644); err != nil {
					b.Fatal(err)
				}
			}
		}
		for _, first := range []bool{true, false} {
			k := newGitKeeper(dir)
			k.now = func() time.Time { return time.Now().Add(2 * settle) } // the folders are older
			b.Run(fmt.Sprintf("%d files, first %v", size.folders*size.files, first), func(b *testing.B) {
				spent := cpu()
				defer func() { b.ReportMetric(float64((cpu()-spent).Microseconds())/float64(b.N), "cpu-µs/op") }()
				for b.Loop() {
					if first {
						k.top = nil
					}
					before, err := k.look(b.Context())
					if err != nil {
						b.Fatal(err)
					}
					if told, err := k.disarm(b.Context(), before); err != nil || len(told) > 0 {
						b.Fatal(told, err)
					}
				}
			})
		}
	}
}

// owedRecords are the names of what is kept of commands that run, or that left
// something to undo.
func owedRecords(dir string) (names []string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if text, _ := os.ReadFile(filepath.Join(dir, e.Name())); !bytes.HasPrefix(text, []byte(sayEnded)) {
			names = append(names, e.Name())
		}
	}
	return names
}
