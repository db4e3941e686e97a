package sandbox

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"vibey/cmd/tally/testenv"
)

// evilConfig makes a config {1} that runs the program at git status.
const evilConfig = "printf '[core]\\nfsmonitor={ran}\\n' > "

// gitLeads are plants on the way by which a human's git comes to what a human's
// config, link or file named .git names: the path is what it was, and leads
// elsewhere.
var gitLeads = []gitPlant{
	{"include.path: its folder is replaced by a link", included, "cd x; mkdir e; " + evilConfig + "e/i; mv c c2; ln -s e c", "cd x && git status", "x/c: is now c.disarmed"},
	{"include.path: its folder is replaced by a link out", included, "cd x; " + evilConfig + "{out}/i; mv c c2; ln -s {out} c", "cd x && git status", "x/c: is now c.disarmed"},
	{"include.path: a folder further up is replaced by a link", "git init -q x; mkdir -p x/c/d; echo '[user]' > x/c/d/i; git -C x config include.path ../c/d/i", "cd x; mkdir -p e/d; " + evilConfig + "e/d/i; mv c c2; ln -s e c", "cd x && git status", "x/c/d/i: put back"},
	{"include.path: two folders are replaced by links", "git init -q x; mkdir -p x/c x/d; ln -s ../d x/c/l; echo '[user]' > x/d/i; git -C x config include.path ../c/l/i", "cd x; mkdir e; " + evilConfig + "e/i; mv d d2; ln -s e d; mv c c2; mkdir f; ln -s ../e f/l; ln -s f c", "cd x && git status", "x/d: is now d.disarmed"},
	{"include.path: a human's link leads elsewhere", "git init -q x; mkdir x/d; ln -s d x/c; echo '[user]' > x/d/i; git -C x config include.path ../c/i", "cd x; mkdir e; " + evilConfig + "e/i; ln -sfn e c", "cd x && git status", "x/c: put back"},
	{"include.path: a human's link is replaced by a folder", "git init -q x; mkdir x/d; ln -s d x/c; echo '[user]' > x/d/i; git -C x config include.path ../c/i", "cd x; rm c; mkdir c; " + evilConfig + "c/i", "cd x && git status", "x/c: put back"},
	{"include.path: the folder that a human's link leads to is replaced", "git init -q x; mkdir x/d; ln -s d x/c; echo '[user]' > x/d/i; git -C x config include.path ../c/i", "cd x; mkdir e; " + evilConfig + "e/i; mv d d2; ln -s e d", "cd x && git status", "x/d: is now d.disarmed"},
	{"include.path: the file behind a human's link is written", "git init -q x; mkdir x/d; ln -s d x/c; echo '[user]' > x/d/i; git -C x config include.path ../c/i", evilConfig + "x/d/i", "cd x && git status", "x/d/i: put back"},
	{"include.path: the file that a human's link leads to is written", "git init -q x; echo '[user]' > x/d; ln -s d x/c; git -C x config include.path ../c", evilConfig + "x/d", "cd x && git status", "x/d: put back"},
	{"include.path: what was not there comes by a link", "git init -q x; git -C x config include.path ../c/i", "cd x; " + evilConfig + "{out}/i; ln -s {out} c", "cd x && git status", "x/c: is now c.disarmed"},
	{"include.path: what was not there is made", "git init -q x; git -C x config include.path ../c/i", "mkdir x/c; " + evilConfig + "x/c/i", "cd x && git status", "x/c/i: is now without core.fsmonitor"},
	{"include.path: absolute", "git init -q x; mkdir x/c; echo '[user]' > x/c/i; git -C x config include.path {deed}/x/c/i", "cd x; mkdir e; " + evilConfig + "e/i; mv c c2; ln -s e c", "cd x && git status", "x/c: is now c.disarmed"},
	{"include.path: below the human's home", "git init -q x; mkdir x/c; echo '[user]' > x/c/i; git -C x config include.path '~/../deed/x/c/i'", evilConfig + "x/c/i", "cd x && git status", "x/c/i: put back"},
	{"include.path: a file that an included one includes", "git init -q x; mkdir x/c x/d; echo '[user]' > x/d/j; printf '[include]\\npath=../d/j\\n' > x/c/i; git -C x config include.path ../c/i", "cd x; mkdir e; " + evilConfig + "e/j; mv d d2; ln -s e d", "cd x && git status", "x/d: is now d.disarmed"},
	{"include.path: a file that one behind a link includes", "git init -q x; mkdir -p x/c x/d/d; echo '[user]' > x/c/j; printf '[include]\\npath=j\\n' > x/d/d/i; ln -s ../d/d/i x/c/i; git -C x config include.path ../c/i", evilConfig + "x/c/j", "cd x && git status", "x/c/j: put back"},
	{"include.path: in config.worktree", "git init -q x; mkdir x/c; echo '[user]' > x/c/i; git -C x config extensions.worktreeConfig true; git -C x config --worktree include.path ../c/i", "cd x; mkdir e; " + evilConfig + "e/i; mv c c2; ln -s e c", "cd x && git status", "x/c: is now c.disarmed"},
	{"includeIf.onbranch", "git init -q -b main x; mkdir x/c; echo '[user]' > x/c/i; git -C x config includeIf.onbranch:evil.path ../c/i", "cd x; " + evilConfig + "c/i; git symbolic-ref HEAD refs/heads/evil", "cd x && git status", "x/c/i: put back"},
	{"includeIf.hasconfig", "git init -q x; git -C x config remote.o.url https://h/x; mkdir x/c; echo '[user]' > x/c/i; git -C x config 'includeIf.hasconfig:remote.*.url:https://h/**.path' ../c/i", evilConfig + "x/c/i", "cd x && git status", "x/c/i: put back"},
	{"includeIf in the human's own settings", "git init -q x; echo '[user]' > g; git config --global includeIf.gitdir:{deed}/.path {deed}/g", evilConfig + "g", "cd x && git status", "g: put back"},
	{"the human's own settings are a link", "git init -q x; mkdir dot; echo '[user]' > dot/g; ln -s ../deed/dot/g ../home/.gitconfig", evilConfig + "dot/g", "cd x && git status", "dot/g: put back"},
	{"the human's own settings are a link: its folder is replaced by a link", "git init -q x; mkdir dot; echo '[user]' > dot/g; ln -s {deed}/dot/g ../home/.gitconfig", "mkdir e; " + evilConfig + "e/g; mv dot d2; ln -s e dot", "cd x && git status", "dot: is now dot.disarmed"},
	{"the human's own settings are a link to nothing", "git init -q x; ln -s {deed}/dot/g ../home/.gitconfig", "mkdir dot; " + evilConfig + "dot/g", "cd x && git status", "dot/g: is now without core.fsmonitor"},
	{"the human's own settings are a link to nothing: a link comes", "git init -q x; ln -s {deed}/dot/g ../home/.gitconfig", evilConfig + "{out}/g; ln -s {out} dot", "cd x && git status", "dot: is now dot.disarmed"},
	{"the human's own settings are a link to a file with an include", "git init -q x; mkdir dot; printf '[include]\\npath=~/../deed/dot/i\\n' > dot/g; ln -s {deed}/dot/g ../home/.gitconfig", evilConfig + "dot/i", "cd x && git status", "dot/i: is now without core.fsmonitor"},
	{"the human's own settings lie behind a link", "git init -q x; mkdir -p dot/git; echo '[user]' > dot/git/config; ln -s {deed}/dot ../home/.config", evilConfig + "dot/git/config", "cd x && git status", "dot/git/config: put back"},
	{"the human's own settings lie behind a link, and are made", "git init -q x; mkdir dot; ln -s {deed}/dot ../home/.config", "mkdir dot/git; " + evilConfig + "dot/git/config", "cd x && git status", "dot/git/config: is now without core.fsmonitor"},
	{"the config of the repository in which the deed lies is a link", "git init -q ..; mv ../.git/config c; ln -s ../deed/c ../.git/config", "git config -f c core.fsmonitor {ran}", "git status", "c: put back"},
	{"hooksPath in the human's own settings", "git init -q x; git config --global core.hooksPath .h", "mkdir x/.h; cp {ran} x/.h/pre-commit", "cd x && git commit -q --allow-empty -m x", "x/.h/pre-commit: is now"},
	{"templateDir: its config", template + "mkdir t; echo '[user]' > t/config", evilConfig + "t/config", newFromTemplate, "t/config: put back"},
	{"templateDir: a config comes", template, "mkdir t; " + evilConfig + "t/config", newFromTemplate, "t/config: is now without core.fsmonitor"},
	{"templateDir: a config of a worktree comes", template + "mkdir t; git config -f t/config extensions.worktreeConfig true", evilConfig + "t/config.worktree", newFromTemplate, "t/config.worktree: is now without core.fsmonitor"},
	{"templateDir: a commondir comes", template, "git init -q --bare {out}/c; git config -f {out}/c/config core.fsmonitor {ran}; git config -f {out}/c/config core.bare false; mkdir t; echo {out}/c > t/commondir", newFromTemplate, "t/commondir: is now commondir.disarmed"},
	{"templateDir: a hook comes", template, "mkdir -p t/hooks; cp {ran} t/hooks/pre-commit", "git init -q ../new && cd ../new && git commit -q --allow-empty -m x", "t/hooks/pre-commit: is now"},
	{"a pipe where a config is included", "git init -q x; git -C x config include.path ../i", "mkfifo x/i", hangs + "test ! -p x/i || {ran}", "x/i: was a pipe"},
	{"a pipe where the human's own settings are", "git init -q x; ln -s {deed}/g ../home/.gitconfig", "mkfifo g", hangs + "test ! -p g || {ran}", "g: was a pipe"},
	{"a pipe where a config was", included, "rm x/c/i; mkfifo x/c/i", hangs + "test ! -p x/c/i || {ran}", "x/c/i: put back"},
	{"a pipe where a repository's config was", "git init -q x", "rm x/.git/config; mkfifo x/.git/config", hangs + "test ! -p x/.git/config || {ran}", "x/.git/config: put back"},
	{"a pipe where a repository's other config is", "git init -q x; git -C x config extensions.worktreeConfig true", "mkfifo x/.git/config.worktree", hangs + "test ! -p x/.git/config.worktree || {ran}", "x/.git/config.worktree: was a pipe"},
	{"a pipe where a commondir is", "git init -q x", "mkfifo x/.git/commondir", hangs + "test ! -p x/.git/commondir || {ran}", "x/.git/commondir: was a pipe"},
	{"hooksPath in the human's own settings, with no repository there", "git init -q ../new; git config --global core.hooksPath {deed}/h", "mkdir h; cp {ran} h/pre-commit", "cd ../new && git commit -q --allow-empty -m x", "h/pre-commit: is now"},
	{"hooksPath: its folder is replaced by a link", "git init -q x; mkdir -p x/a/h; git -C x config core.hooksPath a/h", "cd x; mkdir -p e/h; cp {ran} e/h/pre-commit; mv a a2; ln -s ../x/e a", "cd x && git commit -q --allow-empty -m x", "x/a: is now a.disarmed"},
	{"hooksPath: in an included config", "git init -q x; mkdir x/h x/c; git config -f x/c/i core.hooksPath h; git -C x config include.path ../c/i", "cp {ran} x/h/pre-commit", "cd x && git commit -q --allow-empty -m x", "x/h/pre-commit: is now"},
	{"hooksPath: in a worktree", committed + "git -C x config core.hooksPath h; git -C x worktree add -q ../y", "mkdir y/h; cp {ran} y/h/pre-commit", "cd y && git commit -q --allow-empty -m x", "y/h/pre-commit: is now"},
	{"hooksPath: in a worktree of the command's", committed + "git -C x config core.hooksPath h", "git -C x worktree add -q ../y; mkdir y/h; cp {ran} y/h/pre-commit", "cd y && git commit -q --allow-empty -m x", "y/h/pre-commit: is now"},
	{"hooksPath: in a submodule", "git init -q .; git init -q x; mkdir .git/modules; mv x/.git .git/modules/x; echo 'gitdir: ../.git/modules/x' > x/.git; git -C x config core.worktree ../../../x; git -C x config core.hooksPath h", "mkdir x/h; cp {ran} x/h/pre-commit", "cd x && git commit -q --allow-empty -m x", "x/h/pre-commit: is now"},
	{"hooksPath: by core.worktree", "git init -q x; mkdir w; git -C x config core.worktree ../../w; git -C x config core.hooksPath h", "mkdir w/h; cp {ran} w/h/pre-commit", "cd x && git commit -q --allow-empty -m x", "w/h/pre-commit: is now"},
	{"hooksPath: in a worktree of a repository outside", "git init -q {out}/m; git -C {out}/m commit -q --allow-empty -m x; git -C {out}/m config core.hooksPath h; git -C {out}/m worktree add -q {deed}/y", "mkdir y/h; cp {ran} y/h/pre-commit", "cd y && git commit -q --allow-empty -m x", "y/h/pre-commit: is now"},
	{"hooksPath: of the repository in which the deed lies", "git init -q ..; git config core.hooksPath deed/h", "mkdir h; cp {ran} h/pre-commit", "git commit -q --allow-empty -m x", "h/pre-commit: is now"},
	{"include.path: of the repository in which the deed lies", "git init -q ..; git config include.path ../deed/i; echo '[user]' > i", evilConfig + "i", "git status", "i: put back"},
	{"a hook that is a link: its folder is replaced by a link", "git init -q x; mkdir x/s; printf '#!/bin/sh\\n' > x/s/p; chmod +x x/s/p; ln -s ../../s/p x/.git/hooks/pre-commit", "cd x; mkdir e; cp {ran} e/p; mv s s2; ln -s e s", "cd x && git commit -q --allow-empty -m x", "x/s: is now s.disarmed"},
	{"a hook in hooksPath that is a link: its folder is replaced", "git init -q x; mkdir x/s x/h; printf '#!/bin/sh\\n' > x/s/p; chmod +x x/s/p; ln -s ../s/p x/h/pre-commit; git -C x config core.hooksPath h", "cd x; mkdir e; cp {ran} e/p; mv s s2; ln -s e s", "cd x && git commit -q --allow-empty -m x", "x/s/p: put back"},
	{"a hook of a repository outside that is a link into the deed", "git init -q ..; printf '#!/bin/sh\\n' > p; chmod +x p; ln -s ../../deed/p ../.git/hooks/pre-commit", "cp {ran} p", "git commit -q --allow-empty -m x", "p: put back"},
	{"hooks that are a link: the folder above is replaced", "git init -q x; mkdir -p x/s/h; rm -r x/.git/hooks; ln -s ../s/h x/.git/hooks", "cd x; mkdir -p e/h; cp {ran} e/h/pre-commit; mv s s2; ln -s e s", "cd x && git commit -q --allow-empty -m x", "x/s: is now s.disarmed"},
	{"a config that is a link: its folder is replaced", "git init -q x; mkdir x/s; mv x/.git/config x/s/c; ln -s ../s/c x/.git/config", "cd x; mkdir e; cp s/c e/c; git config -f e/c core.fsmonitor {ran}; mv s s2; ln -s e s", "cd x && git status", "x/s: is now s.disarmed"},
	{"a common folder of a human's: its config", common, "git config -f s/c/config core.fsmonitor {ran}", "cd x && git status", "s/c/config: put back"},
	{"a common folder of a human's: its hooks", common, "mkdir s/c/hooks; cp {ran} s/c/hooks/pre-commit", "cd x && git commit -q --allow-empty -m x", "s/c/hooks/pre-commit: is now"},
	{"a common folder of a human's: the folder above is replaced", common, "cp -r s e; git config -f e/c/config core.fsmonitor {ran}; mv s s2; ln -s e s", "cd x && git status", "s: is now s.disarmed"},
	{"the folder of worktrees is replaced", committed + "git -C x worktree add -q ../y", "cp -r x/.git/worktrees {out}/w; cp -r x/.git {out}/c; git config -f {out}/c/config core.fsmonitor {ran}; echo {out}/c > {out}/w/y/commondir; mv x/.git/worktrees w; ln -s {out}/w x/.git/worktrees", "cd y && git status", "x/.git/worktrees: is now worktrees.disarmed"},
	{"the folder of submodules is replaced", "git init -q .; git init -q x; mkdir .git/modules; mv x/.git .git/modules/x; echo 'gitdir: ../.git/modules/x' > x/.git", "cp -r .git/modules {out}/m; git config -f {out}/m/x/config core.fsmonitor {ran}; mv .git/modules m; ln -s {out}/m .git/modules", "cd x && git status", ".git/modules: is now modules.disarmed"},
	{"a repository is replaced by a link out", "git init -q x", "mv x x2; git init -q {out}/x; git -C {out}/x config core.fsmonitor {ran}; ln -s {out}/x x", "cd x && git status", "x: is now x.disarmed"},
	{"a folder above a repository is replaced by a link out", "mkdir a; git init -q a/x", "mv a a2; git init -q {out}/x; git -C {out}/x config core.fsmonitor {ran}; ln -s {out} a", "cd a/x && git status", "a: is now a.disarmed"},
	{"a remote on this machine: its folder is replaced by a link", committed + "mkdir r; git init -q --bare r/o; git -C x remote add o ../r/o", "git init -q --bare {out}/o; cp {ran} {out}/o/hooks/pre-receive; mv r r2; ln -s {out} r", "cd x && git push -q o HEAD:refs/heads/y", "r: is now r.disarmed"},
}

const (
	// included is a config that includes x/c/i.
	included = "git init -q x; mkdir x/c; echo '[user]' > x/c/i; git -C x config include.path ../c/i; "
	// committed is a repository with a commit.
	committed = "git init -q x; git -C x commit -q --allow-empty -m x; "
	// template lets what a human makes anew begin as t.
	template        = "git config --global init.templateDir {deed}/t; "
	newFromTemplate = "git init -q ../new && cd ../new && git status"
	// hangs is a git that may not end.
	hangs = "timeout 0.5 git -C x status || "
	// common is a repository whose config and hooks are in s/c.
	common = "git init -q x; mkdir -p s/c; mv x/.git/objects x/.git/refs x/.git/config s/c; rm -r x/.git/hooks; echo ../../s/c > x/.git/commondir; "
)

// TestGitLeads: git reads what a human named, or nothing.
func TestGitLeads(t *testing.T) {
	for _, p := range gitLeads {
		t.Run(p.name, p.test)
	}
}

// TestGitHumansSettings: git may be told to take a human's settings from elsewhere.
func TestGitHumansSettings(t *testing.T) {
	for name, at := range map[string]string{"GIT_CONFIG_GLOBAL": "g", "XDG_CONFIG_HOME": "dot/git/config"} {
		g := newGround(t)
		vars := map[string]string{"HOME": g.dir + "/home", name: g.dir + "/home/l"}
		k := newGitKeeper(g.deed)
		k.human = Config{Getenv: func(name string) string { return vars[name] }}.human()
		g.sh("mkdir -p dot/git; ln -s {deed}/" + strings.TrimSuffix(at, "/git/config") + " ../home/l; git init -q x")
		before := g.look(k)
		g.sh(evilConfig + at)
		status := "export " + name + "=$HOME/l; cd x && git status"
		if g.sh(status); !g.ran() {
			t.Fatalf("%s: it does not prove anything", name)
		}
		if told, want := g.disarm(k, before), at+": is now without core.fsmonitor"; !strings.HasPrefix(told, want) {
			t.Errorf("%s: told %q", name, told)
		}
		if g.sh(status); g.ran() {
			t.Errorf("%s: it ran", name)
		}
	}
}

// TestGitSettingsLedMeanwhile: a human who makes a link to their settings in the
// folder while a command runs there keeps them as they are.
func TestGitSettingsLedMeanwhile(t *testing.T) {
	g := newGround(t)
	g.sh("mkdir dot; git config -f dot/g alias.st status")
	k := g.keeper()
	before := g.look(k)
	g.sh("ln -s {deed}/dot/g ../home/.gitconfig")
	if told := g.disarm(k, before); told != "" {
		t.Errorf("told %q", told)
	}
	before = g.look(k)
	g.sh("git config -f dot/g alias.st '!{ran}'")
	if told := g.disarm(k, before); !strings.HasPrefix(told, "dot/g: put back") {
		t.Errorf("at the next command: told %q", told)
	}
}

// TestGitPipeOfAHuman: a pipe that stood where a config is included stays, used or not.
func TestGitPipeOfAHuman(t *testing.T) {
	g := newGround(t)
	g.sh("git init -q x; git -C x config include.path ../i; mkfifo x/i")
	k := g.keeper()
	before := g.look(k)
	g.sh("cat x/i > out & echo '[user]' > x/i; wait; touch x/i")
	if told := g.disarm(k, before); told != "" || g.read("out") != "[user]\n" {
		t.Errorf("told %q", told)
	}
}

// TestGitLeadsIntoHome: what a human's config takes from the HOME of commands can't
// be kept from them, so that they don't run.
func TestGitLeadsIntoHome(t *testing.T) {
	testenv.Slow(t)
	for config, refused := range map[string]bool{"{home}/i": true, "{deed}/l/i": true, "{out}/i": false, "i": false} {
		g := newGround(t)
		config = strings.NewReplacer("{home}", g.dir+"/chome", "{deed}", g.deed, "{out}", g.dir+"/out").Replace(config)
		g.sh("mkdir ../chome; ln -s ../chome l; git init -q x; git -C x config include.path " + config)
		all := &guards{dir: g.dir + "/standing"}
		for range 2 {
			c, err := all.enter(t.Context(), Spec{Deed: g.deed, Home: g.dir + "/chome"})
			if (err != nil) != refused || refused && !strings.Contains(err.Error(), "HOME of commands") {
				t.Errorf("%s: %v", config, err)
			}
			if err == nil {
				c.leave()
			}
			if names := owedRecords(all.dir); len(names) > 0 {
				t.Errorf("%s: left: %v", config, names)
			}
		}
	}
}

// TestGitExits: a repository in the HOME of commands is not entered from the deed.
func TestGitExits(t *testing.T) {
	armed := func(at string) string {
		return "git init -q " + at + "; git -C " + at + " config core.fsmonitor {ran}; "
	}
	for _, c := range []struct{ name, command, human, want string }{
		{"to a repository", armed("$H/z") + "ln -s $H/z z", "cd z && git status", "z: was a link into the HOME of commands"},
		{"into a repository", armed("$H/z") + "mkdir $H/z/in; ln -s $H/z/in z", "cd z && git status", "z: was a link into the HOME of commands"},
		{"above a repository", armed("$H/a/b/c") + "mkdir d; ln -s $H/a d/z", "cd d/z/b/c && git status", "d/z: was a link into the HOME of commands"},
		{"to HOME as a repository", armed("$H") + "mkdir $H/a; ln -s $H/a z", "cd z && git status", "z: was a link into the HOME of commands"},
		{"by letters that go up", armed("$H/z") + "mkdir d; ln -s ../../chome/z d/z", "cd d/z && git status", "d/z: was a link into the HOME of commands"},
		{"over a link in HOME", armed("$H/y") + "mkdir $H/a; ln -s $H/y $H/a/b; ln -s $H/a z", "cd z/b && git status", "z: was a link into the HOME of commands"},
		{"over a link outside", armed("$H/y") + "ln -s $H/y {out}/b; ln -s {out}/b z", "cd z && git status", "z: was a link into the HOME of commands"},
		{"to a bare repository", "git init -q --bare $H/z; git -C $H/z config alias.st '!{ran}'; ln -s $H/z z", "cd z && git st", "z: was a link into the HOME of commands"},
		{"without git", "mkdir -p $H/z/a; ln -s $H/z/a $H/z/a/loop; ln -s $H/z z; echo x > $H/f; ln -s $H/f f; ln -s /usr/bin u; ln -s nowhere n", "ls z/a", ""},
		{"to a file in a repository", armed("$H/z") + "echo > $H/z/f; ln -s $H/z/f f", "cat f", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			g := newGround(t)
			g.sh("mkdir ../chome")
			k := g.keeper()
			k.homes = []string{g.dir + "/chome"}
			before := g.look(k)
			g.sh("H={deed}/../chome; H=$(cd $H; pwd); " + c.command)
			g.ran()
			if g.sh(c.human); g.ran() != (c.want != "") {
				t.Fatal("it does not prove anything")
			}
			if told := g.disarm(k, before); !strings.HasPrefix(told, c.want) || (told == "") != (c.want == "") {
				t.Errorf("told %q, want %q", told, c.want)
			}
			if g.sh(c.human); g.ran() {
				t.Error("it ran")
			}
			if told := g.disarm(k, before); told != "" {
				t.Errorf("told a second time: %q", told)
			}
		})
	}
}

// TestGitHooksInWorktree: a command's worktree may have the hooks that a human
// has under version control, and no others.
func TestGitHooksInWorktree(t *testing.T) {
	g := newGround(t)
	g.sh("git init -q x; cd x; mkdir h; printf '#!/bin/sh\\ntrue\\n' | tee h/pre-push > h/pre-commit; chmod +x h/*; git add h; git commit -qm x; git config core.hooksPath h")
	k := g.keeper()
	before := g.look(k)
	g.sh("cd x; git worktree add -q ../y")
	if told := g.disarm(k, before); told != "" {
		t.Errorf("told %q", told)
	}
	g.sh("cd y; echo evil >> h/pre-commit; cp h/pre-push h/post-commit")
	if told, want := g.disarm(k, before), "y/h/post-commit: is now post-commit.disarmed\ny/h/pre-commit: is now pre-commit.disarmed"; told != want {
		t.Errorf("told %q", told)
	}
}

// endsLater is a context that ends once it was asked so often.
type endsLater struct {
	context.Context
	left *int
}

func (c endsLater) Err() error {
	if *c.left--; *c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestGitExitsStopped: a look that is stopped removes no link that it has not
// followed to the end.
func TestGitExitsStopped(t *testing.T) {
	g := newGround(t)
	g.sh("mkdir -p ../chome/a/b/c ../chome/d; ln -s $(cd ../chome; pwd)/a a; ln -s $(cd ../chome; pwd)/d d")
	for left := 1; ; left++ {
		k, n := g.keeper(), left
		k.homes = []string{g.dir + "/chome"}
		undone, err := k.disarm(endsLater{t.Context(), &n}, standing{})
		if len(undone) > 0 {
			t.Fatalf("asked %d times: %q", left, undone)
		}
		if n >= 0 { // it did not end
			if err != nil || left < 4 {
				t.Errorf("after %d: %v", left, err)
			}
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Errorf("asked %d times: %v", left, err)
		}
	}
}

// TestGitManyExits: links out of a folder by the ten thousands keep no command from
// running, and hide none to a repository in HOME; more of them are told as what they are.
func TestGitManyExits(t *testing.T) {
	testenv.Long(t)
	g := newGround(t)
	g.sh("mkdir ../chome; git init -q ../chome/z; ln -s $(cd ../chome; pwd)/z zz")
	links := func(from, to int) {
		for i := from; i < to; i++ {
			if err := os.Symlink("/usr/share/doc/nothing", filepath.Join(g.deed, "l"+strconv.Itoa(i))); err != nil {
				t.Fatal(err)
			}
		}
	}
	links(0, maxItems+1)
	k := g.keeper()
	k.homes = []string{g.dir + "/chome"}
	before := g.look(k)
	if told := g.disarm(k, before); !strings.HasPrefix(told, "zz: was a link into the HOME of commands") {
		t.Errorf("told %q", told)
	}
	links(maxItems+1, maxItems+3)
	k.links = maxItems + 2
	if _, err := k.disarm(t.Context(), before); !errors.Is(err, errExits) || k.top != nil {
		t.Errorf("%v, and what it read stays: %v", err, k.top != nil)
	}
}
